"""The shape of every answer: named parts that add up, each with its working and source.

A function of the package returns a ``Table``; printing it is the caller's job.  ``Row.value`` is
an SI number (bytes, FLOP, seconds, dollars), never a rounded one: rounding happens in ``text()``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from napkin.printing import format_quantity

__all__ = ["Row", "Table", "nearest_name"]

_KEY = re.compile(r"[a-z][a-z0-9_]*\Z")


def nearest_name(name: str, names: list[str] | tuple[str, ...], count: int = 3) -> list[str]:
    """Names most like ``name``, best first, for the end of an error message.

    >>> nearest_name("wieghts", ["weights", "gradients"])
    ['weights']
    """
    import difflib  # only for error messages: it takes longer to load than all of this module

    folded = {other.casefold(): other for other in names}
    close = difflib.get_close_matches(name.casefold(), list(folded), n=count, cutoff=0.6)
    return [folded[other] for other in close]


@dataclass(frozen=True)
class Row:
    """One part of an answer.

    ``key`` is snake_case and unique in its table; ``value`` is in ``unit`` (``"B"``, ``"FLOP"``,
    ``"s"``, ``"$"``, ``"parameters"`` ...); ``working`` is the formula with the numbers put in;
    ``source`` says where the formula or the figure comes from.

    >>> Row("weights", "Weights", 14_000_000_000, "B", "7e9 × 2 B = 14 GB").text()
    'Weights: 14 GB   7e9 × 2 B = 14 GB'
    """

    key: str
    label: str
    value: float | int
    unit: str
    working: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.key, str) or not _KEY.match(self.key):
            raise ValueError(f"row key {self.key!r} is not snake_case: use e.g. 'kv_cache'")
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)):
            raise ValueError(
                f"row {self.key!r} has value {self.value!r}: a value is an int or a float"
            )
        for name in ("label", "unit", "working", "source"):
            if not isinstance(getattr(self, name), str):
                raise ValueError(f"row {self.key!r}: {name} must be text")

    def text(self) -> str:
        """The row on one line."""
        line = f"{self.label}: {format_quantity(self.value, self.unit)}"
        return f"{line}   {self.working}" if self.working else line

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe fields; infinities and NaN, which JSON lacks, become text."""
        value: float | int | str = self.value
        if isinstance(value, float) and not math.isfinite(value):
            value = str(value)
        return {
            "key": self.key,
            "label": self.label,
            "value": value,
            "unit": self.unit,
            "working": self.working,
            "source": self.source,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Row:
        """The row that ``to_dict`` described."""
        try:
            value = data["value"]
            if value in ("inf", "-inf", "nan"):
                value = float(value)
            return cls(
                data["key"],
                data["label"],
                value,
                data["unit"],
                data.get("working", ""),
                data.get("source", ""),
            )
        except KeyError as missing:
            raise ValueError(f"a row needs the field {missing}") from None


@dataclass(frozen=True)
class Table:
    """Parts, and the total they add up to exactly.

    When ``total`` is given and every row is in the total's unit, the rows must sum to it: integers
    exactly, floats to the correctly rounded sum.  Rows in another unit (a share, a rate) may stand
    in a table with a total, which is then not checked.

    >>> table = Table("State", (Row("weights", "Weights", 14, "B"), Row("moments", "Moments", 56,
    ...     "B")), total=Row("total", "Total", 70, "B"))
    >>> table.value("moments")
    56
    >>> table["weigths"]
    Traceback (most recent call last):
    ...
    KeyError: "no row 'weigths' in 'State': did you mean 'weights'?"
    """

    title: str
    rows: tuple[Row, ...]
    total: Row | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", tuple(self.rows))
        if isinstance(self.notes, str):
            raise ValueError(f"table {self.title!r}: notes must be a tuple of texts, not one text")
        object.__setattr__(self, "notes", tuple(self.notes))
        seen: set[str] = set()
        for row in self:
            if row.key in seen:
                raise ValueError(f"table {self.title!r} has two rows named {row.key!r}")
            seen.add(row.key)
        total = self.total
        if total is None or any(row.unit != total.unit for row in self.rows):
            return
        values = [row.value for row in self.rows]
        if total.value not in (sum(values), _exact_sum(values)):
            raise ValueError(
                f"table {self.title!r}: the rows add up to {_exact_sum(values)!r} {total.unit}, "
                f"the total says {total.value!r}; build the total with Table.of"
            )

    @classmethod
    def of(
        cls,
        title: str,
        rows: tuple[Row, ...] | list[Row],
        *,
        total: str = "Total",
        key: str = "total",
        working: str = "",
        notes: tuple[str, ...] = (),
    ) -> Table:
        """A table whose total is the sum of its rows (all in one unit).

        >>> Table.of("Bytes", [Row("a", "A", 1, "B"), Row("b", "B", 2, "B")]).total.value
        3
        """
        units = sorted({row.unit for row in rows})
        if len(units) != 1:
            raise ValueError(f"table {title!r}: only rows of one unit have a total, got {units}")
        value = _exact_sum([row.value for row in rows])
        return cls(title, tuple(rows), Row(key, total, value, units[0], working), notes)

    def __iter__(self) -> Iterator[Row]:
        """The rows, then the total if there is one."""
        yield from self.rows
        if self.total is not None:
            yield self.total

    def __getitem__(self, key: str) -> Row:
        for row in self:
            if row.key == key:
                return row
        names = [row.key for row in self]
        close = nearest_name(str(key), names, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(names)}"
        raise KeyError(f"no row {key!r} in {self.title!r}: {hint}")

    def __contains__(self, key: object) -> bool:
        return any(row.key == key for row in self)

    def value(self, key: str) -> float | int:
        """The value of the row (or total) named ``key``."""
        return self[key].value

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe; ``Table.from_dict`` gives the same table back."""
        return {
            "title": self.title,
            "rows": [row.to_dict() for row in self.rows],
            "total": None if self.total is None else self.total.to_dict(),
            "notes": list(self.notes),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Table:
        """The table that ``to_dict`` described."""
        try:
            total = data.get("total")
            return cls(
                data["title"],
                tuple(Row.from_dict(row) for row in data["rows"]),
                None if total is None else Row.from_dict(total),
                tuple(data.get("notes", ())),
            )
        except KeyError as missing:
            raise ValueError(f"a table needs the field {missing}") from None

    def text(self) -> str:
        """Aligned plain text: label, value, working; the total under a rule; then the notes."""
        cells = [(row.label, format_quantity(row.value, row.unit), row.working) for row in self]
        label_width = max((len(label) for label, _, _ in cells), default=0)
        value_width = max((len(value) for _, value, _ in cells), default=0)
        lines = [
            f"{label:<{label_width}}  {value:>{value_width}}   {working}".rstrip()
            for label, value, working in cells
        ]
        if self.total is not None:
            lines.insert(len(lines) - 1, "─" * (label_width + 2 + value_width))
        return "\n".join([self.title, *lines, *(f"note: {note}" for note in self.notes)])

    def __str__(self) -> str:
        return self.text()


def _exact_sum(values: list[float | int]) -> float | int:
    """Integers stay an integer; with a float among them, the correctly rounded sum."""
    if all(isinstance(value, int) for value in values):
        return sum(values)
    return math.fsum(values)
