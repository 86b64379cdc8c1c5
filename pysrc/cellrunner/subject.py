"""Which value a failing line was about, found without running any of the reader's code."""

from __future__ import annotations

import ast
import builtins
import inspect
import itertools
import linecache
import types
from dataclasses import dataclass
from types import FrameType, ModuleType, TracebackType
from typing import Any


@dataclass(frozen=True)
class Subject:
    """A value and what the reader's code calls it."""

    name: str
    value: object


ROUTINES = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.MethodWrapperType,
    types.ClassMethodDescriptorType,
    staticmethod,
    classmethod,
)


def is_a(value: object, kinds: type | tuple[type, ...]) -> bool:
    """`isinstance` that never asks the value itself, which may run the reader's code."""
    return issubclass(type(value), kinds)


class Unknown(Exception):
    """The value cannot be told without running code."""


def subscripted(tb: TracebackType | None) -> Subject | None:
    """The container of the `container[...]` that failed in the innermost frame."""
    node = _failing_expression(tb)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node = node.func  # container.pop(key), container.index(...)
    if tb is None or not isinstance(node, (ast.Subscript, ast.Attribute)):
        return None
    try:
        return Subject(ast.unparse(node.value), value_of(node.value, tb.tb_frame))
    except Unknown:
        return None


def called(tb: TracebackType | None) -> str:
    """The plain name whose call failed in the innermost frame, else ""."""
    node = _failing_expression(tb)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id
    return ""


def value_of(node: ast.expr, frame: FrameType) -> object:
    """What a name, an attribute or an element with a constant key means in `frame`.

    Raises Unknown where telling would take a property, an operator or a call.
    """
    if isinstance(node, ast.Name):
        for names in (frame.f_locals, frame.f_globals, vars(builtins)):
            if node.id in names:
                return names[node.id]
    elif isinstance(node, ast.Attribute):
        return plain_attribute(value_of(node.value, frame), node.attr)
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        container, key = value_of(node.value, frame), node.slice.value
        if type(container) is dict and isinstance(key, (str, int)) and key in container:
            return container[key]
        if type(container) in (list, tuple) and isinstance(key, int):
            assert isinstance(container, (list, tuple))
            if -len(container) <= key < len(container):
                return container[key]
    raise Unknown


def plain_attribute(owner: Any, name: str) -> object:
    """An attribute that is simply stored; Unknown for one that code computes.

    >>> import math
    >>> plain_attribute(math, "pi")
    3.141592653589793
    """
    if is_a(owner, ModuleType):
        if name in vars(owner):
            return vars(owner)[name]
        raise Unknown
    try:
        found = inspect.getattr_static(owner, name)
    except (AttributeError, TypeError):
        raise Unknown from None
    if is_a(found, (staticmethod, classmethod)):
        return found.__func__
    if hasattr(type(found), "__get__") and not is_a(found, ROUTINES):
        raise Unknown
    return found


def _failing_expression(tb: TracebackType | None) -> ast.expr | None:
    """The expression at which the frame stopped; None where it spans several lines."""
    if tb is None or tb.tb_lasti < 0:
        return None
    code = tb.tb_frame.f_code
    place = next(itertools.islice(code.co_positions(), tb.tb_lasti // 2, None), None)
    if place is None or None in place or place[0] != place[1]:
        return None
    line, _, start, end = place
    text = linecache.getline(code.co_filename, line or 0).encode()[start:end].decode()
    try:
        statement = ast.parse(text.strip()).body
    except SyntaxError:
        return None
    if len(statement) != 1:
        return None
    match statement[0]:
        case ast.Expr(value=expression) | ast.Delete(targets=[expression]):
            return expression
    return None
