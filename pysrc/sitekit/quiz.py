"""A `quiz` fence as HTML: questions with their answers to be opened, readable without scripts."""

from __future__ import annotations

import html
import json
import random
from pathlib import Path
from typing import Any

from sitekit.decks import Deck, Question
from sitekit.draws import Draw, filled
from sitekit.paths import DOCS
from sitekit.placements import placed
from sitekit.questions import question_facts


def quiz_html(body: str, decks: dict[str, Deck], docs: Path = DOCS) -> str:
    """The HTML of a `quiz` fence with this body.

    Raises SiteError for an unknown or broken question. The element is in a `<div>`: at the root
    of a fence, Markdown would wrap it in a `<p>`.
    """
    shown = [item for item in placed(body, "quiz", decks, docs) if isinstance(item, Question)]
    inside = "".join(question_html(question) for question in shown)
    return (
        '<div class="napkin-practice"><napkin-quiz class="napkin-quiz">'
        f"{inside}</napkin-quiz></div>"
    )


def question_html(question: Question) -> str:
    """One question; what a script makes of it is in an inert `<template>`, as JSON."""
    facts = question_facts(question)
    data = json.dumps(
        {"id": question.id, "kind": question.kind, "hash": question.hash, "lesson": question.deck}
        | facts,
        ensure_ascii=False, separators=(",", ":"),
    )  # fmt: skip
    draw = Draw(**facts["draws"][0]) if question.kind == "number" else None
    asked = (
        f"<div>{_with(facts['question'], draw)}</div>"
        + _asked(question, facts)
        + "".join(f"<p>Hint: {_with(hint, draw)}</p>" for hint in facts.get("hints", []))
    )
    answer = _answer(question, facts, draw) + _with(facts["explanation"], draw)
    return (
        f'<napkin-question class="napkin-question" id="{html.escape(question.id)}"'
        f' data-kind="{question.kind}" data-state="open"><div data-part="static">{asked}'
        '<details data-part="answer" data-search-exclude><summary>Answer</summary>'
        f'{answer}</details></div><template data-part="data" data-search-exclude>'
        f"{html.escape(data, quote=False)}</template></napkin-question>"
    )


def _with(text: str, draw: Draw | None) -> str:
    return filled(text, draw) if draw else text


def _asked(question: Question, facts: dict[str, Any]) -> str:
    """What stands between a question and its answer: options, items or code."""
    if question.kind in ("choice", "multiple"):
        rows = "".join(f"<li>{option['text']}</li>" for option in _shuffled(question, facts))
        count = sum(option.right for option in question.options)
        note = f"<p>Choose {count}.</p>" if question.kind == "multiple" else ""
        return f"{note}<ul>{rows}</ul>"
    if question.kind == "order":
        rows = "".join(f"<li>{item}</li>" for item in _shuffled(question, facts))
        return f"<ul>{rows}</ul>"
    if question.kind == "output":
        return f'<pre class="highlight"><code>{facts["code"]}</code></pre>'
    return ""


def _answer(question: Question, facts: dict[str, Any], draw: Draw | None) -> str:
    if question.kind in ("choice", "multiple"):
        rows = "".join(
            f"<li>{'<strong>Right:</strong> ' if option['right'] else ''}"
            f"{option['text'].removesuffix('.')}: {option['reply']}</li>"
            for option in _shuffled(question, facts)
        )
        return f"<ul>{rows}</ul>"
    if question.kind == "order":
        return f"<ol>{''.join(f'<li>{item}</li>' for item in facts['items'])}</ol>"
    if question.kind == "output":
        return f"<pre>\n{html.escape(facts['output'])}</pre>"
    assert draw is not None
    return f"<p><strong>{html.escape(draw.shown)}</strong></p>"


def _shuffled(question: Question, facts: dict[str, Any]) -> list[Any]:
    """Options or items in an order that is not the author's, the same one at every build."""
    things = list(facts.get("options") or facts["items"])
    random.Random(question.id).shuffle(things)
    if question.kind == "order" and things == facts["items"]:
        things.reverse()
    return things
