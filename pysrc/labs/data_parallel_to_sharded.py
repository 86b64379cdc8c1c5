# %% [markdown] title
# # From data parallel to sharded
#
# Two devices can train one model in two ways. **Data parallel** (DDP) gives each device a copy of
# everything and half of the batch. **Fully sharded** (FSDP, ZeRO-3) gives each device half of
# everything and fetches the rest just before a layer needs it. Here both run for real, with
# `torchrun` and two processes: on two GPUs where there are two, else on the CPU.
#
# **Write down before you run anything:** the model below has 5.25 million parameters in 32 bits,
# trained with Adam. How many MB of parameters, gradients and optimiser state does each of two ranks
# hold under DDP? Under FSDP? Will the losses differ?

# %% machine
import importlib.util
import json
import os
import platform
import subprocess
import sys
from datetime import date

if importlib.util.find_spec("napkin") is None:
    # %pip install -q "napkin @ git+https://github.com/napkin-course/napkin"
    pass

import torch

GPUS = torch.cuda.device_count()
MACHINE = (
    f"{GPUS} × {torch.cuda.get_device_name()}"
    if GPUS >= 2
    else f"{platform.machine()} CPU, {os.cpu_count()} cores"
)
print(f"{MACHINE}; PyTorch {torch.__version__}, Python {platform.python_version()}, {date.today()}")

# %% [markdown] the-script
# ## The script that every rank runs
#
# One file, both ways: only the wrapping differs. `held` counts what really lies on a rank: of a
# sharded tensor, its own part.

# %% [file] sharded_training.py

# %% [markdown] run
# ## Run it twice

# %% measured
RANKS = GPUS if GPUS >= 2 else 2


def train(how):
    """Run the script on all ranks; what it measured."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone",
               "--nproc-per-node", str(RANKS), "sharded_training.py", how]  # fmt: skip
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:])
    return json.loads(done.stdout.strip().splitlines()[-1])


ddp, fsdp = train("ddp"), train("fsdp")
for result in (ddp, fsdp):
    for rank, own in enumerate(result["held"]):
        print(f"{result['how']:4} rank {rank} on {result['device']}: "
              + ", ".join(f"{name} {size / 1e6:.2f} MB" for name, size in own.items()))  # fmt: skip

# %% [markdown] formula
# ## Beside the formula
#
# In 32 bits, each parameter takes 4 bytes, its gradient 4, and the two moments of Adam 8. DDP keeps
# all of it on every rank. ZeRO stage 3, which FSDP is, divides all of it by the ranks.

# %% compared
N = ddp["total"]
formula = {"parameters": 4 * N, "gradients": 4 * N, "optimizer": 8 * N}
print(f"{N:,} parameters, {RANKS} ranks; bytes on each rank")
print(f"{'':12} {'formula':>12} {'ddp':>12} {'formula / ranks':>16} {'fsdp':>12}")
agreement = {}
for name, size in formula.items():
    copied, shared = ddp["held"][0][name], fsdp["held"][0][name]
    agreement[name] = (copied / size, shared / (size / RANKS))
    print(f"{name:12} {size:12,} {copied:12,} {size / RANKS:16,.0f} {shared:12,}")

# %% [markdown] any-size
# `napkin` answers the same question for a model of any size, on as many devices as you like, for
# mixed precision too:

# %% seven-billion
from napkin.memory_training import training_memory
from napkin.models.presets import preset
from napkin.traffic import Split

model = preset("llama-3.1-8b")
for how, zero in [("ddp", 0), ("fsdp", 3)]:
    for devices in (2, 8, 64):
        table = training_memory(model, 2048, 1, split=Split(data=devices, zero=zero))
        state = sum(table.value(key) for key in ("weights", "gradients", "master", "optimizer"))
        print(f"{model.name} with {how:4} on {devices:2} devices: {state / 1e9:6.1f} GB of state on each")

# %% [markdown] the-loss
# ## The same loss
#
# Sharding changes where numbers lie, not what they are. The losses agree as far as the order of
# additions lets them.

# %% losses
print("step   ddp        fsdp       difference")
for step, (a, b) in enumerate(zip(ddp["losses"], fsdp["losses"], strict=True), 1):
    print(f"{step:4}   {a:.5f}    {b:.5f}    {abs(a - b):.5f}")
largest = max(abs(a - b) for a, b in zip(ddp["losses"], fsdp["losses"], strict=True))
print(f"largest difference {largest:.5f}")

# %% [markdown] compare
# ## Beside your estimate

# %% summary
your_guess = {"ddp": None, "fsdp": None}  # MB of state on each rank

for result in (ddp, fsdp):
    total = sum(result["held"][0].values()) / 1e6
    guess = your_guess[result["how"]]
    beside = "no guess written down" if guess is None else f"your guess {guess:.1f} MB"
    print(f"{result['how']:4} {total:6.1f} MB on each rank, {beside}")

# %% [markdown] next
# ## What to change next
#
# - `RANKS = 4`: which column halves again, and which does not move?
# - In `sharded_training.py`, `model = Model().to(device).bfloat16()`: all three rows halve. Real runs
#   keep a 32-bit master copy, which brings the state back to 16 bytes for each parameter.
# - Wrap only the whole model and not each layer (delete the loop with `fully_shard(layer)`). What
#   is kept between steps is the same; what is gathered at once is not.
