"""Why hardware shapes the field: independent products, the price of a byte, and two questions."""

# %% one-layer
width, inner = 4096, 14336  # Llama 3.1 8B, one layer
kv_width = 1024  # 8 heads of 128 for keys and values

# FLOP per token: 2 for each number in each matrix
matrices = 2 * width * width + 2 * width * kv_width
matrices += 3 * width * inner
products = 2 * matrices

# about 5 for each number that is touched one by one
one_by_one = 5 * (4 * width + 2 * inner)

share = products / (products + one_by_one)
print(f"matrix products {products / 1e6:8.2f} MFLOP")
print(f"all the rest    {one_by_one / 1e6:8.2f} MFLOP")
print(f"share of products {100 * share:.2f} %")

# %% any-order
from random import Random

a = [[1, 2, 3], [4, 5, 6]]  # 2 × 3
b = [[1, 0], [0, 1], [2, 2]]  # 3 × 2
entries = [(0, 0), (0, 1), (1, 0), (1, 1)]
Random(7).shuffle(entries)  # any order will do
print("order:", *entries)

c = [[None, None], [None, None]]
for i, j in entries:
    c[i][j] = sum(a[i][p] * b[p][j] for p in range(3))
print(c)

# %% ladder
from napkin.hardware import accelerator
from napkin.hierarchy import flop_energy, memory_ladder

peak = accelerator("H100 SXM").peak("bf16")
print("FLOP that cost as much as one byte:")
print(" " * 20 + " in time energy")
for rung in memory_ladder():
    name = rung.name.split(",")[0]
    by_time = rung.flops_per_byte(peak)
    by_energy = "?"
    if rung.energy:
        by_energy = f"{rung.energy / flop_energy():,.0f}"
    print(f"{name:20}{by_time:8,.0f}{by_energy:>7}")

# %% fusion
from napkin.hardware import accelerator

gpu = accelerator("H100 SXM")
numbers = 100e6  # in the array
steps = 4  # such as: add, multiply, add, squash
array = 2 * numbers  # bytes, bf16

apart = steps * 2 * array  # each step reads and writes it all
fused = 2 * array  # read once, all steps, write once

for name, moved in [("step by step", apart), ("fused", fused)]:
    ms = moved / gpu.bandwidth * 1e3
    print(f"{name:13} {moved / 1e9:.1f} GB moved  {ms:.2f} ms")
print(f"{apart / fused:.0f} times as fast")

# %% attention-bytes
from napkin.hardware import accelerator

gpu = accelerator("H100 SXM")
tokens, heads, head_width = 8192, 32, 128
scores = heads * tokens * tokens * 2  # bytes, bf16
# write scores, read, write shares, read
naive = 4 * scores
# read queries, keys, values; write the result
least = 4 * tokens * heads * head_width * 2
flop = 4 * heads * tokens * tokens * head_width

for name, moved in [("naive", naive), ("in SRAM", least)]:
    reading = moved / gpu.bandwidth
    arithmetic = flop / gpu.peak("bf16")
    bound = "memory" if reading > arithmetic else "arithmetic"
    print(f"{name}: {moved / 1e9:.2f} GB to move")
    print(f"  moving     {reading * 1e3:5.2f} ms")
    print(f"  arithmetic {arithmetic * 1e3:5.2f} ms")
    print(f"  bound by {bound}")

# %% step-by-step
from napkin.hardware import accelerator

gpu = accelerator("H100 SXM")
width, tokens = 8192, 2048
flop = 2 * width * width  # one token through one matrix
read = 2 * width * width  # the matrix in bf16, bytes

arithmetic = flop / gpu.peak("bf16")
reading = read / gpu.bandwidth
one_by_one = tokens * max(arithmetic, reading)
together = max(tokens * arithmetic, reading)

print(f"one token after the other {one_by_one * 1e3:6.2f} ms")
print(f"all tokens at once        {together * 1e3:6.2f} ms")
print(f"{one_by_one / together:.0f} times as fast")

# %% power-law
from napkin.scaling import power_law_loss

before = None
for exponent in range(3, 13):
    n = 10**exponent
    loss = power_law_loss("parameters", n)
    row = f"10^{exponent:<2} parameters  loss {loss:5.2f}"
    if before:
        row += f"  × {loss / before:.3f}"
    print(row)
    before = loss

# %% two-questions
from napkin.hardware import accelerator

gpu = accelerator("H100 SXM")
parameters = 1.3e9  # change these four
tokens = 26e9
gpus, share_of_peak = 1, 0.4

state = 16 * parameters  # bytes; module 5 says why 16
compute = 6 * parameters * tokens  # FLOP; module 6 says why 6
seconds = compute / (gpus * gpu.peak("bf16") * share_of_peak)
hours = gpus * seconds / 3600

print(f"memory  {state / 1e9:,.1f} GB before activations")
print(f"        {gpu.name} has {gpu.marketed_gb:g} GB")
print(f"compute {compute:.2e} FLOP")
print(f"time    {seconds / 86_400:.1f} days")
print(f"cost    {hours:,.0f} GPU-hours × $3 = ${hours * 3:,.0f}")
