"""Inline code that states what an expression over known names gives: `weights(7e9) = 14 GB`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sitekit.prose import SPAN
from sitekit.sums import check_sum, disagreement

STATED = re.compile(r"^(?P<left>.+?)\s(?P<sign>[=≈])\s(?P<right>.+)$")


def span_problems(text: str, namespace: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the sums and values that a piece of Markdown states.

    >>> list(span_problems("`double(3) = 7` and `1 + 1 = 2`", {"double": lambda n: 2 * n}))
    ['double(3) is 6, not 7']
    """
    for span in SPAN.finditer(text):
        stated = span["text"].strip()
        wrong = check_sum(stated) or _check_value(stated, namespace)
        if wrong:
            yield wrong


def _check_value(stated: str, namespace: Mapping[str, Any]) -> str | None:
    span = STATED.match(stated)
    if span is None:
        return None
    try:
        left = ast.parse(span["left"], mode="eval")
    except SyntaxError:
        return None
    names = {node.id for node in ast.walk(left) if isinstance(node, ast.Name)}
    if not names or not names <= namespace.keys():
        return None
    try:
        value = float(eval(compile(left, "<span>", "eval"), dict(namespace)))
    except Exception as error:
        return f"`{stated}` cannot be evaluated: {type(error).__name__}: {error}"
    return disagreement(span["left"], value, span["sign"], span["right"].strip())
