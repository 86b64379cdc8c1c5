"""Number formats: the bits of a number in each format, and what is kept of it."""

from __future__ import annotations

import math
import re
from typing import Annotated, Literal

from napkin.answers import Cell
from napkin.fields import Choice, Text
from napkin.formats import FORMATS, Format, bit_text, decode, encode, format_named, spacing
from napkin.forms import Answer, Column, FieldProblem, Grid, Row, Table
from napkin.notation import parse_number
from napkin.precision import after_update

__all__ = ["number_formats"]

_HEX = re.compile(r"(?P<bits>0[xX][0-9a-fA-F]+|0[bB][01]+)(?: +(?:as|in) +(?P<form>.+))?")
_BY_WIDTH = {16: "bf16", 32: "fp32", 64: "fp64", 8: "fp8_e4m3", 4: "fp4_e2m1"}
_SPECIAL = {
    "nan": math.nan, "inf": math.inf, "infinity": math.inf, "∞": math.inf, "pi": math.pi,
    "π": math.pi, "e": math.e,
}  # fmt: skip
# fp64 is Python's own: nothing is lost in it, and its bits would not fit the page.
SHOWN = tuple(form for form in FORMATS.values() if form.name != "fp64")
UPDATES = ("fp32", "fp16", "bf16")
FormatName = Literal[
    "fp32",
    "tf32",
    "fp16",
    "bf16",
    "fp8_e4m3",
    "fp8_e5m2",
    "fp6_e3m2",
    "fp6_e2m3",
    "fp4_e2m1",
]
FormatChoice = Choice(
    (
        ("fp8_e4m3", "fp8 (e4m3)"),
        ("fp8_e5m2", "fp8 (e5m2)"),
        ("fp6_e3m2", "fp6 (e3m2)"),
        ("fp6_e2m3", "fp6 (e2m3)"),
        ("fp4_e2m1", "fp4 (e2m1)"),
    )
)


def number_formats(
    number: Annotated[
        str, Text(suggestions=("0.1", "3.14159", "65504", "1e-8", "-0.3", "0x3f80 as bf16"))
    ] = "0.1",
    stored_in: Annotated[FormatName, FormatChoice] = "bf16",
    update: Annotated[str, Text(suggestions=("0.001", "1e-5"))] = "0.0001",
    saturate: bool = False,
) -> Answer:
    """The bits of a number in every format, the value stored, and the relative error.

    Parameters:
        number: Number. Any number, inf or nan; or bits, as in 0x3f80 as bf16.
        stored_in: Format. The one to look at closely; the table has them all.
        update: Update. A small number to add, as a training step does.
        saturate: Saturate. Keep the largest value in place of infinity, as fp8 training does.

    >>> answer = number_formats("0.1")
    >>> answer.headline.value, answer.grid.rows[3][:3]
    (0.10009765625, ('bf16', '0 01111011 1001101', '0x3dcd'))
    """
    value, given = _number(number, "number")
    step, _ = _number(update, "update")
    if not math.isfinite(step):
        raise FieldProblem("update", f"Update {update!r} is not finite: write e.g. 0.001")
    chosen = given or format_named(stored_in)
    kept = decode(encode(value, chosen, saturate), chosen)
    rows = tuple(_row(value, form, saturate) for form in SHOWN if _has(value, form))
    columns = (
        Column("format", "Format"),
        Column("bits", "Sign, exponent, mantissa"),
        Column("hex", "Hex"),
        Column("stored", "Value stored"),
        Column("error", "Relative error", "%"),
        Column("what", "What happens"),
    )
    tables = [_about(value, chosen, kept)]
    if math.isfinite(value):
        tables.append(_updates(value, step))
    return Answer(
        Row("stored", f"Stored in {chosen.name}", kept, "exact", bit_text(encode(value, chosen,
            saturate), chosen)),
        _sentence(value, chosen, kept),
        tuple(tables),
        grid=Grid(f"{_text(value)} in every format", columns, rows),
        notes=("rounded to the nearest value, ties to the even one",),
    )  # fmt: skip


def _number(text: str, field: str) -> tuple[float, Format | None]:
    """The number, and the format whose bits were given."""
    label = field.capitalize()
    found = _HEX.fullmatch(text.strip())
    if found:
        digits = found["bits"]
        base = 16 if digits[1] in "xX" else 2
        width = (len(digits) - 2) * (4 if base == 16 else 1)
        name = found["form"] or _BY_WIDTH.get(width, "")
        if not name:
            raise FieldProblem(field, f"{label} {text!r} has {width} bits: say of which format, "
                               "as in 0x3f80 as bf16")  # fmt: skip
        try:
            form = format_named(name)
            return decode(int(digits, base), form), form
        except ValueError as error:
            raise FieldProblem(field, f"{label} {text!r}: {error}") from None
    sign, rest = (-1.0, text.strip()[1:]) if text.strip()[:1] in "-−" else (1.0, text.strip())
    special = _SPECIAL.get(rest.strip().casefold().removeprefix("+"))
    if special is not None:
        return sign * special, None
    try:
        value = float(text.strip().replace("−", "-"))  # 1.500 has one reading here
    except ValueError:
        try:
            value = float(parse_number(text, label))
        except ValueError as error:
            raise FieldProblem(field, f"{error}; bits are written 0x3f80 as bf16") from None
        except OverflowError:
            value = math.inf
    if math.isinf(value):
        raise FieldProblem(field, f"{label} {text!r} is larger than fp64 holds (1.8e308): write a "
                           "smaller one, or inf")  # fmt: skip
    return value, None


