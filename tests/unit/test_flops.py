"""Operation counts against counting one by one, NumPy's count and a published figure."""

import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from napkin import flops
from napkin.flops import matmul_flops

SIDES = st.integers(1, 12)


@given(SIDES, SIDES, SIDES)
def test_matmul_flops_is_what_a_triple_loop_does(m: int, k: int, n: int) -> None:
    multiplies = adds = 0
    for _row in range(m):
        for _column in range(n):
            for _term in range(k):
                multiplies += 1
                adds += 1  # the first one adds to zero
    assert matmul_flops(m, k, n) == multiplies + adds


@pytest.mark.parametrize("n", [1, 64, 1000])
def test_doubling_a_square_product_costs_eight_times(n: int) -> None:
    assert matmul_flops(2 * n, 2 * n, 2 * n) == 8 * matmul_flops(n, n, n)


def test_matmul_flops_agrees_with_numpys_own_count() -> None:
    """NumPy's einsum planner counts operations too; it prints four digits."""
    a, b = np.zeros((300, 500), np.float32), np.zeros((500, 70), np.float32)
    _, plan = np.einsum_path("ik,kj->ij", a, b)
    printed = re.search(r"Naive FLOP count: +(\S+)", str(plan))
    assert printed is not None
    assert matmul_flops(300, 500, 70) == pytest.approx(float(printed[1]), rel=5e-4)


def test_matmul_flops_gives_nvidias_published_intensity() -> None:
    """NVIDIA, Matrix Multiplication Background User's Guide (February 2023), section 2: an
    8192 x 128 x 8192 product of 16-bit numbers does 124.1 FLOP for each byte moved."""
    m, n, k = 8192, 128, 8192
    moved = 2 * (m * k + k * n + m * n)
    assert matmul_flops(m, k, n) / moved == pytest.approx(124.1, abs=0.05)


def test_a_count_beyond_64_bits_is_exact() -> None:
    assert matmul_flops(10**9, 10**9, 10**9) == 2 * 10**27


@pytest.mark.parametrize("side", [0, -3, 64.0, "64", None])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_bad_side_is_refused_by_name(place: int, side: object) -> None:
    sides: list[object] = [2, 3, 4]
    sides[place] = side
    with pytest.raises(ValueError, match=rf"^{'mkn'[place]} must be a whole number"):
        matmul_flops(*sides)  # type: ignore[arg-type]


def test_counting_one_product_does_not_load_what_counts_models() -> None:
    code = (
        "import sys; from napkin.flops import matmul_flops; "
        "print(sorted(m for m in sys.modules if m.startswith('napkin')))"
    )
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert loaded.strip() == "['napkin', 'napkin.flops', 'napkin.flops.matmul']"


def test_every_name_of_the_package_can_be_had() -> None:
    for name in flops.__all__:
        assert getattr(flops, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'matmul_flop'"):
        flops.matmul_flop  # noqa: B018
