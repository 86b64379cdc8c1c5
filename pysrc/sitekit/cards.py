"""A `cards` fence as HTML: questions with their answers to be opened, readable without scripts."""

from __future__ import annotations

import html
from pathlib import Path

from sitekit.deck_text import text_html
from sitekit.decks import Card, Deck
from sitekit.paths import DOCS
from sitekit.placements import placed


def cards_html(body: str, decks: dict[str, Deck], docs: Path = DOCS) -> str:
    """The HTML of a `cards` fence with this body.

    Raises SiteError for an unknown card. The element is in a `<div>`: at the root of a fence,
    Markdown would wrap it in a `<p>`.
    """
    shown = [card for card in placed(body, "cards", decks, docs) if isinstance(card, Card)]
    inside = "".join(card_html(card) for card in shown)
    return (
        '<div class="napkin-practice"><napkin-cards class="napkin-cards">'
        f'<p data-part="title">To remember</p>{inside}</napkin-cards></div>'
    )


def review_html(decks: dict[str, Deck]) -> str:
    """The review page's element; without scripts, all cards of all lessons as a readable list."""
    lessons = []
    for slug, deck in decks.items():
        cards = "".join(
            f'<div class="napkin-card"><div data-part="front">{text_html(card.front)}</div>'
            f"<details><summary>Answer</summary>{text_html(card.back)}</details></div>"
            for card in deck.cards
        )
        title = html.escape(slug.replace("-", " ").capitalize())
        lessons.append(f"<p><strong>{title}</strong></p>{cards}")
    return (
        '<div class="napkin-practice"><napkin-review class="napkin-review"><noscript>'
        "<p>Reviewing needs scripts. These are all cards of the course.</p>"
        f"{''.join(lessons)}</noscript></napkin-review></div>"
    )


def card_html(card: Card) -> str:
    """One card; the answer stays out of sight, and of screen readers, until it is asked for."""
    return (
        f'<napkin-card class="napkin-card" id="{html.escape(card.id)}" data-hash="{card.hash}">'
        f'<div data-part="front">{text_html(card.front)}</div>'
        '<details data-part="answer"><summary>Answer</summary>'
        f'<div data-part="back">{text_html(card.back)}</div></details></napkin-card>'
    )
