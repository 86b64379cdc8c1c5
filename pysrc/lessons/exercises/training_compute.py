"""Exercises of "Training compute"."""

# %% run-cost
"""Time and money of a run

Write `run_cost`: return the hours that a run takes and the dollars it costs, both. `parameters` and
`tokens` say what is trained, `gpus` how many work at once, `peak` is the FLOP/s of one, `mfu` the
share reached, and `price` the dollars for one GPU and hour.

Expected: for 350 million parameters on 7 billion tokens, one H100 at 35 % and $3: about 11.8 hours
and $35.

Hints:
- The work is 6 FLOP for each parameter and token.
- All GPUs together do `gpus * peak * mfu` FLOP in a second.
- You pay for every GPU, for every hour.

Why: twice the GPUs take half the hours, so the money stays the same, as long as MFU does.
"""
def run_cost(parameters, tokens, gpus, peak, mfu, price):
    flop = 6 * parameters * tokens  #? the work
    hours = flop / (gpus * peak * mfu) / 3600  #? of waiting
    return hours, hours * gpus * price  #? hours and dollars


# %% run-cost check
hours, dollars = run_cost(350e6, 7e9, 1, 989e12, 0.35, 3)
assert not close(hours, 11.8 / 3, 0.02), "That is 2 FLOP each: training needs 6, backward included."
assert not close(hours, 11.8 * 0.35**2, 0.02), "Divide by MFU: a lower share takes longer."
assert not close(hours, 11.8 * 3600, 0.02), "Those are seconds. An hour has 3,600."
assert close(hours, 11.8, 0.02)
assert close(dollars, 35.4, 0.02)
hours, dollars = run_cost(350e6, 7e9, 8, 989e12, 0.35, 3)
assert close(hours, 11.8 / 8, 0.02), "Eight GPUs share the work."
assert close(dollars, 35.4, 0.02), "Every GPU costs money: multiply the hours by the GPUs."

# %% run-cost mistake
"""training needs 6"""
def run_cost(parameters, tokens, gpus, peak, mfu, price):
    hours = 2 * parameters * tokens / (gpus * peak * mfu) / 3600
    return hours, hours * gpus * price


# %% run-cost mistake 2
"""a lower share takes longer"""
def run_cost(parameters, tokens, gpus, peak, mfu, price):
    hours = 6 * parameters * tokens / (gpus * peak) * mfu / 3600
    return hours, hours * gpus * price


# %% run-cost mistake 3
"""An hour has 3,600"""
def run_cost(parameters, tokens, gpus, peak, mfu, price):
    hours = 6 * parameters * tokens / (gpus * peak * mfu)
    return hours, hours * gpus * price


# %% run-cost mistake 4
"""Every GPU costs money"""
def run_cost(parameters, tokens, gpus, peak, mfu, price):
    hours = 6 * parameters * tokens / (gpus * peak * mfu) / 3600
    return hours, hours * price


# %% deadline
"""GPUs for a deadline

A run must be done in `days`. How many GPUs does it need? Write `gpus_needed`, a whole number:
GPUs come in ones.

Expected: a 7B model on 2 trillion tokens, on H100s at 40 %: 99 GPUs for 25 days.

Hints:
- How many FLOP does one GPU do in that time? A day has 86,400 seconds.
- Divide, and round up: with fewer you miss the deadline.

Why: real clusters are rented in machines of 8, so you would ask for 104.
"""
from math import ceil


def gpus_needed(parameters, tokens, peak, mfu, days):
    one = peak * mfu * days * 86_400  #? FLOP of one GPU by the deadline
    return ceil(6 * parameters * tokens / one)  #? GPUs


# %% deadline check
got = gpus_needed(7e9, 2e12, 989e12, 0.4, 25)
assert got != 98, "Round up: 98 GPUs need a little more than 25 days."
assert not close(got, 99 / 24, 0.02) and not close(got, 99 * 24, 0.02), "A day has 86,400 seconds."
assert got == 99
assert gpus_needed(124e6, 10e9, 989e12, 0.4, 1) == 1

# %% deadline mistake
"""Round up"""
def gpus_needed(parameters, tokens, peak, mfu, days):
    return round(6 * parameters * tokens / (peak * mfu * days * 86_400))


# %% mfu-of-a-run
"""MFU from a report

A report says how many tokens a cluster trained on in a second, all GPUs together. Write `mfu`.

Expected: 8 H100s that train an 8B model at 60,000 tokens per second reach 36 %:
`mfu(8e9, 60_000, 8, 989e12) ≈ 0.364`

Hints:
- Each token costs `6 * parameters` FLOP.
- Divide what was done by what could have been done.

Why: this is how you check a run that you pay for, in its first minute.
"""
def mfu(parameters, tokens_per_second, gpus, peak):
    done = 6 * parameters * tokens_per_second  #? FLOP/s that served the model
    return done / (gpus * peak)  #? as a share of the peak


# %% mfu-of-a-run check
got = mfu(8e9, 60_000, 8, 989e12)
assert not close(got, 0.364 / 3), "Training costs 6 FLOP per parameter and token, not 2."
assert not close(got, 0.364 * 8), "Eight GPUs could have done eight times as much."
assert not close(got, 36.4), "Give a share between 0 and 1."
assert close(got, 0.364)
assert close(mfu(405e9, 2.6e6, 16384, 989e12), 0.39), "Try the shape of Llama 3 405B."

# %% mfu-of-a-run mistake
"""not 2"""
def mfu(parameters, tokens_per_second, gpus, peak):
    return 2 * parameters * tokens_per_second / (gpus * peak)


# %% mfu-of-a-run mistake 2
"""eight times as much"""
def mfu(parameters, tokens_per_second, gpus, peak):
    return 6 * parameters * tokens_per_second / peak
