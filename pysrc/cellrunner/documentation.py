"""What a name stands for: its signature or value, and the first paragraph about it."""

from __future__ import annotations

import inspect
import re
import sys
import types
from collections.abc import Mapping
from typing import Any, TypedDict

from cellrunner.completion import SHOWN_VALUES, is_function, resolved
from cellrunner.cursor import enclosing_call, name_at, text_before
from cellrunner.subject import Unknown, is_a

MAX_CHARS = 1_000


class Documentation(TypedDict):
    """`signature` as in code, on one line; `summary` plain text, "" where there is none."""

    signature: str
    summary: str


def documentation(
    source: str, line: int, column: int, namespace: Mapping[str, object]
) -> Documentation | None:
    """About the name at line `line` (from 1), column `column` (from 0, in UTF-16 units).

    Where the cursor touches no known name, about the function whose arguments it stands in; None
    where that is not known either.

    >>> documentation("divmod(7, 2)", 1, 3, {})["signature"]
    'divmod(x, y, /)'
    """
    for names in (
        name_at(source, line, column),
        enclosing_call(text_before(source, line, column)),
    ):
        if names is None:
            continue
        try:
            value = resolved(names, namespace)
        except Unknown:
            continue
        return _about(".".join(names), value)
    return None


def parameters(function: object) -> list[str]:
    """The names that can be given by keyword; [] where that cannot be told."""
    signature = _signature(function)
    if signature is None:
        return []
    by_keyword = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [
        one.name
        for one in signature.parameters.values()
        if one.kind in by_keyword and one.name not in ("self", "cls")
    ]


def _about(name: str, value: Any) -> Documentation:
    doc = _doc(value)
    last = name.rpartition(".")[2]
    if is_a(value, types.ModuleType):
        return {"signature": f"module {value.__name__}", "summary": _summary(doc, last)}
    if is_a(value, type) or is_function(value):
        signature = _signature(value)
        first_line = doc.strip().partition("\n")[0]
        if signature is not None:
            shown = last + _shown(signature)
        elif first_line.startswith(f"{last}("):
            shown = first_line  # as C code documents itself
        else:
            shown = f"class {last}" if is_a(value, type) else f"{last}(...)"
        return {"signature": shown[:MAX_CHARS], "summary": _summary(doc, last)}
    kind = type(value)
    shown = f"{name}: {kind.__name__}"
    if kind in SHOWN_VALUES:
        text = repr(value[:80]) if kind in (str, bytes) else repr(value)
        return {"signature": f"{shown} = {text}"[:MAX_CHARS], "summary": ""}
    if kind in (list, tuple, dict, set, frozenset):
        count = len(value)
        return {"signature": f"{shown} with {count:,} element{'s' * (count != 1)}", "summary": ""}
    numpy = sys.modules.get("numpy")
    if numpy is not None and kind is numpy.ndarray:
        return {"signature": f"{name}: {value.dtype} array of shape {value.shape}", "summary": ""}
    return {"signature": shown, "summary": _summary(_doc(kind), kind.__name__)}


def _doc(value: Any) -> str:
    try:
        doc = inspect.getattr_static(value, "__doc__", None)
        if not is_a(doc, str) and (is_a(value, type) or is_function(value)):
            doc = getattr(value, "__doc__", None)  # built-in ones compute it
    except Exception:
        return ""
    return inspect.cleandoc(doc) if isinstance(doc, str) else ""


def _summary(doc: str, name: str) -> str:
    """The first paragraph that is not a signature of `name`, on one line."""
    for paragraph in doc.split("\n\n"):
        text = " ".join(paragraph.split())
        if text and not re.match(rf"(\w+\.)?{re.escape(name)}\(", text):
            return text if len(text) <= MAX_CHARS else f"{text[: MAX_CHARS - 1]}…"
    return ""


def _signature(value: Any) -> inspect.Signature | None:
    if is_a(value, (staticmethod, classmethod)):
        value = value.__func__
    if not is_a(value, type) and not is_function(value):
        return None
    options: dict[str, Any] = {}
    if sys.version_info >= (3, 14):
        import annotationlib

        # Annotations as they are written: working them out would run the reader's code.
        options["annotation_format"] = annotationlib.Format.STRING
    try:
        return inspect.signature(value, **options)
    except Exception:  # built-in without one, or an odd one
        return None


def _shown(signature: inspect.Signature) -> str:
    """The signature as text; a default that is not plain is shown as `...`, never by its repr."""
    shown = []
    for one in signature.parameters.values():
        if one.default is not one.empty and not _is_plain(one.default):
            one = one.replace(default=_ELSE)
        if one.annotation is not one.empty and not isinstance(one.annotation, (str, type)):
            one = one.replace(annotation=one.empty)
        shown.append(one)
    back = signature.return_annotation
    if not isinstance(back, (str, type)):
        back = signature.empty
    text = str(signature.replace(parameters=shown, return_annotation=back))
    # Annotations kept as text come out quoted.
    return text.replace("'...'", "...") if "'" not in text else _unquoted(text, signature)


def _is_plain(value: object) -> bool:
    if type(value) is tuple:
        return all(_is_plain(part) for part in value)
    return type(value) in SHOWN_VALUES or isinstance(value, type)


class _Else:
    def __repr__(self) -> str:
        return "..."


_ELSE = _Else()


def _unquoted(text: str, signature: inspect.Signature) -> str:
    """`text` with the annotations that are kept as text written as code."""
    annotations = [one.annotation for one in signature.parameters.values()]
    for annotation in [*annotations, signature.return_annotation]:
        if isinstance(annotation, str):
            text = text.replace(repr(annotation), annotation, 1)
    return text
