"""Parallelism: who holds what, how many bytes each device keeps, and what devices send."""

from __future__ import annotations

from typing import Annotated, Literal

from napkin.answers import Cell
from napkin.choices import Context, Gpu, ModelText, assumptions, blaming, devices, keyed
from napkin.fields import Amount, Choice
from napkin.forms import Answer, Axis, Chart, Column, FieldProblem, Grid, Row, Series
from napkin.hardware import accelerator
from napkin.memory_groups import training_groups
from napkin.memory_training import training_memory
from napkin.models import Model
from napkin.models.typed import typed_model
from napkin.parallel import communication_bytes
from napkin.printing import format_bytes, format_number, format_seconds
from napkin.sharding import portions
from napkin.traffic import Shape, Split
from napkin.training_step import training_step

__all__ = ["parallelism"]

Ways = Annotated[int, Amount("", 1, 100_000, whole=True, suggestions=("1", "2", "4", "8"))]
Zero = Annotated[
    Literal["0", "1", "2", "3"],
    Choice(
        (
            ("0", "None (DDP)"),
            ("1", "ZeRO-1"),
            ("2", "ZeRO-2"),
            ("3", "ZeRO-3 (FSDP)"),
        )
    ),
]
Recompute = Annotated[
    Literal["none", "full"],
    Choice((("none", "No"), ("full", "Yes"))),
]
_PARTS = {
    "attention": "Attention matrices",
    "recurrent": "Recurrent matrices",
    "mlp": "MLP matrices",
    "shared_experts": "Shared experts",
    "experts": "Routed experts",
    "token_embedding": "Token embedding",
    "head": "Output head",
    "projector": "Projector",
    "rest": "Norms, biases, the rest",
}


def parallelism(
    model: ModelText = "llama-3.1-8b",
    gpu: Gpu = "H100",
    data: Ways = 8,
    zero: Zero = "3",
    tensor: Ways = 1,
    pipeline: Ways = 1,
    expert: Ways = 1,
    sequence: Context = 4096,
    batch: Annotated[
        int, Amount("sequences", 1, 10**6, whole=True, suggestions=("1", "2", "4"))
    ] = 1,
    steps: Annotated[int, Amount("", 1, 10**6, whole=True, suggestions=("1", "8", "32"))] = 1,
    checkpointing: Recompute = "full",
) -> Answer:
    """What every device of a training run holds and sends.

    Parameters:
        model: Model. A name such as llama-3.1-8b, a size such as 7B, or a config.json.
        gpu: GPU. The device; eight share a node.
        data: Data parallel. Groups that each read their own part of the batch.
        zero: Sharding. Ranks split the optimiser's state (1), gradients (2), weights too (3).
        tensor: Tensor parallel. Devices that split every matrix; keep them in a node.
        pipeline: Pipeline stages. Devices that hold a run of layers each.
        expert: Expert parallel. Devices that split the experts, inside the data-parallel group.
        sequence: Sequence. Tokens of each sequence.
        batch: Batch per device. Sequences that pass a device at once (the micro-batch).
        steps: Micro-batches. How often that happens before the optimiser steps.
        checkpointing: Checkpointing. Forget activations and compute them again.

    >>> answer = parallelism("7B", "H100", data=8, zero="3")
    >>> round(sum(row.value for row in answer.tables[0].rows[:4]) / 1e9, 1)  # 16 × 7B ÷ 8
    14.0
    """
    described, device = typed_model(model), accelerator(gpu)
    split = _split(described, data, tensor, pipeline, expert, int(zero), sequence)
    held = training_memory(described, sequence, batch, split=split, checkpointing=checkpointing,
                           micro_batches=steps)  # fmt: skip
    sent = communication_bytes(Shape.of(described), split, sequence=sequence, micro_batch=batch,
                               micro_batches=steps)  # fmt: skip
    step = training_step(described, device.name, split, sequence=sequence, micro_batch=batch,
                         micro_batches=steps, recompute=checkpointing)  # fmt: skip
    need = int(held.value("total"))
    spare = device.memory - need
    rest = f"{format_bytes(spare)} to spare" if spare >= 0 else f"{format_bytes(-spare)} too few"
    sentence = (
        f"Each of {devices(split.devices, device.name)} holds {format_bytes(need)} and sends "
        f"{format_bytes(sent.value('sent'))} per step. One {device.name} has "
        f"{format_bytes(device.memory)}: {rest}. A step of "
        f"{format_number(split.data * batch * steps * sequence)} tokens takes about "
        f"{format_seconds(step.value('seconds'))}, {step.value('mfu'):.0f}% MFU."
    )
    grouped = training_groups(held, "Each device holds")
    notes = [note for note in step.notes if note]
    return Answer(
        Row("need", "Memory per device", need, "B",
            " + ".join(format_bytes(row.value) for row in grouped.rows)),
        sentence,
        (
            keyed(grouped, "held", total="Together"),
            keyed(sent, "sent", "Each device sends, per step", "Together"),
            keyed(step, "step", f"One step on {devices(split.devices, device.name)}"),
        ),
        _charts(described, split, sequence, batch, steps, checkpointing),
        _holdings(described, split),
        (*notes, *assumptions(described, sequence)),
    )  # fmt: skip


