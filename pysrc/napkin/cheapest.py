"""Money, asked forwards and backwards: what a run or a token costs, and where it costs least.

Prices are rents per device and hour with a date (``napkin.prices``); speeds and times are ranges,
so costs are too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from napkin.achieved import Range
from napkin.capacity import Load, serving_bytes
from napkin.collectives import whole
from napkin.hardware import Accelerator, accelerator
from napkin.lookup import model_of
from napkin.prices import hourly_price, prices
from napkin.printing import format_count, format_money, format_number, format_seconds
from napkin.roofline import positive
from napkin.serving import decode_rate
from napkin.solve import devices_that_fit
from napkin.speed import Setup
from napkin.table import Row, Table
from napkin.training_time import training_seconds

if TYPE_CHECKING:
    from napkin.models import Model

__all__ = ["cheapest_serving", "cheapest_training", "serving_cost", "training_money"]

STALE = 365
STATE = 16  # bytes per parameter: mixed precision with Adam


def _rent(device: Accelerator, price: float | None) -> tuple[float, str]:
    if price is not None:
        return positive(price, "price", "dollars per device and hour, such as 2.5"), "given"
    known = hourly_price(device)
    return known.typical, f"{known.source}, {known.date:%Y-%m-%d}"


def _rented() -> list[Accelerator]:
    """Every accelerator with a rent that is no older than STALE days beside the newest one."""
    rents = [price for price in prices() if price.kind == "rent"]
    newest = max(price.date for price in rents)
    fresh = [price.accelerator for price in rents if (newest - price.date).days <= STALE]
    return [accelerator(name) for name in dict.fromkeys(fresh)]


def serving_cost(
    model: Model | str,
    gpu: str = "h100",
    *,
    gpus: int = 1,
    weights: str = "bf16",
    context: int = 4096,
    batch: int = 32,
    engine: str = "compiled",
    price: float | None = None,
) -> Table:
    """Dollars per million generated tokens of a server that decodes ``batch`` sequences at once.

    price × devices ÷ 3600 ÷ tokens/s × 10⁶, for the typical speed and both ends of its range.

    >>> from napkin.models import from_config
    >>> table = serving_cost(from_config({"model_type": "llama"}), "h100", price=3, context=512)
    >>> table.value("per_million_low") < table.value("per_million") < 1
    True
    """
    model = model_of(model)
    setup = Setup.of(gpu, gpus, engine, weights)
    rate = decode_rate(model, setup, context=context, batch=batch)
    rent, source = _rent(setup.gpu, price)
    hourly = rent * setup.gpus

    def dollars(speed: float) -> float:
        return hourly / 3600 / speed * 1e6

    rows = (
        Row("tokens_per_s", "Tokens per second, all sequences", rate.typical, "tokens/s",
            f"{format_number(rate.low)} to {format_number(rate.high)}"),
        Row("dollars_per_hour", "Rent per hour", hourly, "$",
            f"{setup.gpus} × {format_money(rent)}", source),
        Row("per_million_low", "Per million tokens, fast end", dollars(rate.high), "$"),
        Row("per_million", "Per million tokens, typical", dollars(rate.typical), "$",
            f"{format_money(hourly)}/h ÷ 3600 ÷ {format_number(rate.typical)} tokens/s × 10⁶"),
        Row("per_million_high", "Per million tokens, slow end", dollars(rate.low), "$"),
    )  # fmt: skip
    notes = ["generated tokens, with the batch always full; reading prompts comes on top"]
    if serving_bytes(model, Load(weights, context, batch), setup.gpus) > setup.gpu.memory:
        notes.append(f"{batch} × {context:,} tokens do not fit: use fewer, or more devices")
    title = f"Serving {model.name} on {setup.gpus} × {setup.gpu.name}, {batch} at once"
    return Table(title, rows, notes=tuple(notes))


def training_money(
    model: Model | str,
    tokens: float,
    gpu: str = "h100",
    *,
    seq: int = 4096,
    mfu: float | None = None,
    price: float | None = None,
) -> Table:
    """Device-hours and dollars of a training run, as a range unless ``mfu`` is given.

    >>> from napkin.models import from_config
    >>> gpt2 = from_config({"model_type": "gpt2"})
    >>> round(training_money(gpt2, 10e9, "H100", seq=1024, mfu=0.4, price=3).value("money"))
    18
    """
    model = model_of(model)
    from napkin.flops import training_flops

    device = accelerator(gpu)
    flops = float(training_flops(model, tokens, seq).value("total"))
    span = training_seconds(flops, device, 1, mfu)
    rent, source = _rent(device, price)
    hours = Range(span.low / 3600, span.typical / 3600, span.high / 3600)
    rows = (
        Row("flops", "Compute", flops, "FLOP"),
        Row("gpu_hours", "Device-hours, typical", hours.typical, "GPU-hours",
            f"{format_number(hours.low)} to {format_number(hours.high)}"),
        Row("price", "Rent per device and hour", rent, "$", "", source),
        Row("money_low", "Cost, fast end", hours.low * rent, "$"),
        Row("money", "Cost, typical", hours.typical * rent, "$",
            f"{format_number(hours.typical)} h × {format_money(rent)}"),
        Row("money_high", "Cost, slow end", hours.high * rent, "$"),
    )  # fmt: skip
    title = f"Training {model.name} on {format_count(tokens)} tokens with {device.name}"
    return Table(title, rows)


def _key(device: Accelerator) -> str:
    return "gpu_" + "_".join(
        "".join(c if c.isalnum() else " " for c in device.name.lower()).split()
    )


def cheapest_training(
    model: Model | str, tokens: float, *, deadline: float | None = None, seq: int = 4096
) -> Table:
    """Typical cost on every accelerator with a known rent, cheapest first.

    With ``deadline`` (s) the working names the devices that make it; it always names the fewest
    that hold 16 bytes per parameter (weights, gradients and Adam, sharded).
    """
    model = model_of(model)
    from napkin.flops import training_flops

    flops = float(training_flops(model, tokens, seq).value("total"))
    if deadline is not None:
        positive(deadline, "deadline", "seconds: 30 days are 2592000")
    found = []
    for device in _rented():
        one = training_seconds(flops, device).typical
        price = hourly_price(device)
        least = -(-STATE * model.total // device.memory)
        count = least if deadline is None else max(least, -int(-one // deadline))
        working = (
            f"{format_number(one / 3600)} h × {format_money(price.typical)}; {count:,} devices "
            f"take {format_seconds(one / count)}; the state needs {least:,}"
        )
        source = f"{price.source}, {price.date:%Y-%m-%d}"
        cost = one / 3600 * price.typical
        found.append(Row(_key(device), device.name, cost, "$", working, source))
    found.sort(key=lambda row: row.value)
    return Table(f"Cost of training {model.name} on {format_count(tokens)} tokens", tuple(found))


def cheapest_serving(
    model: Model | str, *, weights: str = "bf16", context: int = 4096, users: int = 32
) -> Table:
    """Dollars per million tokens on every rentable accelerator that holds the load, cheapest first.

    Each with the fewest devices (1, 2, 4, 8) that hold the weights and all ``users``.
    """
    model = model_of(model)
    users = whole(users, "users", 1, "32")
    fits = {
        device.name: count
        for device, count in devices_that_fit(model, weights=weights, context=context, users=users)
    }
    found = []
    for device in _rented():
        count = fits.get(device.name)
        if count is None:
            continue
        rate = decode_rate(model, Setup.of(device, count, "compiled", weights), context=context,
                           batch=users).typical  # fmt: skip
        price = hourly_price(device)
        value = price.typical * count / 3600 / rate * 1e6
        working = f"{count} × {format_money(price.typical)}/h at {format_number(rate)} tokens/s"
        source = f"{price.source}, {price.date:%Y-%m-%d}"
        found.append(Row(_key(device), f"{count} × {device.name}", value, "$", working, source))
    if not found:
        raise ValueError(
            f"no rentable device holds {model.name} as {weights} for {users} × {context:,} tokens "
            "with 8 of them: use a smaller weight format, context or number of users"
        )
    found.sort(key=lambda row: row.value)
    title = f"Dollars per million tokens of {model.name}, {users} × {context:,} tokens"
    return Table(title, tuple(found), notes=("typical speeds, the batch always full",))
