"""Prices of accelerators, each with its date: they age faster than anything else here.

Rents are US dollars per device and hour; ``low`` to ``high`` is the spread between providers (or
spot and on-demand), ``typical`` the price to plan with.  Purchases are launch prices.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import cache

from napkin.hardware import Accelerator, accelerator
from napkin.table import Row, Table

__all__ = ["Price", "hourly_price", "prices", "prices_table", "purchase_price"]


@dataclass(frozen=True)
class Price:
    """A price seen on a date: dollars per device-hour (``rent``) or per device (``buy``)."""

    accelerator: str
    kind: str
    low: float
    typical: float
    high: float
    date: date
    source: str
    provenance: str = "read"


_MERCATUS = "mercatus-ai.com, cloud GPU pricing by provider tier"
_RUNPOD = "deploybase.ai, RunPod spot and on-demand prices"
_LLMC = "karpathy/llm.c, headers of scripts/run_gpt2_*.sh"
_LAUNCH = "launch price"


@cache
def prices() -> tuple[Price, ...]:
    """Every price known here, oldest first."""
    may, march = date(2026, 5, 1), date(2026, 3, 10)
    rows = [
        Price("H100 SXM", "rent", 1.99, 2.95, 5.0, may, f"{_MERCATUS}; median: aimultiple.com"),
        Price("A100 SXM 80GB", "rent", 0.8, 1.4, 3.0, may, _MERCATUS),
        Price("H200 SXM", "rent", 2.5, 3.6, 7.0, may, _MERCATUS),
        Price("B200 SXM", "rent", 5.98, 5.98, 10.57, march, _RUNPOD),
        Price("H100 PCIe", "rent", 1.99, 2.4, 3.51, march, _RUNPOD),
        Price("A100 PCIe 80GB", "rent", 1.19, 1.4, 2.1, march, _RUNPOD),
        Price("RTX PRO 6000 Blackwell", "rent", 0.89, 1.2, 1.57, march, _RUNPOD),
        Price("L40S", "rent", 0.79, 0.9, 1.4, march, _RUNPOD),
        Price("L40", "rent", 0.69, 0.9, 1.22, march, _RUNPOD),
        Price("L4", "rent", 0.44, 0.5, 0.78, march, _RUNPOD),
        Price("RTX 5090", "rent", 0.69, 0.8, 1.22, march, _RUNPOD),
        Price("RTX 4090", "rent", 0.22, 0.4, 0.6, march, _RUNPOD),
        Price("RTX 3090", "rent", 0.22, 0.3, 0.39, march, _RUNPOD),
        Price("A100 SXM 80GB", "rent", 1.75, 1.75, 1.75, date(2024, 5, 28), _LLMC),
        Price("H100 SXM", "rent", 3.5, 3.5, 3.5, date(2024, 7, 11), _LLMC),
        Price("H800 SXM", "rent", 2.0, 2.0, 2.0, date(2024, 12, 27), "DeepSeek-V3 report",
              "recalled"),
        Price("TPU v3 (chip)", "rent", 8.0, 8.0, 8.0, date(2019, 2, 14),
              "karpathy/nanochat README, of GPT-2's training"),
        Price("RTX 3090", "buy", 1499, 1499, 1499, date(2020, 9, 24), _LAUNCH, "recalled"),
        Price("RTX 4090", "buy", 1599, 1599, 1599, date(2022, 10, 12), _LAUNCH, "recalled"),
        Price("RTX 5090", "buy", 1999, 1999, 1999, date(2025, 1, 30), _LAUNCH, "recalled"),
        Price("RTX 4060 Ti 16GB", "buy", 499, 499, 499, date(2023, 7, 18), _LAUNCH, "recalled"),
        Price("DGX Spark (GB10)", "buy", 3999, 3999, 3999, date(2025, 10, 15), _LAUNCH, "recalled"),
        Price("H100 SXM", "buy", 25_000, 30_000, 40_000, date(2024, 1, 1), "press reports",
              "recalled"),
    ]  # fmt: skip
    return tuple(sorted(rows, key=lambda price: price.date))


def hourly_price(name: str | Accelerator) -> Price:
    """The newest rent known for a device.

    >>> price = hourly_price("H100")
    >>> price.low <= price.typical <= price.high
    True
    """
    return _newest(accelerator(name), "rent")


def purchase_price(name: str | Accelerator) -> Price:
    """The newest purchase price known for a device.

    >>> purchase_price("rtx-4090").typical
    1599
    """
    return _newest(accelerator(name), "buy")


def _newest(device: Accelerator, kind: str) -> Price:
    found = [price for price in prices() if price.kind == kind]
    for price in reversed(found):
        if price.accelerator == device.name:
            return price
    known = ", ".join(sorted({price.accelerator for price in found}))
    raise ValueError(
        f"no {kind} price is known for {device.name}: give one, or take one of {known}"
    )


def prices_table() -> Table:
    """The newest rents, in dollars per device-hour, with spread, date and source."""
    names = sorted({price.accelerator for price in prices() if price.kind == "rent"})
    rows = []
    for name in names:
        price = _newest(accelerator(name), "rent")
        rows.append(
            Row(
                "gpu_" + re.sub(r"\W+", "_", name.lower()).strip("_"),
                name,
                price.typical,
                "$/h",
                f"${price.low:.2f} to ${price.high:.2f} per hour on {price.date:%Y-%m-%d}",
                price.source,
            )
        )
    return Table("Rent per device and hour", tuple(rows))
