"""Waiting without `await`: Pyodide sets Python's stack aside while the page's thread goes on.

Tasks may wait so at the same time. Each goes on in the thread state that its wait has set aside,
so waits must end in the reverse order of their beginnings: otherwise Python is left in a state
other than its first, which hears of no interrupt.
"""

from __future__ import annotations

import asyncio
import functools
import sys
import time
from collections.abc import Awaitable
from typing import Any

from cellrunner.stopping import interruption

_waiting: list[asyncio.Event] = []
"""Who waits, the latest last; set: it may have become the last."""


def can_wait() -> bool:
    """Whether this engine can hold Python still; elsewhere nothing that takes time is awaited."""
    if sys.platform != "emscripten":
        return True
    from pyodide.ffi import can_run_sync  # type: ignore[import-not-found]

    able: bool = can_run_sync()
    return able


def wait(awaitable: Awaitable[Any]) -> Any:
    """What `awaitable` gives, once all that began to wait later have gone on."""
    from pyodide.ffi import run_sync

    last = asyncio.Event()

    async def in_turn() -> Any:
        try:
            return await awaitable
        finally:
            while _waiting[-1] is not last:
                last.clear()
                await last.wait()

    _waiting.append(last)
    try:
        return run_sync(in_turn())
    except asyncio.CancelledError:
        raise interruption() from None
    finally:
        _waiting.remove(last)
        if _waiting:
            _waiting[-1].set()


def install() -> None:
    """Let `time.sleep` wait like this where it can, and hear of Stop as of Ctrl-C.

    An interrupt that ends a task is in the task's outcome; Pyodide's loop would throw it into the
    page, too.
    """
    loop: Any = asyncio.get_event_loop()
    loop._keyboard_interrupt_handler = lambda: None
    loop._system_exit_handler = lambda code: None
    hold: Any = time.sleep

    @functools.wraps(hold)
    def sleep(seconds: float, /) -> None:
        if can_wait():
            wait(asyncio.sleep(seconds))
        else:
            hold(seconds)

    time.sleep = sleep  # type: ignore[assignment]
