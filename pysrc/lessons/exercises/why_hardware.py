"""Exercises of "Why hardware shapes the field"."""

# %% bound-by
"""What does it wait for?

A kernel does `flop` operations and moves `moved` bytes on a chip of `peak` FLOP/s and `bandwidth`
B/s. Both go on at the same time, so the longer one decides. Return `"memory"` or `"compute"`.

Expected: `bound_by(1e12, 1e9, 989e12, 3.35e12)` is `"compute"`,
`bound_by(1e9, 1e9, 989e12, 3.35e12)` is `"memory"`

Hints:
- Work out two times: one for the arithmetic, one for the moving.
- Time is a count divided by a rate: `flop / peak`, and `moved / bandwidth`.

Why: the chip overlaps moving and computing, so the kernel takes the longer of the two times.
"""
def bound_by(flop, moved, peak, bandwidth):
    computing = flop / peak  #? seconds of arithmetic
    moving = moved / bandwidth  #? seconds of moving
    return "memory" if moving > computing else "compute"  #? the longer one


# %% bound-by check
got = bound_by(100e9, 1e9, 989e12, 3.35e12)
assert got != "compute", "More FLOP than bytes is not enough: an H100 needs 295 per byte."
assert got == "memory"
assert bound_by(1e12, 1e9, 989e12, 3.35e12) == "compute"
assert bound_by(100e9, 1e9, 10e12, 1e12) == "compute", "Use the chip that is given, not an H100."
assert bound_by(5e9, 1e9, 10e12, 1e12) == "memory"

# %% bound-by mistake
"""More FLOP than bytes is not enough"""
def bound_by(flop, moved, peak, bandwidth):
    return "compute" if flop > moved else "memory"


# %% bound-by mistake 2
"""More FLOP than bytes is not enough"""
def bound_by(flop, moved, peak, bandwidth):
    return "memory" if moved / bandwidth < flop / peak else "compute"


# %% fused-chain
"""Bytes that fusion saves

A chain of `steps` element-wise steps runs over an array of `numbers` numbers of `size` bytes each.
Done apart, each step reads the array from HBM and writes it back. Fused, it is read once and
written once. How many bytes does fusion save?

Expected: `saved_bytes(100e6, 4, 2) = 1.2 GB`

Hints:
- Reading and writing are two trips of the whole array.
- Apart: two trips per step. Fused: two trips in all.

Why: the saving grows with the number of steps, while the arithmetic stays what it was.
"""
def saved_bytes(numbers, steps, size):
    array = numbers * size
    apart = 2 * steps * array  #? bytes when each step is a kernel of its own
    fused = 2 * array  #? bytes when all steps are one kernel
    return apart - fused


# %% fused-chain check
assert not close(saved_bytes(100e6, 4, 2), 0.6e9), "Each step also writes: count both directions."
assert not close(saved_bytes(100e6, 4, 2), 1.6e9), "The fused chain still reads and writes once."
assert close(saved_bytes(100e6, 4, 2), 1.2e9)
assert saved_bytes(100e6, 1, 2) == 0, "One step alone has nothing to save."
assert close(saved_bytes(5e6, 10, 4), 360e6)

# %% fused-chain mistake
"""count both directions"""
def saved_bytes(numbers, steps, size):
    array = numbers * size
    return steps * array - array


# %% fused-chain mistake 2
"""still reads and writes once"""
def saved_bytes(numbers, steps, size):
    return 2 * steps * numbers * size


# %% gpus-to-hold
"""GPUs that hold the training state

Training with the usual recipe takes 16 bytes per parameter, before activations. How many GPUs of
`memory` bytes each hold the state of a model, split evenly?

Expected: `gpus_to_hold(7e9, 80e9) = 2`, `gpus_to_hold(1.3e9, 80e9) = 1`

Hints:
- First the bytes of the state.
- There are no half GPUs: `math.ceil` rounds up.

Why: memory decides whether a run can start, so this comes before any question of speed.
"""
import math


def gpus_to_hold(parameters, memory):
    state = 16 * parameters  #? bytes
    return math.ceil(state / memory)  #? whole GPUs


# %% gpus-to-hold check
assert gpus_to_hold(70e9, 80e9) != 2, "The weights alone take 2 bytes each. Training takes 16."
assert not 1.3 < gpus_to_hold(7e9, 80e9) < 1.5, "1.4 GPUs cannot be had: round up."
assert gpus_to_hold(7e9, 80e9) == 2
assert gpus_to_hold(70e9, 80e9) == 14
assert gpus_to_hold(1.3e9, 24e9) == 1
assert gpus_to_hold(5e9, 80e9) == 1, "80 GB of state fit into 80 GB, if only just."

# %% gpus-to-hold mistake
"""Training takes 16"""
import math


def gpus_to_hold(parameters, memory):
    return math.ceil(2 * parameters / memory)


# %% gpus-to-hold mistake 2
"""round up"""
def gpus_to_hold(parameters, memory):
    return 16 * parameters / memory


# %% compute-for-loss
"""The price of a lower loss

By Kaplan's law, *x* times the compute multiplies the loss by *x* to the power −0.050. Write
`compute_factor`: how many times the compute does it take to bring the loss to `share` of what it
was?

Expected: `compute_factor(0.9) ≈ 8.2`, `compute_factor(0.5) ≈ 1_050_000`

Hints:
- You look for the *x* with `x**-0.050 == share`.
- Take both sides to the power `-1 / 0.050`.

Why: one tenth less loss costs 8 times the compute, and half the loss a million times.
"""
def compute_factor(share):
    return share ** (-1 / 0.050)  #? solve x**-0.050 == share for x


# %% compute-for-loss check
got = compute_factor(0.9)
assert not close(got, 0.9**-0.050), "That is how the loss changes. Solve the equation for x."
assert not close(got, 0.9 ** (1 / 0.050)), "Less loss needs more compute: mind the minus sign."
assert close(got, 8.22)
assert close(compute_factor(0.5), 2**20)
assert close(compute_factor(1), 1)

# %% compute-for-loss mistake
"""Solve the equation for x"""
def compute_factor(share):
    return share**-0.050


# %% compute-for-loss mistake 2
"""mind the minus sign"""
def compute_factor(share):
    return share ** (1 / 0.050)
