"""Exercises of "More than one accelerator"."""

# %% sharded-state
"""State on each device

Mixed precision with Adam keeps 16 bytes per parameter: 2 of weights, 2 of gradients, 12 of master
copy and moments. Write `state`: the bytes of it that each of `devices` holds at ZeRO `stage` 0 to
3.

Expected: `state(7e9, 8, 0) = 112 GB`, `state(7e9, 8, 2) = 26.25 GB`, `state(7e9, 8, 3) = 14 GB`

Hints:
- Stage 1 divides the 12 bytes, stage 2 the gradients too, stage 3 the weights too.
- What is not divided is kept in full by everyone.

Why: from stage 1 on most of it is gone already, since 12 of the 16 bytes are the optimiser's.
"""
def state(parameters, devices, stage):
    weights = 2 / (devices if stage >= 3 else 1)
    gradients = 2 / (devices if stage >= 2 else 1)  #? bytes of gradients per parameter
    optimizer = 12 / (devices if stage >= 1 else 1)  #? of master copy and moments
    return parameters * (weights + gradients + optimizer)  #? in all


# %% sharded-state check
assert close(state(7e9, 8, 0), 112e9)
assert not close(state(7e9, 8, 1), 14e9), "Stage 1 divides only the optimiser's 12 bytes."
assert close(state(7e9, 8, 1), 38.5e9)
assert close(state(7e9, 8, 2), 26.25e9), "Stage 2 divides the gradients as well."
assert close(state(7e9, 8, 3), 14e9)
assert close(state(70e9, 64, 3), 17.5e9)

# %% sharded-state mistake
"""only the optimiser's 12 bytes"""
def state(parameters, devices, stage):
    return parameters * 16 / (devices if stage else 1)


# %% sharded-state mistake 2
"""divides the gradients as well"""
def state(parameters, devices, stage):
    weights = gradients = 2 / (devices if stage >= 3 else 1)
    optimizer = 12 / (devices if stage >= 1 else 1)
    return parameters * (weights + gradients + optimizer)


# %% all-reduce-bytes
"""What an all-reduce sends

Write `all_reduce_bytes`: what each of `devices` sends when they add up `size` bytes in a ring.

Expected: `all_reduce_bytes(14e9, 8) = 24.5 GB`, `all_reduce_bytes(14e9, 1) = 0`

Hints:
- The bytes are cut into as many pieces as there are devices.
- Each piece makes two rounds: one to be summed, one to be handed out. A round has one step fewer
  than there are devices.

Why: it hardly grows with the number of devices, so data parallelism scales to thousands of them.
"""
def all_reduce_bytes(size, devices):
    piece = size / devices  #? bytes sent in a step
    steps = 2 * (devices - 1)  #? of both rounds
    return steps * piece  #? bytes in all


# %% all-reduce-bytes check
got = all_reduce_bytes(14e9, 8)
assert not close(got, 12.25e9), "That is one round. The sums must be handed out as well."
assert not close(got, 28e9), "A round has one step fewer than devices: nobody sends to itself."
assert not close(got, 196e9), "Each step sends one piece, not all of the bytes."
assert close(got, 24.5e9)
assert all_reduce_bytes(14e9, 1) == 0
assert close(all_reduce_bytes(1e9, 1000), 1.998e9, 0.001)

# %% all-reduce-bytes mistake
"""handed out as well"""
def all_reduce_bytes(size, devices):
    return (devices - 1) / devices * size


# %% all-reduce-bytes mistake 2
"""nobody sends to itself"""
def all_reduce_bytes(size, devices):
    return 2 * size


# %% all-reduce-bytes mistake 3
"""one piece, not all"""
def all_reduce_bytes(size, devices):
    return 2 * (devices - 1) * size


# %% pipeline-idle
"""Idle share of a pipeline

Write `idle`: the share of a step that a pipeline of `stages` waits when the batch is cut into
`micro_batches`.

Expected: `idle(8, 8) ≈ 0.467`, `idle(8, 32) ≈ 0.179`

Hints:
- The last stage starts `stages - 1` slots after the first.
- So a step takes `micro_batches + stages - 1` slots, and each stage works in `micro_batches`.

Why: with four times as many micro-batches as stages, less than a fifth is lost.
"""
def idle(stages, micro_batches):
    slots = micro_batches + stages - 1  #? slots of a step
    return (stages - 1) / slots  #? share of them without work


# %% pipeline-idle check
got = idle(8, 8)
assert not close(got, 7 / 8), "That is waiting ÷ working. Divide by all slots of the step."
assert not close(got, 8 / 15), "That is the busy share."
assert close(got, 7 / 15)
assert close(idle(8, 32), 7 / 39)
assert idle(1, 4) == 0

# %% pipeline-idle mistake
"""Divide by all slots"""
def idle(stages, micro_batches):
    return (stages - 1) / micro_batches


# %% pipeline-idle mistake 2
"""busy share"""
def idle(stages, micro_batches):
    return micro_batches / (micro_batches + stages - 1)
