"""Parameters of low-rank adapters (LoRA): rank × (inputs + outputs) for each adapted matrix."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from napkin.collectives import whole
from napkin.lookup import model_of
from napkin.matrices import weight_matrices
from napkin.printing import format_count, format_number
from napkin.table import Row, Table

if TYPE_CHECKING:
    from napkin.models import Model

__all__ = ["ADAPTER_TARGETS", "adapter_parameters", "largest_matrix"]

ADAPTER_TARGETS: dict[str, tuple[str, ...]] = {
    "query_value": ("q", "v"),
    "attention": ("q", "k", "v", "o", "q_a", "q_b", "kv_a", "kv_b"),
    "mlp": ("gate", "up", "down"),
    "all_linear": (
        "q", "k", "v", "o", "q_a", "q_b", "kv_a", "kv_b", "gate", "up", "down", "expert_gate",
        "expert_up", "expert_down",
    ),
}  # fmt: skip
"""Which matrices get an adapter, by name of the choice."""


def adapter_parameters(
    model: Model | str, rank: int = 16, targets: str | tuple[str, ...] = "all_linear"
) -> Table:
    """Trainable parameters of LoRA, by matrix.

    ``targets`` is a key of ``ADAPTER_TARGETS`` or names of matrices.  A matrix of n × m gets
    A of n × r and B of r × m.  Source: Hu et al. 2021.

    >>> from napkin.models import from_config
    >>> llama = from_config({"model_type": "llama"})  # 7B
    >>> adapter_parameters(llama, 8, "query_value").value("total")
    4194304
    """
    model = model_of(model)
    rank = whole(rank, "rank", 1, "16")
    if isinstance(targets, str):
        if targets not in ADAPTER_TARGETS:
            raise ValueError(
                f"targets {targets!r} is not known: use one of {', '.join(ADAPTER_TARGETS)}, or a "
                "tuple of matrix names such as ('q', 'v')"
            )
        names = ADAPTER_TARGETS[targets]
    elif isinstance(targets, (tuple, list)) and all(isinstance(name, str) for name in targets):
        names = tuple(targets)
    else:
        raise ValueError(f"targets is {targets!r}: use a choice such as 'all_linear', or names")
    return _adapters(model, rank, names)


@lru_cache(maxsize=64)
def _adapters(model: Model, rank: int, names: tuple[str, ...]) -> Table:
    sums: dict[str, list[tuple[int, int, int]]] = {}
    known = set()
    for m in weight_matrices(model):
        known.add(m.name)
        if m.name in names:
            sums.setdefault(m.name, []).append((m.inputs, m.outputs, m.times))
    if not sums:
        raise ValueError(
            f"{model.name} has no matrix named {' or '.join(names)}: it has "
            f"{', '.join(sorted(known))}"
        )
    rows = []
    for name, shapes in sums.items():
        value = sum(rank * (inputs + outputs) * times for inputs, outputs, times in shapes)
        inputs, outputs, times = shapes[0]
        more = " + …" if len(shapes) > 1 else ""
        rows.append(
            Row(name, f"Adapters of {name}", value, "parameters",
                f"{format_number(times)} × {rank} × ({inputs:,} + {outputs:,}){more} = "
                f"{format_count(value)}",
                "Hu et al. 2021")
        )  # fmt: skip
    return Table.of(f"LoRA of rank {rank} on {model.name}", rows)


@lru_cache(maxsize=64)
def largest_matrix(model: Model) -> int:
    """Entries of the largest matrix inside a layer: what QLoRA expands to 16 bits at a time."""
    inside = [
        m.inputs * m.outputs for m in weight_matrices(model) if m.name not in ("embedding", "head")
    ]
    return max(inside, default=0)
