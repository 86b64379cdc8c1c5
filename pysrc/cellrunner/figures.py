"""Matplotlib figures in a cell's output: drawn once, as SVG that follows light and dark.

What the reader did not colour is drawn in the page's own colours. To tell it apart from a black
that was chosen, the defaults are set to colours that nobody picks, and replaced in the SVG.
Used only where matplotlib is loaded already.
"""

from __future__ import annotations

import base64
import io
import json
import sys
import warnings
from typing import Any

from cellrunner.alt_text import alt_text
from cellrunner.grounds import figure_colours, readable_texts
from cellrunner.output import Output
from cellrunner.svg import Unsupported, picture_svg, safe_svg

MAX_FIGURES = 20
"""Of one run."""
MAX_MARKS = 500_000
"""Characters of a figure's SVG. Of a larger one the data become a picture of dots: a browser is
busy for too long with more marks than that."""
MAX_CHARS = 2_000_000
"""Of the SVG with such a picture; where it is larger, the whole figure becomes one."""
DOTS_PER_INCH = 200
"""Of the picture of the data: sharp on most screens."""

INK = "#020103"
PAPER = "#fdfefc"
PAGE_COLOURS = {
    INK: "currentColor",
    # Behind a legend; the page may say what its background is.
    PAPER: "var(--figure-background, transparent)",
}
DEFAULTS = {
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "legend.facecolor": PAPER,
    **dict.fromkeys(
        (
            "text.color",
            "axes.edgecolor",
            "axes.labelcolor",
            "xtick.color",
            "ytick.color",
            "hatch.color",
            "patch.edgecolor",
            "boxplot.boxprops.color",
            "boxplot.capprops.color",
            "boxplot.whiskerprops.color",
            "boxplot.flierprops.color",
            "boxplot.flierprops.markeredgecolor",
        ),
        INK,
    ),
}


def set_defaults() -> None:
    """Make the page's colours matplotlib's defaults; what the reader has set stays."""
    matplotlib = sys.modules["matplotlib"]
    settings, defaults = matplotlib.rcParams, matplotlib.rcParamsDefault
    for key, value in DEFAULTS.items():
        if settings[key] == defaults[key]:
            settings[key] = value
        # So that going back to the defaults goes back to the page's colours.
        defaults[key] = value


def show_all(output: Output) -> None:
    """Show the open figures, oldest first, and close them."""
    managers = sys.modules["matplotlib._pylab_helpers"].Gcf
    try:
        for manager in managers.get_all_fig_managers():
            _show(manager.canvas.figure, output)
    finally:
        close_all()


def show_one(figure: Any, output: Output) -> None:
    """Show one figure and close it."""
    try:
        _show(figure, output)
    finally:
        sys.modules["matplotlib._pylab_helpers"].Gcf.destroy_fig(figure)


def show_value(value: object, output: Output) -> None:
    """Show a figure that is a cell's last value, unless it is open: those are shown anyway."""
    managers = sys.modules["matplotlib._pylab_helpers"].Gcf
    is_open = any(manager.canvas.figure is value for manager in managers.get_all_fig_managers())
    if isinstance(value, sys.modules["matplotlib.figure"].Figure) and not is_open:
        _show(value, output)


def close_all() -> None:
    """Forget the open figures."""
    sys.modules["matplotlib._pylab_helpers"].Gcf.destroy_all()


def _show(figure: Any, output: Output) -> None:
    contents = (figure.axes, figure.texts, figure.images, figure.lines, figure.patches)
    if not any((*contents, figure.artists)):
        return
    output.figures += 1
    if output.figures > MAX_FIGURES:
        if output.figures == MAX_FIGURES + 1:
            output.write("notice", f"[more than {MAX_FIGURES} figures: the others are not shown]\n")
        return
    alt = alt_text(figure)
    svg = _drawn(figure, alt)
    if len(svg) > MAX_CHARS:
        output.write("notice", f"[a figure of {len(svg) / 1e6:.1f} MB is too large to show]\n")
        return
    output.write("figure", json.dumps({"svg": svg, "alt": alt}))


def _drawn(figure: Any, alt: str) -> str:
    for draw, most in ((_svg, MAX_MARKS), (_svg_of_dots, MAX_CHARS)):
        try:
            with readable_texts(figure, INK, PAPER):
                colours = figure_colours(figure, PAGE_COLOURS, INK, PAPER)
                svg = safe_svg(draw(figure), alt, colours)
        except (TooLarge, Unsupported):
            continue
        if len(svg) <= most:
            return svg
    return _picture(figure, alt)


def _svg(figure: Any, most: int = MAX_MARKS, **options: Any) -> str:
    """The figure as matplotlib writes it: texts as texts, the same ids for the same figure."""
    page = _Page(2 * most)  # what matplotlib writes is more wordy than what is shown
    settings = {"svg.fonttype": "none", "svg.hashsalt": "figure", "svg.image_inline": True}
    with sys.modules["matplotlib"].rc_context(settings):
        _save(figure, page, format="svg", **options)
    return page.getvalue()


def _svg_of_dots(figure: Any) -> str:
    """The same with the data as a picture; axes, texts and what is in ink still follow the page."""
    data = [
        artist
        for axes in figure.findobj(sys.modules["matplotlib.axes"].Axes)
        for artist in (*axes.lines, *axes.collections, *axes.patches)
        if not (artist.get_rasterized() or _has_ink(artist))
    ]
    for artist in data:
        artist.set_rasterized(True)
    try:
        return _svg(figure, MAX_CHARS, dpi=DOTS_PER_INCH)
    finally:
        for artist in data:
            artist.set_rasterized(False)


def _has_ink(artist: Any) -> bool:
    colours = sys.modules["matplotlib.colors"]
    parts = ("color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor")
    getters = (getattr(artist, f"get_{part}", None) for part in parts)
    rows = (row for get in getters if get for row in colours.to_rgba_array(get()))
    return any(colours.to_hex(row) == INK for row in rows)


def _picture(figure: Any, alt: str) -> str:
    """The figure as dots on white: the colours of a picture cannot follow the page."""
    picture = io.BytesIO()
    plain = figure.get_facecolor()[3] == 0
    _save(figure, picture, format="png", **({"facecolor": "white"} if plain else {}))
    data = picture.getvalue()
    # The size is in the header of every PNG.
    width, height = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
    return picture_svg(base64.b64encode(data).decode(), width, height, alt)


def _save(figure: Any, file: object, **options: Any) -> None:
    with warnings.catch_warnings():
        # The browser has more letters than the font that the sizes are taken from.
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        figure.savefig(file, bbox_inches="tight", **options)


class TooLarge(Exception):
    """The SVG is longer than a page should hold."""


class _Page(io.StringIO):
    """Text that stops the drawing once it is too long."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def write(self, text: str, /) -> int:
        if self.tell() + len(text) > self.most:
            raise TooLarge
        return super().write(text)
