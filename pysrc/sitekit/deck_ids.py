"""The lock of card and question ids: a reader's history hangs on them, so none may change.

`tests/deck-ids.txt` has a line `id kind` for every item that was ever published, and is only
appended to. An item that is taken out of a deck leaves its line behind with the word `removed`:
its history waits for it, and no other item may take its name.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sitekit.decks import Card, Deck, Item
from sitekit.paths import ROOT
from sitekit.sections import SiteError, nearest

LOCK = ROOT / "tests" / "deck-ids.txt"


def kind_of(item: Item) -> str:
    """What the lock calls an item: `card` or `question`."""
    return "card" if isinstance(item, Card) else "question"


def read_lock(text: str, where: str) -> dict[str, tuple[str, bool]]:
    """Kind of every locked id, and whether it was removed.

    >>> read_lock("flop card\\nold card removed\\n", "deck-ids.txt")
    {'flop': ('card', False), 'old': ('card', True)}
    """
    locked: dict[str, tuple[str, bool]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if len(words) not in (2, 3) or words[1] not in ("card", "question"):
            raise SiteError(f"{where}:{number}: not a line `id card|question [removed]`: {line!r}")
        if words[0] in locked:
            raise SiteError(f"{where}:{number}: {words[0]!r} is locked twice")
        locked[words[0]] = (words[1], words[2:] == ["removed"])
    return locked


def lock_problems(
    decks: dict[str, Deck], locked: dict[str, tuple[str, bool]], where: str
) -> list[str]:
    """Ids that differ from the lock: new, missing, renamed, or of another kind."""
    items = {item.id: item for deck in decks.values() for item in deck.items}
    found = []
    for name, item in items.items():
        if name not in locked:
            gone = [old for old, (_, removed) in locked.items() if old not in items and not removed]
            hint = nearest(name, gone, "locked id") if gone else ""
            found.append(
                f"{item.where}: the id {name!r} is not in {where}; a new one is locked by "
                f"`python -m sitekit check --lock`, a renamed one loses its readers' history{hint}"
            )
        elif locked[name][0] != kind_of(item):
            found.append(
                f"{item.where}: {name!r} was published as a {locked[name][0]}; "
                f"give this {kind_of(item)} an id of its own"
            )
    for name, (kind, removed) in locked.items():
        if name not in items and not removed:
            found.append(
                f"{where}: the {kind} {name!r} is in no deck any more; put it back under its id, "
                "or write `removed` behind it if it is gone on purpose"
            )
    return found


def append_new(decks: dict[str, Deck], file: Path = LOCK) -> list[str]:
    """Append the ids that the lock has not yet; returns them."""
    text = file.read_text("utf-8") if file.exists() else ""
    locked = read_lock(text, file.name)
    new = _new(locked, (item for deck in decks.values() for item in deck.items))
    if new:
        with file.open("a", encoding="utf-8") as stream:
            stream.writelines(f"{name} {kind}\n" for name, kind in new)
    return [name for name, _ in new]


def _new(locked: dict[str, tuple[str, bool]], items: Iterable[Item]) -> list[tuple[str, str]]:
    return [(item.id, kind_of(item)) for item in items if item.id not in locked]
