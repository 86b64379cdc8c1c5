"""Decks: a lesson's cards and questions, from `docs/lessons/<slug>.deck.yml`.

Everything that can be wrong with a deck is told with file and line; what a page shows and what
is published for the practice pages both start from here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from sitekit.deck_files import Entry, read_yaml
from sitekit.deck_text import content_hash, refuse_unshowable
from sitekit.paths import DOCS, ROOT
from sitekit.sections import SiteError, nearest

SUFFIX = ".deck.yml"
ID = re.compile(r"^[a-z0-9]+(-[a-z0-9]+)*$")
TOPICS = (
    *("operations", "formats", "memory", "compute", "bandwidth"),
    *("parallel", "cost", "hardware", "scaling"),
)
EVERY_QUESTION = (
    *("id", "kind", "topic", "question", "hints", "explanation", "anchor", "card", "tags"),
)
KINDS = {
    "choice": ("options",),
    "multiple": ("options",),
    "number": ("values", "answer", "uses", "unit", "tolerance", "mistakes"),
    "order": ("items",),
    "output": ("code", "mistakes"),
}
DEFAULT_TOLERANCE = 0.02


@dataclass(frozen=True)
class Card:
    """A flashcard; `front` and `back` are Markdown, `anchor` the heading it came from."""

    id: str
    deck: str
    where: str
    front: str
    back: str
    anchor: str
    tags: tuple[str, ...] = ()

    @cached_property
    def hash(self) -> str:
        """Changes when what a reader sees does, and with nothing else."""
        return content_hash(self.front, self.back)


@dataclass(frozen=True)
class Option:
    """One answer to choose; `reply` is shown when it was chosen."""

    text: str
    right: bool
    reply: str


@dataclass(frozen=True)
class Mistake:
    """A known wrong answer with its reply; `value` is an expression, or the printed text."""

    value: str
    reply: str


@dataclass(frozen=True)
class Question:
    """A question of any kind; what its kind does not have is empty.

    `values` holds the numbers that each `{name}` of the text is drawn from, `answer` and the
    `value` of each mistake are Python expressions over them, `tolerance` is relative (0.02).
    `card` names the card that a miss adds to the reader's queue.
    """

    id: str
    deck: str
    where: str
    kind: str
    topic: str
    question: str
    explanation: str
    hints: tuple[str, ...] = ()
    anchor: str = ""
    card: str = ""
    tags: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    values: tuple[tuple[str, tuple[float | int | str, ...]], ...] = ()
    answer: str = ""
    uses: str = ""
    unit: str = ""
    tolerance: float = DEFAULT_TOLERANCE
    mistakes: tuple[Mistake, ...] = ()
    items: tuple[str, ...] = ()
    code: str = ""

    @cached_property
    def hash(self) -> str:
        """Changes when the question itself does; its replies and hints may be mended freely."""
        options = [f"{option.right} {option.text}" for option in self.options]
        drawn = [f"{name}={numbers}" for name, numbers in self.values]
        return content_hash(
            self.question, *options, *drawn, self.answer, self.unit, *self.items, self.code
        )


Item = Card | Question


@dataclass(frozen=True)
class Deck:
    """The cards and questions of the lesson `slug`, in the order they were written."""

    slug: str
    cards: tuple[Card, ...]
    questions: tuple[Question, ...]

    @property
    def items(self) -> tuple[Item, ...]:
        return (*self.cards, *self.questions)


@lru_cache(maxsize=64)  # every fence of every page asks for all decks
def parse_deck(text: str, slug: str, where: str) -> Deck:
    """The deck in a file's `text`; `where` names the file in messages.

    >>> deck = parse_deck('''
    ... cards:
    ...   - id: flop
    ...     front: What is a FLOP?
    ...     back: One multiply or one add.
    ...     anchor: what-a-flop-is
    ... ''', "counting-operations", "counting-operations.deck.yml")
    >>> deck.cards[0].id, deck.cards[0].where
    ('flop', 'counting-operations.deck.yml:3')
    """
    content = read_yaml(text, where)
    content.allow(("cards", "quiz"))
    cards = tuple(_card(entry, slug) for entry in content.entries("cards"))
    questions = tuple(_question(entry, slug) for entry in content.entries("quiz"))
    deck = Deck(slug, cards, questions)
    refuse_duplicates(deck.items)
    return deck


def refuse_duplicates(items: Iterable[Item]) -> None:
    """Raise SiteError where two items of the course have the same id."""
    seen: dict[str, Item] = {}
    for item in items:
        if item.id in seen:
            raise SiteError(
                f"{item.where}: the id {item.id!r} is already taken at {seen[item.id].where}; "
                "cards and questions share one namespace over all decks"
            )
        seen[item.id] = item


def load_decks(docs: Path = DOCS) -> dict[str, Deck]:
    """All decks by their lesson's slug. Raises SiteError for the first mistake in any."""
    decks = {}
    for path in sorted(docs.rglob(f"*{SUFFIX}")):
        slug = path.name.removesuffix(SUFFIX)
        inside = path.is_relative_to(ROOT)
        where = path.relative_to(ROOT).as_posix() if inside else str(path)
        if not path.with_name(f"{slug}.md").exists():
            raise SiteError(f"{where}:1: there is no page {slug}.md beside this deck")
        if slug in decks:
            raise SiteError(f"{where}:1: there is another deck {path.name}; name lessons apart")
        decks[slug] = parse_deck(path.read_text("utf-8-sig"), slug, where)
    decks = in_course_order(decks)
    items = [item for deck in decks.values() for item in deck.items]
    refuse_duplicates(items)
    cards = {item.id for item in items if isinstance(item, Card)}
    for item in items:
        if isinstance(item, Question) and item.card and item.card not in cards:
            raise SiteError(
                f"{item.where}: {item.id!r} names the unknown card {item.card!r}"
                + nearest(item.card, cards, "card")
            )
    return decks


