"""6ND: the compute, time and money of a training run."""

from __future__ import annotations

from typing import Annotated

from napkin.answers import Cell
from napkin.choices import (
    Gpu,
    ModelText,
    Share,
    Tokens,
    assumptions,
    blaming,
    devices,
    format_16bit,
    three_digits,
)
from napkin.cost import training_cost
from napkin.fields import Amount
from napkin.flops import training_flops
from napkin.forms import Answer, Axis, Chart, Column, Grid, Mark, Row, Series, Table
from napkin.hardware import Accelerator, accelerator
from napkin.models import Model
from napkin.models.typed import typed_model
from napkin.printing import (
    format_count,
    format_flops,
    format_money,
    format_number,
    format_rate,
    format_seconds,
)
from napkin.scaling import optimal_allocation
from napkin.training_time import training_mfu

__all__ = ["RUNS", "training_compute"]

RUNS = (
    ("GPT-2 small, 10B tokens", 124e6, 10e9),
    ("7B fine-tuned on 50M tokens", 7e9, 50e6),
    ("GPT-3 175B, 300B tokens", 175e9, 300e9),
    ("7B on 2T tokens", 7e9, 2e12),
    ("Llama 3 405B, 15.6T tokens", 405e9, 15.6e12),
)
"""Name, parameters, tokens of runs that people know."""


def training_compute(
    model: ModelText = "7B",
    tokens: Tokens = 2e12,
    gpu: Gpu = "H100",
    gpus: Annotated[int, Amount("", 1, 10**6, whole=True, suggestions=("1", "8", "256"))] = 256,
    mfu: Share = 0.4,
    price: Annotated[
        float | None, Amount("", 0.001, 10_000, kind="money", suggestions=("$2", "$3", "$4"))
    ] = None,
    sequence: Annotated[
        int, Amount("tokens", 1, 10**8, whole=True, suggestions=("4k", "8k", "128k"))
    ] = 4096,
) -> Answer:
    """Compute of a training run by C = 6ND, and what it means in days and dollars.

    Parameters:
        model: Model. A size such as 7B, a name such as llama-3.1-8b, or a config.json.
        tokens: Training tokens. How much text passes through the model.
        gpu: GPU. The device that trains.
        gpus: GPUs. How many work at the same time.
        mfu: MFU. The share of the peak that the run reaches; 30 to 50% is good.
        price: Price per GPU-hour. Dollars; left empty, the newest rent known for the GPU.
        sequence: Sequence length. For the exact count beside the rule; longer means more attention.

    >>> answer = training_compute("7B", 2e12, "H100", 256, 0.4, 3.0)
    >>> round(answer.tables[0].value("flops") / 1e22, 1), round(answer.headline.value / 86400, 1)
    (8.4, 9.6)
    """
    described, device = typed_model(model), accelerator(gpu)
    cost = training_cost(described.active, tokens, device, gpus, mfu, price,
                         form=format_16bit(device))  # fmt: skip
    flops, seconds = float(cost.value("flops")), float(cost.value("time"))
    hours = float(cost.value("gpu_hours"))
    money = f", about {format_money(cost.value('money'))}" if "money" in cost else ""
    sentence = (
        f"Training {described.name} on {format_count(tokens)} tokens is {format_flops(flops)}. "
        f"At {mfu:.0%} of {format_rate(device.peak_16bit)}, {devices(gpus, device.name)} "
        f"{'needs' if gpus == 1 else 'need'} "
        f"{format_seconds(seconds)}: {format_number(three_digits(hours))} GPU-hours{money}."
    )
    sequence = min(sequence, described.max_context or sequence)
    with blaming("sequence"):
        exact = float(training_flops(described, tokens, sequence).value("total"))
    share = training_mfu(device)
    ratio = tokens / described.active
    best, best_tokens = optimal_allocation(flops, "20-tokens-per-parameter")
    checks = Table("Second opinions", (
        Row("exact", f"Counted matrix by matrix, sequences of {sequence:,}", exact, "FLOP",
            f"{exact / flops - 1:+.1%} against 6ND: the scores of attention in, the look-up of "
            "embeddings out", "napkin.flops; PyTorch's counter agrees within 0.02%"),
        Row("slow", "Time, were it a slow published run", flops / device.peak_16bit / gpus
            / share.low, "s", f"MFU {share.low:.0%}", "published training runs"),
        Row("fast", "Time, were it a fast published run", flops / device.peak_16bit / gpus
            / share.high, "s", f"MFU {share.high:.0%}", "published training runs"),
        Row("ratio", "Tokens per parameter", ratio, "",
            f"{format_count(tokens)} ÷ {format_count(described.active)}; about 20 buys the lowest "
            "loss for this compute", "Hoffmann et al. 2022"),
        Row("optimal", "Model that 20 tokens per parameter would choose", best, "parameters",
            f"on {format_count(best_tokens)} tokens, for the same compute"),
    ))  # fmt: skip
    working = cost["time"].working
    return Answer(
        Row("time", "Training time", seconds, "s", working),
        sentence,
        (Table("The bill", cost.rows), checks),
        (_map(described, tokens),),
        _runs(device, mfu),
        (*cost.notes, *assumptions(described)),
    )  # fmt: skip


def _runs(device: Accelerator, mfu: float) -> Grid:
    """Known runs at this utilisation, on two well-known devices and the chosen one."""
    devices = {name: accelerator(name) for name in ("A100", "H100")}
    if device.name not in {d.name for d in devices.values()}:
        devices[device.name] = device
    columns = (
        Column("run", "Run"),
        Column("parameters", "Parameters", "parameters"),
        Column("tokens", "Tokens", "tokens"),
        Column("flops", "Compute", "FLOP"),
        *(Column(f"hours_{n}", f"GPU-hours, {d}") for n, d in enumerate(devices)),
    )
    rows: list[tuple[Cell, ...]] = []
    for name, parameters, tokens in RUNS:
        flops = 6 * parameters * tokens
        hours = [flops / d.peak_16bit / mfu / 3600 for d in devices.values()]
        rows.append((name, parameters, tokens, flops, *(three_digits(h) for h in hours)))
    return Grid(f"Runs that people know, at {mfu:.0%} MFU", columns, tuple(rows))


def _map(model: Model, tokens: float) -> Chart:
    """Runs by size and tokens, with the line of 20 tokens per parameter."""
    line = tuple((n, 20 * n) for n in (1e8, 1e9, 1e10, 1e11, 1e12))
    return Chart(
        "runs", "Known runs, and the line of 20 tokens per parameter", "line",
        Axis("Parameters", "parameters", log=True), Axis("Training tokens", "tokens", log=True),
        (Series("20 tokens per parameter", line),),
        f"Your run has {format_number(round(tokens / model.active, 1))} tokens per parameter; "
        "small models of today lie far above the line of 20, GPT-3 below it.",
        (*(Mark(name.split(",")[0], n, d) for name, n, d in RUNS),
         Mark("your run", float(model.active), float(tokens))),
    )  # fmt: skip
