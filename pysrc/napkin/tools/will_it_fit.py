"""Will it fit? One model and one task against every accelerator of the catalogue."""

from __future__ import annotations

from typing import Annotated, Literal

from napkin.capacity import Load, serving_memory
from napkin.choices import Context, ModelText, Weights, assumptions, blaming, keyed
from napkin.fields import Amount, Choice
from napkin.fleet import Fitting, serving_fleet, training_fleet
from napkin.forms import Answer, Column, Grid, Row, Table
from napkin.memory_groups import training_groups
from napkin.models import Model
from napkin.models.typed import typed_model
from napkin.prices import Price, prices
from napkin.printing import format_bytes, format_money
from napkin.training_fit import training_table

__all__ = ["will_it_fit"]

Task = Annotated[
    Literal["run", "qlora", "lora", "full"],
    Choice(
        (
            ("run", "Run it"),
            ("qlora", "Fine-tune with QLoRA"),
            ("lora", "Fine-tune with LoRA"),
            ("full", "Train all of it"),
        )
    ),
]


def will_it_fit(
    model: ModelText = "llama-3.1-8b",
    task: Task = "run",
    weights: Weights = "bf16",
    context: Context = 8000,
    batch: Annotated[
        int, Amount("sequences", 1, 10**6, whole=True, suggestions=("1", "8", "32"))
    ] = 1,
    gpus: Annotated[int, Amount("", 1, 64, whole=True, suggestions=("1", "2", "4", "8"))] = 1,
) -> Answer:
    """Which GPUs hold a model for a task, with how much to spare, and how fast they are.

    Parameters:
        model: Model. A name such as llama-3.1-8b, a size such as 7B, or a config.json.
        task: Task. Run it, or train it in one of three ways.
        weights: Weights. The format for running; LoRA and full training use 16 bits, QLoRA 4.
        context: Context. Tokens of one conversation, or of one training sequence.
        batch: At once. Conversations at the same time, or sequences per device and step.
        gpus: GPUs together. How many of each kind share the model.

    >>> will_it_fit("llama-3.1-8b", "run", "Q4_K_M").headline.text()[:22]
    'Memory needed: 6.62 GB'
    """
    described = typed_model(model)
    if task == "run":
        with blaming("weights"):
            load = Load(weights, context, batch)
            parts = serving_memory(described, weights=weights, context=context, users=batch,
                                   gpus=gpus)  # fmt: skip
            fleet = serving_fleet(described, load, gpus)
    else:
        with blaming("task"):
            parts = training_table(described, method=task, seq=context, batch=batch, gpus=gpus,
                                   checkpointing="full")  # fmt: skip
            fleet = training_fleet(described, task, context, batch, gpus)
    need = int(parts.value("total"))
    rents = _rents()
    where = "" if gpus == 1 else f" on each of {gpus} devices"
    groups = parts if task == "run" else training_groups(parts)
    return Answer(
        Row("need", f"Memory needed{where}", need, "B",
            " + ".join(format_bytes(row.value) for row in groups.rows)),
        _sentence(described, task, weights, need, fleet, gpus, rents),
        (keyed(Table("What takes the memory", groups.rows, groups.total), "part",
               total="Together"),),
        grid=_grid(fleet, task, gpus, rents),
        notes=(*_notes(task, gpus, groups), *assumptions(described, context)),
    )  # fmt: skip


def _rents() -> dict[str, Price]:
    """The newest rent of every device that has one, none older than a year beside the newest."""
    found = {price.accelerator: price for price in prices() if price.kind == "rent"}
    newest = max(price.date for price in found.values())
    return {name: price for name, price in found.items() if (newest - price.date).days <= 365}


