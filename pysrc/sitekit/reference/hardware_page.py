"""`docs/reference/hardware.md`: every accelerator of the catalogue, with its source."""

from __future__ import annotations

from napkin.hardware import Accelerator, accelerators
from napkin.prices import Price, prices
from sitekit.reference.markup import number, plain, table

FORMS = ("fp32", "tf32", "bf16", "fp16", "fp8", "fp4", "int8")

HEAD = """# Hardware

Every accelerator that the course and its calculators count with: {count} of them, as listed in
November 2026. Use the names in any calculator, and in Python as `accelerator("H100")` from
`napkin.hardware`.

**Peaks are dense.** Data sheets often print the sparse figure, which is twice as high and needs
half of the numbers to be zero. On GeForce cards the 16-bit peaks are with fp32 accumulation, as
training uses it. A peak is a speed limit: [accuracy](accuracy.md) shows what runs reach.

**Memory is given twice.** *Sold* is the number on the box. *Usable* is what software can
allocate, in GiB (2³⁰ bytes). A value with ~ follows a rule instead of a report.

**Sources.** *Read* means that the figure was read in the source while this list was made.
*Recalled* means from memory of the data sheet, not read again: check it before you spend money on
it.
"""

PRICES = """## Prices

Dollars per device and hour for rent, per device for purchases; every price with the day it was
seen. They age faster than anything else here.
"""


def page() -> str:
    """The page's Markdown."""
    rows = accelerators()
    lines = [HEAD.format(count=len(rows))]
    for vendor in dict.fromkeys(row.vendor for row in rows):
        lines += _vendor(vendor, [row for row in rows if row.vendor == vendor])
    lines += [PRICES, *_prices()]
    return "\n".join(lines) + "\n"


def _vendor(vendor: str, rows: list[Accelerator]) -> list[str]:
    forms = [form for form in FORMS if any(form in row.peaks for row in rows)]
    peaks = table(
        ("Accelerator", "Year", *forms, "Memory bandwidth"),
        (
            (
                row.name,
                str(row.year),
                *(number(row.peaks[form] / 1e12) if form in row.peaks else "" for form in forms),
                f"{number(row.bandwidth / 1e9)} GB/s",
            )
            for row in rows
        ),
        "l" + "r" * (len(forms) + 2),
    )
    facts = table(
        ("Accelerator", "Sold", "Usable", "Interconnect, one way", "Power", "Source"),
        ((row.name, *_facts(row)) for row in rows),
        "lrrlrl",
    )
    return [
        f"## {vendor}\n",
        "Dense peak in TFLOP/s (for int8 in TOP/s), and memory bandwidth.\n",
        *peaks,
        "",
        *facts,
        "",
    ]


def _facts(row: Accelerator) -> tuple[str, ...]:
    usable = f"{'' if row.memory_is_measured else '~'}{number(row.memory / 2**30, 3)} GiB"
    link = "" if row.link is None else f"{number(row.link / 1e9)} GB/s {row.link_name}"
    watts = "" if row.watts is None else f"{row.watts:g} W"
    note = f"; {row.note}" if row.note else ""
    said = plain(f"{row.provenance}: {row.source}{note}")
    return (f"{row.marketed_gb:g} GB", usable, link, watts, said)


def _prices() -> list[str]:
    newest = sorted(prices(), key=lambda price: (price.accelerator, price.kind, price.date))
    return table(
        ("Accelerator", "Kind", "Low", "Typical", "High", "Seen", "Source"),
        (
            (
                price.accelerator,
                price.kind,
                *(_dollars(value) for value in (price.low, price.typical, price.high)),
                f"{price.date:%Y-%m-%d}",
                _source(price),
            )
            for price in newest
        ),
        "llrrrll",
    )


def _dollars(value: float) -> str:
    return f"${value:,.2f}" if value < 1000 else f"${value:,.0f}"


def _source(price: Price) -> str:
    return plain(f"{price.provenance}: {price.source}")
