"""An answer as HTML: the same markup when the site is built and in the reader's page.

It takes the JSON-safe form (``Answer.to_dict``). Every text is escaped here: a shared link can put
any text into a field, and a message or a title may repeat it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from html import escape
from types import MappingProxyType
from typing import Any

from napkin.answers import Cell, cell_text

__all__ = ["answer_html"]

Dict = Mapping[str, Any]
NONE: Mapping[str, str] = MappingProxyType({})


def answer_html(answer: Dict, pictures: Mapping[str, str] = NONE) -> str:
    """The inside of ``[data-part=result]``.

    Charts are drawn by the page; ``pictures`` is HTML that is drawn already, by the chart's key.

    >>> from napkin.forms import Answer, Row
    >>> "<strong data-value=\\"14\\">14 B</strong>" in answer_html(
    ...     Answer(Row("size", "Size", 14, "B"), "Small.").to_dict())
    True
    """
    return "".join(
        [
            _headline(answer["headline"]),
            f'<p data-part="sentence">{escape(answer["sentence"])}</p>',
            *(_chart(chart, pictures.get(chart["key"], "")) for chart in answer["charts"]),
            *(_table(table) for table in answer["tables"]),
            _grid(answer["grid"]) if answer["grid"] else "",
            _notes(answer["notes"]),
            _sources(answer),
        ]
    )


def _headline(row: Dict) -> str:
    working = f' <span data-part="working">{escape(row["working"])}</span>'
    return (
        f'<p data-part="headline" data-row="{row["key"]}">'
        f'<span data-part="label">{escape(row["label"])}</span> '
        f'<strong data-value="{_number(row["value"])}">{escape(row["text"])}</strong>'
        f"{working if row['working'] else ''}</p>"
    )


def _table(table: Dict) -> str:
    rows = "".join(_row(row) for row in table["rows"])
    total = table["total"]
    foot = f"<tfoot>{_row(total)}</tfoot>" if total and len(table["rows"]) > 1 else ""
    return (
        f'<table class="napkin-parts"><caption>{escape(table["title"])}</caption>'
        f"<tbody>{rows}</tbody>{foot}</table>{_notes(table['notes'])}"
    )


def _row(row: Dict) -> str:
    working = f'<span data-part="working">{escape(row["working"])}</span>'
    return (
        f'<tr data-row="{row["key"]}"><th scope="row">{escape(row["label"])}'
        f"{working if row['working'] else ''}{_bar(row['bar'])}</th>"
        f'<td data-value="{_number(row["value"])}">{escape(row["text"])}</td></tr>'
    )


def _bar(share: float | None) -> str:
    """A picture of what the number beside it says; attributes, since the page has no styles."""
    if share is None:
        return ""
    return (
        '<svg class="share" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{share * 100:.4g}" height="1"/></svg>'
    )


def _grid(grid: Dict) -> str:
    columns = grid["columns"]
    head = "".join(
        f'<th scope="col" data-column="{column["key"]}"'
        + (' class="number"' if column["unit"] else "")
        + (f' data-only="{escape(column["only"])}"' if column["only"] else "")
        + f">{escape(column['label'])}</th>"
        for column in columns
    )
    places = [(column["key"], column["unit"]) for column in columns[1:]]
    body = "".join(
        f'<tr><th scope="row">{escape(str(row[0]))}</th>'
        + "".join([_cell(value, *place) for value, place in zip(row[1:], places, strict=True)])
        + "</tr>"
        for row in grid["rows"]
    )
    title = escape(grid["title"])
    return (
        f'<div data-part="grid" class="napkin-scroll" role="region" tabindex="0"'
        f' aria-label="{title}"><table class="napkin-grid"><caption>{title}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


# Of a table's thousand cells most say the same after the reader's next keystroke.
@lru_cache(maxsize=4096, typed=True)
def _cell(value: Cell, key: str, unit: str) -> str:
    text = escape(cell_text(value, unit))
    if isinstance(value, bool):
        return f'<td data-key="{key}" data-value="{int(value)}">{text}</td>'
    if isinstance(value, (int, float)):
        return f'<td class="number" data-key="{key}" data-value="{_number(value)}">{text}</td>'
    return f'<td data-key="{key}">{text}</td>'


def _chart(chart: Dict, picture: str) -> str:
    """The picture, what one sees in it, and its numbers; arrow keys read its points."""
    title, key = escape(chart["title"]), escape(chart["key"])
    return (
        f'<figure class="napkin-chart" data-chart="{key}"><figcaption>{title}</figcaption>'
        f'<div data-part="picture" role="img" aria-label="{title}. {escape(chart["summary"])}">'
        f"{picture}</div>"
        f'<p data-part="summary">{escape(chart["summary"])}</p>'
        f"<details><summary>Show the numbers</summary>{_numbers(chart)}</details></figure>"
    )


def _numbers(chart: Dict) -> str:
    names = [series["name"] for series in chart["series"]]
    places = list(dict.fromkeys(x for series in chart["series"] for x, _ in series["points"]))
    if chart["kind"] in ("line", "scatter"):
        places.sort()
    lookup = [dict(series["points"]) for series in chart["series"]]
    label = escape(chart["x"]["label"])
    head = (f'<th scope="col">{label}</th>' if label else "<td></td>") + "".join(
        f'<th scope="col" class="number">{escape(name)}</th>' for name in names
    )
    body = "".join(
        f'<tr><th scope="row">{escape(cell_text(x, chart["x"]["unit"]))}</th>'
        + "".join(
            f'<td class="number">{escape(cell_text(points.get(x), chart["y"]["unit"]))}</td>'
            for points in lookup
        )
        + "</tr>"
        for x in places
    )
    title = escape(f"{chart['title']}: {chart['y']['label']}")
    return (
        f'<div class="napkin-scroll" role="region" tabindex="0" aria-label="{title}">'
        f'<table class="napkin-grid"><caption>{title}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _notes(notes: list[str]) -> str:
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return f'<ul data-part="notes">{items}</ul>' if notes else ""


def _sources(answer: Dict) -> str:
    rows = [answer["headline"]]
    for table in answer["tables"]:
        rows += [*table["rows"], *([table["total"]] if table["total"] else [])]
    sources = dict.fromkeys(row["source"] for row in rows if row["source"])
    if not sources:
        return ""
    items = "".join(f"<li>{escape(source)}</li>" for source in sources)
    return f'<details data-part="sources"><summary>Sources</summary><ul>{items}</ul></details>'


def _number(value: float | int | str) -> str:
    """The exact number, as JSON writes it."""
    return escape(repr(value) if not isinstance(value, str) else value)