def _sentence(
    model: Model, task: str, weights: str, need: int, fleet: list[Fitting], gpus: int,
    rents: dict[str, Price],
) -> str:  # fmt: skip
    what = {
        "run": f"Running {model.name} in {weights}",
        "qlora": f"Fine-tuning {model.name} with QLoRA",
        "lora": f"Fine-tuning {model.name} with LoRA",
        "full": f"Training all of {model.name}",
    }[task]
    devices = "devices" if gpus == 1 else f"kinds of device, {gpus} of each"
    fits = [one for one in fleet if one.fits]
    if not fits:
        more = sorted((one.fewest or 99, one.gpu.memory, one.gpu.name) for one in fleet)[0]
        way = (
            f"the fewest that hold it are {more[0]} × {more[2]}"
            if more[0] < 99
            else "not even eight of the largest hold it"
        )
        return f"{what} needs {format_bytes(need)}: no device here has that much; {way}."
    small = min(fits, key=lambda one: (one.gpu.memory, one.gpu.name))
    if len(fits) == 1:
        return (
            f"{what} needs {format_bytes(need)} and fits on one of {len(fleet)} {devices}, the "
            f"{small.gpu.name} ({format_bytes(small.gpu.memory)} usable)."
        )
    text = (
        f"{what} needs {format_bytes(need)} and fits on {len(fits)} of {len(fleet)} {devices}; "
        f"the smallest is the {small.gpu.name} ({format_bytes(small.gpu.memory)} usable)"
    )
    rented = [one for one in fits if one.gpu.name in rents]
    if rented:
        cheap = min(rented, key=lambda one: rents[one.gpu.name].typical)
        price = rents[cheap.gpu.name]
        text += (
            f", the cheapest to rent the {cheap.gpu.name} "
            f"({format_money(price.typical * gpus)} an hour)"
        )
    return f"{text}."


def _grid(fleet: list[Fitting], task: str, gpus: int, rents: dict[str, Price]) -> Grid:
    run = task == "run"
    columns = (
        Column("gpu", "GPU"),
        Column("fits", "Fits", only="Only those that fit"),
        Column("spare", "Left over", "B"),
        Column("memory", "Usable memory", "B"),
        Column("most", "Most at once" if run else "Largest batch"),
        Column("longest", "Longest context", "tokens"),
        Column("slow", "Tokens/s, slow end"),
        Column("fast", "Tokens/s, fast end"),
        Column("rent", "Rent per hour", "$"),
        Column("fewest", "How many hold it"),
    )
    rows = []
    for one in sorted(fleet, key=_order):
        price = rents.get(one.gpu.name)
        rows.append(
            (
                one.gpu.name,
                one.fits,
                one.gpu.memory - one.need,
                one.gpu.memory,
                one.most if one.most < 2**20 else None,
                one.longest if one.longest < 2**40 else None,
                None if one.speed is None else _short(one.speed.low),
                None if one.speed is None else _short(one.speed.high),
                None if price is None else price.typical * gpus,
                one.fewest,
            )
        )
    title = "Every device" if gpus == 1 else f"{gpus} of every device"
    return Grid(title, columns, tuple(rows))


def _order(one: Fitting) -> tuple[bool, int, str]:
    """Those that fit, small ones first; then the others, large ones first."""
    return (not one.fits, one.gpu.memory if one.fits else -one.gpu.memory, one.gpu.name)


def _short(speed: float) -> float:
    """Two digits: a range is no finer than that."""
    return float(f"{speed:.2g}")


def _notes(task: str, gpus: int, groups: Table) -> tuple[str, ...]:
    newest = max(price.date for price in _rents().values())
    speed = (
        "tokens/s while writing, of all conversations together, as four of five measurements "
        "found them"
        if task == "run"
        else "tokens/s of training, at the utilisation that whole published runs reached"
    )
    shared = () if gpus == 1 or task == "run" else ("shared by ZeRO-3 (FSDP)",)
    memory = () if task == "run" else ("layers recomputed in the backward pass (checkpointing)",)
    return (*memory, *shared, speed, *_loss(groups), f"rents of {newest:%B %Y} at the latest")


def _loss(groups: Table) -> tuple[str, ...]:
    """Where the loss takes the most, how to be rid of it."""
    if "loss" not in groups or groups.value("loss") < 0.25 * groups.value("total"):
        return ()
    return (
        f"the loss and its logits take {format_bytes(groups.value('loss'))}: shorter sequences "
        "shrink them, and libraries with a fused loss never hold them all",
    )
