"""Cells of the lesson "Training compute": FLOP, time and money of a run by C = 6ND."""

# %% forward-by-hand
layer_1 = (20, 25)  # 20 numbers in, 25 out
layer_2 = (25, 20)

parameters = forward = 0
for rows, columns in [layer_1, layer_2]:
    parameters += rows * columns
    forward += 2 * rows * columns  # a multiply and an add

print(f"{parameters:,} parameters")
print(f"{forward:,} FLOP for one token")

# %% toy-run
N = 1_000  # parameters
D = 500  # training tokens

forward = 2 * N
backward = 4 * N
print(f"per token: {forward:,} + {backward:,} FLOP")
print(f"whole run: {(forward + backward) * D:,} FLOP")

# %% rule-against-count
from napkin.flops import training_flops
from napkin.models.presets import preset

tokens = 1e9
print("model        context  count")
for name in ["gpt2", "llama-3.1-8b"]:
    model = preset(name)
    rule = 6 * model.total * tokens
    for context in [1024, 8192, 131072]:
        if context > model.max_context:
            continue
        table = training_flops(model, tokens, context, convention="kernel")
        ratio = table.value("total") / rule
        print(f"{name:12} {context:7,} {ratio:5.2f} × 6ND")

# %% hours
def run_hours(flop, gpus, peak, mfu):
    return flop / (gpus * peak * mfu) / 3600


flop = 6 * 100e6 * 3e9  # 100M parameters, 3B tokens
hours = run_hours(flop, gpus=1, peak=1e15, mfu=0.5)
print(f"{flop:.1e} FLOP, {hours:.1f} GPU-hours")
print(f"at $3 per hour: ${3 * hours:.2f}")

# %% known-runs
runs = [
    ("GPT-2 small", 124e6, 10e9),
    ("7B fine-tune", 7e9, 50e6),
    ("GPT-3", 175e9, 300e9),
    ("7B on 2T", 7e9, 2e12),
    ("Llama 405B", 405e9, 15.6e12),
]


def in_short(hours):
    return f"{hours:,.1f}" if hours < 100 else f"{hours:,.0f}"


print("hours of one       A100       H100     FLOP")
for name, n, d in runs:
    flop = 6 * n * d
    a100 = run_hours(flop, 1, 312e12, 0.4)
    h100 = run_hours(flop, 1, 989e12, 0.4)
    print(f"{name:12} {in_short(a100):>10} {in_short(h100):>10} {flop:.2e}")

# %% same-budget
from napkin.scaling import loss

budget = 6 * 8e9 * 160e9  # FLOP: try another
for n in [1e9, 2e9, 4e9, 8e9, 16e9, 32e9, 64e9]:
    d = budget / 6 / n
    guess = loss(n, d).value("loss")
    print(f"{n / 1e9:3.0f}B on {d / 1e9:6,.0f}B tokens: loss {guess:.3f}")

# %% lifetime
served = 2e12  # tokens written for users, all told

for n, d in [(8e9, 160e9), (4e9, 399e9)]:
    quality = loss(n, d).value("loss")
    train, serve = 6 * n * d, 2 * n * served
    print(f"{n / 1e9:.0f}B on {d / 1e9:.0f}B tokens: loss {quality:.3f}")
    print(f"  train {train:.1e} + serve {serve:.1e}")
    print(f"  = {train + serve:.1e} FLOP")

# %% experts
print("model        memory  at work per token")
for name in ["mixtral-8x7b", "gpt-oss-120b", "deepseek-v3"]:
    model = preset(name)
    print(
        f"{name:12} {model.total / 1e9:6.1f}B"
        f" {model.active / 1e9:7.1f}B"
    )

# %% your-own-run
flop = 6 * 350e6 * 7e9  # parameters, tokens
hours = run_hours(flop, gpus=1, peak=989e12, mfu=0.35)
print(f"{hours:.1f} hours, ${3 * hours:.0f}")
