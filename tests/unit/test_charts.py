"""Charts: every point is where its axis says, and none is lost."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from napkin.answers import Axis, Chart, Mark, Series
from napkin.chart_svg import HEIGHT, WIDTH, chart_svg
from napkin.forms import calculator
from napkin.ticks import MOST, Scale, tick_text
from tests.samples import CALCULATORS, sample_texts


def drawn(chart: Chart) -> ElementTree.Element:
    return ElementTree.fromstring(f"<div>{chart_svg(chart.to_dict())}</div>")


def numbers(element: ElementTree.Element, *names: str) -> list[float]:
    return [float(element.get(name, "nan")) for name in names]


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(
    ("low", "high"),
    [(1, 1), (1, 2), (0.9, 1.1), (3, 7000), (1e-9, 1e-3), (1e15, 1e27), (17, 18), (1e9, 1.5e9)],
)
def test_an_axis_has_a_few_round_ticks_between_its_ends(low: float, high: float, log: bool) -> None:
    scale = Scale(Axis("x", log=log), [low, high], 100, 400)
    ticks = scale.ticks()
    assert 1 <= len(ticks) <= MOST + 1
    places = [scale.place(tick) for tick in ticks]
    assert places == sorted(places) and places[0] >= 100 and places[-1] <= 400
    assert 100 <= scale.place(low) <= scale.place(high) <= 400
    assert all(re.fullmatch(r"[1-9][0-9]{0,2}0*", f"{t:.3e}".split("e")[0].replace(".", ""))
               for t in ticks if t)  # fmt: skip
    assert len({tick_text(tick, "") for tick in ticks}) == len(ticks)


def test_a_logarithmic_axis_gives_each_factor_the_same_way() -> None:
    scale = Scale(Axis("x", log=True), [1, 1000], 0, 300)
    steps = [scale.place(10**n) - scale.place(10 ** (n - 1)) for n in (1, 2, 3)]
    assert steps == pytest.approx([steps[0]] * 3)


def test_points_stand_where_the_scales_say_and_say_their_numbers() -> None:
    chart = Chart(
        "c", "T", "line", Axis("Context", "tokens"), Axis("Memory", "B"),
        (Series("a<b", ((0, 0), (10, 5e9), (20, 1e10))),), "It grows.", (Mark("you", 10, 5e9),),
    )  # fmt: skip
    tree = drawn(chart)
    dots = [dot for dot in tree.iter("circle") if "dot" in dot.get("class", "")]
    xs, ys = zip(*(numbers(dot, "cx", "cy") for dot in dots), strict=True)
    assert xs[1] - xs[0] == pytest.approx(xs[2] - xs[1], abs=0.15)
    assert ys[0] - ys[1] == pytest.approx(ys[1] - ys[2], abs=0.15)
    titles = [title.text for title in tree.iter("title")]
    assert titles == ["a<b: 0 tokens, 0 B", "a<b: 10 tokens, 5 GB", "a<b: 20 tokens, 10 GB",
                      "you: 10 tokens, 5 GB"]  # fmt: skip


def test_the_parts_of_a_bar_are_as_long_as_their_numbers() -> None:
    chart = Chart(
        "c", "T", "stacked", Axis(""), Axis("Memory", "B"),
        (Series("w", (("run", 10.0), ("train", 10.0))), Series("g", (("train", 30.0),))), "S.",
    )  # fmt: skip
    tree = drawn(chart)
    bars = [bar for bar in tree.iter("rect") if bar.get("x")]
    widths = [numbers(bar, "width")[0] + 1 for bar in bars]  # a pixel of each is a gap
    assert widths[1] == pytest.approx(widths[0], abs=0.15)
    assert widths[2] == pytest.approx(3 * widths[0], abs=0.3)
    assert [text.text for text in tree.iter("text")] == ["run", "10 B", "train", "40 B"]


@pytest.mark.parametrize(
    ("kind", "point", "log"),
    [("line", ("a", 1.0), False), ("bar", (1.0, 1.0), False), ("line", (0.0, 1.0), True),
     ("line", (1.0, float("inf")), False)],
)  # fmt: skip
def test_a_point_with_no_place_is_refused(kind: str, point: tuple[float, float], log: bool) -> None:
    with pytest.raises(ValueError, match="chart 'c'"):
        Chart("c", "T", kind, Axis("x", log=log), Axis("y"), (Series("s", (point,)),), "S.")  # type: ignore[arg-type]


@pytest.mark.parametrize("reference", CALCULATORS)
def test_every_chart_is_well_formed_and_stays_in_its_frame(reference: str) -> None:
    made = calculator(reference)
    for seed in range(12):
        answer = made.answer(sample_texts(made, seed))["answer"]
        for chart in answer["charts"] if answer else ():
            tree = ElementTree.fromstring(f"<div>{chart_svg(chart)}</div>")
            points = sum(len(one["points"]) for one in chart["series"]) + len(chart["marks"])
            named = [e for e in tree.iter() if e.get("data-point") is not None]
            zeros = sum(y == 0 for one in chart["series"] for _, y in one["points"])
            bars = chart["kind"] in ("bar", "stacked")
            assert len(named) == points - (zeros if bars else 0)
            for dot in tree.iter("circle"):
                if dot.get("data-point") is not None:
                    x, y = numbers(dot, "cx", "cy")
                    assert 0 <= x <= WIDTH and 0 <= y <= HEIGHT
