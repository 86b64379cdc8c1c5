"""Decks: every mistake is told with file, line and a way out; ids are for ever."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitekit.cards import cards_html
from sitekit.deck_checks import deck_problems
from sitekit.deck_ids import append_new
from sitekit.decks import Deck, load_decks, parse_deck
from sitekit.items import published
from sitekit.sections import SiteError

CARD = """
cards:
  - id: flop
    front: What is a FLOP?
    back: One multiply or one add.
    anchor: a-heading
"""
QUESTION = """
quiz:
  - id: q-flop
    kind: choice
    topic: operations
    question: Which?
    explanation: Because.
    options:
      - {text: "8", right: true, reply: "Yes."}
      - {text: "7", reply: "No."}
"""
PAGE = "# A lesson\n\n## A heading\n\n```cards\nflop\n```\n\n```quiz\nq-flop\n```\n"


def parsed(text: str) -> Deck:
    return parse_deck(text, "a-lesson", "a-lesson.deck.yml")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("id: flop", "id: Flop One"), "a-lesson.deck.yml:3: the id 'Flop One' is not lower-case"),
        (("    back: One multiply or one add.\n", ""), "3: 'flop' has no `back`"),
        (("back: One multiply or one add.", "back: yes"), "does not read as text"),
        (("back: One multiply or one add.", "back: ' '"), "the `back` of 'flop' is empty"),
        (("back:", "bakc:"), "unknown key 'bakc'; did you mean the key `back`?"),
        (("back: One", "back: a: b"), "a-lesson.deck.yml:5: not readable as YAML"),
        (("One multiply", "$x_1$ multiply"), "holds TeX"),
        (("One multiply", r"\\(x\\) multiply"), "holds TeX"),
        (("One multiply", "An ![x](y.png) multiply"), "holds an image"),
        (("One multiply", "See [x](other.md) multiply"), "holds a link to a place on this site"),
        (("cards:", "crads:"), "unknown key 'crads'; did you mean the key `cards`?"),
        (("    anchor", "    back: again\n    anchor"), "'back' stands twice"),
    ],
)
def test_a_card_that_is_wrong_is_told(change: tuple[str, str], told: str) -> None:
    with pytest.raises(SiteError) as error:
        parsed(CARD.replace(*change))
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("kind: choice", "kind: chioce"), "'chioce'; did you mean the kind `choice`?"),
        (("topic: operations", "topic: opertions"), "did you mean the topic `operations`?"),
        (("    topic: operations\n", ""), "'q-flop' has no `topic`"),
        (("    explanation: Because.\n", ""), "'q-flop' has no `explanation`"),
        (('right: true, reply: "Yes."', 'reply: "Yes."'), "exactly one of them right; it has 0"),
        (("reply: \"No.\"", "rply: x"), "unknown key 'rply'"),
        (('text: "7"', 'text: "8"'), "two of its options read the same"),
        (("explanation", "values: {n: [1]}\n    explanation"), "unknown key 'values'"),
        (("id: q-flop", "id: q-flop\n    card: 5"), "the `card` of 'q-flop' is 5"),
    ],
)
def test_a_question_that_is_wrong_is_told(change: tuple[str, str], told: str) -> None:
    with pytest.raises(SiteError) as error:
        parsed(QUESTION.replace(*change))
    assert told in str(error.value)


def test_an_id_that_a_card_has_is_not_free_for_a_question() -> None:
    with pytest.raises(SiteError, match=r"yml:9: the id 'flop' is already taken at .*yml:3"):
        parsed(CARD + QUESTION.replace("q-flop", "flop"))


def test_line_ends_and_a_byte_order_mark_change_no_id_and_no_hash(tmp_path: Path) -> None:
    """T-38."""
    (tmp_path / "a-lesson.md").write_text(PAGE)
    file = tmp_path / "a-lesson.deck.yml"
    file.write_text(CARD)
    plain = load_decks(tmp_path)["a-lesson"].cards
    file.write_bytes(b"\xef\xbb\xbf" + CARD.replace("\n", "\r\n").encode())
    odd = load_decks(tmp_path)["a-lesson"].cards
    assert [(card.id, card.hash) for card in odd] == [(card.id, card.hash) for card in plain]


def test_markup_in_a_card_is_text() -> None:
    """T-44: signs that break generators, in code and outside of it."""
    hostile = "List<String>, a<b & c, </script><b>bold</b>, `x<y` and `</details>`"
    deck = parsed(CARD.replace("What is a FLOP?", f"'{hostile}'"))
    html = cards_html("flop", {"a-lesson": deck})
    for piece in ("List&lt;String&gt;", "a&lt;b &amp; c", "&lt;/script&gt;", "&lt;b&gt;bold"):
        assert piece in html
    assert "<code>x&lt;y</code>" in html
    assert html.count("</details>") == 1


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs" / "lessons"
    folder.mkdir(parents=True)
    (folder / "a-lesson.md").write_text(PAGE)
    (folder / "a-lesson.deck.yml").write_text(CARD + QUESTION)
    return folder.parent


@pytest.fixture
def lock(docs: Path, tmp_path: Path) -> Path:
    file = tmp_path / "deck-ids.txt"
    append_new(load_decks(docs), file)
    return file


def change(docs: Path, name: str, *pairs: tuple[str, str]) -> None:
    file = docs / "lessons" / name
    text = file.read_text()
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)


def test_a_deck_in_order_has_no_problems(docs: Path, lock: Path) -> None:
    assert deck_problems(docs, lock) == []
    assert lock.read_text() == "flop card\nq-flop question\n"


def test_a_renamed_id_is_told_with_the_one_that_went_missing(docs: Path, lock: Path) -> None:
    change(docs, "a-lesson.deck.yml", ("id: flop", "id: flops"))
    change(docs, "a-lesson.md", ("\nflop\n", "\nflops\n"))
    told = "\n".join(deck_problems(docs, lock))
    assert "'flops' is not in deck-ids.txt" in told
    assert "did you mean the locked id `flop`?" in told
    assert "the card 'flop' is in no deck any more" in told


def test_a_removed_card_leaves_a_line_and_may_come_back(docs: Path, lock: Path) -> None:
    (docs / "lessons" / "a-lesson.deck.yml").write_text(QUESTION.lstrip())
    change(docs, "a-lesson.md", ("```cards\nflop\n```\n", ""))
    assert any("is in no deck any more" in each for each in deck_problems(docs, lock))
    lock.write_text(lock.read_text().replace("flop card", "flop card removed", 1))
    assert deck_problems(docs, lock) == []
    (docs / "lessons" / "a-lesson.deck.yml").write_text(CARD + QUESTION)
    (docs / "lessons" / "a-lesson.md").write_text(PAGE)
    assert deck_problems(docs, lock) == []
    assert append_new(load_decks(docs), lock) == []


def test_an_id_never_changes_its_kind(docs: Path, lock: Path) -> None:
    lock.write_text("flop question\nq-flop question\n")
    assert any("was published as a question" in each for each in deck_problems(docs, lock))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("```cards\nflop", "```cards\nflpo", "no card 'flpo'; did you mean the card `flop`?"),
        ("```cards\nflop", "```cards\nq-flop", "is not a card; place it in a `quiz` fence"),
        ("```cards\nflop", "```cards\nall", "`all` in a `cards` fence needs a line `deck:"),
        ("```cards\nflop", "```cards\ndeck: a-leson\nall", "did you mean the deck `a-lesson`?"),
        ("```cards\nflop", "```cards\nflop\nflop", "'flop' stands twice on this page"),
        ("```cards\nflop\n```\n", "", "no page shows 'flop'"),
        ("## A heading", "## Another", "anchor 'a-heading' of 'flop' is no heading of a-lesson"),
        ("## A heading", "## A heading\n\n## Flop", "'flop' is the id of a heading too"),
    ],
)
def test_a_place_that_is_wrong_is_told(
    docs: Path, lock: Path, old: str, new: str, told: str
) -> None:
    change(docs, "a-lesson.md", (old, new))
    assert told in "\n".join(deck_problems(docs, lock))


def test_all_takes_what_the_page_does_not_name(docs: Path, lock: Path) -> None:
    change(
        docs,
        "a-lesson.deck.yml",
        ("quiz:", "  - {id: dot, front: a, back: b, anchor: a-heading}\nquiz:"),
    )
    fence = "```cards\ndeck: a-lesson\nall\n```\n\n## A heading"
    change(docs, "a-lesson.md", ("## A heading", fence))
    append_new(load_decks(docs), lock)
    assert deck_problems(docs, lock) == []
    html = cards_html("deck: a-lesson\nall", load_decks(docs), docs)
    assert 'id="dot"' in html and 'id="flop"' not in html


def test_what_is_published_leads_back_to_the_paragraph_and_is_the_same_twice(docs: Path) -> None:
    """T-43: two builds give the same ids, hashes and texts."""
    first, second = published(docs), published(docs)
    assert first == second
    assert first["lessons"] == {"a-lesson": {"title": "A lesson", "url": "lessons/a-lesson/"}}
    card, question = first["items"]
    assert (card["id"], card["kind"], card["heading"]) == ("flop", "card", "A heading")
    assert card["front"] == "<p>What is a FLOP?</p>"
    assert (question["id"], question["kind"]) == ("q-flop", "choice")


def test_new_cards_come_in_the_order_of_the_navigation() -> None:
    lessons = list(published()["lessons"])
    assert lessons.index("why-hardware") < lessons.index("counting-operations")
    assert lessons.index("counting-operations") < lessons.index("number-formats")


def test_an_edit_changes_the_hash_and_a_move_does_not(docs: Path) -> None:
    before = {item["id"]: item["hash"] for item in published(docs)["items"]}
    lessons = docs / "lessons"
    for suffix in (".md", ".deck.yml"):
        (lessons / f"a-lesson{suffix}").rename(lessons / f"b-lesson{suffix}")
    moved = {item["id"]: item["hash"] for item in published(docs)["items"]}
    assert moved == before
    change(docs, "b-lesson.deck.yml", ("one add.", "one addition."))
    edited = {item["id"]: item["hash"] for item in published(docs)["items"]}
    assert edited["flop"] != before["flop"] and edited["q-flop"] == before["q-flop"]
