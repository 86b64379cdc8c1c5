"""The accuracy page is current, its statistics are right and it hides nothing."""

import re
import xml.etree.ElementTree as ET
from collections import Counter

import pytest

from sitekit.accuracy import Comparison, Family, families, files
from sitekit.accuracy.comparison import quantile
from sitekit.accuracy.published import rows_of

FAMILIES = families()


@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_page_and_plots_are_current(path: object) -> None:
    found = {str(key): text for key, text in files().items()}[str(path)]
    with open(str(path), encoding="utf-8") as lines:  # noqa: PTH123 - the parameter is a path
        assert lines.read() == found, "run python -m sitekit accuracy"


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.key)
def test_every_target_is_met(family: Family) -> None:
    assert family.rows
    misses = [row.case for row in family.rows if not family.right(row)]
    assert family.met, f"{family.title}: {family.hits} of {len(family.rows)}; {misses[:10]}"


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.key)
def test_every_miss_is_explained(family: Family) -> None:
    unexplained = [
        (row.case, f"{row.error:+.1%}")
        for row in family.worst(6)
        if not family.right(row) and not row.why
    ]
    assert not unexplained


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.key)
def test_predictions_are_not_copies_of_what_was_published(family: Family) -> None:
    exact = all(row.predicted == row.published for row in family.rows)
    assert exact == (family.key in ("parameters", "caches"))
    assert all(row.source and row.provenance in ("read", "recalled") for row in family.rows)


def test_no_speed_row_is_dropped_silently() -> None:
    phases = Counter(row["phase"] for row in rows_of("speed"))
    by_key = {family.key: family for family in FAMILIES}
    for key, names in (("decode", ["decode"]), ("prefill", ["prefill"]),
                       ("requests", ["total", "total out"])):  # fmt: skip
        family = by_key[key]
        left = sum(number for number, _, _ in family.left_out)
        assert len(family.rows) + left == sum(phases[name] for name in names)


def test_the_page_shows_misses_and_what_was_left_out() -> None:
    page = next(text for path, text in files().items() if path.name == "accuracy.md")
    for family in FAMILIES:
        assert f"## {family.title}" in page
        assert f"{family.hits} of {len(family.rows)} rows" in page
    assert "held out" in page
    assert page.count("Not compared:") >= 3
    assert not re.search(r"\bnan\b|\binf\b|None", page)


def test_plots_draw_one_dot_per_comparison_inside_the_frame() -> None:
    for path, text in files().items():
        if path.suffix != ".svg":
            continue
        root = ET.fromstring(text)
        width, height = (float(word) for word in root.attrib["viewBox"].split()[2:])
        dots = [node for node in root.iter() if node.tag.endswith("circle")]
        for dot in dots:
            assert 0 <= float(dot.attrib["cx"]) <= width
            assert 0 <= float(dot.attrib["cy"]) <= height
        decode = next(family for family in FAMILIES if family.key == "decode")
        every = sum(len(family.rows) for family in FAMILIES)
        assert len(dots) == (len(decode.rows) if "decode" in path.name else every)


def test_errors_and_ranges_are_what_they_say() -> None:
    row = Comparison("case", 100.0, 110.0, "B", "source", "read", 90.0, 120.0)
    assert row.error == pytest.approx(0.1)
    assert row.inside
    assert row.width == pytest.approx(120 / 90)
    assert not Comparison("case", 89.0, 110.0, "B", "source", "read", 90.0, 120.0).inside
    assert not Comparison("case", 100.0, 100.0, "B", "source", "read").inside
    point = Family("k", "t", "target", "about", tolerance=0.05, rows=[row])
    assert (point.hits, point.met) == (0, False)
    ranged = Family("k", "t", "target", "about", ranged=True, rows=[row])
    assert (ranged.hits, ranged.met) == (1, True)


def test_quantiles() -> None:
    assert quantile([3.0, 1.0, 2.0], 0.5) == 2
    assert quantile([1.0], 0.95) == 1
    assert quantile([0.0, 10.0], 0.95) == pytest.approx(9.5)
