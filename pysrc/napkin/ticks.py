"""Where a chart's axis has its ticks, and what they say."""

from __future__ import annotations

import math

from napkin.answers import Axis
from napkin.printing import PREFIXES, format_count, format_number, format_quantity

__all__ = ["Scale", "axis_name", "tick_text"]

MOST = 6


class Scale:
    """Values of an axis to places between ``start`` and ``end``."""

    def __init__(self, axis: Axis, values: list[float], start: float, end: float, *,
                 zero: bool = False) -> None:  # fmt: skip
        self.axis, self.start, self.end = axis, start, end
        low, high = min(values), max(values)
        if axis.log:
            pad = max((high / low) ** 0.03, 1.02)
            self.low, self.high = low / pad, high * pad
        else:
            low = 0.0 if zero or 0 <= low < 0.4 * high else low
            pad = 0.04 * (high - low) or abs(high) or 1.0
            self.low, self.high = low - (pad if low else 0), high + pad

    def place(self, value: float) -> float:
        """Where the value stands."""
        low, high = self.low, self.high
        if self.axis.log:
            low, high, value = math.log(low), math.log(high), math.log(value)
        share: float = (value - low) / (high - low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Round values, at most six.

        >>> Scale(Axis("x"), [0, 9.5], 0, 1).ticks()
        [0.0, 2.0, 4.0, 6.0, 8.0]
        >>> Scale(Axis("x", log=True), [512, 300_000], 0, 1).ticks()
        [1000.0, 10000.0, 100000.0]
        """
        return _powers(self.low, self.high) if self.axis.log else _steps(self.low, self.high)


def _steps(low: float, high: float) -> list[float]:
    power = 10.0 ** math.floor(math.log10((high - low) / MOST))
    step = next(power * m for m in (1, 2, 2.5, 5, 10) if (high - low) / (power * m) <= MOST)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [float(f"{step * number:.12g}") for number in range(first, last + 1)]


def _powers(low: float, high: float) -> list[float]:
    first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
    if last - first >= 2:
        apart = -(-(last - first + 1) // MOST)
        return [10.0**power for power in range(first, last + 1, apart)]
    for steps in ((1, 3), (1, 2, 5), (1, 1.5, 2, 3, 5, 7)):
        found = [
            float(f"{step * 10.0**power:.12g}")
            for power in range(first - 1, last + 1)
            for step in steps
            if low <= step * 10.0**power <= high
        ]
        if len(found) >= 3:
            return found[:: -(-len(found) // MOST)]
    return _steps(low, high)


def tick_text(value: float, unit: str) -> str:
    """A tick, short; units that would be long stand in the axis's name instead.

    >>> tick_text(1e9, "B"), tick_text(1e4, "tokens"), tick_text(1e15, "FLOP/s"), tick_text(2.5, "")
    ('1 GB', '10k', '1 P', '2.5')
    """
    if unit in ("B", "s", "$", "%"):
        return format_quantity(value, unit)
    if unit in ("FLOP", "J") or (value >= 1e15 and not unit.endswith("/s")):
        return f"{value:.3g}".replace("e+", "e") if value >= 1e6 else format_number(value)
    if unit.endswith("/s") and value >= 1e6:
        prefix, scale = next(
            (prefix, scale) for prefix, scale in reversed(PREFIXES.items()) if scale <= value
        )
        return f"{value / scale:.3g} {prefix}"
    return format_count(value) if value >= 10_000 else format_number(value)


def axis_name(axis: Axis) -> str:
    """The axis's label with the unit that its ticks leave out.

    >>> axis_name(Axis("Reachable", "FLOP/s")), axis_name(Axis("Memory", "B"))
    ('Reachable (FLOP/s)', 'Memory')
    """
    if axis.unit in ("", "B", "s", "$", "%", axis.label.lower()):
        return axis.label
    return f"{axis.label} ({axis.unit})"
