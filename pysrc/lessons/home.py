"""The home page's first cell: memory for a model's weights, against three cards."""

# %% weights
parameters = 7e9  # a "7B" model
bytes_each = 2  # bf16: 16 bits
weights = parameters * bytes_each / 1e9

print(f"{parameters:,.0f} × {bytes_each} B = {weights:g} GB")
for card, memory in [
    ("RTX 4090", 24),
    ("T4 (free Colab)", 16),
    ("RTX 4060", 8),
]:
    left = memory - weights
    print(f"{card:15}  {memory:2} GB  {left:+5.1f} GB left")
