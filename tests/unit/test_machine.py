"""NumPy's own speed on this machine, and the product that WebGPU is checked by."""

import math

import pytest

from napkin.machine import LARGEST, copy_speed, matmul_speed, product_sums, whole_matrix


def test_sums_are_those_of_a_product_made_by_hand() -> None:
    n = 7
    a = [[(31 * i + 17 * j + 3 * (i ^ j)) % 17 - 8 for j in range(n)] for i in range(n)]
    b = [[(31 * i + 17 * j + 5 * (i ^ j)) % 17 - 8 for j in range(n)] for i in range(n)]
    c = [[sum(a[i][k] * b[k][j] for k in range(n)) for j in range(n)] for i in range(n)]
    assert product_sums(n) == {
        "rows": [sum(row) for row in c],
        "columns": [sum(row[j] for row in c) for j in range(n)],
    }


def test_float32_holds_every_entry_exactly() -> None:
    assert max(abs(whole_matrix(64, 3).min()), whole_matrix(64, 5).max()) == 8
    assert 8 * 8 * LARGEST < 2**24


def test_speeds_are_work_over_time() -> None:
    product, copied = matmul_speed(128, runs=1), copy_speed(2**20, runs=1)
    assert product["flops"] == 2 * 128**3
    assert math.isclose(product["rate"] * product["seconds"], product["flops"])
    assert math.isclose(copied["rate"] * copied["seconds"], 2 * 2**20)


def test_sizes_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="1 to 4096 rows"):
        product_sums(0)
    with pytest.raises(ValueError, match="1 KiB to 1 GiB"):
        copy_speed(3)
