"""The value of a cell's last expression, as text."""

from __future__ import annotations

import inspect
import sys
from types import FunctionType

WIDTH = 79
LONGEST_LAID_OUT = 100_000
"""Characters; laying out a longer value would take longer than anyone reads it."""


def text_of(value: object) -> str:
    """What the interactive interpreter would show, with two kindnesses.

    A value whose class has a method `text()` shows that text (a Table of napkin is its table), and
    a container wider than a line is laid out over several. Never markup.

    >>> print(text_of({"layers": list(range(12)), "names": ["a" * 20, "b" * 20]}))
    {'layers': [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
     'names': ['aaaaaaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbbbbbb']}
    """
    method = inspect.getattr_static(type(value), "text", None)
    if isinstance(method, FunctionType) and _takes_nothing(method):
        text = method(value)
        if isinstance(text, str):
            return text
    text = repr(value)
    if (
        WIDTH < len(text) <= LONGEST_LAID_OUT
        and "\n" not in text
        and isinstance(value, (dict, list, tuple, set, frozenset))
    ):
        import pprint  # only for what is wide

        return pprint.pformat(value, width=WIDTH, sort_dicts=False, compact=True)
    return text


def is_drawing(value: object) -> bool:
    """Whether `value` is what a plotting call gives back: the figure shows it better than text.

    >>> is_drawing([1, 2])
    False
    """
    artist = sys.modules.get("matplotlib.artist")
    if artist is None:
        return False
    if isinstance(value, tuple):  # (figure, axes); what a histogram counts, with its bars
        return any(is_drawing(part) for part in value)
    if isinstance(value, list):
        return bool(value) and all(is_drawing(part) for part in value[:100])
    if isinstance(value, dict):  # the parts of a box plot, of which some may be missing
        return any(map(is_drawing, value.values())) and all(
            part == [] or is_drawing(part) for part in value.values()
        )
    return isinstance(value, artist.Artist) or type(value).__module__ == "matplotlib.colorbar"


def _takes_nothing(method: FunctionType) -> bool:
    code = method.__code__
    required = code.co_argcount - len(method.__defaults__ or ())
    return code.co_argcount >= 1 and required <= 1 and not code.co_kwonlyargcount
