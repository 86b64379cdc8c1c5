# %% [markdown] title
# # Memory-bound decoding
#
# To write one token, a model reads every weight once. So one reader gets at most
# *bandwidth ÷ bytes of the weights* tokens per second, whatever the FLOP/s. Readers in a batch share
# that reading. Here you measure your machine's bandwidth, decode with a model of your size, and
# compare. Then you compare the memory that the model takes with the formula.
#
# **Write down before you run anything:** how many tokens per second will one sequence get? How many
# will 16 sequences get together: as many, 4 times or 16 times as many?
#
# The notebook runs unchanged on a CPU, on a free T4, on a rented H100 and on Apple's MPS. It
# downloads nothing: the weights are random, since their values do not change the arithmetic.

# %% machine
import importlib.util
import os
import platform
import time
from datetime import date

if importlib.util.find_spec("napkin") is None:
    # %pip install -q "napkin @ git+https://github.com/napkin-course/napkin"
    pass

import torch

DEVICE = (
    "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
)
if DEVICE == "cuda":
    MACHINE = torch.cuda.get_device_name()
elif DEVICE == "mps":
    MACHINE = f"Apple {platform.machine()} through MPS"
else:
    MACHINE = f"{platform.machine()} CPU, {torch.get_num_threads()} threads of {os.cpu_count()}"
print(f"{MACHINE}; PyTorch {torch.__version__}, Python {platform.python_version()}, {date.today()}")

# %% [markdown] the-model
# ## A decoder of your size
#
# A Llama-like decoder with a KV cache, in plain PyTorch. On a GPU it has about a billion parameters
# in 16 bits; on a CPU about a hundred million in 32 bits, which a CPU multiplies fastest.

# %% model
import torch.nn.functional as F
from torch import nn

LAYERS, WIDTH, HEADS, KV_HEADS, MLP, VOCABULARY = 16, 2048, 16, 4, 5632, 32_000
DTYPE = torch.float16
if DEVICE == "cpu":
    LAYERS, WIDTH, HEADS, KV_HEADS, MLP, VOCABULARY = 8, 1024, 8, 2, 2816, 8192
    DTYPE = torch.float32
HEAD_DIM = WIDTH // HEADS


class Layer(nn.Module):
    """Attention with grouped keys and values, then a gated MLP."""

    def __init__(self):
        super().__init__()
        self.norm_1, self.norm_2 = nn.RMSNorm(WIDTH, eps=1e-5), nn.RMSNorm(WIDTH, eps=1e-5)
        self.q = nn.Linear(WIDTH, WIDTH, bias=False)
        self.k = nn.Linear(WIDTH, KV_HEADS * HEAD_DIM, bias=False)
        self.v = nn.Linear(WIDTH, KV_HEADS * HEAD_DIM, bias=False)
        self.out = nn.Linear(WIDTH, WIDTH, bias=False)
        self.gate = nn.Linear(WIDTH, MLP, bias=False)
        self.up = nn.Linear(WIDTH, MLP, bias=False)
        self.down = nn.Linear(MLP, WIDTH, bias=False)

    def forward(self, x, cache, position):
        batch = x.shape[0]
        normed = self.norm_1(x)
        q = self.q(normed).view(batch, 1, HEADS, HEAD_DIM).transpose(1, 2)
        for part, project in zip(cache, (self.k, self.v), strict=True):
            part[:, :, position] = project(normed).view(batch, KV_HEADS, HEAD_DIM)
        k, v = (part[:, :, : position + 1] for part in cache)
        y = F.scaled_dot_product_attention(q, k, v, enable_gqa=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, 1, WIDTH))
        normed = self.norm_2(x)
        return x + self.down(F.silu(self.gate(normed)) * self.up(normed))


class Decoder(nn.Module):
    """A token table, the layers, and a head of its own. Positions cost nothing and are left out."""

    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.RMSNorm(WIDTH, eps=1e-5)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens, caches, position):
        x = self.tokens(tokens)
        for layer, cache in zip(self.layers, caches, strict=True):
            x = layer(x, cache, position)
        return self.head(self.norm(x))


def new_caches(batch, tokens):
    """Keys and values of every layer, written once so that the memory is really taken."""
    shape = (batch, KV_HEADS, tokens, HEAD_DIM)
    return [
        tuple(torch.ones(shape, dtype=DTYPE, device=DEVICE) for _ in range(2))
        for _ in range(LAYERS)
    ]


