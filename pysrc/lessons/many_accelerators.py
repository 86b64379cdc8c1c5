"""Cells of the lesson "More than one accelerator"."""

# %% two-halves
import numpy as np

rng = np.random.default_rng(0)
x = rng.normal(size=(8, 3))  # a batch of 8 examples
y = x @ [1.0, -2.0, 0.5]
w = np.zeros(3)


def gradient(x, y):
    return 2 * x.T @ (x @ w - y) / len(x)


whole = gradient(x, y)
halves = [gradient(x[:4], y[:4]), gradient(x[4:], y[4:])]
print("one device ", whole.round(3))
print("mean of two", np.mean(halves, axis=0).round(3))

# %% all-reduce
def sent(size, devices):
    return 2 * (devices - 1) / devices * size


gradients = 7e9 * 2  # bytes, bf16
print("devices  sent by each  NVLink  network")
for devices in [2, 8, 64]:
    each = sent(gradients, devices)
    print(
        f"{devices:7} {each / 1e9:10.1f} GB"
        f" {each / 450e9 * 1e3:4.0f} ms {each / 50e9 * 1e3:5.0f} ms"
    )

# %% zero-stages
def state_bytes(parameters, devices, stage):
    weights, gradients, rest = 2, 2, 12
    if stage >= 1:
        rest /= devices
    if stage >= 2:
        gradients /= devices
    if stage >= 3:
        weights /= devices
    return parameters * (weights + gradients + rest)


for devices in [1, 8, 64]:
    parts = [state_bytes(7e9, devices, stage) / 1e9 for stage in [0, 1, 2, 3]]
    print(f"{devices:2} devices:", *(f"{part:6.1f}" for part in parts), "GB")

# %% how-many
from math import ceil

per_device = 60e9  # what is left of 80 GB for state
for parameters in [7e9, 70e9, 405e9]:
    devices = ceil(parameters * 16 / per_device)
    print(f"{parameters / 1e9:3.0f}B: {devices} devices or more, sharded")

# %% split-matrix
a = rng.normal(size=(4, 6))  # the input
up, down = rng.normal(size=(6, 8)), rng.normal(size=(8, 6))

one = a @ up @ down
left = a @ up[:, :4] @ down[:4]  # device 1 holds half of each
right = a @ up[:, 4:] @ down[4:]  # device 2 the other half
print("largest difference:", abs(left + right - one).max().round(12))

# %% tensor-traffic
tokens, hidden, layers, ways = 4096, 4096, 32, 8

activations = tokens * hidden * 2  # bytes
each = 4 * layers * sent(activations, ways)
print(f"{each / 1e9:.1f} GB sent by each device in a step")
print(f"NVLink  {each / 450e9 * 1e3:5.0f} ms")
print(f"network {each / 50e9 * 1e3:5.0f} ms")

flop = 6 * 8e9 * tokens / ways
print(f"computing {flop / (989e12 * 0.5) * 1e3:3.0f} ms")

# %% bubbles
from napkin.parallel import bubble_share

print("micro-batches  idle  interleaved")
for micro_batches in [1, 4, 8, 32, 128]:
    idle = bubble_share(8, micro_batches)
    cut = bubble_share(8, micro_batches, interleave=4)
    print(f"{micro_batches:13} {idle:5.0%} {cut:12.0%}")

# %% accumulate
total = np.zeros(3)
for part in range(4):  # four small batches, one step
    rows = slice(2 * part, 2 * part + 2)
    total += gradient(x[rows], y[rows]) / 4
print("whole batch", whole.round(3))
print("accumulated", total.round(3))
