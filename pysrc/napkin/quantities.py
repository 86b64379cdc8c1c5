"""Quantities as people write them: ``7B``, ``80 GiB``, ``989 TFLOP/s``, ``1 h 30 min``.

What has two readings is refused with both named (``80 G``: GB or GiB?).  A plain number is taken
in the SI unit; text must say its unit.  Printing is in ``napkin.printing``, offered here too.
"""

from __future__ import annotations

import re
from fractions import Fraction

from napkin.notation import (
    Input,
    ambiguous,
    clean,
    given_number,
    not_negative,
    parse_count,
    parse_number,
    plain,
    scale_named,
    split_number,
)
from napkin.printing import (
    BINARY,
    PREFIXES,
    Number,
    format_bytes,
    format_count,
    format_energy,
    format_flops,
    format_money,
    format_number,
    format_quantity,
    format_rate,
    format_seconds,
)

__all__ = [
    "format_bytes",
    "format_count",
    "format_energy",
    "format_flops",
    "format_money",
    "format_number",
    "format_quantity",
    "format_rate",
    "format_seconds",
    "parse_bytes",
    "parse_count",
    "parse_flops",
    "parse_fraction",
    "parse_money",
    "parse_number",
    "parse_rate",
    "parse_seconds",
]

SECONDS = {
    "ns": Fraction(1, 10**9),
    "us": Fraction(1, 10**6),
    "ms": Fraction(1, 1000),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), Fraction(1)),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), Fraction(60)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), Fraction(3600)),
    **dict.fromkeys(("d", "day", "days"), Fraction(86400)),
    **dict.fromkeys(("week", "weeks", "wk"), Fraction(604800)),
}


def parse_bytes(text: Input, what: str = "size") -> int:
    """A size in bytes, rounded to a whole byte; a plain number is bytes, text needs its unit.

    GB = 10⁹, GiB = 2³⁰; ``80 Gbit`` is ten GB.

    >>> parse_bytes("80 GB"), parse_bytes("80GiB"), parse_bytes("512 MiB"), parse_bytes("8 Gbit")
    (80000000000, 85899345920, 536870912, 1000000000)
    >>> parse_bytes("80 G")
    Traceback (most recent call last):
    ...
    ValueError: size '80 G' is ambiguous: write 80 GB (10⁹) or 80 GiB (2³⁰)
    """
    if isinstance(text, (int, float)):
        value = given_number(text, what)
        if not isinstance(value, int):
            raise ValueError(f"{what} {text!r}: a size is a whole number of bytes")
        return int(not_negative(value, text, what))
    text = clean(text, what)
    number, rest, shown = split_number(text, what)
    size = number * _byte_unit(rest, text, shown.strip(), what)
    if rest in ("B", "byte", "bytes") and size.denominator != 1:
        raise ValueError(f"{what} {text!r}: a size is a whole number of bytes")
    return int(not_negative(round(size), text, what))


def _byte_unit(unit: str, text: str, number: str, what: str) -> Fraction:
    if unit.lower() in ("byte", "bytes", "bit", "bits"):
        return Fraction(1, 8 if unit.lower().startswith("bit") else 1)
    match = re.fullmatch(r"([kKMGTPE]|[KkMGTP]i|)(B|bytes?|bits?)", unit)
    if match:
        prefix = match[1]
        scale = {**PREFIXES, **BINARY, "K": 1000, "ki": 1024}[prefix]
        return Fraction(scale, 8 if match[2].startswith("bit") else 1)
    if not unit:
        raise ambiguous(text, what, f"{number} B", f"{number} GB", f"{number} GiB")
    prefix = unit.removesuffix("b").removesuffix("B")
    big = prefix[:1].replace("k", "K").upper()
    if len(prefix) == len(unit) and len(prefix) <= 2 and big in "KMGTP":
        raise ambiguous(text, what, f"{number} {big}B (10{_POWERS[big]})",
                       f"{number} {big}iB (2{_BITS[big]})")  # fmt: skip
    if unit.endswith("b") and len(prefix) <= 2 and big in ("", *_POWERS):
        tail = "i" if prefix[1:] else ""
        raise ambiguous(text, what, f"{number} {big}{tail}B (bytes)",
                       f"{number} {big}{tail}bit (bits)")  # fmt: skip
    if re.fullmatch(r"[mgtp]i?B", unit):
        return Fraction(_byte_unit(unit[0].upper() + unit[1:], text, number, what))
    raise ValueError(f"{what} {text!r}: {unit!r} is not a size; use B, kB, MB, GB, TB or MiB, GiB")


