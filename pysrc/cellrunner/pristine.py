"""Builtins and modules as they were before any reader's code could change them."""

from __future__ import annotations

import builtins
import contextlib
import sys
from collections.abc import Iterator
from typing import Any

BUILTINS: dict[str, Any] = dict(vars(builtins))
"""Taken when this module is imported, which is before the first cell runs."""

RENEWED = ("napkin", "math")
"""Imported anew for a check: what an exercise is most likely to change, and cheap to load."""


def restore_builtins(wanted: dict[str, Any] = BUILTINS) -> None:
    """Give the module `builtins` these names and no others.

    >>> import builtins
    >>> builtins.abs = None
    >>> restore_builtins()
    >>> abs(-1)
    1
    """
    names = vars(builtins)
    for name in [name for name in names if name not in wanted]:
        del names[name]
    names.update(wanted)


@contextlib.contextmanager
def pristine() -> Iterator[None]:
    """Run a block with the original builtins and newly imported modules; put back what was there.

    Variables that hold a module keep holding it: only what is imported inside is new.
    """
    before = dict(vars(builtins))
    kept = _renewed_modules()
    for name in kept:
        del sys.modules[name]
    restore_builtins()
    try:
        yield
    finally:
        restore_builtins(before)
        for name in _renewed_modules():
            del sys.modules[name]
        sys.modules.update(kept)


def _renewed_modules() -> dict[str, Any]:
    return {
        name: module
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] in RENEWED
    }
