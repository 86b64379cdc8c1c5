"""`input()` and `sys.stdin` while a cell runs: the page is asked, or the cell is told it cannot."""

from __future__ import annotations

import builtins
import contextlib
import inspect
import io
import sys
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, NoReturn

from cellrunner.errors import shortened
from cellrunner.output import Output, printable
from cellrunner.stopping import interruption
from cellrunner.waiting import can_wait, wait

Ask = Callable[[str], "str | Awaitable[str | None] | None"]
"""Shows a prompt and gives the reader's line, at once or as something to wait for; None at Stop."""


@contextlib.contextmanager
def answered_by(ask: Ask | None, output: Output) -> Iterator[None]:
    """Let `input()` and reads of `sys.stdin` ask through `ask` (None: nobody can be asked)."""
    stdin = Questions(ask, output)
    before = builtins.input, sys.stdin, sys.breakpointhook
    builtins.input, sys.stdin, sys.breakpointhook = stdin.input, stdin, _no_debugger
    try:
        yield
    finally:
        builtins.input, sys.stdin, sys.breakpointhook = before


def _no_debugger(*args: object, **options: object) -> NoReturn:
    raise RuntimeError("breakpoint() has no debugger here: print what you want to look at")


class Questions(io.TextIOBase):
    """Standard input whose every line is a question to the reader."""

    def __init__(self, ask: Ask | None, output: Output) -> None:
        super().__init__()
        self._ask = ask
        self._output = output

    def input(self, prompt: object = "", /) -> str:
        """Read one line from the reader, and show question and answer as a terminal would."""
        question = str(prompt)
        if self._ask is None:
            self._refuse("input()")
        # Before asking: else the question would appear, to vanish unanswered.
        if not can_wait():
            raise RuntimeError(
                "input() cannot wait for an answer in this browser; put the value into the code, "
                'e.g. name = "Ada"'
            )
        answer: Any = self._ask(shortened(printable(question)))
        if inspect.isawaitable(answer):
            answer = wait(self._heard(question, answer))
        else:
            self._show(question, answer)
        if not isinstance(answer, str):  # None, or what Pyodide makes of JavaScript's null
            raise interruption()
        return answer

    async def _heard(self, question: str, answer: Awaitable[Any]) -> Any:
        """The answer, shown when it is given: the code that asked may have to wait for others."""
        text = await answer
        self._show(question, text)
        return text

    def _show(self, question: str, answer: object) -> None:
        if isinstance(answer, str):
            self._output.write("stdout", f"{question}{answer}\n")

    def readable(self) -> bool:
        return True

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        if self._ask is None:
            self._refuse("sys.stdin")
        line = self.input() + "\n"
        return line if size is None or size < 0 else line[:size]

    def read(self, size: int | None = -1, /) -> str:
        return self.readline(size)

    def _refuse(self, what: str) -> NoReturn:
        raise RuntimeError(
            f'{what} cannot ask here; put the value into the code, e.g. name = "Ada"'
        )
