"""One published figure beside what the package says, and statistics over many of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

__all__ = ["Comparison", "Family", "quantile"]


@dataclass(frozen=True)
class Comparison:
    """``predicted`` against ``published``; ``low`` and ``high`` where the prediction is a range."""

    case: str
    published: float
    predicted: float
    unit: str
    source: str
    provenance: str
    low: float | None = None
    high: float | None = None
    split: str = ""
    why: str = ""

    @property
    def error(self) -> float:
        """Relative error, predicted ÷ published - 1."""
        return self.predicted / self.published - 1

    @property
    def inside(self) -> bool:
        """Whether the published figure lies in the predicted range."""
        if self.low is None or self.high is None:
            return False
        return self.low <= self.published <= self.high

    @property
    def width(self) -> float:
        """High ÷ low of the predicted range."""
        return self.high / self.low if self.low and self.high else math.inf


def quantile(values: list[float], share: float) -> float:
    """The value below which ``share`` of the values lie, interpolated.

    >>> quantile([1.0, 2.0, 3.0, 4.0], 0.5)
    2.5
    """
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


@dataclass
class Family:
    """Comparisons of one kind of figure with the target that the package sets itself.

    ``tolerance``: the relative error that counts as right, for point predictions; ``ranged``: a
    prediction is right when the published figure lies inside its range.  ``share``: how many of
    them must be right.  ``left_out``: (number, what, why) of published figures not compared.
    """

    key: str
    title: str
    target: str
    about: str
    share: float = 1.0
    tolerance: float = 0.0
    ranged: bool = False
    rows: list[Comparison] = field(default_factory=list)
    left_out: list[tuple[int, str, str]] = field(default_factory=list)

    def right(self, row: Comparison) -> bool:
        """Whether one row meets the family's rule."""
        return row.inside if self.ranged else abs(row.error) <= self.tolerance

    @property
    def hits(self) -> int:
        """Rows that meet the rule."""
        return sum(self.right(row) for row in self.rows)

    @property
    def hit_rate(self) -> float:
        """Share of rows that meet the rule."""
        return self.hits / len(self.rows) if self.rows else math.nan

    @property
    def met(self) -> bool:
        """Whether the target is met."""
        return self.hit_rate >= self.share

    @property
    def errors(self) -> list[float]:
        """Relative errors of all rows."""
        return [row.error for row in self.rows]

    def worst(self, count: int = 5) -> list[Comparison]:
        """Rows with the largest error, worst first."""
        return sorted(self.rows, key=lambda row: -abs(math.log(row.predicted / row.published)))[
            :count
        ]
