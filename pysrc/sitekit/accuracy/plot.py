"""The plots of the accuracy page, drawn as SVG for a light and for a dark page."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

from sitekit.accuracy.comparison import Comparison, Family

__all__ = ["INKS", "errors_plot", "ranges_plot"]

WIDTH = 760
LOW, HIGH = -6, 0.35  # decades of relative error shown; smaller ones sit at the left edge


@dataclass(frozen=True)
class Ink:
    """Colours for one page background."""

    text: str
    line: str
    bar: str
    right: str
    wrong: str


INKS = {
    "light": Ink("#33373e", "#c3c8d0", "#cfdcf0", "#2f6fc4", "#c8501e"),
    "dark": Ink("#dfe2e8", "#4a505b", "#2c3f5e", "#7fb0ef", "#f2955f"),
}


def _text(x: float, y: float, words: str, ink: Ink, anchor: str = "start", size: int = 13) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{ink.text}" '
        f'text-anchor="{anchor}" font-family="sans-serif">{escape(words)}</text>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-width="{width:g}"/>'
    )


def _dot(x: float, y: float, colour: str, radius: float = 2.6) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{colour}" fill-opacity="0.7"/>'


def _svg(height: float, title: str, parts: list[str]) -> str:
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" '
            f'width="{WIDTH}" role="img">',
            f"<title>{escape(title)}</title>",
            *parts,
            "</svg>\n",
        ]
    )


def errors_plot(families: list[Family], ink: Ink) -> str:
    """Relative error of every comparison, one strip per family, on a logarithmic axis."""
    left, right, top, step = 250, 84, 14, 34
    span = WIDTH - left - right

    def place(error: float) -> float:
        decade = math.log10(max(abs(error), 10**LOW))
        return left + (min(decade, HIGH) - LOW) / (HIGH - LOW) * span

    bottom = top + step * len(families)
    parts = []
    for decade, words in ((-6, "exact"), (-4, "0.01%"), (-3, "0.1%"), (-2, "1%"), (-1, "10%"),
                          (0, "100%")):  # fmt: skip
        x = place(10.0**decade)
        parts.append(_line(x, top, x, bottom, ink.line))
        parts.append(_text(x, bottom + 18, words, ink, "middle", 12))
    for number, family in enumerate(families):
        y = top + step * (number + 0.5)
        parts.append(_text(left - 12, y + 4, family.title, ink, "end"))
        for index, row in enumerate(sorted(family.rows, key=lambda row: abs(row.error))):
            offset = ((index * 7) % 11 - 5) * 1.7  # spread, the same in every build
            colour = ink.right if family.right(row) else ink.wrong
            parts.append(_dot(place(row.error), y + offset, colour))
        parts.append(_text(WIDTH - right + 12, y + 4, f"{family.hits} of {len(family.rows)}", ink))
    parts.append(
        _text(left + span / 2, bottom + 38, "relative error of the prediction (of ranges: of the "
              "typical value)", ink, "middle", 12)
    )  # fmt: skip
    return _svg(bottom + 50, "Relative error of every prediction, by kind of figure", parts)


def ranges_plot(rows: list[Comparison], ink: Ink) -> str:
    """Measured ÷ typical prediction, sorted, over the predicted range of each row."""
    left, right, top, height = 58, 16, 16, 230
    span = WIDTH - left - right
    low, high = math.log(0.4), math.log(2.5)

    def place(ratio: float) -> float:
        share = (min(max(math.log(ratio), low), high) - low) / (high - low)
        return top + height * (1 - share)

    ordered = sorted(rows, key=lambda row: row.published / row.predicted)
    parts = [
        _line(left, place(tick), WIDTH - right, place(tick), ink.line)
        + _text(left - 8, place(tick) + 4, f"{tick:g}×", ink, "end", 12)
        for tick in (0.5, 0.7, 1, 1.4, 2)
    ]
    for index, row in enumerate(ordered):
        x = left + span * (index + 0.5) / len(ordered)
        assert row.low is not None
        assert row.high is not None
        parts.append(
            _line(x, place(row.low / row.predicted), x, place(row.high / row.predicted), ink.bar,
                  max(1.5, span / len(ordered) - 1.5))
        )  # fmt: skip
    for index, row in enumerate(ordered):
        x = left + span * (index + 0.5) / len(ordered)
        colour = ink.right if row.inside else ink.wrong
        parts.append(_dot(x, place(row.published / row.predicted), colour))
    words = f"{len(ordered)} measurements, sorted: measured ÷ typical (dots) in the range (bars)"
    parts.append(_text(left + span / 2, top + height + 24, words, ink, "middle", 12))
    return _svg(top + height + 36, "Measured tokens per second against the predicted range", parts)
