"""Charts as data: every point has its words, every bar its sum, and none is without a place."""

from __future__ import annotations

import pytest

from napkin.answer_html import answer_html
from napkin.answers import Answer, Axis, Chart, Mark, Series
from napkin.table import Row


def test_every_point_and_mark_says_its_numbers() -> None:
    chart = Chart(
        "c", "T", "line", Axis("Context", "tokens"), Axis("Memory", "B"),
        (Series("a", ((0, 0), (1e4, 5e9))),), "It grows.", (Mark("you", 1e4, 5e9),),
    ).to_dict()  # fmt: skip
    assert chart["series"][0]["words"] == ["a: 0 tokens, 0 B", "a: 10k tokens, 5 GB"]
    assert chart["marks"][0]["words"] == "you: 10k tokens, 5 GB"
    assert chart["sums"] == []


def test_the_parts_of_a_bar_add_up() -> None:
    chart = Chart(
        "c", "T", "stacked", Axis(""), Axis("Memory", "B"),
        (Series("w", (("run", 10.0), ("train", 10.0))), Series("g", (("train", 30.0),))), "S.",
    ).to_dict()  # fmt: skip
    assert chart["sums"] == [
        {"name": "run", "value": 10.0, "text": "10 B"},
        {"name": "train", "value": 40.0, "text": "40 B"},
    ]
    assert chart["series"][1]["words"] == ["train, g: 30 B"]


def test_an_answer_has_a_place_for_a_picture_and_says_what_it_shows() -> None:
    chart = Chart("c", "A < B", "bar", Axis(""), Axis("Memory", "B"),
                  (Series("w", (("run", 1.0),)),), "One bar.")  # fmt: skip
    answer = Answer(Row("size", "Size", 1, "B"), "Small.", charts=(chart,)).to_dict()
    place = '<div data-part="picture" role="img" aria-label="A &lt; B. One bar.">'
    assert f"{place}</div>" in answer_html(answer)
    assert f"{place}<svg></svg></div>" in answer_html(answer, {"c": "<svg></svg>"})


@pytest.mark.parametrize(
    ("kind", "point", "log"),
    [("line", ("a", 1.0), False), ("bar", (1.0, 1.0), False), ("line", (0.0, 1.0), True),
     ("line", (1.0, float("inf")), False)],
)  # fmt: skip
def test_a_point_with_no_place_is_refused(kind: str, point: tuple[float, float], log: bool) -> None:
    with pytest.raises(ValueError, match="chart 'c'"):
        Chart("c", "T", kind, Axis("x", log=log), Axis("y"), (Series("s", (point,)),), "S.")  # type: ignore[arg-type]
