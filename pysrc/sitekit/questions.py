"""A question as the practice pages get it in items.json."""

from __future__ import annotations

from typing import Any

from sitekit.deck_text import text_html
from sitekit.decks import Question


def question_facts(question: Question) -> dict[str, Any]:
    """What items.json says about a question, besides what it says about every item."""
    return {
        "topic": question.topic,
        "question": text_html(question.question),
        "explanation": text_html(question.explanation),
        "card": question.card,
    }
