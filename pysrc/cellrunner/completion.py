"""What could be typed next, from what is defined: no code of the reader's is run."""

from __future__ import annotations

import builtins
import keyword
import sys
import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from cellrunner.cursor import Cursor, cursor_at, enclosing_call
from cellrunner.names import names_defined
from cellrunner.subject import ROUTINES, Unknown, is_a, plain_attribute

MAX_COMPLETIONS = 1_000
LONGEST_READ = 100_000
"""Characters; the names of a longer cell are offered once it has run."""
COMPUTED = (property, types.GetSetDescriptorType, types.MemberDescriptorType)
SHOWN_VALUES = (bool, int, float, str, bytes, complex, type(None))


class Completion(TypedDict):
    """`kind` is one of the editor's words: keyword, function, class, namespace, variable,
    property; `detail` the type, or the value where it is short."""

    label: str
    kind: str
    detail: str


def completions(
    source: str,
    line: int,
    column: int,
    namespace: Mapping[str, object],
    available: Sequence[str] = (),
) -> list[Completion]:
    """What fits at line `line` (from 1), column `column` (from 0, in UTF-16 units).

    After a dot the attributes of what stands before it; after `import` modules, of which
    `available` are those that the page can fetch; inside a call also the parameters; elsewhere
    names, builtins and keywords. [] inside a text or a comment.

    >>> completions("ma", 1, 2, {"mass": 3.5})[0]
    {'label': 'mass', 'kind': 'variable', 'detail': 'float 3.5'}
    """
    cursor = cursor_at(source, line, column)
    if cursor is None:
        return []
    words = cursor.line.split()
    if words and words[0] in ("import", "from") and (len(words) > 1 or cursor.line.endswith(" ")):
        found = _imports(cursor, words, available)
    elif cursor.owner:
        found = _attributes(cursor.owner, namespace)
    else:
        found = [*_parameters(cursor, namespace), *_names(source, line, namespace)]
    return _fitting(cursor.word, found)


def resolved(names: Iterable[str], namespace: Mapping[str, object]) -> object:
    """The value of a dotted name. Raises Unknown where telling would take running code."""
    first, *rest = names
    if first in namespace:
        value = namespace[first]
    elif hasattr(builtins, first):
        value = getattr(builtins, first)
    else:
        raise Unknown
    for name in rest:
        value = plain_attribute(value, name)
    return value


def described(label: str, value: object) -> Completion:
    """A completion for a name that stands for `value`."""
    if is_a(value, types.ModuleType):
        return {"label": label, "kind": "namespace", "detail": "module"}
    if is_a(value, type):
        return {"label": label, "kind": "class", "detail": ""}
    if is_a(value, COMPUTED):
        return {"label": label, "kind": "property", "detail": ""}
    if is_function(value):
        return {"label": label, "kind": "function", "detail": ""}
    detail = type(value).__name__
    if type(value) in SHOWN_VALUES and not (isinstance(value, (str, bytes)) and len(value) > 30):
        text = repr(value)
        if len(text) <= 32:
            detail = f"{detail} {text}" if value is not None else text
    return {"label": label, "kind": "variable", "detail": detail}


def is_function(value: object) -> bool:
    """Whether `value` is one of Python's kinds of function, or one of NumPy's."""
    if is_a(value, ROUTINES):
        return True
    kind = type(value)
    return kind.__module__.partition(".")[0] == "numpy" and kind.__name__ in (
        "ufunc",
        "_ArrayFunctionDispatcher",
    )


def _attributes(owner: tuple[str, ...], namespace: Mapping[str, object]) -> list[Completion]:
    try:
        value = resolved(owner, namespace)
    except Unknown:
        return []
    return _members(value)


def _members(value: Any) -> list[Completion]:
    if is_a(value, types.ModuleType):
        prefix = f"{value.__name__}."
        parts = {
            name[len(prefix) :]: module
            for name, module in list(sys.modules.items())
            if name.startswith(prefix) and "." not in name[len(prefix) :]
        }
        return [described(*item) for item in {**parts, **vars(value)}.items()]
    found: dict[str, object] = {}
    kind = value if is_a(value, type) else type(value)
    # Through `type` itself: a class may answer for its own attributes with code.
    for part in reversed(type.__dict__["__mro__"].__get__(kind)):
        found.update(type.__dict__["__dict__"].__get__(part))
    if kind is not value:
        found.update(_own_attributes(value))
    return [described(name, one) for name, one in found.items() if isinstance(name, str)]


def _own_attributes(value: object) -> dict[str, object]:
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return own if type(own) is dict else {}


def _names(source: str, line: int, namespace: Mapping[str, object]) -> list[Completion]:
    found = {
        name: described(name, value)
        for name, value in list(namespace.items())
        if isinstance(name, str) and not name.startswith("__")
    }
    # The line being typed rarely parses; the lines around it may.
    lines = source.split("\n")
    others = "\n".join([*lines[: line - 1], *lines[line:]])
    typed: list[str] = []
    if len(source) < LONGEST_READ:
        typed = names_defined(others) or names_defined("\n".join(lines[: line - 1]))
    for name in typed:
        found.setdefault(name, {"label": name, "kind": "variable", "detail": ""})
    for name, value in vars(builtins).items():
        if not name.startswith("_"):
            found.setdefault(name, described(name, value))
    for word in keyword.kwlist:
        found[word] = {"label": word, "kind": "keyword", "detail": ""}
    return list(found.values())


def _parameters(cursor: Cursor, namespace: Mapping[str, object]) -> list[Completion]:
    from cellrunner.documentation import parameters

    function = enclosing_call(cursor.before[: len(cursor.before) - len(cursor.word)])
    if function is None:
        return []
    try:
        names = parameters(resolved(function, namespace))
    except Unknown:
        return []
    return [{"label": f"{name}=", "kind": "property", "detail": "parameter"} for name in names]


def _imports(cursor: Cursor, words: list[str], available: Sequence[str]) -> list[Completion]:
    if words[0] == "from" and "import" in words[2:]:
        module = sys.modules.get(words[1])
        return _members(module) if module else []
    if cursor.owner:
        module = sys.modules.get(".".join(cursor.owner))
        return [one for one in _members(module) if one["kind"] == "namespace"] if module else []
    loaded = {name for name in list(sys.modules) if "." not in name}
    names = sorted({*available, *loaded, *sys.stdlib_module_names} - {"__main__"})
    return [{"label": name, "kind": "namespace", "detail": "module"} for name in names]


def _fitting(word: str, found: list[Completion]) -> list[Completion]:
    """Those that start with `word`, in any case; private names only for a word that is private."""
    folded, private = word.casefold(), word.startswith("_")
    fitting = {
        one["label"]: one
        for one in found
        if one["label"].casefold().startswith(folded)
        and one["label"] != word
        and (private or not one["label"].startswith("_"))
    }
    return list(fitting.values())[:MAX_COMPLETIONS]
