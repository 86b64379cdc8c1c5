"""What a reader can do about an error, in a plain sentence."""

from __future__ import annotations

import builtins
import linecache
import re
from collections.abc import Callable
from types import ModuleType, TracebackType

from cellrunner.errors import Surroundings
from cellrunner.import_hints import import_hint
from cellrunner.nearest import nearest
from cellrunner.subject import called, subscripted
from cellrunner.syntax_hints import syntax_hint

USUAL_IMPORTS = {
    "np": "import numpy as np",
    "plt": "import matplotlib.pyplot as plt",
    "pd": "import pandas as pd",
    "perf_counter": "from time import perf_counter",
    "sqrt": "from math import sqrt",
    "ceil": "from math import ceil",
    "floor": "from math import floor",
    "log2": "from math import log2",
    "log": "from math import log",
    "exp": "from math import exp",
}
OTHER_LANGUAGES = {"null": "None", "nil": "None", "undefined": "None", "this": "self"}
TEXT_PLUS_NUMBER = re.compile(
    r"can only concatenate str|must be str, not|unsupported .* for \+: '(int|float)' and 'str'"
)
CLOCKS = re.compile(
    r"\b(perf_counter|monotonic|process_time|timeit)\w*|\btime\.time\w*\(|\btime\(\)"
)


def hint(error: BaseException, text: str, around: Surroundings) -> str:
    """A sentence about `error`, or "" where there is nothing to add to `text`, Python's own words.

    >>> hint(MemoryError(), "MemoryError", Surroundings(cells=()))[:52]
    "A page's Python has at most 4 GB, in some browsers 2"
    """
    for kind, sentence in HINTS:
        if isinstance(error, kind):
            return sentence(error, text, around)
    return ""


def _says_itself(text: str) -> bool:
    """Whether Python already proposes what to write instead (from 3.12 on it often does)."""
    last = text.rstrip().rpartition("\n")[2]
    return "Did you mean" in last or "forget to import" in last


def _name(error: BaseException, text: str, around: Surroundings) -> str:
    assert isinstance(error, NameError)
    name = error.name or ""
    if not name:
        return ""
    if name in around.defined_above:
        return f"`{name}` is defined in a cell above that has not run: run the cells above first."
    if name in USUAL_IMPORTS:
        return f"Put `{USUAL_IMPORTS[name]}` before it."
    if name in OTHER_LANGUAGES:
        return f"Python writes `{OTHER_LANGUAGES[name]}` where other languages write `{name}`."
    if _says_itself(text):
        return ""
    if hasattr(builtins, name):  # only `del` does not find what every other use would
        return f"`{name}` is Python's own and not a variable: there is nothing to delete."
    frame = tb.tb_frame if (tb := _innermost(error)) else None
    known = [*frame.f_locals, *frame.f_globals] if frame else []
    close = nearest(name, [*known, *around.namespace, *dir(builtins)])
    return f"Did you mean `{close}`?" if close else ""


def _unbound(error: BaseException, text: str, around: Surroundings) -> str:
    found = re.search(r"local variable '(\w+)'", str(error))
    if not found:
        return ""
    return (
        f"A function that gives `{found[1]}` a value anywhere has a `{found[1]}` of its own, "
        "which has none yet at this line: give it one first, or pass it in as a parameter."
    )


def _attribute(error: BaseException, text: str, around: Surroundings) -> str:
    assert isinstance(error, AttributeError)
    if error.obj is None and "'NoneType' object has no attribute" in str(error):
        return (
            "The value before the dot is None: what a function returns that has no `return`, "
            "such as one that changes a list in place."
        )
    name = error.name or ""
    if _says_itself(text) or not name or "Did you mean" in str(error):
        return ""
    owner = error.obj
    close = nearest(name, dir(owner))
    if not close:
        return ""
    # A module is known by its own name; another value by what the reader wrote, which is unknown.
    return f"Did you mean `{owner.__name__ if isinstance(owner, ModuleType) else ''}.{close}`?"


def _key(error: BaseException, text: str, around: Surroundings) -> str:
    found = subscripted(_innermost(error))
    if found is None or not isinstance(found.value, dict) or not error.args:
        return ""
    key, keys = error.args[0], list(dict.keys(found.value))
    if isinstance(key, str):
        close = nearest(key, keys)
        if close:
            return f"The nearest key is {close!r}."
        if key.isdecimal() and int(key) in keys:
            return f"The key is the number {key}, not the text {key!r}."
    elif isinstance(key, int) and str(key) in keys:
        return f"The key is the text {str(key)!r}, not the number {key}."
    if not keys:
        return f"{found.name} is empty."
    # Only of texts and numbers: showing other keys would run the reader's code.
    if len(keys) <= 8 and all(type(one) in (str, int, float, bool) for one in keys):
        only = "the keys" if len(keys) > 1 else "only the key"
        return f"{found.name} has {only} {', '.join(map(repr, keys))}."
    return ""


