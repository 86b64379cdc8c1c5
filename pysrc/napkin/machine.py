"""What the machine at hand does with NumPy: matrix products and copies, timed fairly.

The page puts these beside what WebGPU does in the same tab.  Inputs of products are small whole
numbers, so that float32 holds every sum exactly and two machines must agree to the last digit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from napkin.timing import clock_tick, time_call

if TYPE_CHECKING:
    import numpy as np

__all__ = ["copy_speed", "matmul_speed", "product_sums", "whole_matrix"]

LARGEST = 4096


def whole_matrix(n: int, salt: int) -> np.ndarray[Any, Any]:
    """An n × n float32 matrix of whole numbers from -8 to 8, the same everywhere.

    Entry (i, j) is (31·i + 17·j + salt·(i ^ j)) mod 17 - 8; the page's JavaScript makes the same.

    >>> whole_matrix(3, 1).tolist()
    [[-8.0, -7.0, -6.0], [7.0, 6.0, -8.0], [5.0, 6.0, 3.0]]
    """
    import numpy as np

    if not 1 <= n <= LARGEST:
        raise ValueError(f"n is {n!r}: a matrix has 1 to {LARGEST} rows here")
    i = np.arange(n)[:, None]
    j = np.arange(n)[None, :]
    return ((31 * i + 17 * j + salt * (i ^ j)) % 17 - 8).astype(np.float32)


def product_sums(n: int) -> dict[str, list[int]]:
    """Row and column sums of the product of two whole matrices, to check another product by.

    No entry of the product exceeds 64·n, so for n up to 4096 float32 holds each one exactly.

    >>> product_sums(2)
    {'rows': [88, 88], 'columns': [122, 54]}
    """
    product = whole_matrix(n, 3) @ whole_matrix(n, 5)
    exact = product.astype("int64")
    return {"rows": exact.sum(axis=1).tolist(), "columns": exact.sum(axis=0).tolist()}


def matmul_speed(n: int, runs: int = 3) -> dict[str, float]:
    """FLOP/s of a float32 (n × n)·(n × n) product in NumPy, with its spread.

    2·n³ FLOP over the median time of a product; ``spread`` as in ``napkin.timing``.

    >>> sorted(matmul_speed(64))
    ['flops', 'rate', 'seconds', 'spread']
    """
    a, b = whole_matrix(n, 3), whole_matrix(n, 5)
    # .T: the browser's NumPy has no BLAS and is far faster where it reads both along their rows.
    timing = time_call(lambda: a @ b.T, tick=clock_tick(), runs=runs)
    flops = 2.0 * n**3
    return {
        "flops": flops,
        "seconds": timing.seconds,
        "rate": timing.rate(flops),
        "spread": timing.spread,
    }


def copy_speed(size: int = 2**25, runs: int = 3) -> dict[str, float]:
    """B/s that pass when NumPy copies ``size`` bytes: each is read once and written once.

    The size should be larger than the caches; 32 MiB is, on most machines.

    >>> copy_speed(2**20)["bytes"]
    2097152.0
    """
    import numpy as np

    if not 2**10 <= size <= 2**30:
        raise ValueError(f"size is {size!r}: give 1 KiB to 1 GiB, such as 2**25")
    source = np.ones(size // 4, dtype=np.float32)
    target = np.empty_like(source)
    timing = time_call(lambda: np.copyto(target, source), tick=clock_tick(), runs=runs)
    moved = 2.0 * source.nbytes
    return {
        "bytes": moved,
        "seconds": timing.seconds,
        "rate": timing.rate(moved),
        "spread": timing.spread,
    }
