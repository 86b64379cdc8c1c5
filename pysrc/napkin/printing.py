"""Quantities as people print them: three significant digits, a plain space, the unit.

What is printed here, ``napkin.quantities`` parses again.  Prefixes are decimal (k = 10³ …
GB = 10⁹ bytes) unless written Ki, Mi, Gi, Ti.
"""

from __future__ import annotations

import math

Number = float | int

PREFIXES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18,
            "Z": 10**21}  # fmt: skip
BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50}


def _significant(value: float, digits: int = 3) -> str:
    """Plain decimal text with ``digits`` significant digits and no trailing zeros."""
    if value == 0:
        return "0"
    if not math.isfinite(value):
        return str(value)
    if digits == 3 and 1 <= abs(value) < 999:
        return f"{value:.3g}"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    power = int(exponent)
    if not -4 <= power < 15:
        return f"{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}e{power}"
    text = f"{float(f'{mantissa}e{power}'):,.{max(digits - 1 - power, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _prefixed(value: Number, scales: tuple[tuple[str, int], ...]) -> tuple[str, str]:
    """Three significant digits and the largest prefix that leaves at least 1 (after rounding)."""
    for prefix, scale in scales:
        share = value / scale
        if abs(share) >= 1 or (abs(share) > 0.999 and abs(float(f"{share:.2e}")) >= 1):
            return _significant(share), prefix
    return _significant(float(value)), ""


_SI = tuple((name, scale) for name, scale in reversed(PREFIXES.items()) if name)
_SI_TO_P = tuple((name, scale) for name, scale in _SI if scale <= 10**15)
_IEC = tuple(reversed(BINARY.items()))
_COUNT = (("T", 10**12), ("B", 10**9), ("M", 10**6), ("k", 10**3))


def format_number(value: Number) -> str:
    """Whole numbers below a million in full, larger ones as M, B or T, three digits otherwise.

    >>> [format_number(x) for x in (151936, 0.16666, 26_597_000, 3.8e25)]
    ['151,936', '0.167', '26.6M', '3.8e25']
    """
    if abs(value) < 1_000_000 and float(value).is_integer():
        return f"{int(value):,}"
    if abs(value) >= 999_500:
        return format_count(value)
    return _significant(float(value))


def format_count(count: Number) -> str:
    """A count with k, M, B or T.

    >>> format_count(7e9), format_count(124_439_808), format_count(15.6e12), format_count(999)
    ('7B', '124M', '15.6T', '999')
    """
    if abs(count) >= 1e15:
        return _significant(float(count))
    number, prefix = _prefixed(count, _COUNT)
    return number + prefix


def format_bytes(size: Number, binary: bool = False) -> str:
    """A size in decimal units (GB = 10⁹), or in binary ones (GiB = 2³⁰).

    >>> format_bytes(80e9), format_bytes(80e9, binary=True), format_bytes(640)
    ('80 GB', '74.5 GiB', '640 B')
    """
    number, prefix = _prefixed(size, _IEC if binary else _SI_TO_P)
    return f"{number} {prefix}B"


def format_flops(flops: Number) -> str:
    """A count of operations; scientific from 10¹⁵ on, as papers print it.

    >>> format_flops(7.44e18), format_flops(2.5e9)
    ('7.44e18 FLOP', '2.5 GFLOP')
    """
    if abs(flops) >= 1e15:
        return f"{_significant(float(flops))} FLOP"
    number, prefix = _prefixed(flops, _SI)
    return f"{number} {prefix}FLOP"


def format_rate(rate: Number, unit: str = "FLOP/s") -> str:
    """A rate; FLOP/s and B/s get SI prefixes, other units a plain number.

    >>> format_rate(989e12), format_rate(3.35e12, "B/s"), format_rate(239.6, "tokens/s")
    ('989 TFLOP/s', '3.35 TB/s', '240 tokens/s')
    """
    if unit not in ("FLOP/s", "B/s", "OP/s"):
        return f"{format_number(rate)} {unit}"
    number, prefix = _prefixed(rate, _SI)
    return f"{number} {prefix}{unit}"


def format_seconds(seconds: Number) -> str:
    """A duration in the unit a person would choose, from ns to days.

    >>> [format_seconds(s) for s in (0.0041, 3.6, 5400, 18_800, 5.87e6)]
    ['4.1 ms', '3.6 s', '90 min', '5.22 h', '67.9 days']
    """
    size = abs(float(f"{seconds:.2e}"))
    for limit, scale, unit in (
        (1e-6, 1e-9, "ns"),
        (1e-3, 1e-6, "µs"),
        (1.0, 1e-3, "ms"),
        (120.0, 1.0, "s"),
        (7200.0, 60.0, "min"),
        (172_800.0, 3600.0, "h"),
    ):
        if size < limit:
            return f"{_significant(seconds / scale)} {unit}" if size else "0 s"
    return f"{_significant(seconds / 86_400)} days"


def format_money(dollars: Number) -> str:
    """US dollars: cents below $100, whole dollars below $10,000, then k, M, B.

    >>> [format_money(d) for d in (2.5, 36.284, 940.2, 15_600, 1.234e6, 0.3412, 0.00123)]
    ['$2.50', '$36.28', '$940', '$15.6k', '$1.23M', '$0.341', '$0.00123']
    """
    sign, size = ("-" if dollars < 0 else ""), abs(dollars)
    if size <= 0.995:
        text = _significant(float(size))
        return f"{sign}${f'{size:.2f}' if len(text) == 3 else text}"
    if size < 99.995:
        return f"{sign}${size:.2f}".removesuffix(".00")
    return f"{sign}${f'{size:,.0f}' if size < 9_999.5 else format_count(size)}"


def format_energy(joules: Number) -> str:
    """Energy: joules below one watt-hour, watt-hours (3,600 J) with a prefix from there on.

    >>> format_energy(0.5), format_energy(3.6e6), format_energy(9.7e13)
    ('0.5 J', '1 kWh', '26.9 GWh')
    """
    if abs(joules) < 3600:
        return f"{_significant(float(joules))} J"
    number, prefix = _prefixed(joules / 3600, _SI)
    return f"{number} {prefix}Wh"


def format_quantity(value: Number, unit: str) -> str:
    """A value with its unit, printed by the rule for that unit.

    >>> format_quantity(14e9, "B"), format_quantity(0.41, "%"), format_quantity(3, "GPUs")
    ('14 GB', '0.41 %', '3 GPUs')
    """
    if not math.isfinite(value):
        return f"{value} {unit}".strip()
    if unit == "B":
        return format_bytes(value)
    if unit in ("FLOP", "FLOPs"):
        return format_flops(value)
    if unit in ("FLOP/s", "B/s", "OP/s"):
        return format_rate(value, unit)
    if unit == "s":
        return format_seconds(value)
    if unit == "J":
        return format_energy(value)
    if unit == "$":
        return format_money(value)
    if unit in ("parameters", "tokens"):
        return f"{format_count(value)} {unit}"
    return f"{format_number(value)} {unit}".strip()
