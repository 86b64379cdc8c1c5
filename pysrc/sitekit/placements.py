"""Which cards and questions a page shows: the bodies of its `cards` and `quiz` fences."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from markdown import Markdown

from sitekit.decks import Card, Deck, Item, Question
from sitekit.fence_blocks import fences
from sitekit.paths import DOCS
from sitekit.sections import SiteError, nearest

LANGUAGES: dict[str, tuple[type[Item], str]] = {
    "cards": (Card, "card"),
    "quiz": (Question, "question"),
}
ALL = "all"
FENCED = re.compile(r"^\s*(`{3,}|~{3,}).*?^\s*\1\s*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Request:
    """What a fence's body asks for: ids, or all of a deck that the page does not place by id."""

    ids: tuple[str, ...]
    deck: str = ""

    @property
    def all(self) -> bool:
        return self.ids == (ALL,)


def read_body(body: str, language: str) -> Request:
    """A fence's body: one id per line, or `all` after a line `deck: <slug>`.

    >>> read_body("deck: kv-cache\\nall\\n", "cards")
    Request(ids=('all',), deck='kv-cache')
    """
    lines = [line.strip() for line in body.splitlines() if line.strip()]
    deck = ""
    if lines and lines[0].startswith("deck:"):
        deck = lines.pop(0).removeprefix("deck:").strip()
    if not lines:
        raise SiteError(f"a `{language}` fence names no item; write one id per line, or `all`")
    if ALL in lines and len(lines) > 1:
        raise SiteError(f"a `{language}` fence has either `all` or ids, not both")
    if lines == [ALL] and not deck:
        raise SiteError(
            f"`all` in a `{language}` fence needs a line `deck: <slug of the lesson>` before it"
        )
    return Request(tuple(lines), deck)


def placed(body: str, language: str, decks: dict[str, Deck], docs: Path = DOCS) -> list[Item]:
    """The items that a fence shows, in order. Raises SiteError with the nearest known name."""
    kind, noun = LANGUAGES[language]
    request = read_body(body, language)
    if request.deck and request.deck not in decks:
        raise SiteError(f"there is no deck {request.deck!r}" + nearest(request.deck, decks, "deck"))
    if request.all:
        page = next(docs.rglob(f"{request.deck}.deck.yml")).with_name(f"{request.deck}.md")
        named = named_ids(page.read_text("utf-8-sig"))
        own = decks[request.deck].items
        return [item for item in own if isinstance(item, kind) and item.id not in named]
    known = {item.id: item for deck in decks.values() for item in deck.items}
    right = {name for name, item in known.items() if isinstance(item, kind)}
    found = []
    for name in request.ids:
        if name not in known:
            raise SiteError(f"there is no {noun} {name!r}" + nearest(name, right, noun))
        if name not in right:
            other = "quiz" if language == "cards" else "cards"
            raise SiteError(f"{name!r} is not a {noun}; place it in a `{other}` fence")
        found.append(known[name])
    return found


def named_ids(page: str) -> set[str]:
    """The ids that the fences of a page's text name one by one."""
    ids: set[str] = set()
    for _, language, body in fences(page):
        if language in LANGUAGES:
            request = read_body(body, language)
            ids |= set() if request.all else set(request.ids)
    return ids


@lru_cache(maxsize=256)
def headings(page: str) -> dict[str, str]:
    """The headings of a page's text by id, as the page has them.

    >>> headings("# One\\n## Two `words`\\n```\\n# not one\\n```\\n## Three {#last}\\n")
    {'one': 'One', 'two-words': 'Two words', 'last': 'Three'}
    """
    parser = Markdown(extensions=["toc", "attr_list", "footnotes", "tables"])
    parser.convert(FENCED.sub("", page))
    found: dict[str, str] = {}

    def collect(tokens: Iterable[dict[str, object]]) -> None:
        for token in tokens:
            found[str(token["id"])] = html.unescape(str(token["name"]))
            collect(token["children"])  # type: ignore[arg-type]

    collect(parser.toc_tokens)
    return found
