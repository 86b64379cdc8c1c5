"""The grammar of numbers as people write them: ``7B``, ``1,000``, ``1.5×10³``, ``2^30``.

Parsing is exact (through ``Fraction``) and refuses what has two readings, naming both.  Prefixes
are decimal unless written Ki, Mi, Gi, Ti.  Units are the business of ``napkin.quantities``.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

from napkin.printing import BINARY, PREFIXES, Number

Input = str | float | int

MAX_LENGTH = 80
MAX_EXPONENT = 300
LARGEST = 10**MAX_EXPONENT
COUNT_SCALES: dict[str, int] = {
    **{name: scale for name, scale in PREFIXES.items() if name},
    **BINARY,
    "K": 10**3,
    "B": 10**9,
    "thousand": 10**3,
    "million": 10**6,
    "mn": 10**6,
    "billion": 10**9,
    "bn": 10**9,
    "trillion": 10**12,
    "tn": 10**12,
}
# Lower-case letters that are another unit's symbol: bit, milli, metric gram and tonne.
AMBIGUOUS_SCALES = {
    "b": ("B (10⁹)", "bit"),
    "m": ("M (10⁶)", "milli (10⁻³)"),
    "g": ("G (10⁹)", "gram"),
    "t": ("T (10¹²)", "tonne"),
    "p": ("P (10¹⁵)", "pico (10⁻¹²)"),
    "ki": ("Ki (1024)", "k (1000)"),
    "mi": ("Mi (2²⁰)", "M (10⁶)"),
    "gi": ("Gi (2³⁰)", "G (10⁹)"),
}
_SPACES = re.compile("[ \t\u00a0\u2007\u2009\u202f]+")
# What an East Asian keyboard types for ASCII: full-width forms and the ideographic space.
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SUPERSCRIPT_RUN = re.compile(r"(?<=[0-9])[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_DIGITS = r"[0-9]+(?:[ _,.'][0-9]+)*|\.[0-9]+"
_NUMBER = re.compile(
    rf"(?P<sign>[-+]?) ?(?P<digits>{_DIGITS})\.?"
    r"(?:[eE](?P<exp>[-+]?[0-9]+)|(?: ?(?:\*|x|X) ?10| ?(?P<bare>\^)) ?\^ ?(?P<pow>[-+]?[0-9]+))?"
)


def clean(text: str, what: str) -> str:
    """One spelling for minus, spaces, powers and micro, so that the grammar stays small."""
    if not isinstance(text, str):
        raise ValueError(f"{what}: expected text or a number, got {type(text).__name__}")
    if len(text) > MAX_LENGTH:
        raise ValueError(f"{what}: {text[:20]!r}… is {len(text)} characters long, not a quantity")
    text = _SPACES.sub(" ", text.translate(_FULL_WIDTH)).strip()
    text = _SUPERSCRIPT_RUN.sub(lambda run: "^" + run.group().translate(_SUPERSCRIPTS), text)
    text = text.replace("**", "^")
    for old, new in (("−", "-"), ("–", "-"), ("×", "*"), ("·", "*"), ("⋅", "*"),
                     ("’", "'"), ("µ", "u"), ("μ", "u")):  # fmt: skip
        text = text.replace(old, new)
    return text


def ambiguous(text: str, what: str, *choices: str) -> ValueError:
    return ValueError(f"{what} {text!r} is ambiguous: write {' or '.join(choices)}")


def _digits(digits: str, text: str, what: str, scaled: bool) -> Fraction:
    """The value of grouped digits; ``scaled`` means that a prefix or an exponent follows."""
    marks = [mark for mark in digits if not mark.isdigit()]
    if not marks:
        return Fraction(digits)
    parts = re.split(r"[ _,.']", digits)
    decimal_point = marks[-1] == "." and marks.count(".") == 1
    whole, fraction = (parts[:-1], parts[-1]) if decimal_point else (parts, "")
    separators = set(marks[:-1] if decimal_point else marks)
    if not separators:
        lead = whole[0]
        if not scaled and len(fraction) == 3 and lead.strip("0") and len(lead) <= 3:
            raise ambiguous(text, what, f"{lead}.{fraction}0", f"{lead}{fraction}")
        return Fraction(f"{lead or 0}.{fraction}")
    grouped = len(whole[0]) in (1, 2, 3) and all(len(part) == 3 for part in whole[1:])
    if len(separators) == 1 and separators != {"."} and grouped:
        return Fraction("".join(whole) + ("." + fraction if fraction else ""))
    if len(marks) == 1:
        raise ambiguous(text, what, ".".join(parts), "".join(parts))
    raise ValueError(
        f"{what} {text!r}: digits are grouped by threes with one mark (comma, space, _ or '), "
        "and a dot marks the decimals, as in 1,234,567.8"
    )


def split_number(text: str, what: str) -> tuple[Fraction, str, str]:
    """The number that ``text`` starts with (unscaled), the rest, and the number's own text."""
    power = re.match(r"(10|2) ?\^ ?([-+]?[0-9]+)(?![0-9.,])", text)
    if power:
        exponent = _exponent(power[2], text, what)
        return Fraction(int(power[1])) ** exponent, text[power.end() :].strip(), power[0]
    match = _NUMBER.match(text)
    if not match or match["bare"]:
        raise ValueError(f"{what} {text!r} does not start with a number: write e.g. 7B, 3e9, 1,000")
    rest = text[match.end() :]
    exponent_text = match["exp"] or match["pow"]
    if exponent_text is None and re.match(r"[_,.']", rest):
        raise ValueError(f"{what} {text!r}: a digit is missing next to {rest[0]!r}")
    rest = rest.strip()
    if rest and not (rest[0].isalpha() or rest[0] in "$%/"):
        raise ValueError(f"{what} {text!r}: {rest!r} after the number is not understood")
    scaled = exponent_text is not None or bool(rest)
    value = _digits(match["digits"], text, what, scaled)
    if exponent_text is not None:
        value *= Fraction(10) ** _exponent(exponent_text, text, what)
    return (-value if match["sign"] == "-" else value), rest, match[0]


