"""Exercises of "Memory to run a model"."""

# %% kv-bytes
"""Bytes of a KV cache

Write `kv_bytes`: the cache of `sequences` conversations of `tokens` tokens each, `size` bytes a
number.

Expected: `kv_bytes(32, 32, 64, 4096, 1, 2) ≈ 1.07 GB`, `kv_bytes(32, 8, 128, 8192, 4, 2) ≈ 4.29 GB`

Hints:
- Every layer keeps one key and one value for each token.
- A key has `kv_heads * head_dim` numbers, and so has a value.

Why: two lists per layer and token, the same for every token of every conversation.
"""
def kv_bytes(layers, kv_heads, head_dim, tokens, sequences, size):
    per_token = 2 * layers * kv_heads * head_dim * size  #? bytes of one token
    return per_token * tokens * sequences  #? of all of them


# %% kv-bytes check
got = kv_bytes(32, 32, 64, 4096, 1, 2)
assert not close(got, 536_870_912), "Keys and values: there are two of each."
assert not close(got, 1.07), "Give bytes, not GB."
assert close(got, 1_073_741_824)
assert close(kv_bytes(32, 8, 128, 8192, 1, 2), 1_073_741_824), (
    "Fewer heads, longer ones: use kv_heads and head_dim as they are given."
)
assert close(kv_bytes(32, 8, 128, 8192, 4, 2), 4_294_967_296), (
    "Each sequence has a cache of its own."
)
assert close(kv_bytes(80, 8, 128, 1000, 1, 1), 163_840_000), "The size of a number is given too."

# %% kv-bytes mistake
"""there are two of each"""
def kv_bytes(layers, kv_heads, head_dim, tokens, sequences, size):
    return layers * kv_heads * head_dim * tokens * sequences * size


# %% kv-bytes mistake 2
"""a cache of its own"""
def kv_bytes(layers, kv_heads, head_dim, tokens, sequences, size):
    return 2 * layers * kv_heads * head_dim * tokens * size


# %% napkin-1-3b
"""A 1.3B model on a napkin

1.3 billion parameters, 32 layers, 32 heads of size 64, no sharing. Give the four sizes in **GB**:
weights in bf16, weights in int4, the cache of one sequence of 4,096 tokens in bf16, and all
together with bf16 weights and ten such sequences.

Expected: `bf16 = 2.6`, `int4 = 0.65`, `cache ≈ 1.07`, `ten_users ≈ 13.3`

Hints:
- Weights are parameters times bytes: 2 for bf16, 0.5 for int4.
- The cache is `2 · layers · kv_heads · head_dim · tokens · bytes`. Divide by 1e9 for GB.
- Ten users share the weights. They share no cache.

Why: with ten users at 4,096 tokens the cache takes four times as much as the weights.
"""
bf16 = 1.3e9 * 2 / 1e9  #? GB
int4 = 1.3e9 * 0.5 / 1e9  #? GB
cache = 2 * 32 * 32 * 64 * 4096 * 2 / 1e9  #? GB
ten_users = bf16 + 10 * cache  #? GB


# %% napkin-1-3b check
assert not close(bf16, 2.6e9), "That is in bytes. Divide by 1e9 for GB."
assert close(bf16, 2.6), "bf16 takes 2 bytes for each parameter."
assert not close(int4, 5.2), "int4 is 4 bits, not 4 bytes: half a byte for each parameter."
assert close(int4, 0.65), "int4 takes half a byte for each parameter."
assert not close(cache, 0.537), "Keys and values: there are two of each."
assert not close(cache, 1.0, 0.002), "That is GiB, divided by 2**30. GB is divided by 1e9."
assert close(cache, 1.0737), "2 · 32 layers · 32 heads · 64 · 4,096 tokens · 2 bytes, in GB."
assert not close(ten_users, 10 * (bf16 + cache)), "The weights are there once, for all users."
assert close(ten_users, 13.337), "The weights once, the cache ten times."

# %% napkin-1-3b mistake
"""half a byte"""
bf16 = 2.6
int4 = 1.3 * 4
cache = 1.07
ten_users = 13.3

# %% napkin-1-3b mistake 2
"""The weights are there once"""
bf16 = 2.6
int4 = 0.65
cache = 1.0737
ten_users = 10 * (bf16 + cache)

# %% napkin-1-3b mistake 3
"""That is GiB"""
bf16 = 2.6
int4 = 0.65
cache = 1.0
ten_users = 12.6

# %% most-tokens
"""How many tokens fit

A card has `memory` bytes for programs, the weights take `weights` bytes, and every token of cache
takes `per_token`. Keep back `spare` bytes for the engine and the current step. Write `most_tokens`,
the whole number of tokens that fit, and 0 where the weights alone do not.

Expected: `most_tokens(25.3e9, 16.1e9, 131_072, 1e9) = 62_561`

Hints:
- Take from the memory what is always there; the rest is for the cache.
- `//` divides and rounds down. `max(0, ...)` keeps it from falling below zero.

Why: it is the memory question the other way round, and the one that you ask of a card you own.
"""
def most_tokens(memory, weights, per_token, spare):
    room = memory - weights - spare  #? what the cache may take
    return max(0, int(room // per_token))  #? whole tokens


# %% most-tokens check
assert most_tokens(25.3e9, 16.1e9, 131_072, 1e9) != 70_190, "Keep back what `spare` says."
assert most_tokens(25.3e9, 16.1e9, 131_072, 1e9) == 62_561, "Divide the room and round down."
assert most_tokens(10e9, 4e9, 524_288, 0) == 11_444
assert most_tokens(12e9, 16e9, 131_072, 1e9) == 0, "Where the weights do not fit, no token does: 0."

# %% most-tokens mistake
"""Keep back"""
def most_tokens(memory, weights, per_token, spare):
    return int((memory - weights) // per_token)


# %% most-tokens mistake 2
"""no token does"""
def most_tokens(memory, weights, per_token, spare):
    return int((memory - weights - spare) // per_token)
