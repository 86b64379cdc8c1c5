"""Marked values and sums are compared with what they say, and rewritten on request."""

from pathlib import Path

import pytest

from sitekit import links, values
from sitekit.new_lesson import write
from sitekit.provision.steps import StepFailure


def page(tmp_path: Path, text: str, name: str = "counting-operations.md") -> Path:
    docs = tmp_path / "docs"
    docs.mkdir(exist_ok=True)
    (docs / name).write_text(text, "utf-8")
    return docs


def test_values_come_from_the_package(tmp_path: Path) -> None:
    expression = "napkin.memory_rules.kv_cache_rule(32, 8, 128, 1).total.value"
    docs = page(tmp_path, f'`131 kB`{{data-value="{expression}"}}\n')
    assert values.value_problems(docs) == []
    docs = page(tmp_path, f'x\n\n`140 kB`{{data-value="{expression}"}}\n')
    [problem] = values.value_problems(docs)
    assert problem.startswith("docs/counting-operations.md:3:") and "not 140 kB" in problem
    assert values.fix(docs) == [
        f'docs/counting-operations.md:3: `131 kB`{{data-value="{expression}"}}'
    ]
    assert values.value_problems(docs) == []


def test_values_come_from_what_the_lessons_cells_define(tmp_path: Path) -> None:
    docs = page(tmp_path, '`14 GB`{data-value="weights * 1e9"}', "home.md")
    assert values.value_problems(docs) == []
    docs = page(tmp_path, '`14 GB`{data-value="wieghts * 1e9"}', "home.md")
    [problem] = values.value_problems(docs)
    assert "did you mean the name `weights`" in problem


def test_stale_sums_are_rewritten_and_fences_are_not(tmp_path: Path) -> None:
    text = "`7e9 * 16 = 111 GB` and `x = 3`\n```\n`1 + 1 = 3`\n```\n`4 + 4 = 8`\n"
    docs = page(tmp_path, text)
    assert len(values.fix(docs)) == 1
    after = (docs / "counting-operations.md").read_text("utf-8")
    assert after == text.replace("111 GB", "112 GB")
    assert values.fix(docs) == []


@pytest.mark.parametrize(
    "address",
    ["http://x.org", "https://x", "https://arxiv.org/2001.08361", "https://x.org/a.", "https://[x"],
)
def test_addresses_that_cannot_work_are_told(address: str, tmp_path: Path) -> None:
    docs = page(tmp_path, f"[a]({address})\n")
    [problem] = links.link_problems(docs)
    assert problem.startswith(f"docs/counting-operations.md:1: {address}: ")


def test_a_new_lesson_has_every_part_and_overwrites_nothing(tmp_path: Path) -> None:
    written = write("kv-cache", "The cache", tmp_path)
    assert "docs/lessons/kv-cache.md" in written and len(written) == 4
    text = (tmp_path / "docs/lessons/kv-cache.md").read_text("utf-8")
    assert "```lesson\nkv-cache\n```" in text and "{" not in text
    with pytest.raises(StepFailure, match="exists already"):
        write("kv-cache", "The cache", tmp_path)
    with pytest.raises(StepFailure, match="A slug is"):
        write("KV cache", "The cache", tmp_path)
