"""Memory to train a model: 16 bytes a parameter, activations, checkpointing, LoRA and QLoRA."""

# %% state
from napkin.memory import training_state

parameters = 7e9  # change it to your model
table = training_state(parameters)
for row in table.rows:
    print(f"{row.label:20} {row.value / 1e9:6.1f} GB")
state = table.value("total")
gib = state / 2**30
print(f"{'Together':20} {state / 1e9:6.1f} GB = {gib:.1f} GiB")
print(f"{state / parameters:.0f} B for each parameter")

# %% recipes
from napkin.memory import recipe_bytes

for optimizer in ["adamw", "adamw_8bit", "muon", "sgd"]:
    each = float(recipe_bytes(optimizer).value("total"))
    print(f"{optimizer:11} {each:5.2f} B, 7B: {7 * each:5.1f} GB")
wide = recipe_bytes("adamw", precision="mixed_fp32_gradients")
print(f"adamw, with gradients in fp32: {wide.value('total')} B")

# %% kept-for-backward
import numpy as np

rng = np.random.default_rng(0)
width, batch = 256, 64  # change batch to 128
weights = rng.normal(0, 0.06, (4, width, width)).astype("float32")
x = rng.normal(size=(batch, width)).astype("float32")

kept = []
for w in weights:  # forward
    kept.append(x)  # the gradient of w will need it
    x = x @ w
    print(f"forward:  {sum(k.nbytes for k in kept) / 1e3:6.1f} kB kept")

gradient = x  # of half the sum of squares
for w in reversed(weights):  # backward
    w_gradient = kept.pop().T @ gradient
    gradient = gradient @ w.T
    print(f"backward: {sum(k.nbytes for k in kept) / 1e3:6.1f} kB kept")

# %% textbook
from napkin.memory import classic_activations

print("tokens  everything else   scores")
for tokens in [2_048, 8_192, 32_768]:
    table = classic_activations(
        layers=32, hidden=4096, heads=32, seq=tokens
    )
    rest, scores = table.value("linear"), table.value("scores")
    print(f"{tokens:6,} {rest / 1e9:12.1f} GB {scores / 1e9:8,.1f} GB")

# %% real-activations
from napkin.memory import saved_activations
from napkin.models.presets import preset

tokens = 2048
print("bytes per token, layer and h (textbook: 34)")
print("              eager  Flash  fused")
for name in ["llama-2-7b", "llama-3.1-8b", "qwen3-8b", "olmo-2-7b"]:
    model = preset(name)
    units = tokens * len(model.layers) * model.main.hidden_size
    found = []
    for how in ["eager", "memory_efficient", "fused"]:
        table = saved_activations(model, tokens, implementation=how)
        found.append(table.value("total") / units)
    print("{:13} {:5.0f} {:6.1f} {:6.1f}".format(name, *found))

# %% batch
from napkin.memory import training_memory
from napkin.memory_groups import fixed_bytes, growing_bytes

for batch in [1, 2, 4, 8]:  # sequences of 2,048 tokens
    table = training_memory("llama-2-7b", 2048, batch)
    fixed, grows = fixed_bytes(table), growing_bytes(table)
    spare, total = table.value("headroom"), table.value("total")
    parts = [f"{size / 1e9:.1f}" for size in (fixed, grows, spare)]
    print(f"batch {batch}: {' + '.join(parts)} = {total / 1e9:.1f} GB")

# %% accumulate
import numpy as np

rng = np.random.default_rng(0)
x, w = rng.normal(size=(32, 16)), rng.normal(size=(16, 4))
wanted = rng.normal(size=(32, 4))


def gradient(rows):
    error = x[rows] @ w - wanted[rows]
    return x[rows].T @ error / 32


at_once = gradient(slice(0, 32))
in_pieces = 0
for start in range(0, 32, 4):
    in_pieces = in_pieces + gradient(slice(start, start + 4))
print("same gradient:", np.allclose(at_once, in_pieces))
print("rows in memory: 32 at once, 4 in pieces")

# %% checkpointing
from napkin.memory import peak_layer_activations, saved_activations
from napkin.models.presets import preset

model = preset("llama-2-7b")
for plan in ["none", "selective_ops", "full"]:
    table = saved_activations(model, 2048, 4, checkpointing=plan)
    print(f"{plan:13} {table.value('total') / 1e9:5.2f} GB kept")
again = peak_layer_activations(model, 2048, 4)
print(f"and while a layer is run again: {again / 1e9:.2f} GB")

# %% adapters
from napkin.memory import adapter_parameters
from napkin.models.presets import preset

model = preset("llama-2-7b")
print("rank  trained  of all    state")
for rank in [8, 16, 64]:
    trained = adapter_parameters(model, rank).value("total")
    share, state = trained / model.total, 16 * trained / 1e9
    print(f"{rank:4} {trained / 1e6:7.1f}M", end="")
    print(f" {share:7.1%} {state:5.2f} GB")

# %% three-ways
from napkin.memory import adapter_memory, training_memory

model, tokens, batch = "llama-2-7b", 1024, 4
shape = (model, tokens, batch)
full = training_memory(*shape, checkpointing="full")
lora = adapter_memory(*shape, rank=64, base="bf16")
qlora = adapter_memory(*shape, rank=64, base="nf4_dq")
for name, table in ("full", full), ("LoRA", lora), ("QLoRA", qlora):
    print(f"{name:6} {table.value('total') / 1e9:6.1f} GB")
for row in qlora.rows:
    print(f"  {row.value / 1e9:5.2f} GB {row.label}")
