"""What a figure shows, in a sentence, for a reader who does not see it."""

from __future__ import annotations

import re
import sys
from typing import Any

MAX_CHARS = 500


def alt_text(figure: Any) -> str:
    """The figure's own label where it has one (`fig.set_label("...")`), or else what can be told.

    As in "Plot: Speed by size; x: n; y: GFLOP/s; 2 lines: measured, peak".
    """
    given = _plain(figure.get_label())
    if given:
        return given
    panels = [text for text in map(_panel, figure.axes) if text]
    heading = _plain(figure.get_suptitle()) if hasattr(figure, "get_suptitle") else ""
    if len(panels) > 1:
        parts = [heading, *(f"panel {i}: {text}" for i, text in enumerate(panels, 1))]
        start = f"Plot with {len(panels)} panels"
    else:
        parts, start = [heading, *panels], "Plot"
    said = "; ".join(part for part in parts if part)
    text = f"{start}: {said}" if said else start
    return text if len(text) <= MAX_CHARS else f"{text[: MAX_CHARS - 1]}…"


def _panel(axes: Any) -> str:
    if axes.get_label() == "<colorbar>":
        name = _plain(axes.get_ylabel()) or _plain(axes.get_xlabel())
        return f"colour scale: {name}" if name else ""
    parts = [_plain(axes.get_title(loc=place)) for place in ("left", "center", "right")]
    for direction in ("x", "y"):
        label = _plain(getattr(axes, f"get_{direction}label")())
        scale = getattr(axes, f"get_{direction}scale")()
        logarithmic = " (logarithmic)" if scale == "log" else ""
        if label or logarithmic:
            parts.append(f"{direction}: {label}{logarithmic}".replace(":  ", ": "))
    parts += _series(axes)
    return "; ".join(part for part in parts if part)


def _series(axes: Any) -> list[str]:
    bars, in_groups = [], set()
    for group in axes.containers:
        in_groups |= {id(part) for part in group.get_children()}
        if type(group).__name__ == "BarContainer":
            bars.append(group)
    lines = [line for line in axes.lines if id(line) not in in_groups and len(line.get_xdata())]
    collections = sys.modules["matplotlib.collections"]
    points = [one for one in axes.collections if isinstance(one, collections.PathCollection)]
    errors = [one for one in axes.containers if type(one).__name__ == "ErrorbarContainer"]
    lines += errors
    wedges = [patch for patch in axes.patches if type(patch).__name__ == "Wedge"]
    told = [
        _counted(len(lines), "line", lines),
        _counted(sum(map(len, bars)), "bar", bars),
        _counted(len(points), "set of points", points, "sets of points"),
        _counted(len(wedges), "wedge", wedges),
        _counted(len(axes.images), "image", axes.images),
    ]
    return [text for text in told if text]


def _counted(count: int, noun: str, artists: list[Any], plural: str = "") -> str:
    if not count:
        return ""
    labels = [_plain(artist.get_label()) for artist in artists]
    named = [label for label in labels if label and not label.startswith("_")]
    text = f"{count} {noun if count == 1 else plural or noun + 's'}"
    return f"{text}: {', '.join(named)}" if named else text


def _plain(text: object) -> str:
    """`text` on one line, without the dollar signs of formulas.

    >>> _plain("time\\n$n^2$")
    'time n^2'
    """
    line = " ".join(str(text or "").split())
    return re.sub(r"(?<!\\)\$", "", "".join(filter(str.isprintable, line))).strip()
