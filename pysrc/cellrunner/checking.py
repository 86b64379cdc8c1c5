"""Checks what a reader wrote for an exercise: runs it, then plain asserts on what it defines.

The asserts run in a namespace of their own. From the reader's they get the names that the
exercise asks for, and nothing else: a reader's `sum = 3` or a patched `napkin` does not reach them.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import linecache
import math
import numbers
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from cellrunner.asking import answered_by
from cellrunner.errors import CellError, Surroundings, cell_error
from cellrunner.output import Emit, Output
from cellrunner.pristine import BUILTINS, pristine
from cellrunner.runner import Outcome, Runner

CHECKS = "<checks>"
LONGEST_VALUE = 80


@dataclass(frozen=True)
class Verdict:
    """What the checks say: `line` is the reader's own line that it is about, if it is about one."""

    passed: bool
    message: str
    line: int | None = None


async def check(
    emit: Emit,
    source: str,
    name: str,
    checks: str,
    names: Sequence[str],
    *,
    available: Sequence[str] = (),
) -> Outcome:
    """Run `source` in a new namespace, then `checks` on the `names` that it defines.

    What the code prints and what goes wrong in it is emitted as for a cell; the verdict, unless
    it was stopped, as JSON in the stream `verdict`. `name` is what tracebacks call the code.
    """
    with pristine():
        blank = _left_open(source)
        if blank is not None:
            message = f"Line {blank} still has `...`: put your own code in its place."
            _tell(emit, Verdict(False, message, blank))
            return Outcome(None)
        runner = Runner(emit)
        outcome = await runner.run(source, name, available=tuple(available or ()))
        if outcome.stopped:
            return outcome
        if outcome.error is not None:
            _tell(emit, Verdict(False, "Your code ends in an error before it can be checked."))
            return outcome
    # Anew: the code may have changed builtins and modules.
    with pristine(), answered_by(None, Output(emit)):
        verdict, failure = verdict_on(runner.namespace, checks, list(names), name)
    if failure is not None:
        output = Output(emit)
        output.write("notice" if failure.kind == "KeyboardInterrupt" else "error", failure.text)
        if failure.hint and verdict is not None:
            output.write("hint", f"{failure.hint}\n")
    if verdict is not None:
        _tell(emit, verdict)
    return Outcome(failure)


def verdict_on(
    namespace: dict[str, Any], checks: str, names: Collection[str], cell: str = "exercise"
) -> tuple[Verdict | None, CellError | None]:
    """The verdict of `checks` on `namespace`, and the error in the reader's code if there was one.

    The verdict is None where the checks were stopped.

    >>> verdict_on({"double": lambda n: n + 2}, "assert double(3) == 6", ["double"])[0].message
    '`double(3)` gives 5, not 6.'
    """
    missing = [name for name in names if name not in namespace]
    if missing:
        listed = " and ".join(f"`{name}`" for name in missing)
        return Verdict(False, f"Your code does not define {listed}."), None
    inside: dict[str, Any] = {
        "__builtins__": dict(BUILTINS),
        "__name__": "checks",
        "close": close,
        "_told": _told,
        **{name: namespace[name] for name in names},
    }
    linecache.cache[CHECKS] = (len(checks), None, checks.splitlines(keepends=True), CHECKS)
    tree = ast.fix_missing_locations(_Telling(checks).visit(ast.parse(checks)))
    silence = io.StringIO()
    try:
        with contextlib.redirect_stdout(silence), contextlib.redirect_stderr(silence):
            exec(compile(tree, CHECKS, "exec", dont_inherit=True), inside)
    except BaseException as error:  # a reader's function may raise anything, SystemExit too
        return _failed(error, namespace, checks, f"<{cell}>")
    return Verdict(True, "That is right."), None


def close(got: object, want: float, tolerance: float = 0.01) -> bool:
    """Whether `got` is a real number within the relative `tolerance` of `want`.

    >>> close(101, 100), close(102, 100), close("100", 100), close(True, 1)
    (True, False, False, False)
    """
    if isinstance(got, bool) or not isinstance(got, numbers.Real):
        return False
    value = float(got)
    return math.isfinite(value) and abs(value - want) <= tolerance * abs(want)


