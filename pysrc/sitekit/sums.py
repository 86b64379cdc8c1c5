"""Sums that texts state, such as `7e9 * 2 = 14 GB`, worked out."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable

# Digits, operators and blanks alone: a span with names in it is a formula or code.
ARITHMETIC = r"[\d\s.,_+*/()×÷·−e-]*"
SUM = re.compile(
    rf"^(?P<left>{ARITHMETIC}[+*/×÷·−-]{ARITHMETIC})\s(?P<sign>[=≈])\s(?P<right>.+)$"
)
VALUE = re.compile(
    r"^\$?(?P<number>[-−]?\d[\d,_]*(?:\.\d+)?(?:e[+-]?\d+)?)(?:\s*(?P<unit>[^\d\s][^\d]*))?$"
)
PREFIXES = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
BINARY = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
SMALL = {"ms": 1e-3, "µs": 1e-6, "ns": 1e-9, "pJ": 1e-12, "%": 1e-2}
BASES = ("FLOP", "FLOPs", "FLOP/s", "B", "B/s", "bytes", "multiply-adds")
OPERATORS: dict[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
}


def check_sum(text: str) -> str | None:
    """What is wrong with an inline code span that states a sum; None where nothing is.

    The left side is arithmetic on numbers; the right one a number, perhaps with a unit whose
    prefix counts. `=` holds to half a unit of the last printed digit, `≈` to half a unit of
    the last digit that is not a zero. Other spans are not sums, and pass.

    >>> check_sum("2 * 64 * 64 * 64 = 524_288 FLOP")
    >>> check_sum("7e9 × 2 = 14 GB")
    >>> check_sum("7e9 * 16 = 111 GB")
    '7e9 * 16 is 1.12e+11, not 111 GB'
    """
    span = SUM.match(text.strip())
    if span is None:
        return None
    try:
        left = _evaluate(span["left"])
    except (SyntaxError, KeyError, ZeroDivisionError, OverflowError):
        return f"the left side of {text!r} is not arithmetic that can be evaluated"
    return disagreement(span["left"].strip(), left, span["sign"], span["right"].strip())


def disagreement(said: str, value: float, sign: str, right: str) -> str | None:
    """What is wrong with writing `right` for `value`, which stands as `said`; None where it holds.

    >>> disagreement("weights", 14e9, "=", "14 GB")
    >>> disagreement("weights", 14e9, "=", "15 GB")
    'weights is 1.4e+10, not 15 GB'
    """
    written = VALUE.match(right)
    if written is None:
        return f"{right!r} is not a number with a unit"
    number = written["number"].replace(",", "").replace("_", "").replace("−", "-")
    scale = unit_scale((written["unit"] or "").strip())
    step = _last_digit(number, skip_zeros=sign == "≈") * scale
    if abs(value - float(number) * scale) <= 0.5 * step * (1 + 1e-9):
        return None
    return f"{said} is {value:.6g}, not {right}"


def left_value(text: str) -> float | None:
    """What the left side of a sum gives; None where there is no sum or it cannot be evaluated."""
    span = SUM.match(text.strip())
    if span is None:
        return None
    try:
        return _evaluate(span["left"])
    except (SyntaxError, KeyError, ZeroDivisionError, OverflowError):
        return None


def rewritten(value: float, right: str) -> str:
    """`right` with `value` in place of its number: as many decimals, the same unit and grouping.

    >>> rewritten(15e9, "14 GB"), rewritten(1234567.0, "1_000"), rewritten(2.5e18, "1.85e18 FLOP")
    ('15 GB', '1_234_567', '2.50e18 FLOP')
    """
    written = VALUE.match(right)
    if written is None:
        return right
    old = written["number"]
    scaled = value / unit_scale((written["unit"] or "").strip())
    mantissa, exponent, _ = old.partition("e")
    decimals = len(mantissa.partition(".")[2])
    if exponent:
        new = f"{scaled:.{decimals}e}".replace("e+", "e").replace("e-0", "e-").replace("e0", "e")
    else:
        mark = "_" if "_" in old else "," if "," in old else "," if abs(scaled) >= 10_000 else ""
        new = f"{scaled:{mark}.{decimals}f}"
    return right.replace(old, new, 1)


def unit_scale(unit: str) -> float:
    """What a unit's prefix multiplies by: 1e9 for `GB`, 1 for `tokens`.

    >>> unit_scale("GFLOP/s"), unit_scale("GiB"), unit_scale("hours")
    (1000000000.0, 1073741824, 1.0)
    """
    if unit in BINARY:
        return BINARY[unit]
    if unit in SMALL:
        return SMALL[unit]
    if unit[:1] in PREFIXES and unit[1:] in BASES:
        return PREFIXES[unit[0]]
    return 1.0


def _evaluate(text: str) -> float:
    for sign, python in {"×": "*", "·": "*", "÷": "/", "−": "-", ",": ""}.items():
        text = text.replace(sign, python)

    def value(node: ast.AST) -> float:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return node.value
        if isinstance(node, ast.BinOp):
            return OPERATORS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp):
            return OPERATORS[type(node.op)](value(node.operand))
        raise KeyError(node)

    return value(ast.parse(text.strip(), mode="eval").body)


def _last_digit(number: str, *, skip_zeros: bool) -> float:
    """The worth of the last printed digit: 0.01 for `3.14`, 1e16 for `1.85e18`."""
    mantissa, _, exponent = number.lstrip("-").partition("e")
    power = int(exponent or 0) - len(mantissa.partition(".")[2])
    if skip_zeros:
        digits = mantissa.replace(".", "")
        power += len(digits) - len(digits.rstrip("0"))
    return math.pow(10, power)
