"""Tasks that a cell starts and does not wait for: they end with the cell.

A task that went on would print into a cell that says it is done, or into another cell's output,
and would go on after Stop. It would also be gone where the lesson was recorded, since
`asyncio.run` ends what is left there. So a cell that wants its tasks' results awaits them.
"""

from __future__ import annotations

import asyncio
from contextvars import ContextVar

_cell: ContextVar[object] = ContextVar("cell", default=None)

PATIENCE = 0.2
"""Seconds that a cancelled task gets to tidy up."""


def marked() -> object:
    """A mark that all tasks started from here on inherit: the task that runs the cell."""
    mark = asyncio.current_task()
    _cell.set(mark)
    return mark


def in_own_task() -> bool:
    """Whether the code that runs is the cell's itself, not that of a task that it started."""
    task = asyncio.current_task()
    return task is not None and _cell.get() is task


async def ended(mark: object) -> int:
    """End the tasks that carry `mark`; how many there were."""
    current = asyncio.current_task()
    tasks = {task for task in asyncio.all_tasks() if task is not current and _has(task, mark)}
    for task in tasks:
        task.cancel()
    if tasks:
        done, _ = await asyncio.wait(tasks, timeout=PATIENCE)
        for task in done:
            if not task.cancelled():
                task.exception()  # seen: otherwise the loop complains about it later
    return len(tasks)


def _has(task: asyncio.Task[object], mark: object) -> bool:
    if not hasattr(task, "get_context"):  # Python 3.11: all of the loop is the cell's
        return True
    return task.get_context().get(_cell) is mark