def _tell(emit: Emit, verdict: Verdict) -> None:
    emit("verdict", json.dumps(asdict(verdict)))


def _left_open(source: str) -> int | None:
    """The line of a `...` that stands for something to fill in; those in an index are Python's."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None  # running it tells that better
    indices = {
        id(node)
        for subscript in ast.walk(tree)
        if isinstance(subscript, ast.Subscript)
        for node in ast.walk(subscript.slice)
    }
    lines = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value is ... and id(node) not in indices
    ]
    return min(lines, default=None)


class _Telling(ast.NodeTransformer):
    """Makes an assert that compares and has no message say what both sides were."""

    def __init__(self, source: str) -> None:
        self._source = source

    def visit_Assert(self, node: ast.Assert) -> ast.AST | list[ast.stmt]:
        if node.msg is not None:
            return node
        test = node.test
        text = ast.get_source_segment(self._source, test) or ""
        if not (isinstance(test, ast.Compare) and len(test.ops) == 1):
            node.msg = ast.Constant(f"This does not hold yet: `{text}`.")
            return node
        left, right = test.left, test.comparators[0]
        said = ast.get_source_segment(self._source, left) or ""
        equals = isinstance(test.ops[0], ast.Eq)
        sides: list[ast.stmt] = [
            ast.Assign([ast.Name(name, ast.Store())], side, lineno=node.lineno)
            for name, side in (("_left", left), ("_right", right))
        ]
        names = [ast.Name(name, ast.Load()) for name in ("_left", "_right")]
        test.left, test.comparators = names[0], [names[1]]
        node.msg = ast.Call(
            ast.Name("_told", ast.Load()),
            [ast.Constant(said), ast.Constant("" if equals else text), *names],
            [],
        )
        return [ast.copy_location(side, node) for side in sides] + [node]


def _told(left: str, comparison: str, got: object, want: object) -> str:
    if comparison:
        return f"This does not hold yet: `{comparison}`; `{left}` gives {_short(got)}."
    return f"`{left}` gives {_short(got)}, not {_short(want)}."


def _short(value: object) -> str:
    try:
        text = f"{value:_}" if type(value) is int else repr(value)
    except BaseException:  # a repr of the reader's own
        text = f"a {type(value).__name__}"
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"


def _failed(
    error: BaseException, namespace: dict[str, Any], checks: str, cell: str
) -> tuple[Verdict | None, CellError | None]:
    innermost, check_line = "", 0
    tb = error.__traceback__
    while tb is not None:
        innermost = tb.tb_frame.f_code.co_filename
        if innermost == CHECKS:
            check_line = tb.tb_lineno
        tb = tb.tb_next
    if isinstance(error, AssertionError) and innermost == CHECKS:
        return Verdict(False, str(error)), None
    call = _statement_at(checks, check_line)
    if innermost == CHECKS and not isinstance(error, KeyboardInterrupt):
        said = f"{type(error).__name__}: {error}"
        return Verdict(False, f"The check cannot use your result in `{call}` ({said})."), None
    failure = cell_error(error, cell, Surroundings({cell}, namespace))
    if failure.kind == "KeyboardInterrupt":
        return None, failure
    told = f"Your code raises {failure.kind} when the check runs `{call}`."
    return Verdict(False, told, failure.line), failure


def _statement_at(checks: str, line: int) -> str:
    """What a check at `line` does, in one line: of an assert, what it asserts."""
    for node in ast.walk(ast.parse(checks)):
        if isinstance(node, ast.Assert | ast.Assign | ast.Expr) and (
            node.lineno <= line <= (node.end_lineno or line)
        ):
            part = node.test if isinstance(node, ast.Assert) else node
            text = ast.get_source_segment(checks, part) or ""
            return " ".join(text.split())
    return ""
