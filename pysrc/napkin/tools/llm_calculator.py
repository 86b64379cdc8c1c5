"""The whole bill of a language model in one view: memory, compute, time and money."""

from __future__ import annotations

from typing import Annotated

from napkin.capacity import COUNTS_OF_DEVICES, Load, serving_bytes, serving_memory
from napkin.choices import (
    Context,
    Gpu,
    ModelText,
    Share,
    Tokens,
    Users,
    Weights,
    assumptions,
    blaming,
    devices,
    format_16bit,
    keyed,
    three_digits,
)
from napkin.cost import training_cost
from napkin.fields import Amount
from napkin.forms import Answer, Axis, Chart, Row, Series, Table
from napkin.hardware import Accelerator, accelerator
from napkin.memory_groups import training_groups
from napkin.models import Model
from napkin.models.typed import typed_model
from napkin.passes import decode_pass
from napkin.printing import (
    format_bytes,
    format_count,
    format_flops,
    format_money,
    format_number,
    format_seconds,
)
from napkin.speed import Setup, pass_seconds
from napkin.training_fit import training_table

__all__ = ["llm_calculator"]


def llm_calculator(
    model: ModelText = "llama-3.1-8b",
    weights: Weights = "bf16",
    context: Context = 8000,
    users: Users = 1,
    tokens: Tokens = 15e12,
    gpu: Gpu = "H100",
    gpus: Annotated[int, Amount("", 1, 10**6, whole=True, suggestions=("8", "256", "1k"))] = 1000,
    mfu: Share = 0.4,
) -> Answer:
    """Parameters, memory to run and to train, FLOP, time and cost of a language model.

    Parameters:
        model: Model. A name such as llama-3.1-8b, a size such as 7B, or a config.json.
        weights: Weights. The format for running the model.
        context: Context. Tokens of each conversation, and of each training sequence.
        users: Users at once. Conversations that the running model holds.
        tokens: Training tokens. How much text it is trained on.
        gpu: GPU. The device for running and for training.
        gpus: GPUs for training. How many share the training run.
        mfu: MFU. The share of the GPU's peak that training reaches; 30 to 50% is good.

    >>> answer = llm_calculator("7B", context=4096)
    >>> answer.headline.key, [row.text()[:19] for row in answer.tables[0].rows[:2]]
    ('run', ['Parameters: 7B para', 'Weights in bf16: 14'])
    """
    described, device = typed_model(model), accelerator(gpu)
    with blaming("weights"):
        run = serving_memory(described, weights=weights, context=context, users=users)
    with blaming("context"):
        train = training_table(described, seq=context, checkpointing="full")
    active = described.active
    cost = training_cost(active, tokens, device, gpus, mfu, form=format_16bit(device))
    to_run, to_train = int(run.value("total")), int(train.value("total"))
    rows = [
        Row("parameters", "Parameters", described.total, "parameters",
            "" if active == described.total else
            f"{format_count(active)} of them work on any one token"),
        Row("weights", f"Weights in {weights}", run.value("weights"), "B",
            run["weights"].working),
        Row("run", "Memory to run", to_run, "B",
            " + ".join(format_bytes(row.value) for row in run.rows)),
        *_speed(described, device, Load(weights, context, users)),
        Row("state", "State to train, 16 B per parameter", 16 * described.total, "B",
            f"{format_count(described.total)} × (2 + 2 + 4 + 8) B"),
        Row("train", "Memory to train", to_train, "B",
            f"{format_bytes(16 * described.total)} + activations of one sequence, recomputed"),
        Row("per_token", "Compute per training token", 6 * active, "FLOP",
            f"6 × {format_count(active)}"),
        *(Row(row.key, row.label, row.value, row.unit, row.working, row.source)
          for row in cost.rows),
    ]  # fmt: skip
    crowd = "one conversation" if users == 1 else f"{users:,} conversations"
    price = f" and {format_money(cost.value('money'))}" if "money" in cost else ""
    hours = format_number(three_digits(cost.value("gpu_hours")))
    sentence = (
        f"{described.name} needs {format_bytes(to_run)} to hold {crowd} of {context:,} tokens, and "
        f"{format_bytes(to_train)} to be trained. Training it on {format_count(tokens)} tokens is "
        f"{format_flops(cost.value('flops'))}: {format_seconds(cost.value('time'))} on "
        f"{devices(gpus, device.name)}, {hours} GPU-hours{price}."
    )
    return Answer(
        Row("run", "Memory to run", to_run, "B"),
        sentence,
        (
            Table("At a glance", tuple(rows)),
            keyed(Table("Memory to run", run.rows, run.total), "run", total="Together"),
            keyed(training_groups(train, "Memory to train, on one device"), "train",
                  total="Together"),
            keyed(described.parameters(), "part", "Where the parameters are"),
        ),
        (_bars(run, train, described.name),),
        notes=(*cost.notes, *assumptions(described, context)),
    )  # fmt: skip


def _speed(model: Model, device: Accelerator, load: Load) -> list[Row]:
    """Devices that hold the model, and how fast they write."""
    count = next(
        (n for n in COUNTS_OF_DEVICES if serving_bytes(model, load, n) <= device.memory), None
    )
    if count is None:
        return []
    held = Row("devices", f"{device.name} that hold it", count, "")
    if not model.generates:
        return [held]
    setup = Setup.of(device, count, "auto", load.weights)
    users = load.users
    step = pass_seconds(decode_pass(model, load.weights, load.cache, load.context, users), setup,
                        setup.workers)  # fmt: skip
    what = "One user reads" if users > 1 else "Writes"
    return [
        held,
        Row("speed", f"{what} about", 1 / step.typical, "tokens/s",
            f"{format_number(round(1 / step.high))} to {format_number(round(1 / step.low))}"
            f" on {devices(count, device.name)}"),
    ]  # fmt: skip


def _bars(run: Table, train: Table, name: str) -> Chart:
    """Running and training as two stacked bars."""
    names: dict[str, dict[str, int]] = {}
    for bar, table in (("Run", run), ("Train", training_groups(train))):
        for row in table.rows:
            label = {
                "weights": "Weights", "activations": "Activations", "overhead": "Buffers",
                "headroom": "Buffers",
            }.get(row.key, row.label)  # fmt: skip
            bars = names.setdefault(label, {})
            bars[bar] = bars.get(bar, 0) + int(row.value)
    return Chart(
        "memory", f"What fills the memory: {name}", "stacked", Axis(""), Axis("Memory", "B"),
        tuple(Series(label, tuple(bars.items())) for label, bars in names.items()),
        f"Running takes {format_bytes(run.value('total'))}, training "
        f"{format_bytes(train.value('total'))}.",
    )  # fmt: skip
