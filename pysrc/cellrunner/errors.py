"""What went wrong in a cell, told from the reader's own line on."""

from __future__ import annotations

import traceback
from collections.abc import Collection
from dataclasses import dataclass
from types import TracebackType


@dataclass(frozen=True)
class CellError:
    """An error as the page shows it: the text, the kind, and the reader's line (1-based)."""

    text: str
    kind: str
    line: int | None


def cell_error(error: BaseException, cell: str, cells: Collection[str]) -> CellError:
    """Describe `error`, raised while the cell `cell` ran.

    Frames of the machinery that ran the cell are left out: the traceback starts at the first
    frame that lies in one of `cells`, the file names of all cells run so far. `line` is the
    innermost line in `cell` itself, the one to mark in its editor.
    """
    trimmed = _from_cell(error.__traceback__, cells)
    report = traceback.TracebackException(type(error), error, trimmed, compact=True)
    for link in _chain(report):
        link.stack = traceback.StackSummary.from_list(_without_machinery(link.stack, cells))
    return CellError("".join(report.format()), type(error).__name__, _line_in(error, cell))


def _from_cell(tb: TracebackType | None, cells: Collection[str]) -> TracebackType | None:
    """The traceback from its first frame in a cell on; all of it where no frame is in one."""
    start = tb
    while start is not None and start.tb_frame.f_code.co_filename not in cells:
        start = start.tb_next
    return start


def _chain(report: traceback.TracebackException) -> list[traceback.TracebackException]:
    links: list[traceback.TracebackException] = []
    todo: list[traceback.TracebackException | None] = [report]
    while todo:
        link = todo.pop()
        if link is None or any(link is seen for seen in links):
            continue
        links.append(link)
        todo += [link.__cause__, link.__context__]
    return links


def _without_machinery(
    stack: traceback.StackSummary, cells: Collection[str]
) -> list[traceback.FrameSummary]:
    """Frames from the first one in a cell on; none where the cell was never entered."""
    frames = list(stack)
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
