"""Exercises of "Counting operations"."""

# %% batch-of-products
"""The work of a batch of products

A language model often multiplies many pairs of matrices of the same shape at once, one pair for
each part of its input. Write `batch_flop`: the FLOP of `batch` products of an *m*×*k* and a
*k*×*n* matrix.

Expected: `batch_flop(8, 64, 32, 64) = 2_097_152`

Hints:
- One product costs `2·m·k·n` FLOP.
- The products do not know of each other: their counts add up.

Why: each pair is a product of its own, so the work grows in step with the batch. Twice the batch is
twice the work, while twice the side of a square matrix is eight times the work.
"""
def batch_flop(batch, m, k, n):
    one = 2 * m * k * n  #? the work of one product
    return batch * one  #? the work of the whole batch

# %% batch-of-products check
got = batch_flop(1, 2, 3, 4)
assert got != 24, "You counted multiply-adds. Each of them is two operations, so 2 FLOP."
assert got == 48, f"One product of 2×3 and 3×4 costs 48 FLOP; yours says {got}."
assert batch_flop(5, 2, 3, 4) != 48, "Five products cost as much as one: where is `batch`?"
twice_the_side = batch_flop(1, 4, 6, 8)
assert batch_flop(2, 2, 3, 4) != twice_the_side, "A batch of 2 is not a matrix of twice the side."
assert batch_flop(8, 64, 32, 64) == 2_097_152

# %% batch-of-products mistake
"""You counted multiply-adds."""
def batch_flop(batch, m, k, n):
    return batch * m * k * n

# %% batch-of-products mistake 2
"""Five products cost as much as one"""
def batch_flop(batch, m, k, n):
    return 2 * m * k * n

# %% batch-of-products mistake 3
"""A batch of 2 is not a matrix of twice the side."""
def batch_flop(batch, m, k, n):
    return 2 * (batch * m) * (batch * k) * (batch * n)

# %% time-of-product
"""From a count to a time

A machine does `gflops` GFLOP/s. Write `milliseconds`: how long an (*m*×*k*)·(*k*×*n*) product takes
on it, in milliseconds.

Expected: `milliseconds(512, 768, 3072, 2.4) ≈ 1007`, about one second in a browser tab.

Hints:
- Time is work divided by speed. Both must be in the same unit: FLOP and FLOP/s.
- 1 GFLOP/s is 10⁹ FLOP/s, and one second is 1,000 milliseconds.

Why: `2 * 512 * 768 * 3072 / 2.4e9 = 1.007 s`. Most slips here are units, so write them down beside
each number.
"""
def milliseconds(m, k, n, gflops):
    flop = 2 * m * k * n  #? the work
    seconds = flop / (gflops * 1e9)  #? work divided by speed
    return seconds * 1000  #? in milliseconds

# %% time-of-product check
got = milliseconds(512, 768, 3072, 2.4)
assert not close(got, 1.0066), "That is the time in seconds. A second has 1,000 milliseconds."
assert not close(got, 503.3), "That is half: a multiply and an add are two operations."
assert not close(got, 1.0066e12), "2.4 GFLOP/s is 2.4e9 FLOP/s: G is 10⁹."
upside_down = 2.4e9 / 2_415_919_104 * 1000
assert not close(got, upside_down), "That is speed divided by work: turn it round."
assert close(got, 1006.6), f"`milliseconds(512, 768, 3072, 2.4)` gives {got}, not about 1,007."
assert close(milliseconds(512, 768, 3072, 4.8), 503.3), "Twice the speed must take half the time."

# %% time-of-product mistake
"""A second has 1,000 milliseconds."""
def milliseconds(m, k, n, gflops):
    return 2 * m * k * n / (gflops * 1e9)

# %% time-of-product mistake 2
"""G is 10⁹"""
def milliseconds(m, k, n, gflops):
    return 2 * m * k * n / gflops * 1000

# %% time-of-product mistake 3
"""turn it round"""
def milliseconds(m, k, n, gflops):
    return gflops * 1e9 / (2 * m * k * n) * 1000

# %% time-of-product mistake 4
"""That is half"""
def milliseconds(m, k, n, gflops):
    return m * k * n / (gflops * 1e9) * 1000

# %% enough-repeats
"""How often to repeat

A clock moves in steps of `tick` seconds, and one call takes about `once` seconds. Write `repeats`:
the smallest number of calls to time together so that being one tick off is an error of at most
`error` (0.01 for 1 %).

Expected: `repeats(1e-3, 0.21e-3, 0.01) = 477`

Hints:
- For an error of 0.01 the clock must make 1 / 0.01 = 100 ticks. How many seconds is that?
- Divide those seconds by the time of one call.
- Calls come whole: round up with `ceil`, since rounding down would leave too few.

Why: `1e-3 / 0.01 = 0.1 s` must pass, and `0.1 / 0.21e-3 = 476.19` calls fill it. So 477.
"""
from math import ceil


def repeats(tick, once, error):
    needed = tick / error  #? seconds that the clock must run
    return ceil(needed / once)  #? whole calls that fill them

# %% enough-repeats check
got = repeats(1e-3, 0.21e-3, 0.01)
assert got != 5, "That is the time of one tick. One tick off would then be an error of 100 %."
assert got != 476, "476 calls end a moment too early: round up."
assert not close(got, 476.19, 1e-4), "Calls come whole: round up with `ceil`."
assert got == 477
assert repeats(1e-3, 0.21e-3, 0.1) == 48, "A larger error needs fewer calls: for 0.1 it is 48."
assert repeats(1e-4, 2.0, 0.01) == 1, "A long call needs no repeats: once is enough."

# %% enough-repeats mistake
"""round up with `ceil`"""
def repeats(tick, once, error):
    return tick / error / once

# %% enough-repeats mistake 2
"""round up"""
def repeats(tick, once, error):
    return round(tick / error / once)

# %% enough-repeats mistake 3
"""A larger error needs fewer calls"""
def repeats(tick, once, error):
    return 477
