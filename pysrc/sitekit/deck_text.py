"""The Markdown of cards and questions: what it may hold, its HTML, its digest."""

from __future__ import annotations

import hashlib
import json
import re
from functools import lru_cache

from markdown import Markdown

from sitekit.sections import SiteError

EXTENSIONS = ["pymdownx.superfences", "pymdownx.highlight", "tables", "sane_lists"]
CODE = re.compile(r"(`+).+?\1", re.DOTALL)
# What needs more than the card itself: a typesetter, an image file, or the page's address.
UNSHOWABLE = {
    re.compile(r"\\\(|\\\[|\$\$|(?<![\w$])\$[^\s\d$][^$\n]*\$(?!\d)"): (
        "holds TeX, which cards do not typeset; write it in code and Unicode, `2·m·k·n`"
    ),
    re.compile(r"!\[[^\]]*\]\("): "holds an image, which would not reach an exported deck",
    re.compile(r"(?<!!)\[[^\]]*\]\((?!https?://)"): (
        "holds a link to a place on this site; give the card an `anchor` instead"
    ),
}


def refuse_unshowable(text: str, where: str) -> None:
    """Raise SiteError for Markdown that a card cannot show everywhere; `where` names the text."""
    outside = CODE.sub("", text)
    for pattern, reason in UNSHOWABLE.items():
        if pattern.search(outside):
            raise SiteError(f"{where} {reason}")


@lru_cache(maxsize=1)
def _markdown() -> Markdown:
    made = Markdown(extensions=EXTENSIONS)
    # `List<String>` is text, here: a deck has no use for tags, and neither has Anki.
    made.preprocessors.deregister("html_block")
    made.inlinePatterns.deregister("html")
    return made


@lru_cache(maxsize=4096)
def text_html(text: str) -> str:
    """The HTML blocks of a Markdown text; tags in it are text.

    >>> text_html("`2·m·k·n`, <b>not</b> bold")
    '<p><code>2·m·k·n</code>, &lt;b&gt;not&lt;/b&gt; bold</p>'
    """
    return str(_markdown().reset().convert(text))


def inline_html(text: str) -> str:
    """The HTML of a one-paragraph text without the paragraph around it.

    >>> inline_html("only `one` line")
    'only <code>one</code> line'
    """
    html = text_html(text)
    inside = html.removeprefix("<p>").removesuffix("</p>")
    return html if "<p>" in inside else inside


def content_hash(*parts: str) -> str:
    """Twelve hex digits that change when one of the texts does; blanks at line ends do not count.

    >>> content_hash("a\\r\\nb") == content_hash("a \\nb")
    True
    >>> content_hash("a", "b") == content_hash("ab")
    False
    """
    clean = ["\n".join(line.rstrip() for line in part.splitlines()) for part in parts]
    return hashlib.sha256(json.dumps(clean).encode()).hexdigest()[:12]