def _exponent(digits: str, text: str, what: str) -> int:
    if len(digits) > 5 or abs(int(digits)) > MAX_EXPONENT:
        raise ValueError(f"{what} {text!r}: the exponent is beyond ±{MAX_EXPONENT}")
    return int(digits)


def plain(value: Fraction) -> Number:
    """An int when it is whole, else the nearest float."""
    if abs(value) > LARGEST:
        raise ValueError(f"a number beyond 10^{MAX_EXPONENT} is no quantity: check its exponent")
    return int(value) if value.denominator == 1 else float(value)


def given_number(value: Number, what: str) -> Number:
    if isinstance(value, bool):
        raise ValueError(f"{what}: expected a number, got {value}")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{what}: {value} is not a finite number")
    if abs(value) > LARGEST:
        raise ValueError(f"{what}: a number beyond 10^{MAX_EXPONENT} is no quantity")
    return int(value) if isinstance(value, float) and value.is_integer() else value


def not_negative(value: Number, text: Input, what: str) -> Number:
    if value < 0:
        raise ValueError(f"{what} {text!r} is negative: it must be zero or more")
    return value


def parse_number(text: Input, what: str = "number") -> Number:
    """A signed number with an optional scale: an int when whole, else a float.

    ``k M G T P E``, ``K`` and ``B`` (10⁹), ``Ki Mi Gi`` (1024, …) and words up to ``trillion``.

    >>> [parse_number(s) for s in ("7B", "15.6T", "1 000", "−1.5×10^3", "1.5·10³", "2^10", "32Ki")]
    [7000000000, 15600000000000, 1000, -1500, 1500, 1024, 32768]
    >>> parse_number("1.500")
    Traceback (most recent call last):
    ...
    ValueError: number '1.500' is ambiguous: write 1.5000 or 1500
    """
    if isinstance(text, (int, float)):
        return given_number(text, what)
    text = clean(text, what)
    value, rest, number = split_number(text, what)
    return plain(value * scale_named(rest, text, number, what))


def scale_named(name: str, text: str, number: str, what: str) -> int:
    if not name:
        return 1
    if name in COUNT_SCALES:
        return COUNT_SCALES[name]
    if name.lower() in AMBIGUOUS_SCALES:
        raise ambiguous(
            text, what, *(f"{number.strip()}{choice}" for choice in AMBIGUOUS_SCALES[name.lower()])
        )
    if name.lower() in COUNT_SCALES:
        return COUNT_SCALES[name.lower()]
    raise ValueError(
        f"{what} {text!r}: {name!r} is not a scale; use k, M, B (10⁹), T, Ki (1024) or e.g. 3e9"
    )


def parse_count(text: Input, what: str = "count") -> Number:
    """A count of things (parameters, tokens, FLOPs): ``parse_number``, zero or more.

    ``32k`` is 32,000; the context length 32,768 is ``32Ki``.

    >>> parse_count("1,000"), parse_count("32k"), parse_count("124M"), parse_count(7)
    (1000, 32000, 124000000, 7)
    >>> parse_count("7b")
    Traceback (most recent call last):
    ...
    ValueError: count '7b' is ambiguous: write 7B (10⁹) or 7bit
    """
    return not_negative(parse_number(text, what), text, what)
