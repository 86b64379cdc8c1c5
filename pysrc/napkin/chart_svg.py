"""A chart as SVG: drawn when the site is built and, by the same code, in the reader's page.

Colours and type come from the page's style sheet (classes ``s1`` … ``s8``), so that a picture is
right in the dark and on paper. Every point holds its numbers in words as a ``<title>``.

Our own and no chart library: the picture stands in the page with scripts off, and costs a reader
no download (Observable Plot, the library considered, is 91 kB compressed).
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from napkin.answers import Axis, cell_text
from napkin.ticks import Scale, axis_name, tick_text

__all__ = ["chart_svg"]

WIDTH, HEIGHT = 480, 280
LEFT, RIGHT, TOP, BOTTOM = 62, 14, 26, 40
BAR, GAP, LABEL = 24, 14, 17
COLOURS = 8
# About the width of a letter, of the larger type that phones get, for placing labels.
LETTER, LINE = 8.5, 17

Dict = Mapping[str, Any]


def chart_svg(chart: Dict) -> str:
    """The picture of ``Chart.to_dict()``, with a legend where there are several series."""
    if chart["kind"] in ("bar", "stacked"):
        height, parts = _bars(chart)
    else:
        height, parts = HEIGHT, _plane(chart)
    picture = (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {height:g}" aria-hidden="true">'
        f"{''.join(parts)}</svg>"
    )
    return picture + _legend(chart)


def colour(number: int) -> str:
    """The class of the series of that number, from 0."""
    return f"s{number % COLOURS + 1}"


def _legend(chart: Dict) -> str:
    series = chart["series"]
    if len(series) < 2:
        return ""
    items = "".join(
        f'<li><svg class="key" viewBox="0 0 24 10" aria-hidden="true">{_key(chart, number)}</svg>'
        f"{escape(one['name'])}</li>"
        for number, one in enumerate(series)
    )
    return f'<ul data-part="legend">{items}</ul>'


def _key(chart: Dict, number: int) -> str:
    if chart["kind"] == "line":
        return f'<path class="line {colour(number)}" d="M0 5H24"/>'
    if chart["kind"] == "scatter":
        return f'<circle class="dot {colour(number)}" cx="12" cy="5" r="4"/>'
    return f'<rect class="bar {colour(number)}" width="24" height="10"/>'


def _plane(chart: Dict) -> list[str]:
    """Lines or dots over two axes, with marks on top."""
    x_axis, y_axis = Axis(**chart["x"]), Axis(**chart["y"])
    points = [point for one in chart["series"] for point in one["points"]]
    points += [(mark["x"], mark["y"]) for mark in chart["marks"]]
    if not points:
        return []
    x = Scale(x_axis, [point[0] for point in points], LEFT, WIDTH - RIGHT)
    y = Scale(y_axis, [point[1] for point in points], HEIGHT - BOTTOM, TOP)
    parts = [_text(4, 13, axis_name(y_axis), "name")]
    for tick in y.ticks():
        place = y.place(tick)
        parts.append(f'<path class="grid" d="M{LEFT} {place:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(_text(LEFT - 6, place + 4, tick_text(tick, y_axis.unit), "end"))
    for tick in x.ticks():
        place = x.place(tick)
        parts.append(f'<path class="grid" d="M{place:.1f} {TOP}V{HEIGHT - BOTTOM}"/>')
        parts.append(
            _text(place, HEIGHT - BOTTOM + 16, tick_text(tick, x_axis.unit), "middle")
        )
    parts.append(_text(WIDTH - RIGHT, HEIGHT - 5, axis_name(x_axis), "end name"))
    for number, one in enumerate(chart["series"]):
        places = [(x.place(a), y.place(b)) for a, b in one["points"]]
        if chart["kind"] == "line":
            path = "L".join(f"{a:.1f} {b:.1f}" for a, b in places)
            parts.append(f'<path class="line {colour(number)}" d="M{path}"/>')
        parts += [
            _point(place, colour(number), _words(chart, one["name"], point))
            for place, point in zip(places, one["points"], strict=True)
        ]
    return parts + _marks(chart, x, y)


def _words(chart: Dict, name: str, point: list[Any]) -> str:
    where = cell_text(point[0], chart["x"]["unit"])
    return f"{name}: {where}, {cell_text(point[1], chart['y']['unit'])}"


def _point(place: tuple[float, float], kind: str, words: str) -> str:
    a, b = place
    return (
        f'<circle class="dot {kind}" data-point="" cx="{a:.1f}" cy="{b:.1f}" r="3">'
        f"<title>{escape(words)}</title></circle>"
    )


def _marks(chart: Dict, x: Scale, y: Scale) -> list[str]:
    """Labelled points; each label goes where none is yet, the reader's own (the last) first."""
    parts: list[str] = []
    taken: list[tuple[float, float, float, float]] = []
    for mark in reversed(chart["marks"]):
        a, b = x.place(mark["x"]), y.place(mark["y"])
        words = _words(chart, mark["label"], [mark["x"], mark["y"]])
        parts.append(
            f'<circle class="mark" data-point="" cx="{a:.1f}" cy="{b:.1f}" r="5">'
            f"<title>{escape(words)}</title></circle>"
        )
        taken.append((a - 5, b - 5, a + 5, b + 5))
        width = LETTER * len(mark["label"])
        for left, middle in ((a + 9, b), (a - 9 - width, b), (a - width / 2, b - 15),
                             (a - width / 2, b + 17), (a + 9, b - 14), (a - 9 - width, b - 14),
                             (a + 9, b + 15), (a - 9 - width, b + 15)):  # fmt: skip
            box = (left, middle - LINE / 2, left + width, middle + LINE / 2)
            inside = box[0] > LEFT and box[2] < WIDTH and TOP < middle < HEIGHT - BOTTOM
            if inside and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                # Anchored on the side of its dot: types differ in width.
                side = "middle" if left < a < left + width else "end" if left < a else ""
                at = a if side == "middle" else left + width if side else left
                parts.append(_text(at, middle + 4, mark["label"], f"{side} label".strip()))
                break
    return parts


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _bars(chart: Dict) -> tuple[float, list[str]]:
    """A bar for each name, its name above and its sum behind it; parts side by side."""
    unit = chart["y"]["unit"]
    names = list(dict.fromkeys(name for one in chart["series"] for name, _ in one["points"]))
    values = [dict(one["points"]) for one in chart["series"]]
    sums = {name: sum(one.get(name, 0) for one in values) for name in names}
    scale = Scale(Axis("", unit), [0.0, *sums.values()], 0, WIDTH - 92, zero=True)
    scale.high = max(*sums.values(), 1e-300)
    parts = []
    label = chart["x"]["label"]
    for row, name in enumerate(names):
        top = row * (LABEL + BAR + GAP)
        parts.append(_text(0, top + 12, f"{label} {name}".strip(), "name"))
        start = 0.0
        for number, one in enumerate(values):
            if not one.get(name):
                continue
            end = start + one[name]
            left, right = scale.place(start), scale.place(end)
            words = f"{name}, {chart['series'][number]['name']}: {cell_text(one[name], unit)}"
            parts.append(
                f'<rect class="bar {colour(number)}" data-point="" x="{left:.1f}" y="{top + LABEL}"'
                f' width="{max(right - left - 1, 0.5):.1f}" height="{BAR}">'
                f"<title>{escape(words)}</title></rect>"
            )
            start = end
        text = cell_text(sums[name], unit)
        parts.append(_text(scale.place(start) + 5, top + LABEL + BAR / 2 + 5, text, ""))
    return len(names) * (LABEL + BAR + GAP) - GAP + 2, parts


def _text(x: float, y: float, words: str, kind: str) -> str:
    anchor = next((word for word in ("end", "middle") if word in kind.split()), "start")
    style = next((f' class="{word}"' for word in ("name", "label") if word in kind.split()), "")
    return (
        f'<text x="{x:.1f}" y="{y:.1f}"{style}'
        + (f' text-anchor="{anchor}"' if anchor != "start" else "")
        + f">{escape(words)}</text>"
    )