def in_course_order(decks: dict[str, Deck], nav: Path = ROOT / "mkdocs.yml") -> dict[str, Deck]:
    """The decks as the navigation has their lessons; those that it has not come last."""
    text = nav.read_text("utf-8")

    def place(slug: str) -> int:
        found = text.find(f"/{slug}.md")
        return found if found >= 0 else len(text)

    return dict(sorted(decks.items(), key=lambda pair: place(pair[0])))


def _identity(entry: Entry) -> str:
    name = entry.text("id")
    if not ID.match(name):
        raise SiteError(
            f"{entry.where}: the id {name!r} is not lower-case words joined by hyphens; "
            "write for example `kv-bytes-per-token`"
        )
    return name


def _shown(entry: Entry, key: str) -> str:
    """A Markdown text that readers see."""
    text = entry.text(key)
    refuse_unshowable(text, f"{entry.where}: the `{key}` of {entry.named}")
    return text


def _card(entry: Entry, slug: str) -> Card:
    name = _identity(entry)
    entry.allow(("id", "front", "back", "anchor", "tags"))
    return Card(
        id=name,
        deck=slug,
        where=entry.where,
        front=_shown(entry, "front"),
        back=_shown(entry, "back"),
        anchor=entry.text("anchor").lstrip("#"),
        tags=entry.texts("tags"),
    )


def _question(entry: Entry, slug: str) -> Question:
    name = _identity(entry)
    kind = entry.text("kind")
    if kind not in KINDS:
        raise SiteError(
            f"{entry.where}: {name!r} has the unknown kind {kind!r}" + nearest(kind, KINDS, "kind")
        )
    entry.allow((*EVERY_QUESTION, *KINDS[kind]))
    topic = entry.text("topic")
    if topic not in TOPICS:
        raise SiteError(
            f"{entry.where}: {name!r} has the unknown topic {topic!r}"
            + nearest(topic, TOPICS, "topic")
        )
    for hint in entry.texts("hints"):
        refuse_unshowable(hint, f"{entry.where}: a hint of {name!r}")
    question = Question(
        id=name,
        deck=slug,
        where=entry.where,
        kind=kind,
        topic=topic,
        question=_shown(entry, "question"),
        explanation=_shown(entry, "explanation"),
        hints=entry.texts("hints"),
        anchor=entry.optional_text("anchor").lstrip("#"),
        card=entry.optional_text("card"),
        tags=entry.texts("tags"),
        options=tuple(_option(option, name) for option in entry.entries("options")),
        values=_values(entry),
        answer=entry.expression("answer") if kind == "number" else "",
        uses=entry.optional_text("uses"),
        unit=str(entry.get("unit") or "").strip(),
        tolerance=_tolerance(entry),
        mistakes=tuple(_mistake(mistake) for mistake in entry.entries("mistakes")),
        items=entry.texts("items"),
        code=entry.text("code") + "\n" if kind == "output" else "",
    )
    _check_choices(entry, question)
    return question


def _check_choices(entry: Entry, question: Question) -> None:
    right = sum(option.right for option in question.options)
    texts = [option.text for option in question.options]
    wrong = None
    if question.kind == "choice" and (len(texts) < 2 or right != 1):
        wrong = f"a choice needs two or more options, exactly one of them right; it has {right}"
    elif question.kind == "multiple" and (len(texts) < 2 or right < 1):
        wrong = "a multiple choice needs two or more options, one or more of them right"
    elif len(set(texts)) < len(texts):
        wrong = "two of its options read the same"
    elif question.kind == "order" and len(set(question.items)) < max(2, len(question.items)):
        wrong = "an order needs two or more items, all different"
    if wrong:
        raise SiteError(f"{entry.where}: {question.id!r}: {wrong}")


def _option(entry: Entry, question: str) -> Option:
    entry.allow(("text", "right", "reply"))
    right = entry.get("right", False)
    if not isinstance(right, bool):
        raise SiteError(f"{entry.where}: `right` of an option of {question!r} is true or false")
    return Option(_shown(entry, "text"), right, _shown(entry, "reply"))


def _mistake(entry: Entry) -> Mistake:
    entry.allow(("value", "reply"))
    return Mistake(entry.expression("value"), _shown(entry, "reply"))


def _values(entry: Entry) -> tuple[tuple[str, tuple[float | int | str, ...]], ...]:
    values = entry.get("values", {})
    if not isinstance(values, dict):
        raise SiteError(f"{entry.where}: `values` of {entry.named} maps names to lists of numbers")
    for name, numbers in values.items():
        fits = isinstance(numbers, list) and numbers and str(name).isidentifier()
        if not fits or not all(isinstance(n, int | float | str) for n in numbers):
            raise SiteError(
                f"{entry.where}: the value {name!r} of {entry.named} needs a list of numbers, "
                "such as `bits: [4, 8]`"
            )
    return tuple((name, tuple(numbers)) for name, numbers in values.items())


def _tolerance(entry: Entry) -> float:
    value = entry.get("tolerance", DEFAULT_TOLERANCE)
    try:
        share = float(value[:-1]) / 100 if isinstance(value, str) and value[-1:] == "%" else None
        share = float(value) if share is None else share
    except (TypeError, ValueError):
        share = -1.0
    if not 0 <= share < 1:
        raise SiteError(
            f"{entry.where}: the tolerance {value!r} of {entry.named} is not a share; "
            "write for example `2%` (or 0 for an exact answer)"
        )
    return share
