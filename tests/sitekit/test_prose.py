"""Sums that pages state are evaluated; all pages hold."""

from pathlib import Path

import pytest

from sitekit import prose
from sitekit.sections import load_sections
from sitekit.sums import check_sum


@pytest.mark.parametrize(
    "span",
    [
        "2 * 64 * 64 * 64 = 524_288 FLOP",
        "2 × 1024 × 1024 × 1024 = 2.15 GFLOP",
        "7e9 * 16 = 112 GB",
        "1.8e18 / 5e14 = 3,600 s",
        "989e12 / 3.35e12 = 295 FLOP/byte",
        "989e12 / 4e9 ≈ 250,000",
        "80 * 2**30 = 80 GiB",
        "1 / 4 = 25 %",
        "5 / 1000 = 5 ms",
        "10 − 3 = 7",
        "(2 + 2) ** 3 = 64 cubes",
    ],
)
def test_true_sums_pass(span: str) -> None:
    assert list(prose.sums(f"text `{span}` text")) == [(1, span)]
    assert check_sum(span) is None


@pytest.mark.parametrize(
    "span",
    [
        "2 * 64 * 64 * 64 = 524_289 FLOP",
        "16*20*28 / 2*2 = 2,240",
        "7e9 * 16 = 112 GiB",
        "7e9 * 16 = 112 MB",
        "989e12 / 4e9 ≈ 350,000",
        "1 / 3 = 0.34",
        "2 * * 3 = 6",
        "1 / 0 = 1",
        "2 * 3 = six",
    ],
)
def test_wrong_or_unreadable_sums_are_told(span: str) -> None:
    assert list(prose.sums(f"`{span}`")), "not even seen as a sum"
    assert check_sum(span)


@pytest.mark.parametrize("span", ["C = 6 * N * D", "x = 3", "a @ b", "my_guess = 8", "--n=3"])
def test_code_and_formulas_are_left_alone(span: str) -> None:
    assert list(prose.sums(f"`{span}`")) == []


def test_fenced_code_is_not_prose() -> None:
    assert list(prose.sums("```\n`1 + 1 = 3`\n```\n`1 + 1 = 2`")) == [(4, "1 + 1 = 2")]


def test_every_page_of_the_site_holds() -> None:
    assert prose.problems() == []


def test_a_wrong_page_is_told_with_file_and_line(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    page = "# Page\n\n`1 + 1 = 3`\n\n```cell\ncounting-operations/nowhere\n```\n"
    (docs / "page.md").write_text(page, "utf-8")
    told = prose.problems(docs)
    assert "docs/page.md:3: 1 + 1 is 2, not 3" in told
    assert any(text.startswith("docs/page.md:5: lesson ") for text in told)


def test_cells_out_of_the_script_s_order_are_told(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    names = [section.name for section in load_sections("training-compute") if not section.hidden]
    swapped = [names[1], names[0], *names[2:]]
    cells = "\n".join(f"```cell\ntraining-compute/{name}\n```\n" for name in swapped)
    (docs / "page.md").write_text(cells, "utf-8")
    told = [text for text in prose.problems(docs) if "one order" in text]
    assert len(told) == 1
    assert told[0].startswith("pysrc/lessons/training_compute.py:3: ")
