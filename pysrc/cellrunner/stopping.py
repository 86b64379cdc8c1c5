"""Stop, where it reaches Python as a call: code that awaits leaves the page's thread free."""

from __future__ import annotations

import asyncio

from cellrunner.leftovers import in_own_task


def cancel_all() -> None:
    """Cancel all that runs in the loop: a cell or a call, and the tasks that it started."""
    for task in asyncio.all_tasks(asyncio.get_event_loop()):
        task.cancel()


def interruption() -> BaseException:
    """What code raises that waited, though not with `await`, and was cancelled.

    The cell itself hears of Stop as of Ctrl-C. A task that it started is cancelled: an interrupt
    would leave the task and its loop, and end in nobody's hands.
    """
    task = asyncio.current_task()
    if task is None or not in_own_task():
        return asyncio.CancelledError()
    task.uncancel()  # heard: what follows may await
    return KeyboardInterrupt()


def as_stop(error: BaseException) -> BaseException:
    """What `error` means to the task that it ended: being cancelled is Stop, like Ctrl-C.

    A task of the cell's own that was cancelled, and awaited, is an error like others.
    """
    task = asyncio.current_task()
    if not isinstance(error, asyncio.CancelledError) or task is None or not task.cancelling():
        return error
    task.uncancel()  # heard: what follows may await
    return KeyboardInterrupt().with_traceback(error.__traceback__)
