"""Which names a cell defines and which it needs, read from its code without running it.

The page uses both to offer "run the cells above first".
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator


def names_defined(source: str) -> list[str]:
    """The names that the code binds at the top level, in order; [] where it does not parse.

    >>> names_defined("import numpy as np\\nfor i, (a, b) in pairs: total = a * b")
    ['np', 'i', 'a', 'b', 'total']
    """
    tree = _parsed(source)
    return list(dict.fromkeys(_bound(tree))) if tree else []


def is_defined(name: str, sources: Iterable[str]) -> bool:
    """Whether any of the cells binds the name at its top level.

    >>> is_defined("a", ["b = 1", "for a in range(3): pass"])
    True
    """
    return any(name in names_defined(source) for source in sources)


def names_used(source: str) -> list[str]:
    """The names that the code reads before it binds them, builtins left out, in order.

    What a function reads counts as read where the function is defined, unless the same code
    binds it at the top level: functions are mostly called further down.

    >>> names_used("total = total + step\\nprint(len(weights))\\nlater = 1\\nlater")
    ['total', 'step', 'weights']
    """
    tree = _parsed(source)
    if not tree:
        return []
    use = _Use(set(_bound(tree)))
    use.block(tree.body)
    return list(use.needed)


def _parsed(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _bound(tree: ast.AST) -> Iterator[str]:
    """Names bound in the scope that `tree` is the top of, in the order of the code."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
                for decorator in node.decorator_list:
                    yield from _walrus(decorator)
                yield from _declared_global(node)
            case ast.Lambda() | ast.ListComp() | ast.SetComp() | ast.DictComp():
                yield from _walrus(node)
            case ast.GeneratorExp():
                yield from _walrus(node)
            case ast.AnnAssign(value=None):
                pass  # a declaration binds nothing
            case ast.Name(ctx=ast.Store()):
                yield node.id
            case ast.alias():
                if node.name != "*":
                    yield node.asname or node.name.split(".")[0]
            case ast.MatchAs() | ast.MatchStar():
                yield from _bound(node)
                if node.name:
                    yield node.name
            case ast.MatchMapping():
                yield from _bound(node)
                if node.rest:
                    yield node.rest
            case _:
                yield from _bound(node)


def _walrus(tree: ast.AST) -> Iterator[str]:
    """`:=` inside a comprehension binds in the scope around it; inside a lambda it does not."""
    if isinstance(tree, ast.Lambda):
        return
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.NamedExpr):
            yield node.target.id
        yield from _walrus(node)


def _declared_global(function: ast.AST) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Global):
            yield from node.names


class _Use:
    """Walks code in the order it runs and notes the names read before they are bound."""

    def __init__(self, bound_somewhere: set[str]) -> None:
        self._later = bound_somewhere
        self._bound: set[str] = set(dir(builtins)) | {"__name__"}
        # Names of the functions and comprehensions around the code being read.
        self._inner: list[set[str]] = []
        self._in_function = 0
        self.needed: dict[str, None] = {}

    def block(self, nodes: list[ast.stmt] | list[ast.expr]) -> None:
        for node in nodes:
            self._visit(node)

    def _read(self, name: str) -> None:
        known = (self._bound | self._later) if self._in_function else self._bound
        if name not in known and not any(name in scope for scope in self._inner):
            self.needed.setdefault(name)

    def _bind(self, name: str) -> None:
        if not self._inner:
            self._bound.add(name)

    def _visit(self, node: ast.AST) -> None:
        match node:
            case ast.Name():
                if isinstance(node.ctx, ast.Store):
                    self._bind(node.id)
                else:
                    self._read(node.id)
            case ast.AugAssign():
                if isinstance(node.target, ast.Name):
                    self._read(node.target.id)
                self._visit(node.value)
                self._visit(node.target)
            case ast.Assign():
                self._visit(node.value)
                self.block(node.targets)
            case ast.AnnAssign():
                self._visit(node.annotation)
                if node.value:
                    self._visit(node.value)
                    self._visit(node.target)
            case ast.NamedExpr():
                self._visit(node.value)
                self._bound.add(node.target.id)
            case ast.For() | ast.AsyncFor():
                self._visit(node.iter)
                self._visit(node.target)
                self.block(node.body)
                self.block(node.orelse)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                self._function(node)
            case ast.ClassDef():
                self.block(node.decorator_list)
                self.block(node.bases)
                for keyword in node.keywords:
                    self._visit(keyword.value)
                self._inner.append(set(_bound(node)))
                self.block(node.body)
                self._inner.pop()
                self._bind(node.name)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                self._comprehension(node)
            case ast.ExceptHandler():
                if node.type:
                    self._visit(node.type)
                if node.name:
                    self._bind(node.name)
                self.block(node.body)
            case ast.alias() if node.name != "*":
                self._bind(node.asname or node.name.split(".")[0])
            case ast.MatchAs() | ast.MatchStar() | ast.MatchMapping():
                for name in _bound(ast.Expression(body=node)):  # type: ignore[arg-type]
                    self._bind(name)
                self._children(node)
            case _:
                self._children(node)

    def _children(self, node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            self._visit(child)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        if not isinstance(node, ast.Lambda):
            self.block(node.decorator_list)
            if node.returns:
                self._visit(node.returns)
        arguments = node.args
        self.block(arguments.defaults)
        self.block([default for default in arguments.kw_defaults if default])
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [extra for extra in (arguments.vararg, arguments.kwarg) if extra]
        self.block([argument.annotation for argument in every if argument.annotation])
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        local = {argument.arg for argument in every}
        for part in body:
            local |= set(_bound(ast.Module(body=[part], type_ignores=[])))  # type: ignore[list-item]
        if not isinstance(node, ast.Lambda):
            local -= set(_declared_global(node))
            self._bind(node.name)
        self._inner.append(local)
        self._in_function += 1
        self.block(body)
        self._in_function -= 1
        self._inner.pop()

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
    ) -> None:
        # The first iterable is read outside; what the loops bind stays inside.
        self._visit(node.generators[0].iter)
        self._inner.append({name for part in node.generators for name in _bound(part)})
        for i, part in enumerate(node.generators):
            if i:
                self._visit(part.iter)
            self.block(part.ifs)
        elements = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self.block(elements)
        self._inner.pop()
