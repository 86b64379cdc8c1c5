"""Cells of the lesson "Arithmetic intensity and the roofline"."""

# %% two-intensities
n = 4096
size = 2  # bytes of a bf16 number

add_flop = n * n
add_bytes = 3 * n * n * size  # read two, write one
print(f"adding:      {add_flop / add_bytes:8.2f} FLOP per byte")

product_flop = 2 * n**3
product_bytes = 3 * n * n * size
print(f"multiplying: {product_flop / product_bytes:8.2f} FLOP per byte")

# %% ridges
from napkin.hardware import accelerator

print("         TFLOP/s ÷ TB/s = FLOP/byte")
for name in ["T4", "RTX 4090", "A100", "H100", "H200", "B200"]:
    gpu = accelerator(name)
    ridge = gpu.peak_16bit / gpu.bandwidth
    print(
        f"{name:8} {gpu.peak_16bit / 1e12:7,.0f}"
        f" ÷ {gpu.bandwidth / 1e12:.2f} = {ridge:4.0f}"
    )

# %% decode-limits
def limit(parameters, bytes_each, bandwidth):
    return bandwidth / (parameters * bytes_each)


print("tokens/s    bf16  4-bit")
for name in ["RTX 4090", "A100", "H100", "H200"]:
    bandwidth = accelerator(name).bandwidth
    bf16, four_bit = (limit(7e9, b, bandwidth) for b in (2, 4.5 / 8))
    print(f"{name:10} {bf16:5.0f} {four_bit:6.0f}")

# %% faster-chip
def tokens_per_second(peak, bandwidth, batch=1):
    step = max(7e9 * 2 / bandwidth, 2 * 7e9 * batch / peak)
    return 1 / step


chips = [
    ("H100", 989e12, 3.35e12),
    ("twice the FLOP/s", 1978e12, 3.35e12),
    ("an H200's memory", 989e12, 4.8e12),
]
for name, peak, bandwidth in chips:
    rate = tokens_per_second(peak, bandwidth)
    print(f"{name:17} {rate:.0f} tokens/s")

# %% your-own-limit
limit(8e9, 0.5, 1e12)  # parameters, bytes each, bandwidth

# %% batch-intensity
def layer_intensity(batch, rows=4096, columns=4096, size=2):
    flop = 2 * batch * rows * columns
    weights = rows * columns * size
    vectors = batch * (rows + columns) * size
    return flop / (weights + vectors)


for batch in [1, 16, 128, 512, 4096]:
    print(f"batch {batch:5}: {layer_intensity(batch):7.1f} FLOP per byte")

# %% batch-sweep
peak, bandwidth = 989e12, 3.35e12  # H100
parameters = 7e9

print("batch   each  together, tokens/s")
for batch in [1, 8, 64, 295, 1024]:
    reading = parameters * 2 / bandwidth
    computing = 2 * parameters * batch / peak
    step = max(reading, computing)
    print(f"{batch:5} {1 / step:6.0f} {batch / step:9,.0f}")

# %% cache-too
from napkin.kv import kv_cache_bytes
from napkin.models.presets import preset

model = preset("llama-3.1-8b")
weights = model.total * 2
print("batch  cache GB  each  together")
for batch in [1, 16, 64]:
    cache = kv_cache_bytes(model, 8000, batch)
    step = (weights + cache) / 3.35e12
    print(
        f"{batch:5} {cache / 1e9:9.1f} {1 / step:5.0f}"
        f" {batch / step:9,.0f}"
    )

# %% speculation
from napkin.speculative import tokens_per_round

for right in [0.6, 0.8, 0.9]:
    got = tokens_per_round(right, 4)
    print(f"right {right:.0%}: {got:.1f} tokens per pass")
