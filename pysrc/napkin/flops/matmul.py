"""Operations of one matrix product."""

import operator

__all__ = ["matmul_flops"]


def matmul_flops(m: int, k: int, n: int) -> int:
    """FLOP of an (m x k) by (k x n) matrix product: 2*m*k*n.

    Each of the m*n outputs is a dot product of length k: k multiplies and k - 1 adds. By the
    usual convention the adds are counted as k (the running sum starts at zero), which makes two
    operations per multiply-add. A matrix times a vector is n = 1, a dot product m = n = 1.

    Units: FLOP, a count and not a rate, whatever the number format. Methods with fewer
    operations, such as Strassen's, are left out: hardly any library uses them.
    Raises ValueError when a side is not a whole number of at least 1.
    Source: Golub and Van Loan, Matrix Computations, 4th ed. (2013), section 1.1.

    >>> matmul_flops(64, 64, 64)
    524288
    """
    sides = []
    for name, side in (("m", m), ("k", k), ("n", n)):
        try:
            whole = operator.index(side)  # takes NumPy integers too, refuses 64.0
        except TypeError:
            whole = 0
        if whole < 1:
            raise ValueError(
                f"{name} must be a whole number of at least 1, got {side!r}; "
                f"pass the side of the matrix as an int, such as 64"
            )
        sides.append(whole)
    return 2 * sides[0] * sides[1] * sides[2]
