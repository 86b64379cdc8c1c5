"""Exercises of "Memory to train a model"."""

# %% training-state
"""State on a napkin

Mixed precision with Adam. Give, in **GB** (and billions of parameters for the last): the state of
1.3 billion parameters, the state of 3 billion, and the largest model whose state alone fits in 80
GB.

Expected: `state_1_3b = 20.8`, `state_3b = 48`, `largest = 5`

Hints:
- 2 for the weight, 2 for the gradient, 4 for the master copy, 8 for the two moments.
- A billion times 16 bytes is 16 GB.

Why: "billions times 16" is the whole sum. The largest leaves no room for a single token.
"""
state_1_3b = 1.3 * 16  #? GB
state_3b = 3 * 16  #? GB
largest = 80 / 16  #? billions of parameters


# %% training-state check
assert not close(state_1_3b, 2.6), "Those are the bf16 weights alone. Training keeps 16 bytes each."
assert not close(state_1_3b, 20.8e9), "That is in bytes. Give GB."
assert not close(state_1_3b, 10.4), "Adam has two moments, of 4 bytes each."
assert close(state_1_3b, 20.8), "16 bytes for each of 1.3 billion parameters."
assert close(state_3b, 48), "16 bytes for each of 3 billion parameters."
assert not close(largest, 40), "That is what 80 GB can run in bf16. Training needs 16 bytes each."
assert not close(largest, 5e9), "Give it in billions."
assert close(largest, 5), "80 GB divided by 16 bytes each."

# %% training-state mistake
"""bf16 weights alone"""
state_1_3b = 1.3 * 2
state_3b = 6
largest = 40

# %% training-state mistake 2
"""80 GB can run"""
state_1_3b = 20.8
state_3b = 48
largest = 80 / 2


# %% activation-bytes
"""Activations by the textbook

Write `activation_bytes` for `layers` layers of width `hidden` with `heads` heads, and `batch`
sequences of `seq` tokens. With `flash` the scores are never kept.

Expected: `activation_bytes(32, 4096, 32, 2048, 1, True) = 9.13 GB`,
`activation_bytes(32, 4096, 32, 2048, 1, False) = 30.6 GB`

Hints:
- A layer keeps `34·s·b·h` bytes.
- Without FlashAttention, `5·a·s²·b` bytes more.

Why: the first term grows with the length, the second with its square. Here they cross at
`34 * 4096 / (5 * 32) ≈ 870` tokens.
"""
def activation_bytes(layers, hidden, heads, seq, batch, flash):
    rest = 34 * seq * batch * hidden  #? bytes of one layer, without scores
    scores = 0 if flash else 5 * heads * seq**2 * batch  #? bytes of its scores
    return layers * (rest + scores)  #? all layers


# %% activation-bytes check
got = activation_bytes(32, 4096, 32, 2048, 1, True)
assert not close(got, 285_212_672), "That is one layer. There are 32."
assert not close(got, 30_601_641_984), "With FlashAttention no scores are kept."
assert close(got, 9_126_805_504)
assert close(activation_bytes(32, 4096, 32, 2048, 4, True), 36_507_222_016), (
    "Four sequences take four times as much."
)
assert close(activation_bytes(32, 4096, 32, 2048, 1, False), 30_601_641_984), (
    "Without FlashAttention add 5·a·s²·b for each layer."
)
assert close(activation_bytes(2, 64, 4, 128, 3, False), 3_637_248), (
    "Each sequence has its own length squared: 5·a·s²·b, not 5·a·(s·b)²."
)

# %% activation-bytes mistake
"""That is one layer"""
def activation_bytes(layers, hidden, heads, seq, batch, flash):
    return 34 * seq * batch * hidden + (0 if flash else 5 * heads * seq**2 * batch)


# %% activation-bytes mistake 2
"""has its own length squared"""
def activation_bytes(layers, hidden, heads, seq, batch, flash):
    scores = 0 if flash else 5 * heads * (seq * batch) ** 2
    return layers * (34 * seq * batch * hidden + scores)


# %% largest-batch
"""The largest batch

A card has `memory` bytes for programs. Training takes 16 bytes for each of `parameters`, and
`each` bytes of activations per sequence. A `headroom` of 0.1 means: a tenth on top of all that.
Write `largest_batch`, a whole number, and 0 where the state alone does not fit.

Expected: `largest_batch(84.9e9, 3e9, 9.6e9, 0.1) = 3`, `largest_batch(84.9e9, 7e9, 1e9, 0.1) = 0`

Hints:
- With a tenth on top, what you count may take `memory / 1.1`.
- Take the state away first. What is left is for sequences.

Why: the state decides whether there is a batch at all, the rest decides how large.
"""
def largest_batch(memory, parameters, each, headroom):
    usable = memory / (1 + headroom)  #? what may be counted on
    left = usable - 16 * parameters  #? for activations
    return max(0, int(left // each))  #? whole sequences


# %% largest-batch check
assert largest_batch(84e9, 7e9, 1e9, 0.1) == 0, "The state alone is more: no batch is small enough."
assert largest_batch(84.9e9, 1e9, 9.5e9, 0.1) != 7, "Leave the headroom free."
assert largest_batch(84.9e9, 1e9, 9.5e9, 0.1) == 6
assert largest_batch(84.9e9, 3e9, 9.6e9, 0.1) == 3
assert largest_batch(50e9, 2e9, 1e9, 0) == 18

# %% largest-batch mistake
"""no batch is small enough"""
def largest_batch(memory, parameters, each, headroom):
    return int((memory / (1 + headroom) - 16 * parameters) // each)


# %% largest-batch mistake 2
"""Leave the headroom free"""
def largest_batch(memory, parameters, each, headroom):
    return max(0, int((memory - 16 * parameters) // each))


# %% adapter-parameters
"""Parameters of an adapter

Write `adapter_parameters`: how many numbers LoRA trains beside one *n*×*m* matrix at rank `rank`.

Expected: `adapter_parameters(4096, 4096, 16) = 131_072`,
`adapter_parameters(4096, 11008, 16) = 241_664`

Hints:
- There are two thin matrices, *n*×*r* and *r*×*m*.

Why: it grows with the sides of the matrix, not with their product, so large models gain most.
"""
def adapter_parameters(n, m, rank):
    return rank * (n + m)  #? both thin matrices


# %% adapter-parameters check
got = adapter_parameters(4096, 4096, 16)
assert not close(got, 4096 * 4096), "That is the frozen matrix. Count the two thin ones beside it."
assert not close(got, 65_536, 0.001), "There are two thin matrices."
assert not close(got, 16 * 16 * 4096 * 4096), "The two matrices are added up, not multiplied."
assert not close(got, 16 * 4096 * 4096), "The sides n and m are added up, not multiplied."
assert close(got, 131_072, 0.0001)
assert close(adapter_parameters(4096, 11008, 16), 241_664, 0.0001), "The sides may differ."

# %% adapter-parameters mistake
"""There are two thin matrices"""
def adapter_parameters(n, m, rank):
    return n * rank


# %% adapter-parameters mistake 2
"""added up, not multiplied"""
def adapter_parameters(n, m, rank):
    return n * rank * rank * m

# %% adapter-parameters mistake 3
"""sides n and m are added up"""
def adapter_parameters(n, m, rank):
    return rank * n * m