_POWERS = {"K": "³", "M": "⁶", "G": "⁹", "T": "¹²", "P": "¹⁵"}
_BITS = {"K": "¹⁰", "M": "²⁰", "G": "³⁰", "T": "⁴⁰", "P": "⁵⁰"}


# "petaflop/s-days", as OpenAI's papers have it, and its neighbours.
_PETAFLOP = re.compile(
    r"^(k|m|g|t|p|e|z|giga|tera|peta|exa|zetta)fl?(?:op)?(?:/?s)?[- ]days?$", re.IGNORECASE
)


def parse_flops(text: Input, what: str = "compute") -> Number:
    """A number of operations: ``3.8e25``, ``1.8 EFLOP``, ``3,640 PF-days`` (petaflop/s-days).

    >>> parse_flops("1.8e18 FLOP"), parse_flops("2 TFLOPs"), parse_flops("1 PF-day")
    (1800000000000000000, 2000000000000, 86400000000000000000)
    >>> parse_flops("989 TFLOP/s")
    Traceback (most recent call last):
    ...
    ValueError: compute '989 TFLOP/s' is a rate (operations per second); a count is wanted: FLOP
    """
    if isinstance(text, (int, float)):
        return not_negative(given_number(text, what), text, what)
    text = clean(text, what)
    number, rest, shown = split_number(text, what)
    rest = _PETAFLOP.sub(lambda word: f"{word[1][0].upper()}FLOP/s-day", rest)
    days = re.fullmatch(r"([KkMGTPEZ])(?:F|FLOP/s|FLOPs)[- ]days?", rest)
    if not days and re.search(r"/ ?s|FLOPS$|per sec", rest):
        raise ValueError(
            f"{what} {text!r} is a rate (operations per second); a count is wanted: FLOP"
        )
    if days:
        scale = 1000 if days[1] == "K" else PREFIXES[days[1]]
        return not_negative(plain(number * scale * 86400), text, what)
    match = re.fullmatch(r"([kMGTPEZ]?) ?(?:FLOPs?|flops?|operations|ops?)", rest)
    scale = PREFIXES[match[1]] if match else scale_named(rest, text, shown, what)
    return not_negative(plain(number * scale), text, what)


def parse_rate(text: Input, unit: str = "FLOP/s", what: str = "rate") -> Number:
    """A rate in ``unit``, which is ``"FLOP/s"``, ``"B/s"`` or ``"tokens/s"``.

    ``TFLOPS`` and ``TOPS`` are rates, ``TFLOPs`` is refused (it may be a count); ``400 Gbps`` are
    bits.

    >>> parse_rate("989 TFLOP/s"), parse_rate("3.35 TB/s", "B/s"), parse_rate("400 Gbit/s", "B/s")
    (989000000000000, 3350000000000, 50000000000)
    >>> parse_rate("989 TFLOPs")
    Traceback (most recent call last):
    ...
    ValueError: rate '989 TFLOPs' is ambiguous: write 989 TFLOP (a count) or 989 TFLOP/s (a rate)
    """
    if unit not in ("FLOP/s", "B/s", "tokens/s"):
        raise ValueError(f"unit {unit!r} is not a rate known here: FLOP/s, B/s or tokens/s")
    if isinstance(text, (int, float)):
        return not_negative(given_number(text, what), text, what)
    text = clean(text, what)
    number, rest, shown = split_number(text, what)
    shown = shown.strip()
    if unit == "B/s":
        bits = re.fullmatch(r"([KkMGTP]?)bps", rest)
        name, slash, per = rest.partition("/")
        if bits:
            name, slash, per = f"{bits[1]}bit", "/", "s"
        elif re.fullmatch(r"([KkMGTP]i?)?Bps", rest):
            name, slash, per = rest[:-2], "/", "s"
        if not slash or per.strip() not in ("s", "sec", "second"):
            raise ValueError(f"{what} {text!r} is not a bandwidth: write e.g. 3.35 TB/s")
        return not_negative(plain(number * _byte_unit(name.strip(), text, shown, what)), text, what)
    if unit == "tokens/s":
        rest = re.sub(r" ?(tokens?|tok|t)(/s| per second|/sec)$", "", rest)
        return not_negative(plain(number * scale_named(rest, text, shown, what)), text, what)
    if re.search(r"(?<!^)F(LOPs|lops)$|flops$", rest):
        prefix = rest[0] if rest[0] in PREFIXES else ""
        raise ambiguous(
            text, what, f"{shown} {prefix}FLOP (a count)", f"{shown} {prefix}FLOP/s (a rate)"
        )
    match = re.fullmatch(r"([kKMGTPEZ]?) ?(?:FLOPs?/s|FLOPS|OPS|OP/s|F/s)", rest)
    if not match and rest:
        raise ValueError(f"{what} {text!r} is not a compute rate: write e.g. 989 TFLOP/s")
    scale = 1 if not match else 1000 if match[1] == "K" else PREFIXES[match[1]]
    return not_negative(plain(number * scale), text, what)


