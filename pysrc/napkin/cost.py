"""What a run costs: device-hours, money, and dollars per million tokens.

``device-hours = C / (peak · MFU) / 3600`` whatever the number of devices; ``money = device-hours ×
price``.  ``energy`` comes from ``napkin.energy``.
"""

from __future__ import annotations

import math

from napkin.energy import energy
from napkin.hardware import Accelerator, accelerator
from napkin.inputs import positive, share, whole_number
from napkin.prices import hourly_price, purchase_price
from napkin.printing import (
    format_count,
    format_flops,
    format_money,
    format_number,
    format_rate,
    format_seconds,
)
from napkin.table import Row, Table

__all__ = [
    "break_even_hours",
    "cost_per_million_tokens",
    "energy",
    "money",
    "training_cost",
]


def training_cost(
    parameters: float,
    tokens: float,
    gpu: str | Accelerator = "H100",
    gpus: int = 1,
    mfu: float = 0.4,
    price_per_hour: float | None = None,
    form: str = "bf16",
    scaling_efficiency: float = 1.0,
) -> Table:
    """Time and money of a training run by the 6ND rule.

    ``mfu`` is the share of peak reached; ``scaling_efficiency`` the share left when work is spread
    over ``gpus`` devices; without ``price_per_hour`` the newest known rent is taken.

    >>> run = training_cost(124e6, 10e9, "H100", price_per_hour=3)
    >>> round(run.value("time") / 3600, 1), round(run.value("money"), 1)
    (5.2, 15.7)
    """
    device = accelerator(gpu)
    n, d = positive(parameters, "parameters"), positive(tokens, "tokens")
    reached = share(mfu, "mfu") * share(scaling_efficiency, "scaling_efficiency")
    count = whole_number(gpus, "gpus")
    peak = device.peak(form)
    flops = 6 * n * d
    seconds = flops / (count * peak * reached)
    hours = count * seconds / 3600
    rows = [
        Row("flops", "Compute", flops, "FLOP",
            f"6 × {format_count(n)} × {format_count(d)} = {format_flops(flops)}", "C = 6ND"),
        Row("time", "Time", seconds, "s",
            f"{format_number(flops)} / ({count:,} × {format_rate(peak)} × {reached:.3g}) = "
            f"{format_seconds(seconds)}", device.source),
        Row("gpu_hours", "Device-hours", hours, "GPU-hours",
            f"{count:,} × {format_seconds(seconds)} = {format_number(hours)} h"),
    ]  # fmt: skip
    notes: list[str] = []
    price, price_source = price_per_hour, "given"
    if price is None:
        try:
            known = hourly_price(device)
        except ValueError as error:
            notes.append(str(error))
        else:
            price, price_source = known.typical, f"{known.source}, {known.date:%Y-%m-%d}"
            notes.append(
                f"{device.name} rents for ${known.low:.2f} to ${known.high:.2f} an hour "
                f"({known.date:%Y-%m-%d})"
            )
    if price is not None:
        rows.append(_money_row(hours, positive(price, "price_per_hour"), price_source))
    return Table(
        f"Training {format_count(n)} parameters on {format_count(d)} tokens, {count:,} × "
        f"{device.name}",
        tuple(rows),
        notes=tuple(notes),
    )


def _money_row(hours: float, price: float, source: str) -> Row:
    value = hours * price
    working = f"{format_number(hours)} h × {format_money(price)}/h = {format_money(value)}"
    return Row("money", "Cost", value, "$", working, source)


def money(gpu_hours: float, price_per_hour: float | None = None, gpu: str = "H100") -> Table:
    """Dollars for a number of device-hours; without a price, from low to high of the known rents.

    >>> money(100, 3).value("money")
    300.0
    """
    hours = positive(gpu_hours, "gpu_hours")
    if price_per_hour is not None:
        row = _money_row(hours, positive(price_per_hour, "price_per_hour"), "given")
        return Table("Cost", (row,))
    known = hourly_price(gpu)
    source = f"{known.source}, {known.date:%Y-%m-%d}"
    rows = [_money_row(hours, known.typical, source)]
    for key, label, price in (("low", "Cheapest", known.low), ("high", "Dearest", known.high)):
        value = hours * price
        rows.append(
            Row(key, label, value, "$", f"{format_number(hours)} h × {format_money(price)}/h",
                source)
        )  # fmt: skip
    return Table(f"Cost on {known.accelerator}", tuple(rows))


