"""What training keeps whatever the batch: one row per kind, each divided by its own denominator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from napkin.optimizers import Optimizer, Precision, state_share
from napkin.printing import format_bytes, format_count
from napkin.sharding import Portion, largest_unit
from napkin.table import Row
from napkin.traffic import Split

if TYPE_CHECKING:
    from napkin.models import Model

__all__ = ["split_text", "state_rows"]

_ZERO = "Rajbhandari et al. 2020 (ZeRO)"


def state_rows(
    held: list[Portion], model: Model, optimizer: Optimizer, precision: Precision, plan: Split,
    adapters: bool = False,
) -> list[Row]:  # fmt: skip
    """Weights, gradients, master copy, optimiser state, and what ZeRO-3 gathers for a moment."""
    what = "Adapter" if adapters else ""
    shares = state_share(model, optimizer, precision)
    inside = shares["attention"]
    named = (("weights", "Weights", precision.weights, plan.zero >= 3),
             ("gradients", "Gradients", precision.gradients, plan.zero >= 2),
             ("master", "Master copy, fp32", precision.master, plan.zero >= 1),
             ("copies", "Cached 16-bit copies", precision.copies, plan.zero >= 3))  # fmt: skip
    number = format_count(sum(p.parameters for p in held))
    rows = []
    for key, label, each, spread in named:
        size = sum(p.on_device(each, spread) for p in held)
        if size or key == "weights":
            rows.append(
                Row(f"adapter_{key}" if adapters else key,
                    f"{what} {label[0].lower()}{label[1:]}" if adapters else label, size, "B",
                    f"{number} × {each} B{split_text(plan, spread)} = {format_bytes(size)}",
                    _ZERO)
            )  # fmt: skip
    size = 0
    for p in held:
        share = inside if adapters else shares.get(p.part, shares["rest"])
        size += p.on_device(share, plan.zero >= 1)
    if size:
        each_text = f"{float(inside):.4g} B" if not optimizer.factored else "rows and columns"
        rows.append(
            Row("adapter_optimizer" if adapters else "optimizer",
                f"{'Adapter optimiser' if adapters else 'Optimiser'}: {optimizer.name}", size, "B",
                f"{number} × {each_text}{split_text(plan, plan.zero >= 1)} = "
                f"{format_bytes(size)}", optimizer.source)
        )  # fmt: skip
    if plan.zero == 3 and not adapters:
        name, unit = largest_unit(model, plan)
        gathered = -(-(unit * (precision.weights + precision.gradients)).numerator
                     // unit.denominator)  # fmt: skip
        rows.append(
            Row("gathered", f"Gathered whole for a moment: {name}", gathered, "B",
                f"{format_count(float(unit))} × ({precision.weights} + {precision.gradients}) B = "
                f"{format_bytes(gathered)}", _ZERO)
        )  # fmt: skip
    return rows


def split_text(plan: Split, spread: bool) -> str:
    """By what a size was divided, in words."""
    parts = []
    if plan.tensor > 1:
        parts.append(f"tensor {plan.tensor}")
    if plan.expert > 1:
        parts.append(f"expert {plan.expert} (experts)")
    if spread and plan.replicas > 1:
        parts.append(f"ZeRO {plan.replicas}")
    return f" ÷ {' ÷ '.join(parts)}" if parts else ""
