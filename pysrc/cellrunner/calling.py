"""Calls a function of the shipped Python for the page: JSON in, JSON out, nothing of a cell's."""

from __future__ import annotations

import importlib
import inspect
import json
from typing import Any


async def answer(target: str, arguments: str) -> str:
    """The JSON of what `module:function` returns for a JSON list of arguments.

    Either `{"value": ...}`, or `{"error": name, "message": text}` with the type of what was
    raised; nothing is raised here. A coroutine function is awaited.

    >>> import asyncio
    >>> asyncio.run(answer("math:gcd", "[12, 18]"))
    '{"value": 6}'
    >>> asyncio.run(answer("math:sqrt", "[-1]"))[:24]
    '{"error": "ValueError", '
    """
    try:
        value = _function(target)(*json.loads(arguments))
        if inspect.isawaitable(value):
            value = await value
        # Infinity and NaN are no JSON: the page could not read them.
        return json.dumps({"value": value}, allow_nan=False)
    except BaseException as error:  # Stop, too, ends the call and not the interpreter
        return json.dumps({"error": type(error).__name__, "message": _text(error)})


def _function(target: str) -> Any:
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name)


def _text(error: BaseException) -> str:
    # str() of a KeyError is the repr of its key.
    if isinstance(error, KeyError) and error.args:
        return str(error.args[0])
    return str(error)