def cost_per_million_tokens(
    tokens_per_second: float,
    gpu: str | Accelerator = "H100",
    gpus: int = 1,
    price_per_hour: float | None = None,
    utilisation: float = 1.0,
) -> Table:
    """Dollars per million tokens of a server that makes ``tokens_per_second`` over all its users.

    ``price × devices / 3600 / (tokens/s × utilisation) × 10⁶``; ``utilisation`` is the share of
    the day in which the server is that busy.

    >>> round(cost_per_million_tokens(2400, price_per_hour=3).value("per_million"), 3)
    0.347
    """
    device = accelerator(gpu)
    rate = positive(tokens_per_second, "tokens_per_second")
    busy, count = share(utilisation, "utilisation"), whole_number(gpus, "gpus")
    source = "given"
    if price_per_hour is None:
        known = hourly_price(device)
        price_per_hour, source = known.typical, f"{known.source}, {known.date:%Y-%m-%d}"
    price = positive(price_per_hour, "price_per_hour")
    hourly_tokens = rate * busy * 3600
    value = price * count / hourly_tokens * 1e6
    rows = (
        Row("tokens_per_hour", "Tokens per hour", hourly_tokens, "tokens",
            f"{format_number(rate)} tokens/s × {busy:g} × 3600 s"),
        Row("dollars_per_hour", "Price per hour", price * count, "$",
            f"{count:,} × {format_money(price)}", source),
        Row("per_million", "Price per million tokens", value, "$",
            f"{format_money(price * count)} / {format_count(hourly_tokens)} × 10⁶ = "
            f"{format_money(value)}"),
    )  # fmt: skip
    return Table(f"Serving on {count:,} × {device.name}", rows)


def break_even_hours(
    gpu: str | Accelerator = "rtx-4090",
    purchase: float | None = None,
    rent_of: str | Accelerator | None = None,
    price_per_hour: float | None = None,
    dollars_per_kwh: float = 0.15,
) -> Table:
    """Hours of renting that cost as much as buying, electricity of the owner counted.

    ``hours = purchase / (rent - power × price of electricity)``; ``rent_of`` rents another device
    in its place.

    >>> table = break_even_hours("rtx-4090", rent_of="H100", price_per_hour=3, dollars_per_kwh=0)
    >>> round(table.value("hours"))
    533
    """
    device = accelerator(gpu)
    rented = device if rent_of is None else accelerator(rent_of)
    bought = purchase_price(device).typical if purchase is None else purchase
    rent = hourly_price(rented).typical if price_per_hour is None else price_per_hour
    bought, rent = positive(bought, "purchase"), positive(rent, "price_per_hour")
    if not math.isfinite(dollars_per_kwh) or dollars_per_kwh < 0:
        raise ValueError(f"dollars_per_kwh must be zero or more, got {dollars_per_kwh!r}")
    running = (device.watts or 0) / 1000 * dollars_per_kwh
    if running >= rent:
        raise ValueError(
            f"running {device.name} costs {format_money(running)} an hour, no less than renting "
            f"{rented.name} for {format_money(rent)}: buying never pays"
        )
    hours = bought / (rent - running)
    rows = (
        Row("purchase", f"Buying {device.name}", bought, "$"),
        Row("running", "Electricity per hour", running, "$",
            f"{device.watts or 0:g} W × ${dollars_per_kwh:g}/kWh"),
        Row("rent", f"Renting {rented.name} per hour", rent, "$"),
        Row("hours", "Hours to break even", hours, "h",
            f"{format_money(bought)} / ({format_money(rent)} - {format_money(running)}) = "
            f"{format_number(hours)} h"),
    )  # fmt: skip
    return Table(f"Buy {device.name} or rent {rented.name}", rows)
