# %% [markdown] title
# # Measure MFU
#
# A GPU's data sheet promises a peak. A training run gets a part of it: its **model FLOPs
# utilization** (MFU). Here you train a small GPT for 50 steps at three batch sizes, count its FLOP
# in three ways, measure what your machine can really do, and divide.
#
# **Write down before you run anything:** what MFU do you expect at batch 8? At batch 512? By what
# factor do the two differ?
#
# The notebook runs unchanged on a CPU, on a free T4, on a rented H100 and on Apple's MPS. On a CPU
# the model is smaller and every batch is divided by 8, so that the largest takes a minute or two.
#
# Background: [Counting operations](../../lessons/counting-operations/).

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
# ## A small GPT
#
# Five sizes decide the arithmetic of a GPT. Change them later and watch what moves.

# %% model
import torch.nn.functional as F
from torch import nn

LAYERS, HEADS, WIDTH, CONTEXT, VOCABULARY = 6, 6, 384, 128, 4096
BATCHES = [8, 64, 512]
if DEVICE == "cpu":  # the rule for a CPU: a smaller model, and an eighth of each batch
    LAYERS, HEADS, WIDTH, CONTEXT = 4, 4, 256, 64
    BATCHES = [batch // 8 for batch in BATCHES]
STEPS = 50


class Block(nn.Module):
    """Attention, then an MLP four times as wide, each added to what came in."""

    def __init__(self, fused_attention: bool = True):
        super().__init__()
        self.fused_attention = fused_attention
        self.norm_1, self.norm_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        batch, tokens, _ = x.shape
        q, k, v = (
            part.view(batch, tokens, HEADS, WIDTH // HEADS).transpose(1, 2)
            for part in self.qkv(self.norm_1(x)).split(WIDTH, dim=2)
        )
        if self.fused_attention:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            scores = q @ k.transpose(2, 3) / (WIDTH // HEADS) ** 0.5
            later = torch.ones(tokens, tokens, dtype=torch.bool, device=x.device).triu(1)
            y = scores.masked_fill(later, float("-inf")).softmax(-1) @ v
        x = x + self.out(y.transpose(1, 2).reshape(batch, tokens, WIDTH))
        return x + self.down(F.gelu(self.up(self.norm_2(x))))


class GPT(nn.Module):
    """Token and position tables, the blocks, and a head that shares the token table."""

    def __init__(self, fused_attention: bool = True):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.ModuleList(Block(fused_attention) for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, tokens, targets):
        x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        return F.cross_entropy(logits.view(-1, VOCABULARY).float(), targets.reshape(-1))


def new_model(**options):
    torch.manual_seed(0)
    return GPT(**options).to(DEVICE)


def batch_of(sequences):
    """Random tokens: the arithmetic does not care what they say."""
    tokens = torch.randint(VOCABULARY, (sequences, CONTEXT + 1), device=DEVICE)
    return tokens[:, :-1], tokens[:, 1:]


parameters = sum(p.numel() for p in new_model().parameters())
print(f"{parameters:,} parameters")

# %% [markdown] three-counts
# ## The FLOP of one token, three times
#
# 1. The rule: 6*N* for forward and backward, with *N* the parameters without the two tables.
# 2. `napkin.flops`: every matrix product, from the configuration alone.
# 3. PyTorch's own counter, which watches the operations go by.

# %% count
from napkin.flops import training_flops
from napkin.models import from_config
from torch.utils.flop_counter import FlopCounterMode

config = {
    "model_type": "gpt2", "n_layer": LAYERS, "n_head": HEADS, "n_embd": WIDTH,
    "n_positions": CONTEXT, "vocab_size": VOCABULARY,
}  # fmt: skip
napkin_model = from_config(config)
assert napkin_model.total == parameters

rule = 6 * (parameters - (VOCABULARY + CONTEXT) * WIDTH)
parts = training_flops(napkin_model, CONTEXT, CONTEXT)
counted = parts.total.value / CONTEXT


def flops_seen(**options):
    model = new_model(**options)
    with FlopCounterMode(display=False) as counter:
        model(*batch_of(2)).backward()
    return counter.get_total_flops() / (2 * CONTEXT)


plain, fused = flops_seen(fused_attention=False), flops_seen()
print("FLOP per token in training:")
for name, value in [
    ("6N rule", rule),
    ("napkin.flops", counted),
    ("PyTorch's counter, plain attention", plain),
    ("PyTorch's counter, fused attention", fused),
]:
    print(f"  {name:36} {value / 1e6:6.2f} M   {value / counted:6.1%} of napkin's")

# %% [markdown] why-they-differ
# Why they differ:
#
# - The rule leaves out the **output head** (a product with the token table, large here because the
#   model is small) and the **scores** of attention. In a 70B model both are a few percent.
# - The counter with plain attention sees every product, and so does `napkin`: they agree.
# - With fused attention the counter knows some kernels and not others. On a CPU it misses the fused
#   one altogether, and the count drops by the scores. A counter is only as good as its list.
#
# From here on, `napkin`'s count is the FLOP in "model FLOPs".

# %% [markdown] the-peak
# ## The peak: promised and reached
#
# The promise is in the catalogue. What a large matrix product reaches is closer to what any code
# could do. MFU is quoted against the promise; the second tells how much of the gap is yours.

# %% peak
from napkin.hardware import accelerator

HALF = torch.float16 if DEVICE == "cuda" and torch.cuda.get_device_capability()[0] < 8 else (
    torch.bfloat16
)  # fmt: skip


def wait():
    if DEVICE != "cpu":
        getattr(torch, DEVICE).synchronize()


def matmul_peak(dtype, side, seconds=2):
    """The best product of two side × side matrices within that time, FLOP/s."""
    a, b = (torch.randn(side, side, device=DEVICE).to(dtype) for _ in range(2))
    a @ b
    wait()
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:  # many: what else runs on the machine only ever slows one down
        start = time.perf_counter()
        a @ b
        wait()
        best = min(best, time.perf_counter() - start)
    return 2 * side**3 / best


torch.backends.cuda.matmul.allow_tf32 = True
side = 8192 if DEVICE == "cuda" else 2048
measured = {dtype: matmul_peak(dtype, side) for dtype in (torch.float32, HALF)}
promised = None
try:
    card = accelerator(MACHINE)
    promised = {
        torch.float32: card.peaks.get("tf32") or card.peaks.get("fp32"),
        torch.float16: card.peaks.get("fp16"),
        torch.bfloat16: card.peaks.get("bf16"),
    }
    print(f"data sheet: {card.name}, {card.source}")
except ValueError:
    print("no data sheet for this machine: MFU is taken against the measured product")
for dtype, value in measured.items():
    sheet = promised and promised[dtype]
    share = f"  {value / sheet:.0%} of the promised {sheet / 1e12:.0f}" if sheet else ""
    print(f"{dtype!s:15} {value / 1e12:8.3f} TFLOP/s reached by a {side}³ product{share}")


def peak_of(dtype):
    return (promised and promised[dtype]) or measured[dtype]


# %% [markdown] the-run
# ## Fifty steps at three batch sizes

# %% train
def tokens_per_second(sequences, steps=STEPS, dtype=torch.float32, compiled=False, **options):
    """Train on random tokens; the tokens that go through the model each second."""
    model = new_model(**options)
    if compiled:
        model.compile()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    tokens, targets = batch_of(sequences)

    def step():
        with torch.autocast(DEVICE, dtype=dtype, enabled=dtype != torch.float32):
            loss = model(tokens, targets)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

    for _ in range(2):  # the first steps choose kernels and fill caches
        step()
    wait()
    start = time.perf_counter()
    for _ in range(steps):
        step()
    wait()
    return steps * sequences * CONTEXT / (time.perf_counter() - start)


rates = {batch: tokens_per_second(batch) for batch in BATCHES}
mfus = {batch: rate * counted / peak_of(torch.float32) for batch, rate in rates.items()}
print("batch   tokens/s   TFLOP/s     MFU")
for batch, rate in rates.items():
    print(f"{batch:5}   {rate:8,.0f}   {rate * counted / 1e12:7.3f}   {mfus[batch]:5.1%}")

# %% plot
import matplotlib.pyplot as plt
from IPython.display import display

with plt.rc_context({"axes.spines.top": False, "axes.spines.right": False, "font.size": 11}):
    figure, axes = plt.subplots(figsize=(6, 3.2))
    axes.plot(range(len(mfus)), [100 * m for m in mfus.values()], "o-", color="#00796b")
    axes.set_xticks(range(len(mfus)), [str(batch) for batch in mfus])
    axes.set(xlabel="sequences in a batch", ylabel="MFU (%)", ylim=(0, None))
    figure.tight_layout()
described = "MFU against batch: " + ", ".join(f"{m:.0%} at {b}" for b, m in mfus.items())
display(figure, metadata={"image/png": {"alt": described}})
plt.close(figure)

# %% [markdown] what-moves-it
# ## What moves it
#
# One change at a time, at the middle batch: 16-bit numbers, `torch.compile`, plain attention.

# %% variants
middle = BATCHES[1]
variants = {
    "as above": {},
    "16-bit matrix products": {"dtype": HALF},
    "plain attention": {"fused_attention": False},
    "torch.compile": {"compiled": True},
}
print(f"at batch {middle}:")
for name, options in variants.items():
    try:
        rate = tokens_per_second(middle, steps=10, **options)
    except Exception as problem:
        print(f"  {name:24} not on this machine: {type(problem).__name__}")
        continue
    dtype = options.get("dtype", torch.float32)
    print(
        f"  {name:24} {rate:8,.0f} tokens/s   {rate / rates[middle]:4.2f} times the speed   "
        f"MFU {rate * counted / peak_of(dtype):5.1%} of the {str(dtype)[6:]} peak"
    )

# %% [markdown] compare
# ## Beside your estimate
#
# Fill in what you wrote down. A machine gets efficient when each weight that it fetches meets many
# tokens, and when the fixed cost of starting an operation is small beside the operation.

# %% summary
your_guess = {"smallest batch": None, "largest batch": None}  # such as 0.10 and 0.50

first, last = BATCHES[0], BATCHES[-1]
for name, batch in [("smallest batch", first), ("largest batch", last)]:
    guess = your_guess[name]
    beside = "no guess written down" if guess is None else f"your guess {guess:.0%}"
    print(f"{name} ({batch}): measured {mfus[batch]:.1%}, {beside}")
print(f"batch {last} is {mfus[last] / mfus[first]:.1f} times as efficient as batch {first}")

# %% [markdown] next
# ## What to change next
#
# - `WIDTH = 768`: larger matrices, more work for each byte. Does the smallest batch gain most?
# - `CONTEXT = 512` with a quarter of the batch: as many tokens, more scores. Does `counted` still
#   agree with PyTorch's counter?
# - On a GPU, combine `dtype=HALF` with `compiled=True` at the largest batch. Well-tuned large runs
#   report 30 to 50 %.