def _index(error: BaseException, text: str, around: Surroundings) -> str:
    found = subscripted(_innermost(error))
    if found is None or type(found.value) not in (list, tuple, str, bytes):
        return ""
    count = len(found.value)  # type: ignore[arg-type]
    if not count:
        return f"{found.name} is empty."
    if count == 1:
        return f"{found.name} has 1 element: its number is 0."
    return f"{found.name} has {count:,} elements, numbered from 0 to {count - 1:,}."


def _type(error: BaseException, text: str, around: Surroundings) -> str:
    message = str(error)
    if message.endswith("object is not callable"):
        name = called(_innermost(error))
        if name and hasattr(builtins, name) and name in around.namespace:
            return (
                f"`{name}` is a name that you gave a value, which hides Python's own `{name}`: "
                f"choose another name, and run `del {name}` once."
            )
        return "Brackets after a value call it; a product needs its *."
    if TEXT_PLUS_NUMBER.search(message):
        return 'To put a number into a text, write f"... {number} ...".'
    if "'NoneType'" in message and "unsupported operand" in message:
        return "One side is None: a function without `return` gives None."
    return ""


def _division(error: BaseException, text: str, around: Surroundings) -> str:
    tb = _innermost(error)
    file = tb.tb_frame.f_code.co_filename if tb else ""
    if file in around.cells and CLOCKS.search("".join(linecache.getlines(file))):
        return (
            "A browser's clock moves in steps of up to 1 ms, so short work can seem to take 0 s: "
            "repeat it until it takes 100 steps, as napkin.timing.time_call does."
        )
    return ""


def _memory(error: BaseException, text: str, around: Surroundings) -> str:
    return (
        "A page's Python has at most 4 GB, in some browsers 2 GB. An array takes its number of "
        "elements times the bytes of one: use fewer elements, a smaller dtype, or work in parts."
    )


def _size(error: BaseException, text: str, around: Surroundings) -> str:
    too_big = re.search(
        r"array is too big|Maximum allowed (size|dimension)|index-sized integer", str(error)
    )
    return _memory(error, text, around) if too_big else ""


def _recursion(error: BaseException, text: str, around: Surroundings) -> str:
    names: list[str] = []
    tb = error.__traceback__
    while tb is not None:
        if tb.tb_frame.f_code.co_filename in around.cells:
            names.append(tb.tb_frame.f_code.co_name)
        tb = tb.tb_next
    if not names:
        return ""
    most = max(set(names), key=names.count)
    return (
        f"`{most}` calls itself without an end: it needs a case in which it returns without a "
        "call, and each call must come nearer to that case."
    )


def _file(error: BaseException, text: str, around: Surroundings) -> str:
    return (
        "The page's Python has a small disk of its own and cannot see the files of your computer."
    )


def _runtime(error: BaseException, text: str, around: Surroundings) -> str:
    if "can't start new thread" in str(error):
        return "A page's Python has one thread only."
    return ""


def _syntax(error: BaseException, text: str, around: Surroundings) -> str:
    assert isinstance(error, SyntaxError)
    mistyped_word = _says_itself(text) and "Missing parentheses" not in text
    if error.filename not in around.cells or mistyped_word:
        return ""
    return syntax_hint(error, "".join(linecache.getlines(error.filename or "")))


def _import(error: BaseException, text: str, around: Surroundings) -> str:
    assert isinstance(error, ImportError)
    return "" if _says_itself(text) else import_hint(error, around.available)


def _innermost(error: BaseException) -> TracebackType | None:
    tb = error.__traceback__
    while tb is not None and tb.tb_next is not None:
        tb = tb.tb_next
    return tb


Sentence = Callable[[BaseException, str, Surroundings], str]

# The first that fits; a subclass stands before its base.
HINTS: list[tuple[type[BaseException], Sentence]] = [
    (SyntaxError, _syntax),
    (UnboundLocalError, _unbound),
    (NameError, _name),
    (AttributeError, _attribute),
    (ImportError, _import),
    (KeyError, _key),
    (IndexError, _index),
    (TypeError, _type),
    (ZeroDivisionError, _division),
    (MemoryError, _memory),
    (RecursionError, _recursion),
    (FileNotFoundError, _file),
    (RuntimeError, _runtime),
    (OverflowError, _size),
    (ValueError, _size),
]
