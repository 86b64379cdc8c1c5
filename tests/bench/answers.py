"""How long single answers take, in ms, slowest first; and how long what they import takes.

    PYTHONPATH=pysrc python tests/bench/answers.py    # this Python
    python -m tests.bench.in_pyodide                  # the pinned Pyodide in Node and in Chromium

The aims: any single answer under 1 ms in CPython and 10 ms in Pyodide; `import napkin` and what an
answer imports within 60 ms in Pyodide.  The least of several rounds is given: what a call takes
when nothing else runs; weights, once sized, are remembered.  Nothing here is a test: timings depend
on the machine.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable

MODELS = ("llama-3.1-8b", "llama-3.1-405b", "deepseek-v3", "qwen3-235b-a22b")

IMPORTS = ("napkin", "napkin.quantities", "napkin.formats", "napkin.models", "napkin.hardware",
           "napkin.flops", "napkin.kv", "napkin.memory", "napkin.gguf", "napkin.roofline",
           "napkin.parallel", "napkin.cost", "napkin.scaling", "napkin.solve", "napkin.serving",
           "napkin.training_fit", "napkin.cheapest", "napkin.cli")  # fmt: skip


def milliseconds(call: Callable[[], object], spend: float = 0.02) -> float:
    """The least of five rounds, each at least ``spend`` ÷ 5 s: a browser's clock is coarse."""
    call()
    number, least = 1, float("inf")
    rounds = 0
    while rounds < 5:
        start = time.perf_counter()
        for _ in range(number):
            call()
        took = time.perf_counter() - start
        if took < spend / 5:
            number *= 2
            continue
        least = min(least, took / number)
        rounds += 1
    return least * 1000


def import_milliseconds(module: str) -> float:
    """Time to import a module with nothing of the package loaded; the rest is put back."""
    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if _ours(name)}
    start = time.perf_counter()
    importlib.import_module(module)
    took = time.perf_counter() - start
    for name in [name for name in sys.modules if _ours(name)]:
        del sys.modules[name]
    sys.modules.update(kept)
    return took * 1000


def _ours(name: str) -> bool:
    return name == "napkin" or name.startswith("napkin.")


def answers(name: str) -> dict[str, Callable[[], object]]:
    """One call per kind of answer about that model."""
    from napkin.capacity import serving_memory
    from napkin.cheapest import cheapest_serving, cheapest_training, serving_cost, training_money
    from napkin.collectives import Link
    from napkin.flops import decode_flops, forward_flops, training_flops
    from napkin.gguf import gguf_size
    from napkin.hardware import accelerator, hardware_table
    from napkin.kv import kv_cache
    from napkin.memory import inference_memory, training_memory
    from napkin.models import from_config
    from napkin.models.presets import preset, preset_config
    from napkin.parallel import Shape, Split, communication
    from napkin.roofline import roofline
    from napkin.scaling import compute_optimal
    from napkin.serving import decode_speed, prefill_speed, request_speed
    from napkin.solve import devices_that_fit, fit, largest_context, largest_model, most_users
    from napkin.speculative import speculative
    from napkin.training_fit import fewest_devices, largest_batch, training_fit
    from napkin.training_step import training_step
    from napkin.training_time import devices_for_deadline, training_time
    from napkin.weights import weights_table

    config, model, small = preset_config(name), preset(name), preset("llama-3.1-8b")
    shape = Shape.of(model)
    return {
        "from_config": lambda: from_config(config),
        "parameters": model.parameters,
        "weights bf16": lambda: weights_table(model),
        "gguf": lambda: gguf_size(model, "Q4_K_M"),
        "kv cache": lambda: kv_cache(model, 8192),
        "serving memory": lambda: serving_memory(model, gpus=8),
        "inference memory gguf": lambda: inference_memory(model, 8192, weights="Q4_K_M"),
        "training memory": lambda: training_memory(model, 4096, split=Split(data=64, zero=3)),
        "forward flops": lambda: forward_flops(model, 4096),
        "decode flops": lambda: decode_flops(model, 4096),
        "training flops": lambda: training_flops(model, 1e12),
        "compute optimal": lambda: compute_optimal(1e24),
        "roofline": lambda: roofline(14e9, 14e9, 989e12, 3.35e12),
        "decode speed": lambda: decode_speed(model, "h100"),
        "decode speed gguf": lambda: decode_speed(model, "rtx-4090", weights="Q4_K_M"),
        "prefill speed": lambda: prefill_speed(model, "h100"),
        "request speed": lambda: request_speed(model, "h100", prompt=1024, generated=256),
        "speculative": lambda: speculative(model, small, "h100"),
        "training time": lambda: training_time(model, 1e12),
        "training step": lambda: training_step(model, "h100", Split(data=64), sequence=4096),
        "deadline": lambda: devices_for_deadline(model, 1e12, 30 * 86400.0),
        "communication": lambda: communication(
            shape, Split(data=8, tensor=8), sequence=4096, links=Link(450e9)
        ),
        "fit": lambda: fit(model, "h100", gpus=64),
        "fit, does not": lambda: fit(model, "t4"),
        "largest context": lambda: largest_context(model, "h100", gpus=64),
        "most users": lambda: most_users(model, "h100", gpus=64),
        "largest model": lambda: largest_model("h100"),
        "devices that fit": lambda: devices_that_fit(model),
        "training fit": lambda: training_fit(model, "h100", gpus=512),
        "training fit, does not": lambda: training_fit(model, "h100"),
        "training fit lora": lambda: training_fit(model, "h100", method="lora", gpus=64),
        "largest batch": lambda: largest_batch(model, "h100", gpus=512, seq=4096),
        "fewest devices": lambda: fewest_devices(model, "h100", checkpointing="full"),
        "serving cost": lambda: serving_cost(model, "h100", gpus=64),
        "training money": lambda: training_money(model, 1e12),
        "cheapest training": lambda: cheapest_training(model, 1e12),
        "cheapest serving": lambda: cheapest_serving(small),
        "hardware table": lambda: hardware_table("bf16"),
        "device": lambda: accelerator("rtx-4090").table(),
    }


def imports() -> str:
    """The table of imports as text."""
    took = {name: min(import_milliseconds(name) for _ in range(3)) for name in IMPORTS}
    names = sorted(took, key=lambda name: -took[name])
    return "\n".join(["import, ms", *(f"{name:<24}{took[name]:>9.1f}" for name in names)])


def report(models: tuple[str, ...] = MODELS, spend: float = 0.02) -> str:
    """Imports and answers as text."""
    lines = [imports()]
    found = {
        name: {what: milliseconds(call, spend) for what, call in answers(name).items()}
        for name in models
    }
    lines += ["", f"{'answer, ms':<24}" + "".join(f"{name:>17}" for name in models)]
    for what in sorted(found[models[0]], key=lambda w: -max(found[n][w] for n in models)):
        lines.append(f"{what:<24}" + "".join(f"{found[n][what]:>17.3f}" for n in models))
    return "\n".join(lines)


if __name__ == "__main__":
    print(report())
