"""Checks of the numbers that functions are given: one message for one mistake."""

from __future__ import annotations

import math

__all__ = ["LARGEST", "positive", "share", "whole_number"]


# Beyond any quantity; products of a few such numbers are still floats.
LARGEST = 1e60


def positive(value: float, what: str) -> float:
    """``value`` as a float above zero; a ValueError naming ``what`` otherwise.

    >>> positive(7e9, "parameters")
    7000000000.0
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"{what} must be a number, got {value!r}: e.g. 7e9")
    if value > LARGEST:  # before isfinite, which takes no integer of 400 digits
        raise ValueError(f"{what} must be finite and at most {LARGEST:.0e}: e.g. 7e9")
    if not math.isfinite(value) or value <= 0:
        raise ValueError(f"{what} must be above zero and finite, got {value!r}: e.g. 7e9")
    return float(value)


def share(value: float, what: str) -> float:
    """``value`` as a share above 0 and at most 1.

    >>> share(0.4, "mfu")
    0.4
    """
    checked = positive(value, what)
    if checked > 1:
        raise ValueError(f"{what} is a share of at most 1, got {value!r}: 40% is 0.4")
    return checked


def whole_number(value: int, what: str) -> int:
    """``value`` as a whole number of at least 1.

    >>> whole_number(8, "gpus")
    8
    """
    if positive(value, what) != int(value):
        raise ValueError(f"{what} must be a whole number, got {value!r}: e.g. 8")
    return int(value)