def parse_seconds(text: Input, what: str = "duration") -> Number:
    """A duration in seconds: ``90 s``, ``5.2 h``, ``1 h 30 min``, ``68 days``, ``1:30:00``.

    A plain number is seconds; text needs its unit (``m`` could be minutes or months).

    >>> parse_seconds("1 h 30 min"), parse_seconds("68 days"), parse_seconds("3.5 ms")
    (5400, 5875200, 0.0035)
    """
    if isinstance(text, (int, float)):
        return not_negative(given_number(text, what), text, what)
    text = rest = clean(text, what)
    clock = re.fullmatch(r"([0-9]+):([0-5][0-9]):([0-5][0-9])", text)
    if clock:
        return int(clock[1]) * 3600 + int(clock[2]) * 60 + int(clock[3])
    pair = re.fullmatch(r"([0-9]+):([0-9]+)", text)
    if pair:
        raise ambiguous(text, what, f"{pair[1]} h {pair[2]} min", f"{pair[1]} min {pair[2]} s")
    total, last = Fraction(0), None
    while rest:
        number, tail, shown = split_number(rest, what)
        match = re.match(r"([A-Za-z]*)[ ,]*(?:and )?", tail)
        unit = match[1] if match else ""
        if unit == "m" and last == 3600:
            unit = "min"  # 1h30m has one reading
        if unit.lower() == "m":
            raise ambiguous(text, what, f"{shown.strip()} min", f"{shown.strip()} months in days")
        size = SECONDS.get(unit) or SECONDS.get(unit.lower())
        if size is None or (unit.lower() == "ms" and unit != "ms"):
            raise ValueError(
                f"{what} {text!r}: {unit or 'no unit'!r} is not a time: use s, min, h, days, weeks"
            )
        if last is not None and (size >= last or number < 0):
            raise ValueError(f"{what} {text!r}: parts go from large to small, like 1 h 30 min")
        total, last, rest = total + number * size, size, tail[match.end() if match else 0 :]
    if last is None:
        raise ValueError(f"{what} is empty: write e.g. 90 s or 5.2 h")
    return not_negative(plain(total), text, what)


def parse_money(text: Input, what: str = "price") -> Number:
    """An amount of US dollars: ``$3``, ``3 USD``, ``$1.2M``; ``/h`` after it is allowed.

    >>> parse_money("$2.50/h"), parse_money("1,000 USD"), parse_money("$1.2M"), parse_money(3)
    (2.5, 1000, 1200000, 3)
    """
    if isinstance(text, (int, float)):
        return not_negative(given_number(text, what), text, what)
    text = clean(text, what)
    body = re.sub(r" ?(/|per) ?(GPU[- ]?)?(h|hr|hour)$", "", text)
    stripped = re.sub(r"^(-?) ?(US ?)?(\$|USD) ?|(?<=[^\s$]) ?(\$|USD|dollars?)$", r"\1", body)
    if re.search(r"[€£¥]|EUR|GBP", stripped):
        raise ValueError(f"{what} {text!r}: prices are in US dollars here; convert it first")
    return parse_count(stripped, what)


def parse_fraction(text: Input, what: str = "share") -> float:
    """A share between 0 and 1: ``40%``, ``0.4``; ``40`` alone is refused.

    >>> parse_fraction("40%"), parse_fraction(0.35)
    (0.4, 0.35)
    """
    if isinstance(text, (int, float)):
        value: Number = given_number(text, what)
    else:
        text = clean(text, what)
        number, rest, _ = split_number(text, what)
        if rest not in ("%", ""):
            raise ValueError(f"{what} {text!r}: write a share as 40% or 0.4")
        value = plain(number / 100 if rest == "%" else number)
        if rest == "%" and value > 1:
            raise ValueError(f"{what} {text!r} is more than 100%")
    if value > 1:
        raise ambiguous(str(text), what, f"{value}%", f"{value / 100}")
    return float(not_negative(value, text, what))
