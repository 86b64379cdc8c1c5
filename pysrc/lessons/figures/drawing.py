"""SVG parts shared by the figures of the lessons, and the inks for a light and a dark page.

A figure is a function of an ink that returns a whole SVG. Width 400 or so keeps the words readable
on a phone. Words of 14 px and more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "assets" / "figures"


@dataclass(frozen=True)
class Ink:
    """Colours for one page background: fills that text can stand on, and `strong` for curves."""

    text: str
    faint: str
    line: str
    blue: str
    orange: str
    green: str
    purple: str
    strong: str


INKS = {
    "light": Ink("#33373e", "#5c626c", "#8b919b", "#7fb0ef", "#f2b26b", "#6fbf8b", "#c3a2ea",
                 "#3b78c9"),
    "dark": Ink("#dfe2e8", "#a9afb9", "#7d8490", "#3a6cb0", "#a8682a", "#3b8558", "#7a56a8",
                "#8ab6f5"),
}  # fmt: skip

Draw = Callable[[Ink], str]


def in_both_inks(drawings: dict[str, Draw]) -> dict[str, str]:
    """File name and SVG text of each drawing, for a light and for a dark page."""
    return {
        f"{name}-{scheme}.svg": draw(ink)
        for name, draw in drawings.items()
        for scheme, ink in INKS.items()
    }


def write(figures: dict[str, str]) -> None:
    """Write the figures into docs/assets/figures."""
    for name, text in figures.items():
        (FOLDER / name).write_text(text, "utf-8")
        print(FOLDER.name + "/" + name)


def svg(width: float, height: float, parts: list[str]) -> str:
    """A whole SVG file."""
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" '
        f'font-family="system-ui, sans-serif">\n{body}\n</svg>\n'
    )


def words(
    x: float, y: float, text: str, fill: str, *,
    size: int = 15, anchor: str = "start", bold: bool = False, mono: bool = False,
) -> str:  # fmt: skip
    """A line of text; `anchor` is start, middle or end."""
    weight = ' font-weight="600"' if bold else ""
    family = ' font-family="ui-monospace, monospace"' if mono else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}"{weight}{family} '
        f'fill="{fill}">{escape(text)}</text>'
    )


def box(
    x: float, y: float, width: float, height: float, fill: str, *,
    stroke: str = "none", rounding: float = 0, dashed: bool = False,
) -> str:  # fmt: skip
    """A rectangle."""
    dashes = ' stroke-dasharray="4 3"' if dashed else ""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{rounding:g}" '
        f'fill="{fill}" stroke="{stroke}"{dashes}/>'
    )


def stroke(
    points: list[tuple[float, float]], colour: str, *, width: float = 1, dashed: bool = False
) -> str:
    """A line through the points."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashes = ' stroke-dasharray="6 5"' if dashed else ""
    ink = f'fill="none" stroke="{colour}" stroke-width="{width:g}"{dashes}'
    return f'<polyline points="{path}" {ink}/>'
