"""How long single answers take, in ms: the median of repeated calls, slowest first.

    PYTHONPATH=pysrc python tests/bench/answers.py

The aim is under 1 ms in CPython (10 ms in Pyodide) for any single answer.  Nothing here is a test:
timings depend on the machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

from napkin.cheapest import serving_cost, training_money
from napkin.collectives import Link
from napkin.flops import decode_flops, forward_flops, training_flops
from napkin.gguf import gguf_size
from napkin.kv import kv_cache
from napkin.models import Model, from_config
from napkin.models.presets import preset_config
from napkin.parallel import Shape, Split, communication
from napkin.roofline import roofline
from napkin.serving import decode_speed, prefill_speed
from napkin.solve import fit, largest_context, most_users
from napkin.training_time import training_time
from napkin.weights import weights_table


def milliseconds(call: Callable[[], object]) -> float:
    """Median over runs that last at least 20 ms together."""
    call()
    times: list[float] = []
    while sum(times) < 0.02 or len(times) < 5:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return median(times) * 1000


def answers(model: Model, config: dict[str, object]) -> dict[str, Callable[[], object]]:
    """One call per kind of answer."""
    shape = Shape.of(model)
    return {
        "from_config": lambda: from_config(config),
        "parameters": model.parameters,
        "weights bf16": lambda: weights_table(model),
        "gguf": lambda: gguf_size(model, "Q4_K_M"),
        "kv cache": lambda: kv_cache(model, 8192),
        "forward flops": lambda: forward_flops(model, 4096),
        "decode flops": lambda: decode_flops(model, 4096),
        "training flops": lambda: training_flops(model, 1e12),
        "roofline": lambda: roofline(14e9, 14e9, 989e12, 3.35e12),
        "decode speed": lambda: decode_speed(model, "h100"),
        "decode speed gguf": lambda: decode_speed(model, "rtx-4090", weights="Q4_K_M"),
        "prefill speed": lambda: prefill_speed(model, "h100"),
        "training time": lambda: training_time(model, 1e12),
        "communication": lambda: communication(
            shape, Split(data=8, tensor=8), sequence=4096, links=Link(450e9)
        ),
        "fit": lambda: fit(model, "h100", gpus=64),
        "largest context": lambda: largest_context(model, "h100", gpus=64),
        "most users": lambda: most_users(model, "h100", gpus=64),
        "serving cost": lambda: serving_cost(model, "h100", gpus=64),
        "training money": lambda: training_money(model, 1e12),
    }


def main() -> None:
    names = ("llama-3.1-8b", "llama-3.1-405b", "deepseek-v3", "qwen3-235b-a22b")
    configs = {name: preset_config(name) for name in names}
    models = {name: from_config(configs[name]) for name in names}
    found = {
        name: {what: milliseconds(call) for what, call in answers(model, configs[name]).items()}
        for name, model in models.items()
    }
    print(f"{'ms':<20}" + "".join(f"{name:>18}" for name in names))
    kinds = sorted(found[names[0]], key=lambda what: -max(found[name][what] for name in names))
    for what in kinds:
        print(f"{what:<20}" + "".join(f"{found[name][what]:>18.3f}" for name in names))


if __name__ == "__main__":
    main()