def _split(
    model: Model, data: int, tensor: int, pipeline: int, expert: int, zero: int, sequence: int
) -> Split:
    """The split, with every mistake at the field that can mend it."""
    layers = len(model.layers)
    if pipeline > layers:
        raise FieldProblem(
            "pipeline", f"{pipeline} stages are more than the {layers} layers of {model.name}: "
            f"use at most {layers}",
        )  # fmt: skip
    experts = max((layer.experts.total for layer in model.layers if layer.experts), default=0)
    if expert > 1 and not experts:
        raise FieldProblem("expert", f"{model.name} has no experts: leave this at 1, or choose a "
                           "mixture such as mixtral-8x7b")  # fmt: skip
    if expert > 1 and (expert > experts or data % expert):
        raise FieldProblem(
            "expert", f"{expert} must divide the {data} data-parallel groups and be at most "
            f"{experts}, the experts of {model.name}",
        )  # fmt: skip
    heads = max((layer.attention.heads for layer in model.layers if layer.attention), default=0)
    if heads and tensor > heads:
        raise FieldProblem("tensor", f"{tensor} devices cannot share the {heads} heads of "
                           f"{model.name}: use at most {heads}")  # fmt: skip
    with blaming("data"):
        return Split(data=data, tensor=tensor, pipeline=pipeline, expert=expert, zero=zero)


def _holdings(model: Model, split: Split) -> Grid:
    """Who holds what: each class of parameters, by how many devices it is divided."""
    columns = (
        Column("part", "Part"),
        Column("all", "Parameters in all", "parameters"),
        Column("stage", "On the first stage", "parameters"),
        Column("shards", "Split over"),
        Column("copies", "Copies"),
        Column("weights", "Weights per device", "B"),
        Column("state", "Optimiser state per device", "B"),
    )
    everywhere: dict[str, int] = {}
    for stage in range(split.pipeline):
        for portion in portions(model, split, stage):
            everywhere[portion.part] = everywhere.get(portion.part, 0) + portion.parameters
    rows: list[tuple[Cell, ...]] = []
    for portion in portions(model, split, 0):
        rows.append(
            (
                _PARTS.get(portion.part, portion.part),
                everywhere[portion.part],
                portion.parameters,
                portion.shards * (portion.replicas if split.zero == 3 else 1),
                1 if split.zero == 3 else portion.replicas,
                portion.on_device(2, split.zero == 3),
                portion.on_device(12, split.zero >= 1),
            )
        )
    return Grid("Who holds what", columns, tuple(rows))


def _charts(
    model: Model, split: Split, sequence: int, batch: int, steps: int,
    checkpointing: Literal["none", "full"],
) -> tuple[Chart, ...]:  # fmt: skip
    """Memory per device under each kind of sharding, everything else as it is."""
    if split.replicas == 1:
        return ()
    names: dict[str, list[tuple[str, float]]] = {}
    totals = []
    for stage, bar in enumerate(("DDP", "ZeRO-1", "ZeRO-2", "ZeRO-3")):
        other = Split(split.data, split.tensor, split.pipeline, 1, split.expert, stage)
        table = training_groups(
            training_memory(model, sequence, batch, split=other, checkpointing=checkpointing,
                            micro_batches=steps)
        )  # fmt: skip
        totals.append(table.value("total"))
        for row in table.rows:
            names.setdefault(row.label, []).append((bar, float(row.value)))
    return (
        Chart(
            "sharding", f"Memory per device, {split.data} data-parallel ranks", "stacked",
            Axis("Sharding"), Axis("Memory per device", "B"),
            tuple(Series(label, tuple(bars)) for label, bars in names.items()),
            f"Without sharding each device holds {format_bytes(totals[0])}, with ZeRO-3 "
            f"{format_bytes(totals[3])}; activations and loss are never shared.",
        ),
    )  # fmt: skip
