"""What one collective operation costs: bytes sent by each device, steps, and time.

Every device holds (or ends with) a buffer of ``size`` bytes.  A ring cuts the buffer into one
chunk per device and passes chunks to the neighbour, so that all links work all the time; a tree
needs only log2(n) hops, which wins for small buffers.  time = steps × latency + sent ÷ bandwidth.

Sources: Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication Operations in
MPICH" (2005); Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms" (2009); Sanders, Speck
and Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan" (2009), which is
the tree that NCCL has used since version 2.4.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from napkin.quantities import format_bytes, format_rate, format_seconds
from napkin.table import Row, Table, nearest_name

__all__ = ["COLLECTIVES", "Collective", "Link", "collective", "collective_table", "whole"]


@dataclass(frozen=True)
class Link:
    """What a device can send per second in one direction, and the delay of one hop.

    ``bandwidth`` is in B/s per device and direction: NVLink 4 gives 450e9 (its "900 GB/s" counts
    both directions), a 400 Gbit/s network card 50e9.  ``latency`` is in s.
    """

    bandwidth: float
    latency: float = 0.0
    name: str = "link"

    def __post_init__(self) -> None:
        if not (isinstance(self.bandwidth, (int, float)) and 0 < self.bandwidth < math.inf):
            raise ValueError(
                f"link bandwidth must be a number of B/s above 0, got {self.bandwidth!r}: "
                "NVLink 4 is 450e9, a 400 Gbit/s network card 50e9"
            )
        if not (isinstance(self.latency, (int, float)) and 0 <= self.latency < math.inf):
            raise ValueError(f"link latency must be 0 s or more, got {self.latency!r}")


@dataclass(frozen=True)
class Collective:
    """One operation on ``devices`` devices: what each sends, in how many steps."""

    name: str
    devices: int
    size: int
    sent: Fraction
    steps: int
    formula: str

    def seconds(self, link: Link) -> float:
        """Time with nothing else on the links, in s."""
        return self.steps * link.latency + float(self.sent) / link.bandwidth


Rule = Callable[[int], tuple[Fraction, int]]


def _log2(n: int) -> int:
    return (n - 1).bit_length()


# name: (share of the buffer that each device sends, steps), formula of the share
COLLECTIVES: dict[str, tuple[Rule, str]] = {
    "all-reduce": (lambda n: (Fraction(2 * (n - 1), n), 2 * (n - 1)), "2·(n - 1)/n × S"),
    "tree all-reduce": (lambda n: (Fraction(2 if n > 1 else 0), 2 * _log2(n)), "2 × S"),
    "reduce-scatter": (lambda n: (Fraction(n - 1, n), n - 1), "(n - 1)/n × S"),
    "all-gather": (lambda n: (Fraction(n - 1, n), n - 1), "(n - 1)/n × S"),
    "all-to-all": (lambda n: (Fraction(n - 1, n), n - 1), "(n - 1)/n × S"),
    "ring pass": (lambda n: (Fraction(n - 1), n - 1), "(n - 1) × S"),
    "broadcast": (lambda n: (Fraction(1 if n > 1 else 0), _log2(n)), "S"),
    "send": (lambda n: (Fraction(1 if n > 1 else 0), 1 if n > 1 else 0), "S"),
}


# Beyond any count of bytes, tokens or devices; products of a few such numbers are still floats.
LARGEST_WHOLE = 10**24


def whole(value: object, name: str, least: int = 1, example: str = "8") -> int:
    """``value`` as an int, or a ValueError that says what was wanted."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        raise ValueError(f"{name} must be a whole number, got {value!r}: write e.g. {example}")
    if isinstance(value, float) and not value.is_integer():
        raise ValueError(f"{name} must be a whole number, got {value!r}: write e.g. {example}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value!r}: write e.g. {example}")
    if value > LARGEST_WHOLE:
        raise ValueError(f"{name} must be at most {LARGEST_WHOLE:.0e}: write e.g. {example}")
    return int(value)


def collective(name: str, size: int, devices: int) -> Collective:
    """The named operation on a buffer of ``size`` bytes over ``devices`` devices.

    For ``all-to-all``, ``size`` is what each device holds for all others together; for ``ring
    pass`` (context parallelism), the block that each device passes on; one device sends nothing.

    >>> op = collective("all-reduce", 14_000_000_000, 8)
    >>> int(op.sent), op.steps
    (24500000000, 14)
    >>> round(op.seconds(Link(450e9)), 4)
    0.0544
    """
    if name not in COLLECTIVES:
        close = nearest_name(name, list(COLLECTIVES), 1)
        hint = f"did you mean {close[0]!r}?" if close else f"use one of {', '.join(COLLECTIVES)}"
        raise ValueError(f"collective {name!r} is not known: {hint}")
    size = whole(size, "size", 0, "14e9")
    devices = whole(devices, "devices")
    rule, formula = COLLECTIVES[name]
    share, steps = rule(devices)
    return Collective(name, devices, size, share * size, steps, formula)


def collective_table(name: str, size: int, devices: int, link: Link) -> Table:
    """Bytes, steps and time of one operation, with the bandwidth and latency parts apart.

    >>> print(collective_table("all-gather", 1_000_000_000, 4, Link(50e9, 5e-6)))
    all-gather of 1 GB over 4 devices
    Latency   15 µs   3 steps × 5 µs
    Transfer  15 ms   (n - 1)/n × S = 750 MB; ÷ 50 GB/s
    ───────────────
    Time      15 ms
    """
    op = collective(name, size, devices)
    sent = float(op.sent)
    rows = (
        Row("latency", "Latency", op.steps * link.latency, "s",
            f"{op.steps} steps × {format_seconds(link.latency)}"),
        Row("transfer", "Transfer", sent / link.bandwidth, "s",
            f"{op.formula} = {format_bytes(sent)}; ÷ {format_rate(link.bandwidth, 'B/s')}"),
    )  # fmt: skip
    return Table.of(
        f"{name} of {format_bytes(op.size)} over {op.devices} devices", rows,
        total="Time", key="time",
    )  # fmt: skip
