"""Drawn figures: the committed files are what the code draws, and nothing is cut off."""

import importlib
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from lessons.figures import drawing
from lessons.figures.counting_operations import figures

SVG = "{http://www.w3.org/2000/svg}"
SHARED = {"__init__", "drawing"}
MODULES = sorted(path.stem for path in Path(drawing.__file__).parent.glob("*.py"))
# Every figure of every lesson, with the module that draws it.
DRAWN = {
    name: (module, text)
    for module in MODULES
    if module not in SHARED
    for name, text in importlib.import_module(f"lessons.figures.{module}").figures().items()
}


@pytest.mark.parametrize("name", DRAWN)
def test_the_committed_figure_is_current(name: str) -> None:
    module, text = DRAWN[name]
    committed = (drawing.FOLDER / name).read_text("utf-8")
    assert committed == text, f"run python -m lessons.figures.{module}"


@pytest.mark.parametrize("name", DRAWN)
def test_nothing_is_drawn_outside_the_figure(name: str) -> None:
    root = ET.fromstring(DRAWN[name][1])
    width, height = (float(word) for word in root.attrib["viewBox"].split()[2:])
    corners = [
        (float(x), float(y))
        for shape in (*root.iter(f"{SVG}polygon"), *root.iter(f"{SVG}polyline"))
        for x, y in re.findall(r"([-\d.]+),([-\d.]+)", shape.attrib["points"])
    ]
    for rect in root.iter(f"{SVG}rect"):
        x, y, wide, high = (float(rect.attrib[key]) for key in ("x", "y", "width", "height"))
        corners += [(x, y), (x + wide, y + high)]
    for text in root.iter(f"{SVG}text"):
        # Half of the font size is a generous guess at the mean width of a letter.
        x, y, size = (float(text.attrib[key]) for key in ("x", "y", "font-size"))
        long = size * 0.55 * len(text.text or "")
        left = x - long * {"start": 0, "middle": 0.5, "end": 1}[text.attrib["text-anchor"]]
        corners += [(left, y - size), (left + long, y)]
    outside = [(x, y) for x, y in corners if not (0 <= x <= width and 0 <= y <= height)]
    assert corners
    assert not outside


def test_the_large_cube_shows_eight_small_ones() -> None:
    """Three sides are seen: 2 * 2 faces each, against one each for the small cube."""
    root = ET.fromstring(figures()["counting-operations-eight-cubes-light.svg"])
    small, large = (len(list(group)) for group in root.iter(f"{SVG}g"))
    assert (small, large) == (3, 12)


def test_the_product_has_the_shapes_of_the_text() -> None:
    """(4 x 5)(5 x 6): a row of 5, a column of 5 and one cell are marked."""
    root = ET.fromstring(figures()["counting-operations-one-output-light.svg"])
    cells, marked = [], []
    for group in root.iter(f"{SVG}g"):
        fills = [rect.attrib["fill"] for rect in group]
        cells.append(len(fills))
        marked.append(sum(fill != "none" for fill in fills))
    assert cells == [4 * 5, 5 * 6, 4 * 6]
    assert marked == [5, 5, 1]
