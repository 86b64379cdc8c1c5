"""Drawn figures: the committed files are what the code draws, and nothing is cut off."""

import re
import xml.etree.ElementTree as ET

import pytest

from lessons.figures import counting_operations
from lessons.figures.counting_operations import FOLDER, figures

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", figures())
def test_the_committed_figure_is_current(name: str) -> None:
    module = counting_operations.__name__
    assert (FOLDER / name).read_text("utf-8") == figures()[name], f"run python -m {module}"


@pytest.mark.parametrize("name", figures())
def test_nothing_is_drawn_outside_the_figure(name: str) -> None:
    root = ET.fromstring(figures()[name])
    width, height = (float(word) for word in root.attrib["viewBox"].split()[2:])
    corners = [
        (float(x), float(y))
        for polygon in root.iter(f"{SVG}polygon")
        for x, y in re.findall(r"([-\d.]+),([-\d.]+)", polygon.attrib["points"])
    ]
    for rect in root.iter(f"{SVG}rect"):
        x, y, side = (float(rect.attrib[key]) for key in ("x", "y", "width"))
        corners += [(x, y), (x + side, y + side)]
    for text in root.iter(f"{SVG}text"):
        # Half of the font size is a generous guess at the mean width of a letter.
        x, y, size = (float(text.attrib[key]) for key in ("x", "y", "font-size"))
        long = size * 0.55 * len(text.text or "")
        left = x if text.attrib["text-anchor"] == "start" else x - long / 2
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
