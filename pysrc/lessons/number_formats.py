"""Numbers in memory: bits of a float, gaps, updates that vanish, blocks with a shared scale."""

# %% take-apart
from napkin.formats import bit_text, encode, format_named

number = 6.5  # change it
form = format_named("bf16")
pattern = bit_text(encode(number, form), form)
sign, exponent, mantissa = pattern.split()

power = int(exponent, 2) - form.bias
fraction = 1 + int(mantissa, 2) / 2**form.mantissa_bits
value = fraction * 2.0**power
print(f"{number} in bf16: {pattern}")
print(f"sign      {sign}: {'minus' if sign == '1' else 'plus'}")
print(f"exponent  {int(exponent, 2)} - {form.bias} = {power}")
print(f"mantissa  1.{mantissa} = {fraction:g}")
print(f"value     {fraction:g} × 2**{power} = {value:g}")

# %% in-each-format
from napkin.formats import bit_text, decode, encode

number = 0.1  # try 70000, 1e-8, 3.14159
for name in ["fp32", "tf32", "fp16", "bf16", "fp8_e4m3", "fp8_e5m2"]:
    bits = encode(number, name)
    kept = decode(bits, name)
    error = abs(kept - number) / number
    print(f"{name:9} {bit_text(bits, name)}")
    print(f"{'':9} keeps {kept:.9g}, off by {100 * error:.2g} %")

# %% loss-scaling
from napkin.formats import stored

gradient = 1e-8
print(f"fp16 keeps {stored(gradient, 'fp16'):.4g}")
print(f"bf16 keeps {stored(gradient, 'bf16'):.4g}")

scale = 65_536  # 2**16
scaled = stored(gradient * scale, "fp16")
print(f"fp16, scaled up, keeps {scaled:.4g}")
print(f"scaled down in fp32: {scaled / scale:.4g}")

# %% gaps
from napkin.formats import spacing

formats = ["bf16", "fp16", "fp32"]
print("weight", *(f"{name:>8}" for name in formats))
for weight in [0.02, 0.5, 1.0, 30.0, 3000.0]:
    gaps = [spacing(weight, name) for name in formats]
    print(f"{weight:6g}", *(f"{gap:8.2g}" for gap in gaps))

# %% vanishing-update
from napkin.formats import stored

weight = master = 1.0
update = 0.001  # try 0.003, then 0.005
for _ in range(10_000):
    weight = stored(weight + update, "bf16")
    master = stored(master + update, "fp32")

print(f"wanted          {1 + 10_000 * update:g}")
print(f"weight in bf16  {weight:g}")
print(f"fp32 master     {master:.3f}")
print(f"bf16 copy of it {stored(master, 'bf16'):g}")

# %% scale-to-fit
from napkin.formats import format_named, stored

gradients = [3e-4, -2e-5, 8e-6, 1.5e-3]
form = format_named("fp8_e4m3")
scale = form.largest / max(abs(g) for g in gradients)

print("gradient   plain fp8   with a scale")
for g in gradients:
    plain = stored(g, form)
    fitted = stored(g * scale, form) / scale
    print(f"{g:8.1e} {plain + 0:10.2g} {fitted:14.2e}")

# %% all-of-fp4
from napkin.formats import decode

values = sorted({decode(bits, "fp4_e2m1") for bits in range(16)})
print("fp4: ", *(f"{value:g}" for value in values))
print("int4:", *range(-8, 8))

# %% block
import numpy as np

rng = np.random.default_rng(0)
weights = rng.normal(0, 0.02, 4096)
weights[100] = 0.9  # one outlier: try removing it


def int4_error(block):
    rows = weights.reshape(-1, block)
    scales = np.abs(rows).max(axis=1, keepdims=True) / 7
    whole = np.round(rows / scales).clip(-8, 7)  # the 4 bits
    return np.abs(whole * scales - rows).mean() / 0.02


for block in [4096, 256, 32, 16]:
    bits = 4 + 16 / block  # a 16-bit scale per block
    error = 100 * int4_error(block)
    print(f"{block:4} a scale: {bits:.3f} bits, off {error:4.1f} %")

# %% true-bits
from napkin.weight_formats import weight_format_named

parameters = 8.03e9  # Llama 3.1 8B
names = "BF16 Q8_0 Q6_K Q5_K Q4_K Q3_K Q2_K nf4 nvfp4 mxfp4 awq"
for name in names.split():
    form = weight_format_named(name)
    size = parameters * form.bits / 8
    print(f"{name:5} {form.bits:7.4f} bits {size / 1e9:5.1f} GB")

# %% speed
from napkin.hardware import accelerator

gpu = accelerator("H100 SXM")
for name in ["fp32", "tf32", "bf16", "fp8"]:
    print(f"{name:5} {gpu.peak(name) / 1e12:7,.1f} TFLOP/s")

# %% file-size
from napkin.gguf import gguf_bits_per_weight, gguf_bytes
from napkin.models.presets import preset

model = preset("llama-3.1-8b")
for mix in ["Q8_0", "Q6_K", "Q5_K_M", "Q4_K_M", "Q3_K_M", "Q2_K"]:
    bits = gguf_bits_per_weight(model, mix)
    size = gguf_bytes(model, mix)
    gb, gib = size / 1e9, size / 2**30
    print(f"{mix:7} {bits:.2f} bits {gb:5.2f} GB {gib:5.2f} GiB")
