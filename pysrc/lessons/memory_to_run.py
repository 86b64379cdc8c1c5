"""Memory to run a model: weights, the KV cache, heads that share, and what fits on a card."""

# %% weights
from napkin.formats import bytes_per_value

parameters = 7e9  # change it to your model
for name in ["fp32", "bf16", "int8", "int4"]:
    size = parameters * bytes_per_value(name)
    print(f"{name:5} {size / 1e9:5.1f} GB = {size / 2**30:5.1f} GiB")

# %% three-parts
from napkin.memory import inference_memory

table = inference_memory("llama-2-7b", context=4096, sequences=1)
for row in table.rows:
    print(f"{row.value / 1e9:5.2f} GB {row.label}")
print(f"{table.value('total') / 1e9:5.2f} GB Total")

# %% keep-or-recompute
import numpy as np

rng = np.random.default_rng(0)
tokens = rng.normal(size=(6, 8))  # 6 tokens, 8 numbers each
to_query, to_key, to_value = rng.normal(size=(3, 8, 8))


def attend(query, keys, values):
    weights = np.exp(query @ keys.T / 8**0.5)
    return weights @ values / weights.sum()


keys, values, afresh = [], [], 0
for t in range(6):
    keys.append(tokens[t] @ to_key)  # one new key
    values.append(tokens[t] @ to_value)  # and one new value
    query = tokens[t] @ to_query
    kept = attend(query, np.array(keys), np.array(values))
    seen = tokens[: t + 1]
    again = attend(query, seen @ to_key, seen @ to_value)
    afresh += 2 * (t + 1)
    print(f"token {t + 1}: same answer: {np.allclose(kept, again)}")
print(f"keys and values with a cache: {2 * len(keys)}")
print(f"without: {afresh}")

# %% cache-rule
layers = 32
kv_heads = 32  # change it to 8, then to 1
head_dim = 64
context = 4096
sequences = 1
number = 2  # bytes: bf16

per_token = 2 * layers * kv_heads * head_dim * number
cache = per_token * context * sequences
print(f"one token: {per_token:,} B")
print(f"all of it: {cache / 1e9:.2f} GB = {cache / 2**30:.2f} GiB")

# %% growth
from napkin.kv import kv_cache_bytes
from napkin.weights import weights_bytes

model = "llama-3.1-8b"
weights = weights_bytes(model, "bf16")
print("users × tokens: cache")
for context in [4_096, 32_768, 131_072]:
    for users in [1, 8]:
        cache = kv_cache_bytes(model, context, users)
        size = f"{cache / 1e9:6.2f} GB"
        share = f"{cache / weights:.2f} × weights"
        print(f"{users} × {context:7,}: {size}, {share}")

# %% real-models
from napkin.kv import kv_cache_bytes
from napkin.models.presets import preset

names = "llama-2-7b llama-3.1-8b falcon-7b deepseek-v3 gemma3-27b"
print("model          10⁹    kB a    GB for")
print("        parameters   token   131,072")
for name in names.split():
    model = preset(name)
    full = kv_cache_bytes(model, 131_072)
    before, after = (kv_cache_bytes(model, n) for n in (4000, 4001))
    print(f"{name:12} {model.total / 1e9:5.1f}", end=" ")
    print(f"{(after - before) / 1e3:7.1f} {full / 1e9:9.2f}")

# %% smaller-numbers
from napkin.kv import kv_cache_bytes

for form in ["bf16", "q8_0", "fp8", "q4_0"]:
    cache = kv_cache_bytes("llama-3.1-8b", 131_072, dtype=form)
    print(f"{form:5} {cache / 1e9:6.2f} GB")

# %% does-it-fit
from napkin.hardware import accelerator
from napkin.memory import inference_memory

card = accelerator("RTX 4090")
gb, gib = card.memory / 1e9, card.memory / 2**30
print(f"{card.name}: {gb:.1f} GB = {gib:.1f} GiB usable")
for users in [1, 4, 12, 24]:
    table = inference_memory(
        "llama-3.1-8b", 4096, users, overhead="process"
    )
    need = table.value("total")
    verdict = "fits" if need <= card.memory else "too much"
    print(f"{users:2} × 4,096 tokens: {need / 1e9:5.1f} GB, {verdict}")