# %% [markdown] memory
# ## Memory: predicted and taken
#
# `napkin.memory` knows the model by its configuration. What was taken is what the allocator says on
# a GPU, and on a CPU how far the process's memory has grown.

# %% memory-of-a-run
from napkin.kv import kv_cache_bytes
from napkin.models import from_config


def taken():
    """Bytes that are taken on the device now."""
    if DEVICE == "cuda":
        torch.cuda.synchronize()
        return torch.cuda.memory_allocated()
    if DEVICE == "mps":
        torch.mps.synchronize()
        return torch.mps.current_allocated_memory()
    import psutil

    return psutil.Process().memory_info().rss


config = {
    "model_type": "llama", "num_hidden_layers": LAYERS, "hidden_size": WIDTH,
    "num_attention_heads": HEADS, "num_key_value_heads": KV_HEADS, "intermediate_size": MLP,
    "vocab_size": VOCABULARY, "head_dim": HEAD_DIM, "tie_word_embeddings": False,
}  # fmt: skip
napkin_model = from_config(config)
BYTES = DTYPE.itemsize
CACHE = {torch.float16: "fp16", torch.float32: "fp32"}[DTYPE]

torch.randn(8, 8, device=DEVICE) @ torch.randn(8, 8, device=DEVICE)  # loads the libraries first
memory = {}  # what: (predicted, taken)

before = taken()
torch.manual_seed(0)
with torch.device(DEVICE):
    model = Decoder().to(DTYPE).requires_grad_(False)
parameters = sum(p.numel() for p in model.parameters())
assert parameters == napkin_model.total, (parameters, napkin_model.total)
memory["weights"] = (parameters * BYTES, taken() - before)

BATCH, TOKENS = 16, 2048
before = taken()
caches = new_caches(BATCH, TOKENS)
memory["KV cache"] = (
    kv_cache_bytes(napkin_model, TOKENS, BATCH, dtype=CACHE),
    taken() - before,
)
del caches


def show(rows):
    for what, (predicted, measured) in rows.items():
        off = measured / predicted - 1
        print(f"{what:16} predicted {predicted / 1e9:7.3f} GB   taken {measured / 1e9:7.3f} GB   {off:+.1%}")


print(f"{parameters:,} parameters of {BYTES} bytes; {BATCH} sequences of {TOKENS} tokens")
show(memory)

# %% [markdown] bandwidth
# ## Bandwidth
#
# Summing a large array reads every byte once and does next to nothing with it. The best of some
# tries is what your memory can deliver. The catalogue, where it knows the card, says what was
# promised.

# %% bandwidth-measured
from napkin.hardware import accelerator


def wait():
    if DEVICE != "cpu":
        getattr(torch, DEVICE).synchronize()


def seconds(work, tries):
    """The shortest of some tries."""
    best = float("inf")
    for _ in range(tries):
        wait()
        start = time.perf_counter()
        work()
        wait()
        best = min(best, time.perf_counter() - start)
    return best


array = torch.ones(2**28 if DEVICE != "cpu" else 2**26, device=DEVICE)
read = array.numel() * 4 / seconds(array.sum, 10)
del array
print(f"reads {read / 1e9:,.1f} GB/s")
try:
    card = accelerator(MACHINE)
    print(f"promised {card.bandwidth / 1e9:,.0f} GB/s ({card.name}): {read / card.bandwidth:.0%} reached")
except ValueError:
    print("no data sheet for this machine")

# %% [markdown] decode
# ## Tokens per second
#
# One token reads the weights of the layers and of the head, but only one row of the token table.
# The bound is the bandwidth divided by that. Beside it stands what you get.

# %% decode-measured
weights_read = (parameters - VOCABULARY * WIDTH) * BYTES
bound = read / weights_read
START, NEW = 128, 16


@torch.inference_mode()
def tokens_per_second(batch):
    """All sequences of a batch together, the best of three runs of 16 tokens each."""
    caches = new_caches(batch, START + NEW)
    tokens = torch.randint(VOCABULARY, (batch, 1), device=DEVICE)

    def run():
        for position in range(START, START + NEW):
            model(tokens, caches, position)

    run()
    return batch * NEW / seconds(run, 3)


print(f"the bound for one sequence: {read / 1e9:.1f} GB/s / {weights_read / 1e9:.3f} GB = {bound:.1f} tokens/s")
print("batch   tokens/s   of one sequence   times batch 1")
rates = {}
for batch in (1, 2, 4, 8, 16, 32, 64):
    rates[batch] = tokens_per_second(batch)
    print(
        f"{batch:5}   {rates[batch]:8.1f}   {rates[batch] / batch:15.1f}   {rates[batch] / rates[1]:13.1f}"
    )
