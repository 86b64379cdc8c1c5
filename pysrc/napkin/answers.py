"""What a calculator answers: one headline, tables of parts, charts, a grid; all of it JSON-safe."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from napkin.printing import format_quantity
from napkin.table import Row, Table

__all__ = ["Answer", "Axis", "Chart", "Column", "Grid", "Mark", "Series"]

Cell = float | int | str | bool | None


@dataclass(frozen=True)
class Axis:
    """What a chart's axis says; ``unit`` as in ``Row``, ``log`` for powers of ten."""

    label: str
    unit: str = ""
    log: bool = False


@dataclass(frozen=True)
class Series:
    """Points ``(x, y)`` of one name; in a bar chart ``x`` is the bar's name."""

    name: str
    points: tuple[tuple[float | str, float], ...]


@dataclass(frozen=True)
class Mark:
    """A labelled point, such as "you are here"."""

    label: str
    x: float | str
    y: float


@dataclass(frozen=True)
class Chart:
    """A picture of numbers. ``summary`` says in a sentence or two what it shows.

    ``bar`` and ``stacked`` have names on x and one bar per name, stacked by series.
    """

    key: str
    title: str
    kind: Literal["line", "scatter", "bar", "stacked"]
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    summary: str
    marks: tuple[Mark, ...] = ()

    def __post_init__(self) -> None:
        if not self.summary:
            raise ValueError(f"chart {self.key!r} needs a summary: what one sees in it, in words")
        for series in self.series:
            for x, y in series.points:
                named = self.kind in ("bar", "stacked")
                if isinstance(x, str) is not named or not math.isfinite(y):
                    raise ValueError(f"chart {self.key!r}: {self.kind} cannot show ({x!r}, {y!r})")
                if (self.x.log and not named and float(x) <= 0) or (self.y.log and y <= 0):
                    raise ValueError(
                        f"chart {self.key!r}: ({x!r}, {y!r}) has no place on a logarithmic axis"
                    )

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe fields; each point with its ``words``, and in ``sums`` those of the bars."""
        return {
            "key": self.key,
            "title": self.title,
            "kind": self.kind,
            "x": vars(self.x).copy(),
            "y": vars(self.y).copy(),
            "series": [
                {
                    "name": one.name,
                    "points": [list(point) for point in one.points],
                    "words": [self._words(one.name, *point) for point in one.points],
                }
                for one in self.series
            ],
            "marks": [
                {**vars(mark), "words": self._words(mark.label, mark.x, mark.y)}
                for mark in self.marks
            ],
            "sums": self._sums() if self.kind in ("bar", "stacked") else [],
            "summary": self.summary,
        }

    def _words(self, name: str, x: float | str, y: float) -> str:
        value = cell_text(y, self.y.unit)
        if isinstance(x, str):
            return f"{x}, {name}: {value}"
        return f"{name}: {cell_text(x, self.x.unit)}, {value}"

    def _sums(self) -> list[dict[str, Any]]:
        sums: dict[str, float] = {}
        for series in self.series:
            for x, y in series.points:
                sums[str(x)] = sums.get(str(x), 0) + y
        return [
            {"name": name, "value": value, "text": cell_text(value, self.y.unit)}
            for name, value in sums.items()
        ]


@dataclass(frozen=True)
class Column:
    """One column of a grid. ``only`` labels a checkbox that keeps the rows where it is true."""

    key: str
    label: str
    unit: str = ""
    only: str = ""


@dataclass(frozen=True)
class Grid:
    """A table to sort and filter; the cells of each row stand in the order of the columns.

    The first column names the row. None means that there is no such number.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(
                    f"grid {self.title!r} has {len(self.columns)} columns, a row {len(row)} cells"
                )

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe fields; cells as values alone, ``cell_text`` gives their texts."""
        return {
            "title": self.title,
            "columns": [vars(column).copy() for column in self.columns],
            "rows": [[_finite(cell) for cell in row] for row in self.rows],
        }


@dataclass(frozen=True)
class Answer:
    """The whole answer; ``sentence`` says what the headline means, with the numbers in it."""

    headline: Row
    sentence: str
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    grid: Grid | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        keys = [row.key for table in self.tables for row in table]
        twice = {key for key in keys if keys.count(key) > 1}
        if twice:
            raise ValueError(f"keys stand twice in one answer: {', '.join(sorted(twice))}")

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe; rows carry the text of their value and the length of their bar (0 to 1)."""
        return {
            "headline": row_dict(self.headline),
            "sentence": self.sentence,
            "tables": [table_dict(table) for table in self.tables],
            "charts": [chart.to_dict() for chart in self.charts],
            "grid": None if self.grid is None else self.grid.to_dict(),
            "notes": list(self.notes),
        }


def row_dict(row: Row, bar: float | None = None) -> dict[str, Any]:
    """``Row.to_dict`` with the value as people read it."""
    return {**row.to_dict(), "text": value_text(row.value, row.unit), "bar": bar}


def table_dict(table: Table) -> dict[str, Any]:
    """``Table.to_dict`` with bars where all parts are in the total's unit."""
    bars = _bars(table)
    total = table.total
    return {
        "title": table.title,
        "rows": [row_dict(row, bar) for row, bar in zip(table.rows, bars, strict=True)],
        "total": None if total is None else row_dict(total),
        "notes": list(table.notes),
    }


def _bars(table: Table) -> list[float | None]:
    """Shares of the total: only of parts that add up to one, in one unit, none negative."""
    values = [row.value for row in table.rows]
    units = {row.unit for row in table}
    comparable = table.total is not None and len(units) == 1 and len(values) > 1
    if not comparable or not all(math.isfinite(v) and v >= 0 for v in values) or not sum(values):
        return [None] * len(values)
    return [round(value / sum(values), 4) for value in values]


def value_text(value: float | int, unit: str) -> str:
    """A value with its unit; infinite ones in words.  In the unit ``exact``, every digit.

    >>> value_text(14e9, "B"), value_text(float("inf"), "s"), value_text(0.10009765625, "exact")
    ('14 GB', 'without limit', '0.10009765625')
    """
    if unit == "exact":
        return repr(value).removesuffix(".0")
    if isinstance(value, float) and not math.isfinite(value):
        return "not defined" if math.isnan(value) else "without limit"
    return format_quantity(value, unit)


def cell_text(cell: Cell, unit: str) -> str:
    """A cell as people read it: ``yes``, ``no``, a dash where there is nothing."""
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return cell if isinstance(cell, str) else value_text(cell, unit)


def _finite(cell: Cell) -> Cell:
    return str(cell) if isinstance(cell, float) and not math.isfinite(cell) else cell


