"""What is wrong with the decks and their places on pages, told all at once."""

from __future__ import annotations

from pathlib import Path

from sitekit.deck_ids import LOCK, lock_problems, read_lock
from sitekit.decks import SUFFIX, Card, Deck, load_decks
from sitekit.fence_blocks import fences
from sitekit.paths import DOCS, ROOT
from sitekit.placements import LANGUAGES, headings, placed
from sitekit.questions import question_facts
from sitekit.sections import SiteError, nearest


def deck_problems(docs: Path = DOCS, lock: Path = LOCK) -> list[str]:
    """Messages with file and line: unreadable decks, changed ids, items without a place."""
    try:
        decks = load_decks(docs)
    except SiteError as error:
        return [str(error)]
    where = lock.relative_to(ROOT).as_posix() if lock.is_relative_to(ROOT) else lock.name
    try:
        locked = read_lock(lock.read_text("utf-8") if lock.exists() else "", where)
    except SiteError as error:
        return [str(error)]
    return [
        *lock_problems(decks, locked, where),
        *placement_problems(decks, docs),
        *anchor_problems(decks, docs),
        *question_problems(decks),
    ]


def placement_problems(decks: dict[str, Deck], docs: Path) -> list[str]:
    """Fences that name what does not exist, items placed nowhere, ids that a heading has too."""
    found = []
    shown: set[str] = set()
    for path in sorted(docs.rglob("*.md")):
        text = path.read_text("utf-8-sig")
        page = path.relative_to(docs.parent).as_posix()
        here: set[str] = set()
        for number, language, body in fences(text):
            if language not in LANGUAGES:
                continue
            try:
                names = [item.id for item in placed(body, language, decks, docs)]
            except SiteError as error:
                found.append(f"{page}:{number}: {error}")
                continue
            for name in names:
                if name in here:
                    found.append(f"{page}:{number}: {name!r} stands twice on this page")
                here.add(name)
        for name in sorted(here & headings(text).keys()):
            found.append(f"{page}: {name!r} is the id of a heading too; rename the heading's")
        shown |= here
    for deck in decks.values():
        for item in deck.items:
            if item.id not in shown:
                fence = "cards" if isinstance(item, Card) else "quiz"
                found.append(
                    f"{item.where}: no page shows {item.id!r}; place it in a `{fence}` fence"
                )
    return found


def anchor_problems(decks: dict[str, Deck], docs: Path) -> list[str]:
    """Items that say they came from a heading that their lesson does not have."""
    found = []
    for deck in decks.values():
        page = next(docs.rglob(deck.slug + SUFFIX)).with_name(f"{deck.slug}.md")
        known = headings(page.read_text("utf-8-sig"))
        for item in deck.items:
            if item.anchor and item.anchor not in known:
                found.append(
                    f"{item.where}: the anchor {item.anchor!r} of {item.id!r} is no heading of "
                    f"{page.name}" + nearest(item.anchor, known, "anchor")
                )
    return found


def question_problems(decks: dict[str, Deck]) -> list[str]:
    """Questions whose numbers, code or sums do not work out, with any of their draws."""
    found = []
    for deck in decks.values():
        for question in deck.questions:
            try:
                question_facts(question)
            except SiteError as error:
                found.append(str(error))
    return found
