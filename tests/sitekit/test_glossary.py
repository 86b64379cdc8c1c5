"""Terms are explained once, and linked where a page uses them first."""

import re

import pytest
from markdown import markdown

from sitekit.glossary import PAGE, parse_glossary
from sitekit.paths import DOCS
from sitekit.sections import SiteError

EXTENSIONS = ["sitekit.glossary", "tables", "attr_list", "def_list"]


def linked(text: str) -> list[tuple[str, str]]:
    """The links that a page gets: id and words of each."""
    html = markdown(text, extensions=EXTENSIONS)
    return re.findall(r'<a class="term" href="/reference/glossary.md#([^"]+)"[^>]*>([^<]+)<', html)


def test_the_first_use_is_linked_and_no_other() -> None:
    text = "# A GPU\n\nTwo GPUs, `one GPU`, a [GPU](x.md) and *a GPU*.\n\n- GPUs again\n"
    assert linked(text) == [("gpu", "GPUs")]


def test_words_are_found_in_their_forms_and_not_inside_others() -> None:
    assert linked("Gradients flow.") == [("gradient", "Gradients")]
    assert linked("Use **gradient accumulation**.") == [
        ("gradient-accumulation", "gradient accumulation")
    ]
    assert linked("It does 2 FLOP/s, that is FLOPS, not FLOPs.") == [
        ("flop-per-second", "FLOP/s"),
        ("flop", "FLOPs"),
    ]
    assert linked("TPUv4-like and xGPU and GPU-years, tokenizer") == [("gpu", "GPU")]
    assert linked("| GPU |\n|---|\n| a token |\n") == [("token", "token")]


def test_text_around_links_stays_in_place() -> None:
    html = markdown("One GPU, *one* token and a loss of **2**.", extensions=EXTENSIONS)
    assert re.sub(r"<[^>]+>", "", html) == "One GPU, one token and a loss of 2."


def test_the_glossary_does_not_link_to_itself() -> None:
    text = (DOCS / PAGE).read_text("utf-8")
    assert len(parse_glossary(text)) > 70
    assert linked(text) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("B { #b }\n:   x\n\nA { #a }\n:   y\n", "alphabetical"),
        ('A { #a data-also="B" }\n:   x\n\nB { #b }\n:   y\n', "has one place"),
        ("A\n:   x\n", "1 meanings but 0 terms"),
    ],
)
def test_a_wrong_glossary_is_told(text: str, message: str) -> None:
    with pytest.raises(SiteError, match=message):
        parse_glossary(text)
