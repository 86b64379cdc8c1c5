"""Cells of the lesson "Throughput, latency, cost, and choosing hardware"."""

# %% two-goals
from napkin.models.presets import preset
from napkin.serving import batch_sweep
from napkin.speed import Setup

model = preset("llama-3.1-8b")
setup = Setup.of("H100", weights="bf16")
price = 3.0  # dollars per hour

print("readers  tokens/s each  $ per million")
for batch, each, together in batch_sweep(model, setup, [1, 8, 64, 256]):
    dollars = price / 3600 / together.typical * 1e6
    print(f"{batch:7} {each.typical:14.0f} {dollars:14.2f}")

# %% bill
def serving_bill(tokens_per_day, tokens_per_second, price_per_hour):
    seconds = tokens_per_day / tokens_per_second
    return seconds / 3600 * price_per_hour


for rate in [140, 1_000, 6_000]:
    print(f"{rate:5,} tokens/s: ${serving_bill(50e6, rate, 3):8,.2f} a day")

# %% what-fits
from napkin.solve import fit

for weights in ["bf16", "int4"]:
    for card in ["T4", "RTX 4090", "H100"]:
        table = fit("llama-3.1-8b", card, weights=weights, context=8000)
        left = table.value("spare") / 1e9
        says = f"{left:.1f} GB left" if left > 0 else "does not fit"
        print(f"8B in {weights:4} on {card:8}: {says}")

# %% rent-or-buy
price = 1_599  # dollars, a card
rent = 0.40  # dollars per hour for the same card
power = 0.45 * 0.30  # kW times dollars per kWh

hours = price / (rent - power)
print(f"buying pays after {hours:,.0f} hours of use")
print(f"{hours / 8 / 250:.1f} years of 8-hour working days")

# %% where-am-i
try:
    import torch
except ImportError:
    print("no PyTorch here: NumPy, on the CPU")
else:
    if torch.cuda.is_available():
        print("NVIDIA (CUDA):", torch.cuda.get_device_name())
    elif torch.backends.mps.is_available():
        print("Apple (MPS)")
    else:
        print("PyTorch on the CPU")

# %% measure-mfu [volatile]
import tinytorch as torch
from napkin.machine import whole_matrix
from napkin.timing import clock_tick, time_call
from tinytorch.gpt import GPT
from tinytorch.nn import functional

tick = clock_tick()


def fastest(work):  # seconds: the best of five is the least disturbed
    times = [time_call(work, tick=tick, runs=1) for _ in range(5)]
    return min(each.seconds for each in times)


a = whole_matrix(128, 1)
peak = 2 * 128**3 / fastest(lambda: a @ a.T)
model = GPT(layers=2, width=64, heads=4, context=16, words=256)
optimizer = torch.optim.AdamW(model.parameters())
N = 12 * 2 * 64**2  # without the tables


def step(tokens):
    optimizer.zero_grad()
    logits = model(tokens[:, :-1])
    loss = functional.cross_entropy(logits, tokens[:, 1:].reshape(-1))
    loss.backward()
    optimizer.step()


print("batch  MFLOP: 6ND  counted   MFU")
for batch in [1, 8, 64]:
    tokens = torch.randint(256, (batch, 17))
    with torch.FlopCounterMode() as counter:
        step(tokens)
    rule, counted = 6 * N * batch * 16, counter.get_total_flops()
    mfu = counted / fastest(lambda t=tokens: step(t)) / peak
    print(f"{batch:5} {rule / 1e6:11.1f} {counted / 1e6:8.1f} {mfu:5.0%}")

# %% your-plan
parameters, bytes_each = 14e9, 0.56  # change these
memory = 24e9  # of your card
bandwidth = 1.0e12

weights = parameters * bytes_each
print(f"weights {weights / 1e9:.1f} GB of {memory / 1e9:.0f}")
print(f"left for the cache {(memory - weights) / 1e9:.1f} GB")
print(f"at most {bandwidth / weights:.0f} tokens/s for one reader")
