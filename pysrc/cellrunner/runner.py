"""Runs cells one after another in one namespace, as a notebook does."""

from __future__ import annotations

import ast
import contextlib
import inspect
import linecache
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cellrunner.errors import CellError, cell_error
from cellrunner.output import Emit, Output


@dataclass(frozen=True)
class Outcome:
    """How a run ended; `error` is None when it ended well."""

    error: CellError | None

    @property
    def ok(self) -> bool:
        return self.error is None


class Runner:
    """A namespace and the cells that ran in it.

    >>> import asyncio
    >>> runner = Runner(lambda stream, text: print(f"{stream}: {text}", end=""))
    >>> outcome = asyncio.run(runner.run("n = 64\\nn * 2", "doubling"))
    value: 128
    >>> outcome.ok
    True
    """

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._cells: set[str] = set()
        self.namespace: dict[str, Any] = {}
        self.reset()

    def reset(self) -> None:
        """Forget every variable; imported modules stay imported."""
        self._module = types.ModuleType("__main__")
        self._module.__dict__["__builtins__"] = __builtins__
        self.namespace = self._module.__dict__
        self._cells.clear()

    async def run(self, source: str, name: str) -> Outcome:
        """Run one cell; `name` is what tracebacks call it.

        The value of a last expression is shown as the interactive interpreter would show it.
        `await` works at the top level. Nothing is raised: an error is written to the output
        and returned.
        """
        filename = f"<{name}>"
        self._cells.add(filename)
        # The traceback module reads source lines from here.
        lines = source.splitlines(keepends=True)
        linecache.cache[filename] = (len(source), None, lines, filename)
        output = Output(self._emit)
        stdout, stderr = output.stream("stdout"), output.stream("stderr")
        with (
            contextlib.redirect_stdout(stdout),
            contextlib.redirect_stderr(stderr),
            self._as_main(),
        ):
            try:
                body, last = _compile(source, filename)
                await _execute(body, self.namespace)
                if last is not None:
                    value = await _execute(last, self.namespace)
                    if value is not None:
                        output.write("value", f"{value!r}\n")
            except BaseException as error:  # SystemExit and KeyboardInterrupt end a cell too
                failure = cell_error(error, filename, self._cells)
                output.write("error", failure.text)
                return Outcome(failure)
        return Outcome(None)

    @contextlib.contextmanager
    def _as_main(self) -> Iterator[None]:
        """Let dataclasses, pickle and typing find the names that a cell defines."""
        before = sys.modules.get("__main__")
        sys.modules["__main__"] = self._module
        try:
            yield
        finally:
            if before is not None:
                sys.modules["__main__"] = before


def _compile(source: str, filename: str) -> tuple[types.CodeType, types.CodeType | None]:
    """The cell's statements and, apart, its last expression (None where there is none)."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    tree = compile(source, filename, "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, ast.Module)
    last = None
    # A trailing semicolon silences the value, as in a notebook.
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not _ends_in_semicolon(source):
        expression = ast.Expression(tree.body.pop().value)  # type: ignore[attr-defined]
        last = compile(expression, filename, "eval", flags, dont_inherit=True)
    return compile(tree, filename, "exec", flags, dont_inherit=True), last


def _ends_in_semicolon(source: str) -> bool:
    code_lines = [line for line in source.splitlines() if line.strip()]
    while code_lines and code_lines[-1].lstrip().startswith("#"):
        code_lines.pop()
    return bool(code_lines) and code_lines[-1].split("#")[0].rstrip().endswith(";")


async def _execute(code: types.CodeType, namespace: dict[str, Any]) -> Any:
    result = eval(code, namespace)
    if code.co_flags & inspect.CO_COROUTINE:
        result = await result
    return result
