"""The roofline: is a computation bound by arithmetic or by moving bytes?

A chip has a peak (FLOP/s) and a memory bandwidth (B/s).  A computation that does I operations per
byte moved (its arithmetic intensity) can reach at most min(peak, I × bandwidth).  The two bounds
meet at the ridge, peak ÷ bandwidth.

Source: Williams, Waterman and Patterson, "Roofline: an insightful visual performance model for
multicore architectures" (2009).
"""

from __future__ import annotations

from collections.abc import Iterable

from napkin.inputs import LARGEST
from napkin.quantities import format_bytes, format_flops, format_rate, format_seconds
from napkin.table import Row, Table

__all__ = [
    "attainable",
    "bound",
    "decode_limit",
    "intensity",
    "matmul_intensity",
    "positive",
    "ridge",
    "roofline",
    "roofline_points",
    "roofline_seconds",
]

SOURCE = "Williams, Waterman and Patterson 2009"


def positive(value: float, name: str, fix: str, zero: bool = False) -> float:
    """``value`` when it is a finite number above 0 (or 0 where ``zero``), else a ValueError."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not (number and 0 <= value <= LARGEST and (zero or value > 0)):
        least = "at least 0" if zero else "above 0"
        raise ValueError(f"{name} must be a finite number {least}, got {value!r}: {fix}")
    return value


def intensity(flops: float, size: float) -> float:
    """Arithmetic intensity in FLOP per byte moved to or from memory.

    >>> intensity(2 * 7e9, 14e9)
    1.0
    """
    positive(flops, "flops", "give the count of operations", zero=True)
    return flops / positive(size, "size", "give the bytes moved")


def ridge(peak: float, bandwidth: float) -> float:
    """Intensity in FLOP/B from which a chip is bound by arithmetic: peak ÷ bandwidth.

    >>> round(ridge(989e12, 3.35e12))  # H100 SXM, bf16 dense
    295
    """
    positive(peak, "peak", "give FLOP/s, such as 989e12")
    return peak / positive(bandwidth, "bandwidth", "give B/s, such as 3.35e12")


def attainable(flops_per_byte: float, peak: float, bandwidth: float) -> float:
    """Most FLOP/s at that intensity: min(peak, intensity × bandwidth).

    >>> attainable(1.0, 989e12, 3.35e12) / 1e12
    3.35
    """
    positive(flops_per_byte, "flops_per_byte", "an intensity in FLOP/B", zero=True)
    ridge(peak, bandwidth)
    return min(peak, flops_per_byte * bandwidth)


def matmul_intensity(m: int, k: int, n: int, bytes_per_value: float = 2) -> float:
    """Intensity of an (m × k)·(k × n) product that reads both inputs and writes the result once.

    2·m·k·n ÷ (bytes × (m·k + k·n + m·n)); for a weight matrix much larger than the batch it is
    about 2·batch ÷ bytes: the batch itself in 16 bits.

    >>> round(matmul_intensity(16, 8192, 8192), 1)
    15.9
    """
    for name, side in (("m", m), ("k", k), ("n", n)):
        positive(side, name, "the side of a matrix, such as 4096")
    positive(bytes_per_value, "bytes_per_value", "2 for bf16, 0.5 for 4 bits")
    return 2 * m * k * n / (bytes_per_value * (m * k + k * n + m * n))


def roofline_seconds(
    flops: float, size: float, peak: float, bandwidth: float, fixed: float = 0.0
) -> float:
    """Time in s: the larger of arithmetic and memory time, plus a fixed cost.

    >>> round(roofline_seconds(14e9, 14e9, 989e12, 3.35e12, fixed=0.001), 5)  # 4.18 ms + 1 ms
    0.00518
    """
    positive(flops, "flops", "give the count of operations", zero=True)
    positive(size, "size", "give the bytes moved", zero=True)
    positive(fixed, "fixed", "seconds that no chip speeds up, such as 0.001", zero=True)
    ridge(peak, bandwidth)
    return max(flops / peak, size / bandwidth) + fixed


def bound(flops: float, size: float, peak: float, bandwidth: float) -> str:
    """``"compute"`` or ``"memory"``: which of the two takes longer.

    >>> bound(14e9, 14e9, 989e12, 3.35e12)
    'memory'
    """
    roofline_seconds(flops, size, peak, bandwidth)
    return "compute" if flops / peak >= size / bandwidth else "memory"


def roofline(flops: float, size: float, peak: float, bandwidth: float, fixed: float = 0.0) -> Table:
    """Intensity, ridge, both times and the bound of one computation on one chip.

    >>> table = roofline(flops=14e9, size=14e9, peak=989e12, bandwidth=3.35e12)
    >>> table["seconds"].working
    'larger of 14.2 µs and 4.18 ms, plus 0 s'
    """
    seconds = roofline_seconds(flops, size, peak, bandwidth, fixed)
    compute, memory = flops / peak, size / bandwidth
    limit = bound(flops, size, peak, bandwidth)
    rows = [
        Row("ridge", "Ridge of the chip", ridge(peak, bandwidth), "FLOP/B",
            f"{format_rate(peak)} ÷ {format_rate(bandwidth, 'B/s')}", SOURCE),
        Row("compute", "Arithmetic time", compute, "s",
            f"{format_flops(flops)} ÷ {format_rate(peak)}"),
        Row("memory", "Memory time", memory, "s",
            f"{format_bytes(size)} ÷ {format_rate(bandwidth, 'B/s')}"),
        Row("seconds", "Time", seconds, "s",
            f"larger of {format_seconds(compute)} and {format_seconds(memory)}, "
            f"plus {format_seconds(fixed)}", SOURCE),
        Row("used", "Share of the peak used", 100 * flops / seconds / peak if seconds else 0.0, "%",
            f"{format_flops(flops)} ÷ {format_seconds(seconds)} ÷ {format_rate(peak)}"),
    ]  # fmt: skip
    if size:
        own = intensity(flops, size)
        rows.insert(0, Row("intensity", "Arithmetic intensity", own, "FLOP/B",
                           f"{format_flops(flops)} ÷ {format_bytes(size)}", SOURCE))  # fmt: skip
    note = {
        "memory": "bound by memory: more bandwidth or fewer bytes help, more FLOP/s do not",
        "compute": "bound by arithmetic: more FLOP/s help, more bandwidth does not",
    }
    return Table("Roofline", tuple(rows), notes=(note[limit],))


def decode_limit(weight_bytes: float, bandwidth: float) -> float:
    """Most tokens/s of one user: every weight is read for each token.

    bandwidth ÷ bytes of the weights, whatever the FLOP/s.

    >>> round(decode_limit(14e9, 3.35e12))  # 7B in bf16 on an H100 SXM
    239
    """
    positive(bandwidth, "bandwidth", "give B/s, such as 3.35e12")
    return bandwidth / positive(weight_bytes, "weight_bytes", "7B in bf16 is 14e9")


def roofline_points(
    peak: float, bandwidth: float, intensities: Iterable[float] | None = None
) -> list[tuple[float, float]]:
    """(intensity, attainable FLOP/s) pairs for a plot; powers of two around the ridge by default.

    >>> [(x, y / 1e12) for x, y in roofline_points(100e12, 1e12, [10, 100, 1000])]
    [(10, 10.0), (100, 100.0), (1000, 100.0)]
    """
    corner = ridge(peak, bandwidth)
    if intensities is None:
        intensities = sorted({corner, *(2.0**i for i in range(-2, 14))})
    return [(x, attainable(x, peak, bandwidth)) for x in intensities]