print(f"one sequence reaches {rates[1] / bound:.0%} of the bound")

# %% plot
import matplotlib.pyplot as plt
from IPython.display import display

with plt.rc_context({"axes.spines.top": False, "axes.spines.right": False, "font.size": 11}):
    figure, axes = plt.subplots(figsize=(6, 3.6))
    batches = list(rates)
    axes.loglog(batches, [bound * b for b in batches], "--", color="#888888", label="bandwidth bound")
    axes.loglog(batches, list(rates.values()), "o-", color="#00796b", label="measured")
    axes.set_xticks(batches, [str(b) for b in batches])
    axes.minorticks_off()
    axes.set(xlabel="sequences in a batch", ylabel="tokens/s together")
    axes.legend(frameon=False)
    figure.tight_layout()
described = "Tokens per second against batch, measured beside the bound: " + ", ".join(
    f"{rate:.0f} at {b}" for b, rate in rates.items()
)
display(figure, metadata={"image/png": {"alt": described}})
plt.close(figure)

# %% [markdown] where-it-bends
# While the curve follows the dashed line, reading the weights is all that takes time, and a second
# sequence is free. Where it bends away, the arithmetic has become the longer part. A GPU bends
# at a batch of a hundred or more. A CPU does little arithmetic for its bandwidth and bends early.

# %% [markdown] training-state
# ## The state of training
#
# The same model, to be trained: gradients, and the two moments of Adam. In 32 bits that is
# 4 + 4 + 8 = 16 bytes for each parameter, weights included. On a CPU the process's memory also
# holds what the step left behind.

# %% memory-of-training
del model
if DEVICE == "cuda":
    torch.cuda.empty_cache()
SMALLER = 4  # so that a 16 GB card holds it: fewer layers
LAYERS //= SMALLER
config["num_hidden_layers"] = LAYERS
smaller = from_config(config)

before = taken()
with torch.device(DEVICE):
    model = Decoder()
model.requires_grad_(True)
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
for p in model.parameters():
    p.grad = torch.ones_like(p)
optimizer.step()
memory["training state"] = (16 * smaller.total, taken() - before)
print(f"{smaller.total:,} parameters")
show({"training state": memory["training state"]})

# %% [markdown] named-model
# ## A model with a name
#
# With a network and `transformers`, the same comparison for a small open model. Without, the cell
# says so and nothing is lost.

# %% named
NAME = "HuggingFaceTB/SmolLM2-135M"
try:
    os.environ.setdefault("HF_HUB_DOWNLOAD_TIMEOUT", "10")
    from transformers import AutoModelForCausalLM

    named = AutoModelForCausalLM.from_pretrained(NAME, dtype=DTYPE).to(DEVICE)
except Exception as problem:
    print(f"{NAME} is not at hand ({type(problem).__name__}): install transformers and connect")
else:
    described = from_config(named.config.to_dict(), name=NAME)
    counted = sum(p.numel() for p in named.parameters())
    print(f"{NAME}: {counted:,} parameters, napkin says {described.total:,}")
    tokens = torch.randint(1000, (1, 16), device=DEVICE)
    with torch.inference_mode():
        named.generate(tokens, max_new_tokens=4, do_sample=False)
        each = seconds(lambda: named.generate(tokens, max_new_tokens=32, do_sample=False), 2) / 32
    print(f"{1 / each:.1f} tokens/s, the bound is {read / (counted * BYTES):.1f}")

# %% [markdown] compare
# ## Beside your estimate

# %% summary
your_guess = {"batch 1": None, "batch 16": None}  # tokens per second together

for name, batch in [("batch 1", 1), ("batch 16", 16)]:
    guess = your_guess[name]
    beside = "no guess written down" if guess is None else f"your guess {guess:,.0f}"
    bound_here = f"the bound {bound * batch:,.0f}"
    print(f"{name:9} measured {rates[batch]:8,.1f} tokens/s, {bound_here}, {beside}")
show(memory)

# %% [markdown] next
# ## What to change next
#
# - `DTYPE = torch.bfloat16`: half the bytes. Does a single sequence get twice the tokens?
# - `START = 8192`: now the cache is read too. From which batch on does it cost as much as the
#   weights?
# - `KV_HEADS = HEADS`: no sharing of keys and values. What happens to the memory row of the cache?
