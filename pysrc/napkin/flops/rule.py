"""The 2N and 6N rules, and what each convention makes of the same model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from napkin.collectives import whole
from napkin.flops.conventions import CONVENTIONS
from napkin.flops.passes import flops_per_token
from napkin.inputs import LARGEST
from napkin.printing import format_count, format_flops
from napkin.table import Row, Table

if TYPE_CHECKING:
    from napkin.models import Model

__all__ = ["compare_conventions", "rule_flops"]

FACTORS = {"forward": 2, "training": 6, "training_recompute": 8, "adapters": 4}
"""FLOP per parameter and token: one multiply-add forward, two more backward, one if run again."""


def rule_flops(
    parameters: float,
    tokens: float = 1,
    work: Literal["forward", "training", "training_recompute", "adapters"] = "training",
) -> Table:
    """The rule of thumb: 2·N·D forward (and per generated token), 6·N·D to train.

    8·N·D with full recomputation; 4·N·D where the weights are frozen (LoRA).
    Sources: Kaplan et al. 2020, section 2.1; Hoffmann et al. 2022.

    >>> print(rule_flops(124e6, 10e9)["total"].text())
    Training by the rule: 7.44e18 FLOP   6 × 124M × 10B tokens = 7.44e18 FLOP
    """
    if work not in FACTORS:
        raise ValueError(f"work is {work!r}: use one of {', '.join(FACTORS)}")
    for name, value in (("parameters", parameters), ("tokens", tokens)):
        good = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not good or not 0 < value <= LARGEST:
            raise ValueError(f"{name} is {value!r}: give a number above 0, such as 7e9")
    factor = FACTORS[work]
    passes = {"forward": (2, 0, 0), "training": (2, 4, 0), "training_recompute": (2, 4, 2),
              "adapters": (2, 2, 0)}[work]  # fmt: skip
    count, many = format_count(parameters), format_count(tokens)
    rows = [
        Row(key, label, times * parameters * tokens, "FLOP", f"{times} × {count} × {many} tokens")
        for key, label, times in zip(
            ("forward", "backward", "recompute"), ("Forward", "Backward", "Run again"), passes,
            strict=True,
        )
        if times
    ]  # fmt: skip
    total = factor * parameters * tokens
    label = {"forward": "Forward", "adapters": "Training adapters"}.get(work, "Training")
    return Table.of(
        f"{label} FLOP of {count} parameters on {many} tokens",
        rows,
        total=f"{label} by the rule",
        working=f"{factor} × {count} × {many} tokens = {format_flops(total)}",
        notes=("say which N: embeddings and head can be a third of a small model",),
    )


def compare_conventions(model: Model, seq: int = 4096) -> Table:
    """Training FLOP per token under every named convention, beside 6N.

    >>> from napkin.models import from_config
    >>> table = compare_conventions(from_config({"model_type": "gpt2"}), 1024)
    >>> table.value("counter"), table.value("six_n")
    (854438400, 746638848)
    """
    seq = whole(seq, "seq", 1, "4096")
    rule = 6 * model.active
    rows = []
    for name, convention in CONVENTIONS.items():
        value = flops_per_token(model, seq, convention=convention)
        rows.append(
            Row(name, name.replace("_", " "), value, "FLOP",
                f"{value / rule - 1:+.1%} against 6N: {convention.meaning}", convention.source)
        )  # fmt: skip
    return Table(
        f"Training FLOP per token of {model.name} at {seq:,} tokens",
        tuple(rows),
        notes=(f"6N with N = {format_count(model.active)}, all parameters that a token uses",),
    )
