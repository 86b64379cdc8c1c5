"""Code that a reader may have to stop, by what is told apart: tests and timings take it from here.

Code that prints "going" begins what cannot be stopped at once after that.
"""

from __future__ import annotations

KEPT = {
    "while True: pass": "while True: pass",
    "while True: print(1)": "while True: print(1)",
    "regular expression": "import re\nre.match(r'(a+)+b', 'a' * 40)",
    "small matrix products": (
        "import numpy as np\nbig = np.ones((64, 64))\nprint('going')\nwhile True: big @ big"
    ),
    "await asyncio.sleep(600)": "import asyncio\nawait asyncio.sleep(600)",
    "time.sleep(600)": "import time\ntime.sleep(600)",
}
"""Python hears of Stop, and the variables stay."""

LOST = {
    "sum(range(10**11))": "sum(range(10**11))",
    "catches KeyboardInterrupt": (
        "while True:\n    try:\n        while True: pass\n    except KeyboardInterrupt: pass"
    ),
    "4096 x 4096 matrix products": (
        "import numpy as np\nbig = np.ones((4096, 4096), dtype=np.float32)\nprint('going')\n"
        "while True: big @ big"
    ),
}
"""Python does not hear of it, or the code does not end: the interpreter is replaced."""

ENDS = {
    "3 GB": "blocks = [bytearray(10**9) for _ in range(3)]",
    "10,000 calls deep": (
        "def f(n):\n    return n and f(n - 1)\nwhile True:\n    try: f(10_000)\n"
        "    except RecursionError: pass"
    ),
}
"""Ends by itself, or when it is stopped."""

FATAL = "import ctypes\nprint('going')\nctypes.string_at(0xFFFFFFFF)"
"""Costs the interpreter, without Stop."""
