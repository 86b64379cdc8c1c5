"""Pictures of charts, drawn by Node with the library of the pages: each point in its place."""

from __future__ import annotations

import math
import re
from itertools import pairwise, product
from typing import Any, Literal
from xml.etree import ElementTree

import pytest

from napkin.answers import Axis, Chart, Mark, Series
from napkin.forms import calculator
from napkin.quantities import parse_bytes, parse_number, parse_rate
from sitekit import pictures as module
from sitekit.pictures import pictures
from sitekit.sections import SiteError
from tests.samples import CALCULATORS, sample_texts

Tree = ElementTree.Element


def tree_of(html: str) -> Tree:
    return ElementTree.fromstring(f"<div>{html}</div>")


def drawn(chart: Chart) -> Tree:
    return tree_of(pictures([chart.to_dict()])[0])


def plane(
    points: list[tuple[float, float]], log: bool = False, unit: str = "",
    kind: Literal["line", "scatter"] = "line", marks: tuple[Mark, ...] = (),
) -> Chart:  # fmt: skip
    axes = Axis("x", unit, log=log), Axis("y", log=log)
    return Chart("c", "T", kind, *axes, (Series("a<b", tuple(points)),), "S.", marks)


def places(tree: Tree, kind: str = "dot") -> list[tuple[float, float]]:
    """The middles of a group's circles."""
    circles = (circle for group in groups(tree, kind) for circle in group.iter("circle"))
    return [(float(one.get("cx", "nan")), float(one.get("cy", "nan"))) for one in circles]


def groups(tree: Tree, kind: str) -> list[Tree]:
    return [group for group in tree.iter("g") if group.get("class") == kind]


def titles(tree: Tree) -> list[str]:
    return [title.text or "" for title in tree.iter("title")]


def at(text: Tree) -> tuple[float, float]:
    x, y = re.findall(r"-?[0-9.]+", text.get("transform", ""))
    return float(x), float(y)


@pytest.mark.parametrize("kind", ["line", "scatter"])
def test_points_stand_where_the_axes_say_and_say_their_numbers(
    kind: Literal["line", "scatter"],
) -> None:
    tree = drawn(plane([(0, 0), (10, 5), (20, 10)], kind=kind, marks=(Mark("you", 10, 5),)))
    (x1, y1), (x2, y2), (x3, y3) = places(tree)
    assert x2 - x1 == pytest.approx(x3 - x2, abs=0.02) and x2 > x1
    assert y1 - y2 == pytest.approx(y2 - y3, abs=0.02) and y1 > y2
    assert places(tree, "mark") == [(x2, y2)]
    assert titles(tree) == ["a<b: 0, 0", "a<b: 10, 5", "a<b: 20, 10", "you: 10, 5"]
    lines = [path.get("d") for path in tree.iter("path")]
    assert lines == ([f"M{x1:g},{y1:g}L{x2:g},{y2:g}L{x3:g},{y3:g}"] if kind == "line" else [])


def test_a_logarithmic_axis_gives_each_factor_the_same_way() -> None:
    xs = [x for x, _ in places(drawn(plane([(10.0**n, 10.0**n) for n in range(4)], log=True)))]
    steps = [after - before for before, after in pairwise(xs)]
    assert steps == pytest.approx([steps[0]] * 3, abs=0.02) and steps[0] > 50


@pytest.mark.parametrize("kind", ["stacked", "bar"])
def test_the_parts_of_a_bar_are_as_long_as_their_numbers(kind: Literal["stacked", "bar"]) -> None:
    chart = Chart(
        "c", "T", kind, Axis("Batch"), Axis("Memory", "B"),
        (Series("w", (("1", 10.0), ("2", 10.0))), Series("g", (("1", 0.0), ("2", 30.0)))), "S.",
    )  # fmt: skip
    tree = drawn(chart)
    bars = [bar for group in groups(tree, "bar") for bar in group.iter("rect")]
    first, second, last = [(float(bar.get("x", "")), float(bar.get("width", ""))) for bar in bars]
    assert first == second and first[0] == 0
    assert last[0] == pytest.approx(first[1], abs=0.02)
    assert last[1] == pytest.approx(3 * first[1], abs=0.05)
    words = [text.text for text in tree.iter("text")]
    assert words == ["Batch 1", "Batch 2", "10 B", "40 B"]
    # Bar by bar, as the arrow keys read them; a part of nothing is none.
    assert titles(tree) == ["1, w: 10 B", "2, w: 10 B", "2, g: 30 B"]
    assert ["".join(item.itertext()) for item in tree.iter("li")] == ["w", "g"]


