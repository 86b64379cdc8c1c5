"""Runs cells one after another in one namespace, as a notebook does."""

from __future__ import annotations

import ast
import contextlib
import inspect
import json
import linecache
import os
import sys
import types
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cellrunner import leftovers
from cellrunner import pristine as pristine  # now: it remembers the builtins
from cellrunner.asking import Ask, answered_by
from cellrunner.display import is_drawing, text_of
from cellrunner.errors import CellError, Surroundings, cell_error
from cellrunner.output import Emit, Output, as_running
from cellrunner.stopping import as_stop

MATPLOTLIB_BACKEND = "module://cellrunner.backend"


@dataclass(frozen=True)
class Outcome:
    """How a run ended; `error` is None when it ended well."""

    error: CellError | None

    @property
    def ok(self) -> bool:
        return self.error is None

    @property
    def stopped(self) -> bool:
        """Whether it was interrupted, by Stop in a page or Ctrl-C in a terminal."""
        return self.error is not None and self.error.kind == "KeyboardInterrupt"


class Runner:
    """A namespace and the cells that ran in it.

    >>> import asyncio
    >>> written = []
    >>> runner = Runner(lambda stream, text: written.append((stream, text)))
    >>> asyncio.run(runner.run("n = 64\\nn * 2", "doubling")).ok
    True
    >>> written
    [('value', '128\\n')]
    """

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._cells: set[str] = set()
        self.namespace: dict[str, Any] = {}
        self._page = ""
        # What the namespace held, page by page, when cells of another page ran.
        self._cleared: dict[str, set[str]] = {}
        # Matplotlib reads it when first imported, which may be before a cell runs.
        os.environ.setdefault("MPLBACKEND", MATPLOTLIB_BACKEND)
        self.reset()

    def reset(self) -> None:
        """Forget every variable; imported modules stay imported."""
        self._module = types.ModuleType("__main__")
        self._module.__dict__["__builtins__"] = __builtins__
        self.namespace = self._module.__dict__
        self._cells.clear()

    def turn_to(self, page: str) -> None:
        """Forget every variable: cells of another page follow, which share none."""
        names = (name for name in self.namespace if isinstance(name, str))
        self._cleared.setdefault(self._page, set()).update(names)
        self._page = page
        self.reset()

    def was_cleared(self, name: str) -> bool:
        """Whether this page's cells had such a variable until cells of another page ran."""
        return name in self._cleared.get(self._page, ())

    async def run(
        self,
        source: str,
        name: str,
        *,
        available: Sequence[str] = (),
        defined_above: Collection[str] = (),
        ask: Ask | None = None,
    ) -> Outcome:
        """Run one cell; `name` is what tracebacks call it.

        The value of a last expression is shown as the interactive interpreter would show it, and
        open matplotlib figures are shown and closed. `await` works at the top level; tasks that
        still run when the cell ends are ended too. Nothing is raised: an error is written to the
        output, with a hint where there is one, and returned.

        `available` are the modules that could be imported, for the hint about one that could not;
        `defined_above` the names that cells above define; `ask(prompt)` answers `input()`.
        """
        filename = f"<{name}>"
        self._cells.add(filename)
        # The traceback module reads source lines from here.
        lines = source.splitlines(keepends=True)
        linecache.cache[filename] = (len(source), None, lines, filename)
        output = Output(self._emit)
        around = Surroundings(
            self._cells, self.namespace, tuple(available or ()), frozenset(defined_above or ())
        )
        with as_running(output), answered_by(ask or None, output), self._as_main():
            try:
                failure = await self._run(source, filename, output, around)
                if failure is not None:
                    _tell(failure, output)
            except BaseException as error:  # Stop, while the end of the run was being told
                failure = cell_error(as_stop(error), filename, around)
                _tell(failure, output)
        return Outcome(failure)

    async def _run(
        self, source: str, filename: str, output: Output, around: Surroundings
    ) -> CellError | None:
        failure = None
        mark = leftovers.marked()
        shown_line = None
        try:
            body, last, line = _compile(source, filename)
            await _execute(body, self.namespace)
            if last is not None:
                value = await _execute(last, self.namespace)
                shown_line = line
                _show(value, output)
        except BaseException as error:  # SystemExit and KeyboardInterrupt end a cell too
            failure = cell_error(as_stop(error), filename, around, shown_line)
        try:
            _show_figures(output, failure)
        except BaseException as error:
            failure = failure or cell_error(error, filename, around)
        ended = await leftovers.ended(mark)
        if ended and failure is None:
            tasks = "1 task" if ended == 1 else f"{ended:,} tasks"
            output.write(
                "notice", f"[{tasks} still ran and ended with the cell; await what it starts]\n"
            )
        return failure

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

    async def check(
        self,
        source: str,
        name: str,
        checks: str,
        names: Sequence[str],
        *,
        available: Sequence[str] = (),
    ) -> Outcome:
        """Run an exercise's code and its checks, apart from this namespace: see `checking`."""
        from cellrunner.checking import check  # not needed to run a cell

        return await check(self._emit, source, name, checks, names, available=available)

    def completions(
        self, source: str, line: int, column: int, available: Sequence[str] = ()
    ) -> str:
        """JSON of `completion.completions` in this runner's namespace."""
        from cellrunner.completion import completions  # not needed to run a cell

        return json.dumps(completions(source, line, column, self.namespace, available))

    def documentation(self, source: str, line: int, column: int) -> str:
        """JSON of `documentation.documentation` in this runner's namespace; "null" for None."""
        from cellrunner.documentation import documentation

        return json.dumps(documentation(source, line, column, self.namespace))


def _show(value: object, output: Output) -> None:
    if value is None:
        return
    if is_drawing(value):
        from cellrunner import figures  # only where matplotlib is loaded anyway

        figures.show_value(value, output)
    else:
        output.write("value", f"{text_of(value)}\n")
    if inspect.iscoroutine(value):
        output.write("hint", "This has not run yet: write `await` before it.\n")


def _show_figures(output: Output, failure: CellError | None) -> None:
    if "matplotlib.pyplot" not in sys.modules:
        return
    from cellrunner import figures

    # After Stop or with memory at its end, no time and no room for drawing.
    if failure is not None and failure.kind in ("KeyboardInterrupt", "MemoryError"):
        figures.close_all()
    else:
        figures.show_all(output)


def _tell(failure: CellError, output: Output) -> None:
    output.write("notice" if failure.kind == "KeyboardInterrupt" else "error", failure.text)
    if failure.hint:
        output.write("hint", f"{failure.hint}\n")


def _compile(
    source: str, filename: str
) -> tuple[types.CodeType, types.CodeType | None, int | None]:
    """The cell's statements and, apart, its last expression with its line (None: there is none)."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    tree = compile(source, filename, "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, ast.Module)
    last = line = None
    # A trailing semicolon silences the value, as in a notebook.
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not _ends_in_semicolon(source):
        statement = tree.body.pop()
        assert isinstance(statement, ast.Expr)
        line = statement.lineno
        last = compile(ast.Expression(statement.value), filename, "eval", flags, dont_inherit=True)
    return compile(tree, filename, "exec", flags, dont_inherit=True), last, line


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
