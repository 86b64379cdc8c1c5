"""Text that a cell writes: streamed at once, capped, and told apart by stream."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator

Emit = Callable[[str, str], None]
"""Receives `(stream, text)`; `stream` is one of

stdout, stderr   what the cell wrote, in any pieces
value            the last expression's value, ending in a newline
error            a traceback, ending in a newline
hint             a sentence that helps with that error, ending in a newline
notice           what the runner has to say (cut, stopped), ending in a newline
figure           JSON: {"svg": markup, "alt": text}
"""

UNCAPPED = {"error", "hint", "notice", "figure"}
"""Streams that always get through: each is bounded where it is made."""

MAX_LINES = 10_000
MAX_CHARS = 250_000


class Output:
    """What one run writes, passed on piece by piece to `emit` until a cap is reached.

    A page that has to hold a million lines is a page that no longer scrolls, so the rest is
    dropped and the reader is told, once, how much is shown. Errors always get through.

    >>> seen = []
    >>> out = Output(lambda stream, text: seen.append(text), max_lines=2)
    >>> for word in ("a\\n", "b\\n", "c\\n"):
    ...     out.write("stdout", word)
    >>> "".join(seen)
    'a\\nb\\n[output cut here: more than 2 lines; the cell kept running]\\n'
    """

    def __init__(
        self, emit: Emit, *, max_lines: int = MAX_LINES, max_chars: int = MAX_CHARS
    ) -> None:
        self._emit = emit
        self._max_lines = max_lines
        self._max_chars = max_chars
        self._lines = 0
        self._chars = 0
        self._cut = False
        self.figures = 0

    def write(self, stream: str, text: str) -> None:
        """Pass `text` on, or as much of it as the cap still allows."""
        if not text:
            return
        text = printable(text)
        if stream in UNCAPPED:
            self._emit(stream, text)
            return
        if self._cut:
            return
        room = self._max_chars - self._chars
        kept = text[:room]
        reason = f"{self._max_chars:,} characters" if len(kept) < len(text) else ""
        lines = kept.count("\n")
        if self._lines + lines >= self._max_lines and (
            self._lines + lines > self._max_lines or not kept.endswith("\n") or reason
        ):
            kept = _first_lines(kept, self._max_lines - self._lines)
            reason = f"{self._max_lines:,} lines"
        self._chars += len(kept)
        self._lines += kept.count("\n")
        if kept:
            self._emit(stream, kept)
        if reason:
            self._cut = True
            start = "" if not kept or kept.endswith("\n") else "\n"
            self._emit(
                "notice", f"{start}[output cut here: more than {reason}; the cell kept running]\n"
            )

    def stream(self, name: str) -> OutputStream:
        """A text file that writes to this output, for `sys.stdout` and `sys.stderr`."""
        return OutputStream(self, name)


def running() -> Output | None:
    """The output of the cell that runs now, None between runs."""
    return _running


@contextlib.contextmanager
def as_running(output: Output) -> Iterator[None]:
    """Make `output` the one of the running cell; `sys.stdout` and `sys.stderr` write to it."""
    global _running
    before = _running
    _running = output
    try:
        with (
            contextlib.redirect_stdout(output.stream("stdout")),
            contextlib.redirect_stderr(output.stream("stderr")),
        ):
            yield
    finally:
        _running = before


_running: Output | None = None


class OutputStream(io.TextIOBase):
    """A write-only text file over one stream of an `Output`."""

    def __init__(self, output: Output, name: str) -> None:
        super().__init__()
        self._output = output
        self._name = name

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._output.write(self._name, text)
        return len(text)


def printable(text: str) -> str:
    """`text` with lone surrogates escaped: they cannot leave Python as UTF-8 or UTF-16.

    >>> printable("ok \\ud800")
    'ok \\\\ud800'
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text


def _first_lines(text: str, count: int) -> str:
    """The first `count` whole lines of `text`.

    >>> _first_lines("a\\nb\\nc\\n", 2)
    'a\\nb\\n'
    """
    end = 0
    for _ in range(count):
        end = text.index("\n", end) + 1
    return text[:end]