def _has(value: float, form: Format) -> bool:
    """Whether the format has a pattern for it: fp6 and fp4 have no NaN."""
    return not math.isnan(value) or form.nan_bits is not None


def _text(value: float) -> str:
    """The shortest text that means this number, without a trailing ``.0``."""
    text = repr(value)
    return text.removesuffix(".0")


def _row(value: float, form: Format, saturate: bool) -> tuple[Cell, ...]:
    bits = encode(value, form, saturate) if not (value < 0 and not form.signed) else form.nan_bits
    assert bits is not None
    kept = decode(bits, form)
    error: float | None = None
    if math.isfinite(kept) and math.isfinite(value) and value:
        error = 100 * abs(kept - value) / abs(value)
    width = -(-form.bits // 4)
    return (form.name, bit_text(bits, form), f"0x{bits:0{width}x}", _text(kept),
            error, _happens(value, kept, form))  # fmt: skip


def _happens(value: float, kept: float, form: Format) -> str:
    """One word or two about what became of the number."""
    if math.isnan(value) or math.isnan(kept):
        if math.isnan(value):
            return "not a number"
        if value < 0 and not form.signed:
            return "no negative numbers here"
        return f"too large: NaN (largest {form.largest:g})"
    if kept == value:
        return "exact" + (", subnormal" if _subnormal(kept, form) else "")
    if math.isinf(kept):
        return f"overflow to infinity (largest {form.largest:g})"
    if abs(kept) == form.largest and abs(value) > form.largest:
        return f"held at the largest value, {form.largest:g}"
    if kept == 0:
        return f"underflow to zero (smallest {form.smallest_subnormal:.3g})"
    if not form.signed:
        return "rounded to a power of two"
    return "rounded, subnormal" if _subnormal(kept, form) else "rounded"


def _subnormal(kept: float, form: Format) -> bool:
    return form.signed and 0 < abs(kept) < form.smallest_normal


def _sentence(value: float, form: Format, kept: float) -> str:
    if math.isnan(value):
        return f"In {form.name} a result that is not a number keeps a pattern of its own."
    if kept == value:
        return f"{form.name} stores {_text(value)} exactly."
    if not math.isfinite(kept):
        return (
            f"{_text(value)} is past the largest value of {form.name}, {form.largest:g}: it "
            f"becomes {'infinity' if math.isinf(kept) else 'NaN'}."
        )
    if kept == 0:
        return (
            f"{_text(value)} is below half of {form.name}'s smallest value, "
            f"{form.smallest_subnormal:.3g}: it becomes zero."
        )
    error = abs(kept - value) / abs(value)
    return (
        f"{form.name} stores {_text(kept)} in place of {_text(value)}: a relative error of "
        f"{error:.2%}. The next value up is {_text(kept + spacing(kept, form))}."
    )


def _about(value: float, form: Format, kept: float) -> Table:
    """The format of the headline, and where the number stands in it."""
    rows = [
        Row("largest", "Largest value", form.largest, "exact" if form.largest < 1e6 else "",
            f"{form.exponent_bits} exponent bits", form.source),
        Row("smallest_normal", "Smallest value with full precision", form.smallest_normal, "",
            f"2^{form.lowest_exponent}", form.source),
        Row("smallest", "Smallest value at all", form.smallest_subnormal, "",
            f"2^{form.lowest_exponent - form.mantissa_bits}, subnormal", form.source),
        Row("epsilon", "Gap after 1", form.epsilon, "exact", f"2^-{form.mantissa_bits}",
            form.source),
    ]  # fmt: skip
    if math.isfinite(kept):
        rows.append(Row("gap", "Gap around this number", spacing(kept, form), "exact",
                        "an update below half of it is lost"))  # fmt: skip
    return Table(f"What {form.name} can hold", tuple(rows))


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _updates(value: float, step: float) -> Table:
    """Does a small update arrive?"""
    rows = []
    lost = []
    for name in UPDATES:
        table = after_update(value, step, name)
        row = table["weight_after"]
        rows.append(Row(f"after_{name}", f"In {name}", row.value, "exact", row.working))
        if step and row.value == table.value("weight_before") and math.isfinite(row.value):
            lost.append(name)
    note = (
        (f"lost in {_listed(lost)}: why mixed precision keeps an fp32 master copy",)
        if "fp32" not in lost
        else (f"lost in {_listed(lost)}: too small beside the number",)
        if lost
        else ()
    )
    return Table(f"{_text(value)} + {_text(step)}, added in the format", tuple(rows), notes=note)
