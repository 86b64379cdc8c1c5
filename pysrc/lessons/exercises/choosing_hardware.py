"""Exercises of "Throughput, latency, cost, and choosing hardware"."""

# %% cost-per-million
"""Dollars per million tokens

A server is rented at `price` dollars per hour and writes `rate` tokens per second, all its readers
together. It is busy for the share `busy` of the time. Write `dollars`: what a million tokens cost.

Expected: `dollars(3, 1_000, 1.0) ≈ 0.833`, `dollars(3, 1_000, 0.25) ≈ 3.33`

Hints:
- How many tokens does it write in an hour, if it is busy all the time?
- An idle hour costs as much as a busy one.

Why: the price per token is decided by how many share the machine, and by how long it stands idle.
"""
def dollars(price, rate, busy):
    per_hour = rate * 3600 * busy  #? tokens in an hour
    return price / per_hour * 1e6  #? dollars per million


# %% cost-per-million check
got = dollars(3, 1_000, 0.25)
assert not close(got, 0.833), "It stands idle for most of the time, and that is paid as well."
assert not close(got, 0.2083), "Idle time makes tokens dearer: divide by the share."
assert not close(got, 12_000), "An hour has 3,600 seconds."
assert not close(got, 3.33e-6), "That is one token. A million of them, please."
assert close(got, 3.333)
assert close(dollars(3, 1_000, 1.0), 0.8333)

# %% cost-per-million mistake
"""that is paid as well"""
def dollars(price, rate, busy):
    return price / (rate * 3600) * 1e6


# %% cost-per-million mistake 2
"""divide by the share"""
def dollars(price, rate, busy):
    return price / (rate * 3600) * 1e6 * busy


# %% cost-per-million mistake 3
"""A million of them"""
def dollars(price, rate, busy):
    return price / (rate * 3600 * busy)


# %% time-to-answer
"""How long until the answer is there

A reader sends a prompt of `prompt` tokens and gets an answer of `answer` tokens. The server reads
`reading` tokens per second and writes `writing` tokens per second for this reader. Write `times`:
the seconds until the first token, and until the last one.

Expected: `times(2_000, 400, 10_000, 40)` gives 0.2 and 10.2 seconds.

Hints:
- Nothing can be written before the prompt is read.
- Then the answer comes token by token.

Why: the first number is what feels quick, the second is what feels long. They are improved by
different things.
"""
def times(prompt, answer, reading, writing):
    first = prompt / reading  #? seconds to the first token
    return first, first + answer / writing  #? and to the last


# %% time-to-answer check
first, last = times(2_000, 400, 10_000, 40)
assert not close(first, 50), "The prompt is read: use the faster rate."
assert close(first, 0.2)
assert not close(last, 10, 0.005), "Add the time that reading the prompt took."
assert close(last, 10.2, 0.005)

# %% time-to-answer mistake
"""use the faster rate"""
def times(prompt, answer, reading, writing):
    return prompt / writing, (prompt + answer) / writing


# %% time-to-answer mistake 2
"""Add the time that reading"""
def times(prompt, answer, reading, writing):
    return prompt / reading, answer / writing
