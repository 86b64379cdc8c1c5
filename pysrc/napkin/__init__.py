"""The arithmetic of deep learning: counts, bytes and rates from tested formulas.

Import the module you need, for example `from napkin.flops import matmul_flops`. Values are plain
SI numbers (bytes, FLOP, seconds, FLOP/s); formatting them is the caller's job. Everything here
needs only the standard library.
"""

__version__ = "0.1.0"

__all__ = ["__version__"]
