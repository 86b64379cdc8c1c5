"""Random numbers after an interpreter was restored from a snapshot."""

from __future__ import annotations

import random
import sys


def fresh_randomness() -> None:
    """Seed the global generators anew.

    Every interpreter restored from one snapshot would otherwise draw the same "random" numbers.
    NumPy's old global generator is seeded too, where NumPy is loaded already.
    """
    random.seed()
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed()
