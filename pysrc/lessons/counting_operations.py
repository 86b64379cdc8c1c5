"""Counting operations: what a matrix product costs, and how fast this machine pays for it."""

# %% dot-product
a = [2.0, 3.0, 5.0, 7.0]
b = [1.0, 4.0, 6.0, 8.0]

total, multiplies, adds = 0.0, 0, 0
for p in range(len(a)):
    total = total + a[p] * b[p]
    multiplies = multiplies + 1
    adds = adds + 1

print(f"dot product: {total:g}")
print(f"{multiplies} multiplies + {adds} adds")
print(f"= {multiplies + adds} FLOP")

# %% triple-loop
def product_and_count(a, b):
    m, k, n = len(a), len(b), len(b[0])
    c = [[0.0] * n for _ in range(m)]
    flop = 0
    for i in range(m):  # rows of a
        for j in range(n):  # columns of b
            for p in range(k):  # along the row
                c[i][j] += a[i][p] * b[p][j]
                flop += 2  # one multiply, one add
    return c, flop


a = [[1, 2, 3], [4, 5, 6]]  # 2 × 3
b = [[1, 0, 2, 1], [0, 1, 1, 3], [1, 1, 0, 2]]  # 3 × 4
c, flop = product_and_count(a, b)
for row in c:
    print(row)
print(f"counted {flop} FLOP")

# %% formula
from napkin.flops import matmul_flops

for m, k, n in [(1, 4, 1), (2, 3, 4), (20, 30, 40)]:
    a = [[1.0] * k for _ in range(m)]
    b = [[1.0] * n for _ in range(k)]
    c, counted = product_and_count(a, b)
    formula = matmul_flops(m, k, n)
    print(f"({m}×{k})·({k}×{n})")
    print(f"  counted {counted:,}, 2·m·k·n = {formula:,}")

# %% doubling
before = None
for n in [64, 128, 256, 512, 1024]:
    flop = matmul_flops(n, n, n)
    row = f"n = {n:4}  {flop / 1e6:8.2f} MFLOP"
    if before:
        row += f"  {flop / before:g} times the last"
    print(row)
    before = flop

# %% one-product [volatile]
from time import perf_counter

import numpy as np

rng = np.random.default_rng(0)
a = rng.random((64, 64), dtype=np.float32)
b = rng.random((64, 64), dtype=np.float32)

for attempt in [1, 2, 3]:
    start = perf_counter()
    a @ b.T
    seconds = perf_counter() - start
    print(f"try {attempt}: {seconds * 1e3:.4f} ms")

# %% fair-timer [volatile]
from napkin.timing import clock_tick, time_call

tick = clock_tick()
print(f"this clock steps by {tick * 1e3:.4f} ms")


def time_product(n):
    a = rng.random((n, n), dtype=np.float32)
    b = rng.random((n, n), dtype=np.float32)
    # .T: read both along their rows
    return time_call(lambda: a @ b.T, tick=tick, runs=3)


timing = time_product(64)
print(f"one product: {timing.seconds * 1e3:.4f} ms")
print(f"repeated {timing.calls:,} times per run")

# %% predict
my_guess = None  # your number here

if my_guess is None:
    print("Put in your guess, then run.")
else:
    once = time_product(256).seconds
    twice = time_product(512).seconds
    print(f"you said  {my_guess:.1f} times as long")
    print(f"the clock {twice / once:.1f} times as long")

# %% timer [volatile]
speeds = []
for n in [64, 128, 256, 512, 1024]:
    timing = time_product(n)
    flop = matmul_flops(n, n, n)
    speed = timing.rate(flop)
    speeds.append(speed)
    spread = max(timing.spread, 0.01)  # 100 ticks: ± 1 %
    print(
        f"n = {n:4} {flop / 1e6:8.2f} MFLOP"
        f" {timing.seconds * 1e3:8.3f} ms"
        f" {speed / 1e9:6.2f} GFLOP/s"
        f" ± {100 * spread:.0f} %"
    )

# %% gpu-against-tab [volatile]
h100 = 989e12  # FLOP/s, dense bf16
best = max(speeds)

print(f"this tab {best / 1e9:10,.2f} GFLOP/s")
print(f"one H100 {h100 / 1e9:10,.0f} GFLOP/s")
print(f"that is {h100 / best:,.0f} × as fast")

hours = h100 / best / 3600
print(f"its work of 1 s takes {hours:,.1f} hours here")

# %% mlp-layer [volatile]
tokens, width, hidden = 2048, 4096, 16384
flop = matmul_flops(tokens, width, hidden)

print(f"{flop:,} FLOP = {flop / 1e9:.1f} GFLOP")
print(f"one H100 at its peak: {flop / h100 * 1e3:.3f} ms")
print(f"this tab: {flop / best:,.1f} s")

# %% your-own-shape
m, k, n = 512, 768, 3072  # change these
matmul_flops(m, k, n)
