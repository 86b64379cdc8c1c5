"""What a number loses in each format: its bits, the value stored, and updates that vanish."""

from __future__ import annotations

import math

from napkin.formats import FORMATS, bit_text, decode, encode, format_named, spacing, stored
from napkin.printing import format_number
from napkin.table import Row, Table

__all__ = ["after_update", "formats_table", "number_in_formats"]


def formats_table() -> Table:
    """Bits per value of every floating-point format, with its range and precision as working."""
    rows = tuple(
        Row(
            f.name,
            f.name,
            f.stored_bits,
            "bits",
            f"{f.exponent_bits} exponent + {f.mantissa_bits} mantissa"
            f"{' + 1 sign' if f.signed else ''}; largest {format_number(f.largest)}, smallest "
            f"normal {format_number(f.smallest_normal)}, epsilon {f.epsilon:g}; {f.use}",
            f.source,
        )
        for f in FORMATS.values()
    )
    return Table("Number formats", rows)


def number_in_formats(value: float) -> Table:
    """What each format stores in place of ``value``: bits and relative error.

    >>> number_in_formats(0.1).value("bf16")
    0.10009765625
    """
    value = float(value)
    rows = []
    for form in FORMATS.values():
        if math.isnan(value) and form.nan_bits is None:
            continue
        bits = encode(value, form)
        kept = decode(bits, form)
        if kept == value or (math.isnan(kept) and math.isnan(value)):
            error = "exact"
        elif not math.isfinite(kept):
            error = f"overflow: the largest value is {form.largest:g}"
        elif abs(kept) == form.largest:
            error = "saturated at the largest value"
        elif kept == 0:
            error = f"underflow to zero: the smallest value is {form.smallest_subnormal:g}"
        else:
            error = f"relative error {abs(kept - value) / abs(value):.2g}" if value else "no zero"
        rows.append(
            Row(form.name, form.name, kept, "", f"{bit_text(bits, form)}; {error}", form.source)
        )
    return Table(f"{value!r} in each format", tuple(rows))


def after_update(weight: float, update: float, name: str = "bf16") -> Table:
    """Adds ``update`` to a weight kept in a format, and to an fp32 master copy of it.

    >>> after_update(1.0, 0.001, "bf16").value("weight_after")
    1.0
    """
    form = format_named(name)
    before = stored(weight, form)
    after = stored(before + update, form)
    master = stored(stored(weight, "fp32") + update, "fp32")
    gap = spacing(before, form)
    lost = update != 0 and after == before
    return Table(
        f"An update of {update:g} to a weight of {weight:g}",
        (
            Row("weight_before", f"Weight in {form.name}", before, "", f"{weight!r} rounded"),
            Row("gap", "Gap to the next value", gap, "", "an update below half the gap is lost"),
            Row(
                "weight_after",
                "Weight after the update",
                after,
                "",
                f"{before!r} + {update!r} rounds to {after!r}{': nothing changed' * lost}",
            ),
            Row("master_after", "fp32 master copy after it", master, "", "rounded to fp32"),
        ),
        notes=("This is why mixed precision keeps an fp32 master copy of the weights.",),
    )
