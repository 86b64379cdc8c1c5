"""Counts of floating-point operations (FLOP): a product, a model's pass, a training run.

``matmul_flops`` counts one product.  ``forward_flops``, ``backward_flops``, ``training_flops`` and
``generation_flops`` count a ``Model``, part by part, under a named ``Convention``.  ``rule_flops``
is the 2N/6N rule and ``compare_conventions`` sets it beside the exact counts.  ``mfu`` turns
tokens per second into a share of the peak.
"""

import importlib
from typing import TYPE_CHECKING

from napkin.flops.matmul import matmul_flops

if TYPE_CHECKING:
    from napkin.flops.conventions import CONVENTIONS, Convention, convention_named
    from napkin.flops.generation import decode_flops, generation_flops, prefill_flops
    from napkin.flops.passes import (
        backward_flops,
        flops_per_token,
        forward_flops,
        recomputation_flops,
        training_flops,
    )
    from napkin.flops.rule import compare_conventions, rule_flops
    from napkin.flops.utilization import mfu

__all__ = [
    "CONVENTIONS",
    "Convention",
    "backward_flops",
    "compare_conventions",
    "convention_named",
    "decode_flops",
    "flops_per_token",
    "forward_flops",
    "generation_flops",
    "matmul_flops",
    "mfu",
    "prefill_flops",
    "recomputation_flops",
    "rule_flops",
    "training_flops",
]


# Where the rest lives, imported when first asked for: a page that counts one product should not
# wait for what counts whole models.
_HOMES = {
    "conventions": ("CONVENTIONS", "Convention", "convention_named"),
    "generation": ("decode_flops", "generation_flops", "prefill_flops"),
    "passes": (
        "backward_flops",
        "flops_per_token",
        "forward_flops",
        "recomputation_flops",
        "training_flops",
    ),
    "rule": ("compare_conventions", "rule_flops"),
    "utilization": ("mfu",),
}


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f"napkin.flops.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
