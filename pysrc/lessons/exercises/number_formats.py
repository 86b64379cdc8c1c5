"""Exercises of "Numbers in memory"."""

# %% model-bytes
"""Bytes of a model

Write `model_bytes`: the memory of `parameters` weights of `bits` bits each, in bytes.

Expected: `model_bytes(7e9, 16) = 14 GB`, `model_bytes(7e9, 4) = 3.5 GB`

Hints:
- A byte is 8 bits.

Why: this one line is the first line of every memory estimate.
"""
def model_bytes(parameters, bits):
    return parameters * bits / 8  #? bytes


# %% model-bytes check
got = model_bytes(7e9, 16)
assert not close(got, 112e9), "Those are bits. 8 bits are a byte."
assert not close(got, 14), "Give bytes, not GB."
assert close(got, 14e9)
assert close(model_bytes(7e9, 4), 3.5e9), "With 4 bits two weights share a byte."
assert close(model_bytes(8.03e9, 4.5), 4.517e9), "The bits need not be a whole number."

# %% model-bytes mistake
"""8 bits are a byte"""
def model_bytes(parameters, bits):
    return parameters * bits


# %% model-bytes mistake 2
"""need not be a whole number"""
def model_bytes(parameters, bits):
    return parameters * int(bits) / 8


# %% exponent-field
"""The exponent field of bf16

What stands in the exponent field of a bf16 number? Write `exponent_field` for any `number` above
zero (and not so small that the field runs out).

Expected: `exponent_field(6.5) = 129`, `exponent_field(0.75) = 126`

Hints:
- Which power of two is just below the number? `math.log2` and `math.floor` find it.
- The field holds that power plus the bias of 127.

Why: the field says between which two powers of two a number lies, so it fixes the size of the gaps.
"""
from math import floor, log2


def exponent_field(number):
    power = floor(log2(number))  #? the power of two just below
    return power + 127  #? what the field holds


# %% exponent-field check
assert exponent_field(6.5) != 2, "That is the power. The field holds it with the bias of 127 added."
assert exponent_field(6.5) != 130, "Round down: 6.5 is 1.625 times 4, not 0.8 times 8."
assert exponent_field(6.5) == 129
assert exponent_field(1) == 127
assert exponent_field(0.75) == 126, "Below 1 the power is negative: round down, not towards zero."
assert exponent_field(3e38) == 254

# %% exponent-field mistake
"""with the bias of 127 added"""
from math import floor, log2


def exponent_field(number):
    return floor(log2(number))


# %% exponent-field mistake 2
"""Round down"""
from math import log2


def exponent_field(number):
    return round(log2(number)) + 127


# %% exponent-field mistake 3
"""not towards zero"""
from math import log2


def exponent_field(number):
    return int(log2(number)) + 127


# %% update-lost
"""Is the update lost?

A positive `weight` is a value of a format with `mantissa` mantissa bits, and not a power of two.
Return `True` when adding a small positive `update` leaves it as it was.

Expected: `update_lost(1.5, 0.001, 7)` is `True` (bf16), `update_lost(1.5, 0.001, 10)` is `False`
(fp16)

Hints:
- Between 1 and 2 the gap is `2**-mantissa`. Between 2 and 4 it is twice that.
- An update below half the gap is rounded away.

Why: in bf16 half the gap is 0.2 to 0.4 % of the weight, and many training steps are smaller.
"""
from math import floor, log2


def update_lost(weight, update, mantissa):
    gap = 2.0 ** (floor(log2(weight)) - mantissa)  #? distance to the next value
    return update < gap / 2  #? True or False


# %% update-lost check
assert update_lost(1.5, 0.001, 7) is True
assert update_lost(1.5, 0.005, 7) is False, "Past half the gap it rounds up: compare with gap / 2."
assert update_lost(100.5, 0.2, 7) is True, "The gap grows with the weight: near 100 it is 0.5."
assert update_lost(0.01, 0.0001, 7) is False, "The gap shrinks with the weight, too."
assert update_lost(1.5, 0.001, 10) is False
assert update_lost(1.5, 1e-8, 23) is True

# %% update-lost mistake
"""compare with gap / 2"""
from math import floor, log2


def update_lost(weight, update, mantissa):
    return update < 2.0 ** (floor(log2(weight)) - mantissa)


# %% update-lost mistake 2
"""The gap grows with the weight"""
def update_lost(weight, update, mantissa):
    return update < 2.0**-mantissa / 2


# %% block-bits
"""True bits per weight

Weights of `bits` bits are cut into blocks of `block`. Each block stores `extra` more bits, such as
a scale. Write `block_bits`: bits per weight, all included.

Expected: `block_bits(4, 32, 8) = 4.25` (MXFP4), `block_bits(4, 256, 128) = 4.5` (Q4_K)

Hints:
- Work out the bits of a whole block first.
- Then share them among its weights.

Why: `bits + extra / block`. Small blocks keep outliers in check, and cost more.
"""
def block_bits(bits, block, extra):
    whole = block * bits + extra  #? bits of a whole block
    return whole / block  #? per weight


# %% block-bits check
got = block_bits(4, 32, 8)
assert not close(got, 12, 0.001), "The block shares its scale: each weight pays only a part of it."
assert not close(got, 4, 0.001), "The scale takes room, too."
assert close(got, 4.25, 0.001)
assert close(block_bits(4, 256, 128), 4.5, 0.001)
assert close(block_bits(6, 256, 16 * 8 + 16), 6.5625, 0.0001)

# %% block-bits mistake
"""only a part of it"""
def block_bits(bits, block, extra):
    return bits + extra


# %% block-bits mistake 2
"""The scale takes room"""
def block_bits(bits, block, extra):
    return bits * block / block
