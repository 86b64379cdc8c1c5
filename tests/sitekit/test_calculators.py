"""A calculator's HTML: readable without scripts, labelled, and a stop where a name is wrong."""

from __future__ import annotations

from html.parser import HTMLParser

import markdown
import pytest
from pymdownx.superfences import SuperFencesException

from napkin.forms import calculator
from sitekit.calculators import calculator_html
from sitekit.fences import calculator as fence
from sitekit.fences import validate
from sitekit.sections import SiteError
from tests.samples import CALCULATORS

KV = "napkin.tools.kv_cache:kv_cache"


class Tree(HTMLParser):
    """Start tags with their attributes, and whether all tags close."""

    VOID = frozenset({"input", "rect"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.VOID:
            return
        # <option> in a <datalist> may stand without an end.
        while self.open and self.open[-1] == "option" != tag:
            self.open.pop()
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for found, attrs in self.tags if found == tag]


@pytest.mark.parametrize("reference", CALCULATORS)
def test_every_field_is_labelled_and_described_and_no_id_stands_twice(reference: str) -> None:
    tree = Tree(calculator_html(reference))
    assert tree.open == []
    ids = [attrs["id"] for _, attrs in tree.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    labelled = {attrs.get("for") for attrs in tree.all("label")}
    controls = [attrs for tag, attrs in tree.tags if tag in ("input", "select") and "name" in attrs]
    names = [field.name for field in calculator(reference).fields]
    assert [attrs["name"] for attrs in controls] == names
    for attrs in controls:
        assert attrs["id"] in labelled
        assert set((attrs["aria-describedby"] or "").split()) <= set(ids)
    assert [attrs["data-input"] for attrs in tree.all("dd") if "data-input" in attrs] == names
    assert not any("style" in attrs for _, attrs in tree.tags), "a strict policy forbids it"


def test_the_default_answer_stands_in_the_page_with_its_working() -> None:
    html = calculator_html(KV)
    assert '<strong data-value="4194304000">4.19 GB</strong>' in html
    assert "32,000 tokens × 2,048 × 2 B = 4.19 GB" in html
    assert '<dd data-input="context">32k tokens</dd>' in html


def test_a_page_may_hold_a_calculator_twice() -> None:
    page = markdown.Markdown(
        extensions=["pymdownx.superfences"],
        extension_configs={
            "pymdownx.superfences": {
                "custom_fences": [
                    {"name": "calculator", "class": "c", "format": fence, "validator": validate}
                ]
            }
        },
    )
    html = page.convert(f"```calculator\n{KV}\n```\n\ntext\n\n```calculator\n{KV}\n```\n")
    ids = [attrs["id"] for _, attrs in Tree(html).tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert "calculator-kv-cache" in ids and "calculator-kv-cache-2" in ids


def test_an_unknown_calculator_stops_the_build() -> None:
    with pytest.raises(SuperFencesException, match=r"did you mean napkin\.tools\.kv_cache\?"):
        fence("napkin.tools.kv_cash:kv_cache", "calculator", "c", {}, markdown.Markdown())
    with pytest.raises(SiteError, match="does not name a calculator"):
        calculator_html("kv-cache")
