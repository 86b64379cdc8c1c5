"""Electricity of a run: ``device-hours × power × load``, then the servers and the building."""

from __future__ import annotations

import math

from napkin.hardware import Accelerator, accelerator
from napkin.inputs import positive, share
from napkin.printing import format_energy, format_money, format_number
from napkin.table import Row, Table

__all__ = ["BOARD_SHARE", "HOST_SHARE", "PUE", "energy"]

PUE = 1.2
"""Energy drawn by the building ÷ energy drawn by its computers; large sites report 1.1 to 1.4."""

BOARD_SHARE = 0.8
"""Draw of a busy board ÷ its rated power; training keeps it between about 0.7 and 1."""

HOST_SHARE = 1.3
"""Draw of the server (processors, fans, network) ÷ draw of its boards."""


def energy(
    gpu_hours: float,
    gpu: str | Accelerator = "H100",
    board_share: float = BOARD_SHARE,
    host_share: float = HOST_SHARE,
    pue: float = PUE,
    dollars_per_kwh: float = 0.1,
) -> Table:
    """Electricity of a number of device-hours: boards, the rest of the servers, the building.

    The three parts add up to the total; the price of it is in the notes.

    >>> round(energy(1000, "H100").value("total") / 3.6e6)
    874
    """
    device = accelerator(gpu)
    if device.watts is None:
        raise ValueError(f"the power of {device.name} is not known: choose another device")
    hours = positive(gpu_hours, "gpu_hours")
    busy = share(board_share, "board_share")
    for name, value in (("host_share", host_share), ("pue", pue)):
        if not math.isfinite(value) or value < 1:
            raise ValueError(f"{name} is a factor of 1 or more, got {value!r}: e.g. 1.2")
    boards = hours * 3600 * device.watts * busy
    host = boards * (host_share - 1)
    building = (boards + host) * (pue - 1)
    rows = [
        Row("boards", "Accelerators", boards, "J",
            f"{format_number(hours)} h × {device.watts:g} W × {busy:g} = {format_energy(boards)}",
            device.source),
        Row("host", "Rest of the servers", host, "J",
            f"{host_share - 1:.2g} × {format_energy(boards)}", "assumption"),
        Row("building", "Cooling and power supply", building, "J",
            f"(PUE {pue:g} - 1) × {format_energy(boards + host)}", "assumption"),
    ]  # fmt: skip
    total = math.fsum(row.value for row in rows)
    price = total / 3.6e6 * dollars_per_kwh
    return Table.of(
        f"Energy of {format_number(hours)} {device.name} hours",
        rows,
        total="Energy",
        working=format_energy(total),
        notes=(f"{format_energy(total)} × ${dollars_per_kwh:g}/kWh = {format_money(price)}",),
    )
