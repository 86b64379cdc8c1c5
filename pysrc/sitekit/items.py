"""`sitekit items`: docs/assets/practice/items.json, the cards and questions of all lessons.

The review, quiz and statistics pages fetch it. `id` is what a reader's history hangs on, `hash`
changes with what is shown, `url` and `anchor` lead back to the paragraph.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

from sitekit.deck_text import text_html
from sitekit.decks import SUFFIX, Card, Item, load_decks
from sitekit.paths import DOCS
from sitekit.placements import headings
from sitekit.provision.steps import StepFailure, say, write_changed
from sitekit.questions import question_facts
from sitekit.sections import SiteError

FILE = DOCS / "assets" / "practice" / "items.json"
FORMAT = 1
TITLE = re.compile(r"^#\s+(?P<title>.+?)\s*(\{.*\})?$", re.MULTILINE)


def published(docs: Path = DOCS) -> dict[str, Any]:
    """What items.json holds: the lessons that have decks, and their items in order."""
    decks = load_decks(docs)
    lessons, items = {}, []
    for slug, deck in decks.items():
        file = next(docs.rglob(slug + SUFFIX))
        page = file.with_name(f"{slug}.md").read_text("utf-8-sig")
        title = TITLE.search(page)
        url = f"{file.parent.relative_to(docs).as_posix()}/{slug}/"
        lessons[slug] = {"title": title["title"] if title else slug, "url": url}
        items += [item_facts(item, headings(page)) for item in deck.items]
    return {"format": FORMAT, "lessons": lessons, "items": items}


def item_facts(item: Item, names: dict[str, str]) -> dict[str, Any]:
    """One item of items.json; `names` has the headings of its lesson by id."""
    facts: dict[str, Any] = {
        "id": item.id,
        "kind": "card" if isinstance(item, Card) else item.kind,
        "hash": item.hash,
        "lesson": item.deck,
        "anchor": item.anchor,
        "heading": names.get(item.anchor, ""),
        "tags": list(item.tags),
    }
    if isinstance(item, Card):
        return facts | {"front": text_html(item.front), "back": text_html(item.back)}
    return facts | question_facts(item)


def write(file: Path = FILE, docs: Path = DOCS) -> bool:
    """Write items.json where it is not current; True when it had to change.

    Raises StepFailure where a deck cannot be read.
    """
    try:
        content = published(docs)
    except SiteError as error:
        remedy = "Correct the deck it names."
        raise StepFailure("publish the cards and questions", str(error), remedy) from error
    data = (json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n").encode()
    return write_changed(file, data, "items")


def main(arguments: list[str]) -> int:
    """`sitekit items`: write docs/assets/practice/items.json."""
    argparse.ArgumentParser(prog="sitekit items", description=main.__doc__).parse_args(arguments)
    say(f"items.json: {'written' if write() else 'current'}")
    return 0
