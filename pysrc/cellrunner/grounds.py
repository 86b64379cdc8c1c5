"""Text in the page's ink needs the page's ground: on a ground of the reader's it is black or white.

Used only where matplotlib is loaded already.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping
from typing import Any

OPAQUE = 0.5
"""A ground of at least this opacity decides what can be read on it."""


def ground_of(patch: Any, paper: str) -> str | None:
    """The colour of a patch as `#rrggbb`; None where the page's ground shows instead."""
    if patch is None or not patch.get_visible():
        return None
    red, green, blue, opacity = patch.get_facecolor()
    colour: str = sys.modules["matplotlib.colors"].to_hex((red, green, blue))
    return colour if opacity >= OPAQUE and colour != paper else None


def ink_on(ground: str) -> str:
    """Black or white, whichever stands out more from `ground` (luminance as in WCAG 2).

    >>> ink_on("#ffffff"), ink_on("#ff7f0e"), ink_on("#1f77b4")
    ('#000000', '#000000', '#ffffff')
    """
    channels = (int(ground[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    luminance = sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return "#000000" if (luminance + 0.05) ** 2 >= 0.05 * 1.05 else "#ffffff"


def figure_colours(figure: Any, page: Mapping[str, str], ink: str, paper: str) -> dict[str, str]:
    """What to draw `ink` and `paper` in: as the page does, or as suits the figure's own ground."""
    ground = ground_of(figure.patch, paper)
    return {ink: ink_on(ground), paper: ground} if ground else dict(page)


@contextlib.contextmanager
def readable_texts(figure: Any, ink: str, paper: str) -> Iterator[None]:
    """Meanwhile, texts in `ink` that stand on a chosen ground are black or white."""
    changed = []
    for text, ground in _texts_on_grounds(figure, paper):
        if sys.modules["matplotlib.colors"].to_hex(text.get_color()) == ink:
            changed.append((text, text.get_color()))
            text.set_color(ink_on(ground))
    try:
        yield
    finally:
        for text, colour in changed:
            text.set_color(colour)


def _texts_on_grounds(figure: Any, paper: str) -> Iterator[tuple[Any, str]]:
    for text in figure.findobj(sys.modules["matplotlib.text"].Text):
        if ground := ground_of(text.get_bbox_patch(), paper):
            yield text, ground
    for axes in figure.axes:
        if ground := ground_of(axes.patch, paper):
            yield from ((text, ground) for text in axes.texts if text.get_bbox_patch() is None)
    for legend in figure.findobj(sys.modules["matplotlib.legend"].Legend):
        if ground := ground_of(legend.get_frame(), paper):
            yield from ((text, ground) for text in (*legend.get_texts(), legend.get_title()))
