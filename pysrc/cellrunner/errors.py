"""What went wrong in a cell, told from the reader's own line on."""

from __future__ import annotations

import traceback
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from types import TracebackType

MAX_CHARS = 20_000
"""Of one error's text; the middle of a longer one is left out."""

LONGEST_NAME = 200
"""A longer one is no name that a reader would know."""

LONGEST_HINT = 2_000
"""Help that is longer helps nobody."""

MACHINERY = str(PurePath(__file__).parent)
"""Frames of files in here are ours, not the reader's."""


@dataclass(frozen=True)
class CellError:
    """An error as the page shows it.

    `text` is the traceback; `kind` the exception's name; `line` the reader's line (1-based), None
    where there is none; `hint` a plain sentence that says what to do, "" where there is none;
    `missing_name` the name that a NameError in a cell did not find, "" for other errors.
    """

    text: str
    kind: str
    line: int | None
    hint: str = ""
    missing_name: str = ""


@dataclass(frozen=True)
class Surroundings:
    """What a hint may refer to.

    `cells` are the file names of all cells run so far; `available` the modules that the page can
    fetch; `defined_above` the names that cells above this one define when they run.
    """

    cells: Collection[str]
    namespace: Mapping[str, object] = field(default_factory=dict)
    available: Sequence[str] = ()
    defined_above: Collection[str] = ()


def cell_error(
    error: BaseException, cell: str, around: Surroundings, line: int | None = None
) -> CellError:
    """Describe `error`, raised while the cell with file name `cell` ran.

    Frames of the machinery that ran the cell are left out: the traceback starts at the first
    frame that lies in one of the cells. The reader's line is the innermost one in `cell` itself,
    the one to mark in its editor, or else `line`.
    """
    kind = type(error).__name__[:LONGEST_NAME]
    line = _line_in(error, cell) or line
    if isinstance(error, KeyboardInterrupt):
        # The reader's own doing: nothing to explain.
        return CellError(f"Stopped at line {line}\n" if line else "Stopped\n", kind, line)
    if isinstance(error, SystemExit):
        said = f"{error.code}\n" if isinstance(error.code, str) else ""
        return CellError(f"{shortened(said)}{_ended(line)}\n", kind, line)
    try:
        text = _report(error, around.cells)
    except BaseException:  # an error that cannot even be described, or no memory left for it
        text = f"{kind}\n"
    return CellError(
        shortened(text), kind, line, _hint(error, text, around), _missing_name(error, around.cells)
    )


def shortened(text: str) -> str:
    """`text` without its middle where it is longer than a page should hold.

    >>> len(shortened("x" * 5_000_000)) < 20_100
    True
    """
    left_out = len(text) - MAX_CHARS
    if left_out <= 0:
        return text
    half = MAX_CHARS // 2
    return f"{text[:half]}\n[... {left_out:,} characters left out ...]\n{text[-half:]}"


def _ended(line: int | None) -> str:
    where = f" at line {line}" if line else ""
    return f"The code ended its run{where}; the page and its variables are still here."


def _report(error: BaseException, cells: Collection[str]) -> str:
    trimmed = _from_cell(error.__traceback__, cells)
    report = traceback.TracebackException(type(error), error, trimmed, compact=True)
    for link in _linked(report):
        link.stack = traceback.StackSummary.from_list(_readers_frames(link.stack, cells))
        # Pyodide advises installing by hand, where the page or the hint knows better.
        link.__notes__ = [note for note in link.__notes__ or () if "loadPackage" not in str(note)]
    text = "".join(report.format())
    if trimmed is None and len(_linked(report)) == 1:
        # No frame is the reader's, as in a syntax error: a heading over nothing.
        text = text.removeprefix("Traceback (most recent call last):\n")
    return text


def _from_cell(tb: TracebackType | None, cells: Collection[str]) -> TracebackType | None:
    """The traceback from its first frame in a cell on; None where no frame is in one."""
    start = tb
    while start is not None and start.tb_frame.f_code.co_filename not in cells:
        start = start.tb_next
    return start


def _linked(report: traceback.TracebackException) -> list[traceback.TracebackException]:
    """The error with its causes, contexts and the members of groups."""
    links: list[traceback.TracebackException] = []
    todo: list[traceback.TracebackException | None] = [report]
    while todo:
        link = todo.pop()
        if link is None or any(link is seen for seen in links):
            continue
        links.append(link)
        todo += [link.__cause__, link.__context__, *(link.exceptions or ())]
    return links


def _readers_frames(
    stack: traceback.StackSummary, cells: Collection[str]
) -> list[traceback.FrameSummary]:
    """Frames from the first one in a cell on; none where the cell was never entered."""
    frames = [frame for frame in stack if not frame.filename.startswith(MACHINERY)]
    for i, frame in enumerate(frames):
        if frame.filename in cells:
            return frames[i:]
    return []


def _line_in(error: BaseException, cell: str) -> int | None:
    if isinstance(error, SyntaxError) and error.filename == cell:
        return error.lineno
    line = None
    tb = error.__traceback__
    while tb is not None:
        if tb.tb_frame.f_code.co_filename == cell:
            line = tb.tb_lineno
        tb = tb.tb_next
    return line


def _missing_name(error: BaseException, cells: Collection[str]) -> str:
    """The name that code in a cell did not find; a library's own mistake is not the reader's."""
    tb = error.__traceback__
    while tb is not None and tb.tb_next is not None:
        tb = tb.tb_next
    if not isinstance(error, NameError) or isinstance(error, UnboundLocalError) or tb is None:
        return ""
    name = error.name
    in_cell = tb.tb_frame.f_code.co_filename in cells
    return name if in_cell and isinstance(name, str) and len(name) <= LONGEST_NAME else ""


def _hint(error: BaseException, text: str, around: Surroundings) -> str:
    try:
        from cellrunner.hints import hint  # only when something went wrong

        told = hint(error, text, around)
        return told if len(told) <= LONGEST_HINT else ""
    except BaseException:  # help that fails must not hide what it should help with
        return ""
