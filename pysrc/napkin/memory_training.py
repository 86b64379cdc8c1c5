"""Bytes that training takes on one device: state, activations, logits, buffers.

Fixed by the model: weights, gradients, master copy, optimiser state.  Growing with batch and
sequence: activations, logits.  Under a split run each class of tensor has its own denominator; the
table is for the pipeline stage that needs most.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from napkin.activations import (
    Checkpointing,
    Implementation,
    Share,
    activation_notes,
    activation_rows,
    peak_layer_activations,
)
from napkin.adapters import adapter_parameters, largest_matrix
from napkin.collectives import whole
from napkin.lookup import model_of
from napkin.memory_state import split_text, state_rows
from napkin.optimizers import optimizer_named, precision_named
from napkin.printing import format_bytes, format_count
from napkin.sharding import Portion, layer_range, portions
from napkin.table import Row, Table
from napkin.traffic import Split
from napkin.weights import weights_table

if TYPE_CHECKING:
    from napkin.models import Model

__all__ = ["HEADROOM", "adapter_memory", "training_memory"]

HEADROOM = 0.1
"""Share added for temporary buffers and fragmentation: 10 to 20% is common advice."""


@dataclass(frozen=True, slots=True)
class _Step:
    """What passes through the model at once, and how it is computed."""

    seq: int
    batch: int
    micro_batches: int
    implementation: Implementation
    checkpointing: Checkpointing
    sequence_parallel: bool
    fused_loss: bool
    encoder_tokens: int | None


def training_memory(
    model: Model | str,
    seq: int = 2048,
    batch: int = 1,
    *,
    optimizer: str = "adamw",
    precision: str = "mixed",
    split: Split | None = None,
    implementation: Implementation = "memory_efficient",
    checkpointing: Checkpointing = "none",
    micro_batches: int = 1,
    sequence_parallel: bool = True,
    fused_loss: bool = False,
    headroom: float = HEADROOM,
    encoder_tokens: int | None = None,
) -> Table:
    """Bytes on the fullest device while all parameters are trained.

    ``batch`` sequences of ``seq`` tokens pass a device at once (the micro-batch), ``micro_batches``
    times before the optimiser steps.  ``split`` divides the run (``napkin.traffic.Split``: data,
    tensor, pipeline, context, expert, ZeRO stage).  ``fused_loss``: the loss is computed in pieces
    and never holds all logits.  ``headroom`` is added on top for buffers and fragmentation.

    Sources: Rajbhandari et al. 2020 (16 bytes per parameter, ZeRO); Korthikanti et al. 2022
    (activations under tensor and pipeline parallelism).

    >>> from napkin.models import from_config
    >>> gpt2 = from_config({"model_type": "gpt2"})
    >>> table = training_memory(gpt2, 1024, 8)
    >>> state = ("weights", "gradients", "master", "optimizer")
    >>> sum(table.value(key) for key in state) / gpt2.total
    16.0
    """
    model = model_of(model)
    chosen, recipe = optimizer_named(optimizer), precision_named(precision)
    step = _step(seq, batch, micro_batches, implementation, checkpointing, sequence_parallel,
                 fused_loss, encoder_tokens)  # fmt: skip
    plan = Split() if split is None else split
    _check_split(model, plan, step)

    def rows(stage: int) -> list[Row]:
        held = portions(model, plan, stage)
        state = state_rows(held, model, chosen, recipe, plan)
        return state + _batch_rows(model, plan, step, stage)

    return _fullest(model, plan, step, rows, headroom,
                    f"{chosen.name}, {recipe.name}", f"optimiser: {chosen.meaning}")  # fmt: skip


def adapter_memory(
    model: Model | str,
    seq: int = 2048,
    batch: int = 1,
    *,
    rank: int = 16,
    targets: str | tuple[str, ...] = "all_linear",
    base: str = "bf16",
    optimizer: str = "adamw",
    precision: str = "mixed",
    split: Split | None = None,
    implementation: Implementation = "memory_efficient",
    checkpointing: Checkpointing = "full",
    micro_batches: int = 1,
    sequence_parallel: bool = True,
    fused_loss: bool = False,
    headroom: float = HEADROOM,
    encoder_tokens: int | None = None,
) -> Table:
    """Bytes on the fullest device for LoRA (``base="bf16"``) or QLoRA (``base="nf4_dq"``).

    The frozen weights have no gradients and no optimiser state; activations are kept all the same,
    since gradients pass through every layer.  Sources: Hu et al. 2021; Dettmers et al. 2023.

    >>> from napkin.models import from_config
    >>> llama = from_config({"model_type": "llama"})  # 7B
    >>> table = adapter_memory(llama, 1024, 1, base="nf4_dq")
    >>> round(table.value("total") / 1e9, 1)
    5.9
    """
    model = model_of(model)
    chosen, recipe = optimizer_named(optimizer), precision_named(precision)
    step = _step(seq, batch, micro_batches, implementation, checkpointing, sequence_parallel,
                 fused_loss, encoder_tokens)  # fmt: skip
    plan = Split() if split is None else split
    _check_split(model, plan, step)
    frozen = weights_table(model, base)
    trained = int(adapter_parameters(model, rank, targets).value("total"))
    quantised = frozen.value("total") < 2 * model.total

    def rows(stage: int) -> list[Row]:
        held = portions(model, plan, stage)
        spread = plan.zero == 3
        each = Fraction(int(frozen.value("total")), model.total)
        size = sum(p.on_device(each, spread) for p in held)
        adapters = [Portion("adapters", -(-trained // plan.pipeline), plan.tensor, plan.replicas)]
        found = [
            Row("frozen", f"Frozen weights in {base}", size, "B",
                f"{format_count(sum(p.parameters for p in held))} × {float(each):.4g} B"
                f"{split_text(plan, spread)} = {format_bytes(size)}", frozen.rows[0].source),
            *state_rows(adapters, model, chosen, recipe, plan, adapters=True),
        ]  # fmt: skip
        if quantised:
            largest = -(-2 * largest_matrix(model) // plan.tensor)
            found.append(
                Row("expanded", "One matrix expanded to 16 bits", largest, "B",
                    f"2 B × {format_count(largest_matrix(model))} = {format_bytes(largest)}",
                    "Dettmers et al. 2023")
            )  # fmt: skip
        return found + _batch_rows(model, plan, step, stage)

    return _fullest(model, plan, step, rows, headroom, f"LoRA of rank {rank} on {base}",
                    f"{format_count(trained)} trained parameters")  # fmt: skip


def _step(
    seq: int, batch: int, micro_batches: int, implementation: Implementation,
    checkpointing: Checkpointing, sequence_parallel: bool, fused_loss: bool,
    encoder_tokens: int | None,
) -> _Step:  # fmt: skip
    if encoder_tokens is not None:
        encoder_tokens = whole(encoder_tokens, "encoder_tokens", 1, "1024")
    return _Step(
        whole(seq, "seq", 1, "2048"), whole(batch, "batch", 1, "1"),
        whole(micro_batches, "micro_batches", 1, "1"), implementation, checkpointing,
        sequence_parallel, fused_loss, encoder_tokens,
    )  # fmt: skip


def _check_split(model: Model, plan: Split, step: _Step) -> None:
    if not isinstance(plan, Split):
        raise ValueError(f"split is {plan!r}: give a napkin.parallel.Split, such as Split(data=8)")
    layers = len(model.layers)
    if plan.pipeline * plan.interleave > layers:
        raise ValueError(
            f"pipeline × interleave = {plan.pipeline * plan.interleave} is more than the "
            f"{layers} layers of {model.name}: use fewer stages"
        )
    experts = max((x.experts.total for x in model.layers if x.experts), default=0)
    if plan.expert > 1 and not experts:
        raise ValueError(f"{model.name} has no experts: leave expert at 1")
    if plan.expert > experts > 0:
        raise ValueError(f"expert = {plan.expert} is more than the {experts} experts: use fewer")
    if plan.context > step.seq:
        raise ValueError(f"context = {plan.context} is more than the {step.seq} tokens: use less")


def _batch_rows(model: Model, plan: Split, step: _Step, stage: int) -> list[Row]:
    """What grows with batch and sequence."""
    tokens = -(-step.seq // plan.context)
    encoder = None if step.encoder_tokens is None else -(-step.encoder_tokens // plan.context)
    first, last = layer_range(len(model.layers), plan, stage)
    # One-forward-one-backward: a stage holds a micro-batch for each stage after it, and its own.
    in_flight = float(min(step.micro_batches, plan.pipeline - stage))
    if plan.interleave > 1:
        in_flight = min(float(step.micro_batches),
                        in_flight + (plan.pipeline - 1) / plan.interleave)  # fmt: skip
    at_end = stage == plan.pipeline - 1
    share = Share(plan.tensor, step.sequence_parallel, first, last, in_flight, stage == 0, at_end)
    rows = activation_rows(
        model, tokens, step.batch, implementation=step.implementation,
        checkpointing=step.checkpointing, labels=at_end and not step.fused_loss,
        encoder_tokens=encoder, share=share,
    )  # fmt: skip
    columns = model.logit_columns
    if at_end and not step.fused_loss and columns:
        size = -(-10 * columns * tokens * step.batch // plan.tensor)
        rows.append(
            Row("logits", "Logits in 16 bits, two gradients in fp32", size, "B",
                f"{step.batch} × {tokens:,} tokens × (2 + 4 + 4) B × {columns:,} = "
                f"{format_bytes(size)}", "backward of cross-entropy, PyTorch")
        )  # fmt: skip
    if step.checkpointing in ("full", "selective_ops"):
        size = peak_layer_activations(model, tokens, step.batch,
                                      implementation=step.implementation, encoder_tokens=encoder,
                                      share=share)  # fmt: skip
        # The loss is done with before the last layer runs again: the larger of the two counts.
        loss = [row for row in rows if row.key in ("loss", "logits")]
        if size > sum(row.value for row in loss):
            rows = [row for row in rows if row not in loss]
            rows.append(
                Row("recomputed", "The layer that runs again", size, "B",
                    f"its own activations for {step.batch} × {tokens:,} tokens = "
                    f"{format_bytes(size)}; more than the loss, which comes before")
            )  # fmt: skip
    return rows


def _fullest(
    model: Model, plan: Split, step: _Step, rows: Callable[[int], list[Row]], headroom: float,
    recipe: str, about: str,
) -> Table:  # fmt: skip
    if (
        isinstance(headroom, bool)
        or not isinstance(headroom, (int, float))
        or not (0 <= headroom <= 1)
    ):
        raise ValueError(f"headroom is {headroom!r}: give a share from 0 to 1, such as 0.1")
    best: list[Row] = []
    where = 0
    for stage in sorted({0, plan.pipeline - 1}):
        found = rows(stage)
        if sum(row.value for row in found) > sum(row.value for row in best):
            best, where = found, stage
    if headroom:
        base = sum(row.value for row in best)
        extra = round(base * headroom)
        best.append(
            Row("headroom", "Buffers and fragmentation", extra, "B",
                f"{headroom:.0%} of {format_bytes(base)} = {format_bytes(extra)}", "assumption")
        )  # fmt: skip
    notes = [about, *activation_notes(model, step.implementation, step.checkpointing)]
    if plan.devices > 1:
        notes.append(
            f"one of {plan.devices:,} devices: data {plan.data} × tensor {plan.tensor} × pipeline "
            f"{plan.pipeline} × context {plan.context}, expert {plan.expert}, ZeRO {plan.zero}; "
            f"stage {where + 1} of {plan.pipeline}"
        )
    return Table.of(
        f"Training memory of {model.name}: {recipe}, {step.batch} × {step.seq:,} tokens"
        + (" per device" if plan.devices > 1 else ""),
        best,
        notes=tuple(notes),
    )
