"""What we export, imported by Anki's own importer, and once more after an edit."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import time
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from anki.collection import (
    Collection,
    ImportAnkiPackageOptions,
    ImportAnkiPackageRequest,
    ImportCsvRequest,
)

from sitekit.provision import node

HERE = Path(__file__).parent
DAY = 86_400
NOW = int(time.time())
# The study day here and now, as both the page and Anki have it: it begins at 4 am.
TODAY = datetime.fromtimestamp(NOW - 4 * 3600).toordinal() - datetime(1970, 1, 1).toordinal()
# Fronts that have broken exporters: markup, quotes, tabs, line breaks, beyond ASCII.
HOSTILE = (
    '<p>Is <code>a &lt; b</code> "quoted"?</p>\n'
    "<pre><code>List&lt;String&gt;\tx</code></pre> × 10⁹"
)


def note(name: str, lesson: str = "Counting operations", **more: Any) -> dict[str, Any]:
    slug = lesson.lower().replace(" ", "-")
    return {
        "id": name,
        "front": f"<p>front of {name}</p>",
        "back": f"<p>back of {name}</p>",
        "lesson": lesson,
        "slug": slug,
        "url": f"https://example.org/napkin/lessons/{slug}/#a",
        "tags": ["operations"],
        "changed": NOW - 90 * DAY,
        **more,
    }


def exported(folder: Path, name: str, notes: list[dict[str, Any]]) -> list[Any]:
    """Write `name`.txt and `name`.apkg; the memory of each note."""
    asked = {"folder": str(folder), "name": name, "now": NOW * 1000, "notes": notes}
    done = subprocess.run(
        [node.find_node().node, HERE / "anki-files.mjs"],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    memories: list[Any] = json.loads(done.stdout)
    return memories


@pytest.fixture
def collection(tmp_path: Path) -> Iterator[Collection]:
    opened = Collection(str(tmp_path / "collection.anki2"))
    yield opened
    opened.close()


def import_package(collection: Collection, file: Path, *, schedule: bool = False) -> Any:
    options = ImportAnkiPackageOptions(with_scheduling=schedule)  # updates: where newer
    request = ImportAnkiPackageRequest(package_path=str(file), options=options)
    return collection.import_anki_package(request).log


def import_text(collection: Collection, file: Path) -> Any:
    metadata = collection.get_csv_metadata(str(file), None)
    return collection.import_csv(ImportCsvRequest(path=str(file), metadata=metadata)).log


def test_the_package_is_a_sound_database(tmp_path: Path) -> None:
    many = [note(f"card-{index}", back="<p>" + "x" * 900 + "</p>") for index in range(500)]
    exported(tmp_path, "deck", many)
    with zipfile.ZipFile(tmp_path / "deck.apkg") as archive:
        assert archive.testzip() is None
        assert set(archive.namelist()) == {"collection.anki2", "media"}
        archive.extract("collection.anki2", tmp_path / "out")
    with sqlite3.connect(tmp_path / "out" / "collection.anki2") as database:
        assert database.execute("pragma integrity_check").fetchone() == ("ok",)
        told = database.execute("select count(*), min(length(flds)) from notes").fetchone()
        count, shortest = told
        assert count == 500 and shortest > 900
        latest = database.execute("select max(id), max(mod) from notes").fetchone()
        assert latest[0] <= NOW * 1000 and latest[1] <= NOW
    database.close()


def test_a_package_twice_brings_edits_and_keeps_the_schedule(
    tmp_path: Path, collection: Collection
) -> None:
    first = [note("flop", front=HOSTILE), note("dot"), note("bf16", "Numbers in memory")]
    exported(tmp_path, "first", first)
    log = import_package(collection, tmp_path / "first.apkg")
    assert len(log.new) == 3
    decks = {collection.decks.name(card.did) for card in cards_of(collection)}
    assert decks == {"Napkin::Counting operations", "Napkin::Numbers in memory"}
    assert note_by(collection, "flop").fields[0] == HOSTILE
    assert len(collection.find_notes("tag:operations")) == 3
    # The reader studies one of them, in Anki.
    card = cards_of(collection, "dot")[0]
    card.type, card.queue, card.ivl, card.due = 2, 2, 40, 41
    collection.update_card(card)
    edited = [
        {**first[0], "front": "<p>edited</p>", "changed": NOW + 5},
        {**first[1], "back": "<p>edited too</p>", "changed": NOW + 5},
        first[2],
        note("new-one"),
    ]
    exported(tmp_path, "second", edited)
    log = import_package(collection, tmp_path / "second.apkg")
    assert (len(log.new), len(log.updated), len(log.duplicate)) == (1, 2, 1)
    assert note_by(collection, "flop").fields[0] == "<p>edited</p>"
    assert note_by(collection, "dot").fields[1] == "<p>edited too</p>"
    kept = cards_of(collection, "dot")[0]
    assert (kept.ivl, kept.due, kept.type) == (40, 41, 2)
    assert len(collection.find_notes("")) == 4


def test_the_readers_schedule_arrives(tmp_path: Path, collection: Collection) -> None:
    days = [TODAY - 60, TODAY - 58, TODAY - 20]
    grades = [
        {"grade": grade, "ms": (day * DAY + 12 * 3600) * 1000, "day": day}
        for grade, day in zip([3, 3, 3], days, strict=True)
    ]
    grades.insert(1, {**grades[0], "ms": grades[0]["ms"] + 600_000})
    learnt, suspended = (
        note("learnt", grades=grades),
        note("put-away", grades=grades, suspended=True),
    )
    exported(tmp_path, "deck", [note("never-seen"), learnt, suspended])
    log = import_package(collection, tmp_path / "deck.apkg", schedule=True)
    assert len(log.new) == 3
    card = cards_of(collection, "learnt")[0]
    memory = exported(tmp_path, "again", [learnt])[0]
    assert card.memory_state is not None
    assert card.memory_state.stability == pytest.approx(memory["S"], rel=1e-3)
    assert card.memory_state.difficulty == pytest.approx(memory["D"], rel=1e-3)
    assert card.reps == 4
    # Anki counts the due day from the day on which its own collection was made: today.
    assert card.due == memory["dueDay"] - TODAY
    rows = database(collection).all(
        "select ease, type, ivl from revlog where cid = ? order by id", card.id
    )
    assert [row[:2] for row in rows] == [[3, 0], [3, 0], [3, 1], [3, 1]]
    assert rows[0][2] == -600 and rows[-1][2] == memory["dueDay"] - days[-1]
    assert cards_of(collection, "put-away")[0].queue == -1
    assert cards_of(collection, "never-seen")[0].type == 0
    log = import_package(collection, tmp_path / "deck.apkg", schedule=True)
    assert len(log.new) == 0 and len(log.duplicate) == 3
    assert database(collection).scalar("select count() from revlog") == 8


def test_the_text_file_twice_brings_edits_and_no_doubles(
    tmp_path: Path, collection: Collection
) -> None:
    first = [note("flop", front=HOSTILE), note("dot")]
    exported(tmp_path, "first", first)
    assert len(import_text(collection, tmp_path / "first.txt").new) == 2
    assert note_by(collection, "flop").fields[0] == HOSTILE
    exported(tmp_path, "second", [{**first[0], "front": "<p>edited</p>"}, first[1], note("third")])
    log = import_text(collection, tmp_path / "second.txt")
    assert len(log.new) == 1
    assert note_by(collection, "flop").fields[0] == "<p>edited</p>"
    assert len(collection.find_notes("")) == 3
    assert {collection.decks.name(card.did) for card in cards_of(collection)} == {
        "Napkin::Counting operations"
    }


def database(collection: Collection) -> Any:
    return collection.db


def note_by(collection: Collection, name: str) -> Any:
    (found,) = [
        collection.get_note(each)
        for each in collection.find_notes("")
        if collection.get_note(each).guid == f"napkin:{name}"
    ]
    return found


def cards_of(collection: Collection, name: str = "") -> list[Any]:
    if name:
        return list(note_by(collection, name).cards())
    return [collection.get_card(each) for each in collection.find_cards("")]
