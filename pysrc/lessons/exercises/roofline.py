"""Exercises of "Arithmetic intensity and the roofline"."""

# %% decode-limit
"""Tokens per second for one reader

Write `decode_limit`: the most tokens per second that one reader can get from a model of
`parameters` weights of `bits` bits each, on a device whose memory delivers `bandwidth` bytes per
second.

Expected: `decode_limit(8e9, 4, 1e12) = 250`, `decode_limit(7e9, 16, 3.35e12) ≈ 239`

Hints:
- Every weight is read once for each token.
- How many bytes are all weights together? A byte has 8 bits.

Why: no FLOP/s anywhere. For one reader, the arithmetic is done before the next byte is there.
"""
def decode_limit(parameters, bits, bandwidth):
    weights = parameters * bits / 8  #? bytes of all weights
    return bandwidth / weights  #? tokens per second


# %% decode-limit check
got = decode_limit(8e9, 4, 1e12)
assert not close(got, 31.25), "Those are bits: 8 of them are a byte."
assert not close(got, 1 / 250), "That is the time for one token. Turn it round."
assert close(got, 250)
assert close(decode_limit(7e9, 16, 3.35e12), 239.3)
assert close(decode_limit(70e9, 4.5, 8e12), 203.2)

# %% decode-limit mistake
"""8 of them are a byte"""
def decode_limit(parameters, bits, bandwidth):
    return bandwidth / (parameters * bits)


# %% decode-limit mistake 2
"""Turn it round"""
def decode_limit(parameters, bits, bandwidth):
    return parameters * bits / 8 / bandwidth


# %% intensity
"""Intensity of a layer for a batch

A bf16 weight matrix of `rows` × `columns` meets `batch` vectors. Write `intensity`, the FLOP for
each byte that passes between memory and chip: the weights, the vectors in and the vectors out, once
each.

Expected: `intensity(1, 4096, 4096) ≈ 1.0`, `intensity(512, 4096, 4096) ≈ 410`

Hints:
- The work is `2 * batch * rows * columns` FLOP.
- A vector has `rows` numbers on its way in and `columns` on its way out, of 2 bytes each.

Why: while the batch is small, the weights are nearly all of the bytes, and the intensity is the
batch.
"""
def intensity(batch, rows, columns):
    flop = 2 * batch * rows * columns
    moved = 2 * (rows * columns + batch * (rows + columns))  #? bytes that move
    return flop / moved  #? FLOP per byte


# %% intensity check
got = intensity(512, 4096, 4096)
assert not close(got, 512, 0.001), "The vectors move, too: in and out, one each for every reader."
assert not close(got, 2 * 409.6, 0.001), "A bf16 number has 2 bytes."
assert not close(got, 455.1, 0.002), "The results have to be written, too."
assert close(got, 409.6)
assert close(intensity(1, 4096, 4096), 1.0)
assert close(intensity(8, 1024, 4096), 7.92, 0.02)

# %% intensity mistake
"""in and out"""
def intensity(batch, rows, columns):
    return 2 * batch * rows * columns / (2 * rows * columns)


# %% intensity mistake 2
"""2 bytes"""
def intensity(batch, rows, columns):
    return 2 * batch * rows * columns / (rows * columns + batch * (rows + columns))


# %% step-time
"""Time of one step, and what bounds it

A batch of readers each get one token. Write `step`: the seconds that it takes on a device with
`peak` FLOP/s and `bandwidth` B/s, and the word `"memory"` or `"compute"` for what it waits for.
The weights are bf16; caches and vectors are left out.

Expected: for 7 billion parameters on an H100, one reader waits 4.18 ms for memory.

Hints:
- Reading takes `parameters * 2 / bandwidth` seconds, however many read along.
- Computing takes 2 FLOP for each parameter and reader.
- Both go on at the same time, so the longer one decides.

Why: this is the roofline, as a function.
"""
def step(parameters, batch, peak, bandwidth):
    reading = parameters * 2 / bandwidth  #? seconds to read the weights
    computing = 2 * parameters * batch / peak  #? seconds to compute
    seconds = max(reading, computing)  #? the step
    return seconds, "memory" if reading > computing else "compute"  #? seconds, word


# %% step-time check
seconds, bound = step(7e9, 1, 989e12, 3.35e12)
assert not close(seconds, 4.179e-3 + 1.416e-5, 0.0005), "They overlap: the longer, not the sum."
assert close(seconds, 4.179e-3, 0.0005)
assert bound == "memory", "One reader waits for memory."
seconds, bound = step(7e9, 1024, 989e12, 3.35e12)
assert close(seconds, 14.5e-3), "With 1,024 readers computing is longer: each needs its own."
assert bound == "compute"

# %% step-time mistake
"""not the sum"""
def step(parameters, batch, peak, bandwidth):
    reading = parameters * 2 / bandwidth
    computing = 2 * parameters * batch / peak
    return reading + computing, "memory" if reading > computing else "compute"


# %% step-time mistake 2
"""each needs its own"""
def step(parameters, batch, peak, bandwidth):
    reading = parameters * 2 / bandwidth
    computing = 2 * parameters / peak
    return max(reading, computing), "memory" if reading > computing else "compute"
