"""Memory to run a model and to train it: what is fixed, and what grows with the batch."""

from __future__ import annotations

from typing import Annotated, Literal

from napkin.capacity import serving_memory
from napkin.choices import (
    Cache,
    Context,
    ModelText,
    Weights,
    assumptions,
    blaming,
    keyed,
    times_or_percent,
)
from napkin.fields import Amount, Choice
from napkin.forms import Answer, Axis, Chart, Row, Series, Table
from napkin.memory_groups import fixed_bytes, growing_bytes, training_groups
from napkin.models.typed import typed_model
from napkin.printing import format_bytes
from napkin.training_fit import training_table

__all__ = ["memory"]

Method = Annotated[
    Literal["full", "lora", "qlora"],
    Choice(
        (
            ("full", "Every weight"),
            ("lora", "LoRA (16-bit base)"),
            ("qlora", "QLoRA (4-bit base)"),
        )
    ),
]
Optimizer = Annotated[
    Literal["adamw", "adamw_8bit", "adafactor", "lion", "muon", "sgd_momentum", "sgd"],
    Choice(
        (
            ("adamw", "AdamW"),
            ("adamw_8bit", "AdamW, 8-bit"),
            ("adafactor", "Adafactor"),
            ("lion", "Lion"),
            ("muon", "Muon"),
            ("sgd_momentum", "SGD with momentum"),
            ("sgd", "SGD"),
        )
    ),
]
Checkpoints = Annotated[
    Literal["none", "selective_ops", "full"],
    Choice(
        (
            ("none", "No"),
            ("selective_ops", "Some of each layer"),
            ("full", "Yes, every layer"),
        )
    ),
]
BATCHES = (1, 2, 4, 8, 16, 32)


def memory(
    model: ModelText = "llama-3.1-8b",
    context: Context = 4096,
    batch: Annotated[
        int, Amount("sequences", 1, 10**6, whole=True, suggestions=("1", "8", "32"))
    ] = 1,
    weights: Weights = "bf16",
    cache: Cache = "bf16",
    method: Method = "full",
    optimizer: Optimizer = "adamw",
    checkpointing: Checkpoints = "none",
) -> Answer:
    """Bytes to run a model and to train it, part by part.

    Parameters:
        model: Model. A name such as llama-3.1-8b, a size such as 7B, or a config.json.
        context: Context. Tokens of each sequence.
        batch: Batch. Sequences at the same time.
        weights: Weights. The format for running; training keeps 16 bits (QLoRA 4).
        cache: Cache format. How keys and values are stored while running.
        method: What is trained. Every weight, or small adapters beside frozen weights.
        optimizer: Optimiser. What it keeps per trained parameter is part of the bill.
        checkpointing: Checkpointing. Forget activations and compute them again when needed.

    >>> memory("7B", 4096).tables[1].rows[0].text()[:14]
    'Weights: 14 GB'
    """
    described = typed_model(model)
    with blaming("weights"):
        run = serving_memory(described, weights=weights, context=context, users=batch, cache=cache)
    with blaming("method"):
        train = training_table(described, method=method, seq=context, batch=batch,
                               optimizer=optimizer, checkpointing=checkpointing)  # fmt: skip
        double = training_table(described, method=method, seq=context, batch=2 * batch,
                                optimizer=optimizer, checkpointing=checkpointing)  # fmt: skip
    to_run, to_train = int(run.value("total")), int(train.value("total"))
    fixed, grows = fixed_bytes(train), growing_bytes(train)
    run_grows = int(run.value("cache")) if "cache" in run else 0
    step = (int(double.value("total")) - to_train) / batch
    sentence = (
        f"Training {described.name} takes {times_or_percent(to_train / to_run)} the "
        f"{format_bytes(to_run)} that running it takes. {format_bytes(fixed)} of it are fixed by "
        f"the model; the {format_bytes(grows)} of activations grow with the batch: each further "
        f"sequence adds {format_bytes(step)}."
    )
    what = {"full": "train", "lora": "train with LoRA", "qlora": "train with QLoRA"}[method]
    grouped = training_groups(train)
    return Answer(
        Row("to_train", f"Memory to {what}", to_train, "B",
            " + ".join(format_bytes(row.value) for row in grouped.rows)),
        sentence,
        (
            keyed(Table(run.title, run.rows, run.total), "run", "To run", "To run"),
            keyed(grouped, "train", "To train", "To train"),
            _growth(batch, run_grows, fixed_bytes(run), fixed, grows, step),
        ),
        (_kinds(run, grouped, described.name, to_run, to_train), _by_batch(step, to_train, batch)),
        notes=assumptions(described, context),
    )  # fmt: skip


def _growth(
    batch: int, run_grows: int, run_fixed: int, fixed: int, grows: int, step: float
) -> Table:
    sequences = f"{batch:,} sequence" + ("s" if batch > 1 else "")
    rows = (
        Row("fixed_run", "Running: fixed by the model", run_fixed, "B", "weights and engine"),
        Row("grows_run", "Running: grows with batch and context", run_grows, "B",
            f"the cache of {sequences}; {format_bytes(run_grows / batch)} each"),
        Row("fixed_train", "Training: fixed by the model", fixed, "B",
            "weights, gradients and what the optimiser keeps"),
        Row("grows_train", "Training: grows with batch and context", grows, "B",
            f"activations and loss of {sequences}"),
        Row("one_more", "Training: one more sequence", step, "B",
            "memory of twice the batch - memory of this one, buffers counted"),
    )  # fmt: skip
    return Table("What a smaller batch shrinks, and what it does not", rows)


def _kinds(run: Table, train: Table, name: str, to_run: int, to_train: int) -> Chart:
    """Running and training as two stacked bars."""
    labels = {"cache": "Cache", "overhead": "Engine and buffers",
              "headroom": "Engine and buffers"}  # fmt: skip
    names: dict[str, dict[str, int]] = {}
    for bar, table in (("Run", run), ("Train", train)):
        for row in table.rows:
            label = labels.get(row.key) or ("Weights" if row.key == "weights" else row.label)
            label = "Activations" if row.key == "activations" else label
            bars = names.setdefault(label, {})
            bars[bar] = bars.get(bar, 0) + int(row.value)
    series = tuple(Series(label, tuple(bars.items())) for label, bars in names.items())
    return Chart(
        "kinds", f"Running and training {name}", "stacked", Axis(""), Axis("Memory", "B"), series,
        f"Running takes {format_bytes(to_run)}, training {format_bytes(to_train)}.",
    )  # fmt: skip


def _by_batch(step: float, to_train: int, batch: int) -> Chart:
    """Training memory as the batch grows."""
    flat = to_train - batch * step
    bars = [(f"{n}", n * step) for n in BATCHES]
    return Chart(
        "by_batch", "Training, as the batch grows", "stacked", Axis("Batch", "sequences"),
        Axis("Memory", "B"),
        (
            Series("Fixed, with buffers", tuple((name, flat) for name, _ in bars)),
            Series("Grows with the batch, with buffers", tuple(bars)),
        ),
        f"{format_bytes(flat)} stay whatever the batch, buffers included; 32 sequences add "
        f"{format_bytes(32 * step)}.",
    )  # fmt: skip