RANGES = [(1, 1), (1, 2), (0.9, 1.1), (3, 7000), (1e-9, 1e-3), (1e15, 1e27), (17, 18),
          (1e9, 1.5e9), (512, 131_072)]  # fmt: skip


def test_an_axis_has_a_few_ticks_each_at_the_value_that_it_says() -> None:
    units = ["", "B", "tokens", "FLOP", "FLOP/s"]
    cases = [
        (ends, log, unit)
        for ends, log, unit in product(RANGES, [False, True], units)
        if unit in ("", "FLOP") or 1000 <= ends[1] < 1e21
    ]
    charts = [plane([(low, 1), (high, 2)], log, unit).to_dict() for (low, high), log, unit in cases]
    for case, html in zip(cases, pictures(charts), strict=True):
        (low, high), log, unit = case
        tree = tree_of(html)
        ticks = list(groups(tree, "tick")[0])
        texts = [text.text or "" for text in ticks]
        assert 1 <= len(ticks) <= 9 and len(set(texts)) == len(ticks), (case, texts)
        places_ = [at(text)[0] for text in ticks]
        assert places_ == sorted(places_) and places_[0] >= 62 and places_[-1] <= 466, case
        (left, _), (right, _) = places(tree)
        for text, place in zip(texts, places_, strict=True):
            assert len(text) <= 8, (case, text)
            if low == high:
                continue
            value = read(text, unit)
            expected = share(value, low, high, log) * (right - left) + left
            # To half of the third digit, which is all that a text has.
            slack = abs(share(value * 1.005, low, high, log) - share(value, low, high, log))
            assert place == pytest.approx(expected, abs=slack * (right - left) + 0.1), (case, text)


def read(text: str, unit: str) -> float:
    """What a tick says, as the course's own parser has it."""
    if unit == "B":
        return float(parse_bytes(text))
    if unit == "FLOP/s":
        return float(parse_rate(f"{text}FLOP/s" if text[-1].isalpha() else f"{text} FLOP/s"))
    return float(parse_number(text))


def share(value: float, low: float, high: float, log: bool) -> float:
    """How far from low to high, along the axis; near ends make a logarithmic one linear."""
    if log and high / low > 1.6:
        value, low, high = math.log(value), math.log(low), math.log(high)
    return (value - low) / (high - low)


def test_every_chart_of_the_calculators_is_whole_and_stays_in_its_frame() -> None:
    charts: list[dict[str, Any]] = []
    for reference in CALCULATORS:
        made = calculator(reference)
        answers = [made.answer(sample_texts(made, seed))["answer"] for seed in range(12)]
        charts += [chart for answer in answers if answer for chart in answer["charts"]]
    assert len(charts) > 50
    for chart, html in zip(charts, pictures(charts), strict=True):
        tree = tree_of(html)
        svg = tree[0]
        _, _, width, height = map(float, svg.get("viewBox", "").split())
        bars = chart["kind"] in ("bar", "stacked")
        points = [point for one in chart["series"] for point in one["points"]]
        count = sum(y > 0 for _, y in points) if bars else len(points) + len(chart["marks"])
        assert len([one for one in tree.iter() if one.get("data-point") is not None]) == count
        for x, y in [*places(tree), *places(tree, "mark")]:
            assert 0 <= x <= width and 0 <= y <= height
        assert all(
            float(bar.get("x", "")) + float(bar.get("width", "")) <= width - 80
            for group in groups(tree, "bar") for bar in group.iter("rect")
        )  # fmt: skip
        assert_labels_are_apart(tree, chart)
        assert "style" not in html and "NaN" not in html


def assert_labels_are_apart(tree: Tree, chart: dict[str, Any]) -> None:
    boxes = []
    for group in groups(tree, "label"):
        for text in group:
            x, y = at(text)
            width = 7 * len(text.text or "")
            left = x - width * {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor", "")]
            boxes.append((left, left + width, y))
    for number, (left, right, y) in enumerate(boxes):
        assert left > 0 and right < 480, chart["title"]
        for other_left, other_right, other_y in boxes[:number]:
            apart = right <= other_left or other_right <= left or abs(y - other_y) >= 12
            assert apart, chart["title"]


def test_a_picture_is_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    chart = plane([(1, 1), (2, 2)]).to_dict()
    first = pictures([chart])
    monkeypatch.setattr(module, "drawn", lambda text: pytest.fail("drawn again"))
    assert pictures([chart]) == first


def test_what_node_says_of_a_chart_that_it_cannot_draw_is_told() -> None:
    chart = {**plane([(1, 1), (2, 2)]).to_dict(), "series": None}
    with pytest.raises(SiteError, match=r"(?s)draw a calculator's charts.*TypeError"):
        pictures([chart])
