"""A question as a browser gets it: all of its texts as HTML, its key, and its draws."""

from __future__ import annotations

import html
import re
from functools import lru_cache
from typing import Any

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from sitekit.deck_text import inline_html, text_html
from sitekit.decks import Question
from sitekit.draws import PLACE, Draw, draws, filled
from sitekit.printed import printed
from sitekit.sections import SiteError
from sitekit.sums import check_sum

CODE_SPAN = re.compile(r"<code>(.*?)</code>", re.DOTALL)


@lru_cache(maxsize=1024)
def question_facts(question: Question) -> dict[str, Any]:
    """What items.json says about a question, besides what it says about every item.

    Raises SiteError where its numbers, its code or its sums are not right.
    """
    facts: dict[str, Any] = {
        "topic": question.topic,
        "question": text_html(question.question),
        "explanation": text_html(question.explanation),
        "card": question.card,
    }
    if question.hints:
        facts["hints"] = [inline_html(hint) for hint in question.hints]
    if question.mistakes:
        facts["replies"] = [inline_html(mistake.reply) for mistake in question.mistakes]
    if question.kind in ("choice", "multiple"):
        facts["options"] = [
            {
                "text": inline_html(option.text),
                "right": option.right,
                "reply": inline_html(option.reply),
            }
            for option in question.options
        ]
    elif question.kind == "order":
        facts["items"] = [inline_html(item) for item in question.items]
    elif question.kind == "output":
        facts["code"] = code_html(question.code)
        facts["output"] = printed(question).rstrip()
        facts["mistakes"] = [mistake.value for mistake in question.mistakes]
    else:
        made = draws(question)
        _check_texts(question, facts, made)
        facts |= {
            "unit": question.unit,
            "tolerance": question.tolerance,
            "draws": [draw.facts() for draw in made],
        }
    return facts


def code_html(code: str) -> str:
    """Python code, coloured as on the rest of the site."""
    return str(highlight(code, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True))).rstrip()


def _check_texts(question: Question, facts: dict[str, Any], made: list[Draw]) -> None:
    """Every place must have survived Markdown, and every sum must hold with every draw."""
    sources = {
        "question": [question.question],
        "explanation": [question.explanation],
        "hints": list(question.hints),
        "replies": [mistake.reply for mistake in question.mistakes],
    }
    for key, texts in sources.items():
        shown = facts.get(key, [])
        for source, text in zip(texts, [shown] if isinstance(shown, str) else shown, strict=True):
            if len(PLACE.findall(source)) != len(PLACE.findall(text)):
                raise SiteError(
                    f"{question.where}: a {{name}} in the {key} of {question.id!r} is lost in its "
                    "HTML; keep it out of blocks of code"
                )
            for draw in made:
                for span in CODE_SPAN.findall(filled(text, draw)):
                    wrong = check_sum(html.unescape(span))
                    if wrong:
                        raise SiteError(f"{question.where}: {key} of {question.id!r}: {wrong}")
