"""The figures of the lesson "Numbers in memory", drawn as SVG.

Writes docs/assets/figures/number-formats-*.svg, each for a light and for a dark page:
    PYTHONPATH=pysrc python -m lessons.figures.number_formats
Widths of fields come from napkin.formats, bits per weight from napkin.weight_formats.
"""

from __future__ import annotations

from lessons.figures.drawing import Ink, box, in_both_inks, stroke, svg, words, write
from napkin.formats import decode, format_named, spacing
from napkin.gguf import gguf_bits_per_weight
from napkin.models.presets import preset
from napkin.weight_formats import weight_format_named

CELL = 11.6


def layouts(ink: Ink) -> str:
    """A square per bit: sign, exponent and mantissa of each float, and plain integers."""
    left, top = 8, 34
    parts = [
        box(8, 8, 12, 12, ink.orange), words(26, 19, "sign", ink.text),
        box(80, 8, 12, 12, ink.green), words(98, 19, "exponent", ink.text),
        box(186, 8, 12, 12, ink.blue), words(204, 19, "mantissa", ink.text),
        box(286, 8, 12, 12, ink.purple), words(304, 19, "integer", ink.text),
    ]  # fmt: skip
    names = ("fp32", "tf32", "fp16", "bf16", "fp8_e4m3", "fp8_e5m2", "fp4_e2m1")
    for name in names:
        form = format_named(name)
        fills = [ink.orange] + [ink.green] * form.exponent_bits + [ink.blue] * form.mantissa_bits
        note = f"{form.exponent_bits} + {form.mantissa_bits}, largest {_large(form.largest)}"
        parts += _bits(left, top, name.replace("_", " "), note, fills, ink)
        if form.stored_bits > form.bits:
            parts += [
                box(left + i * CELL, top + 20, CELL - 1.6, 16, "none", stroke=ink.line, rounding=1)
                for i in range(form.bits, form.stored_bits)
            ]
        top += 48
    for name, bits in (("int8", 8), ("int4", 4)):
        note = f"−{2 ** (bits - 1)} to {2 ** (bits - 1) - 1}, times a scale"
        parts += _bits(left, top, name, note, [ink.purple] * bits, ink)
        top += 48
    return svg(388, top, parts)


def gap(ink: Ink) -> str:
    """Around 1: the neighbours that bf16 has, and an update of 0.001 that rounds back."""
    step = spacing(1.0, "bf16")
    left, right, line = 46, 354, 92
    width = right - left

    def at(value: float) -> float:
        return left + (value - 1) / step * width

    middle = at(1 + step / 2)
    parts = [
        stroke([(left - 34, line), (right + 34, line)], ink.line, width=2),
        box(left - 4, line - 22, 8, 44, ink.blue, rounding=2),
        box(right - 4, line - 22, 8, 44, ink.blue, rounding=2),
        stroke([(middle, line - 16), (middle, line + 16)], ink.line, width=1.5, dashed=True),
        words(left, line + 42, "1", ink.text, anchor="middle", bold=True),
        words(right, line + 42, f"{1 + step:.4f}", ink.text, anchor="middle", bold=True),
        words(middle, line + 42, "half-way", ink.text, anchor="middle"),
        words(200, 18, "bf16 has nothing in between", ink.text, anchor="middle"),
        words(middle - 10, line + 74, "rounds back to 1", ink.text, anchor="end", size=14),
        words(middle + 10, line + 74, "rounds up", ink.text, size=14),
    ]
    target = at(1.001)
    parts += [
        stroke([(left, line - 30), (target, line - 30), (target - 5, line - 35)], ink.strong,
               width=2.5),
        stroke([(target, line - 30), (target - 5, line - 25)], ink.strong, width=2.5),
        stroke([(target, line - 24), (target, line)], ink.strong, width=1.5),
        words(target + 8, line - 36, "+ 0.001", ink.text),
    ]  # fmt: skip
    return svg(400, line + 90, parts)


def four_bits(ink: Ink) -> str:
    """The values of fp4 and of int4 on one line, each scaled so that its largest value is 1."""
    parts = []
    fp4 = sorted({decode(bits, "fp4_e2m1") for bits in range(16)})
    rows = (("fp4", fp4, 6.0, ink.blue), ("int4", [float(i) for i in range(-7, 8)], 7.0,
                                          ink.purple))  # fmt: skip
    for number, (name, values, largest, fill) in enumerate(rows):
        y = 46 + number * 78
        parts += [
            words(8, y - 24, name, ink.text, bold=True),
            stroke([(16, y), (384, y)], ink.line, width=1.5),
        ]
        for value in values:
            x = 200 + 176 * value / largest
            parts.append(box(x - 4, y - 12, 8, 24, fill, rounding=2))
            if value == round(value):
                text = f"{value:g}".replace("-", "−")
                parts.append(words(x, y + 30, text, ink.text, size=14, anchor="middle"))
    return svg(400, 164, parts)


def block(ink: Ink) -> str:
    """What a block of MXFP4, NVFP4 and Q4_K keeps: small squares for weights, boxes for scales."""
    rows = (
        ("MXFP4", 32, 4, (("8", 1),), "32 weights, one power of two"),
        ("NVFP4", 16, 4, (("8", 1),), "16 weights, one fp8 scale"),
        ("Q4_0", 32, 4, (("16", 1),), "32 weights, one fp16 scale"),
    )
    parts, top = [], 20
    for name, count, bits, scales, note in rows:
        form = weight_format_named(name)
        extra = sum(int(text) * copies for text, copies in scales)
        parts += [
            words(8, top, name, ink.text, bold=True),
            words(392, top, note, ink.text, size=14, anchor="end"),
        ]
        x = 8.0
        for text, copies in scales:
            for _ in range(copies):
                wide = int(text) * 3.2
                parts += [
                    box(x, top + 10, wide, 24, ink.orange, rounding=2),
                    words(x + wide / 2, top + 27, text, ink.text, size=14, anchor="middle"),
                ]
                x += wide + 4
        parts += [box(x + i * 10, top + 10, 8.6, 24, ink.blue, rounding=1) for i in range(count)]
        total = count * bits + extra
        parts.append(
            words(8, top + 54, f"({count} × {bits} + {extra}) / {count} = {total / count:g} bits",
                  ink.text, size=14)
        )  # fmt: skip
        if total / count != form.bits:
            raise ValueError(f"{name}: drawn {total / count} bits, the package says {form.bits}")
        top += 84
    return svg(400, top - 16, parts)


def true_bits(ink: Ink) -> str:
    """Bits per weight of what is called 8, 6, 5, 4, 3 and 2 bit."""
    model = preset("llama-3.1-8b")
    rows: list[tuple[str, float, str]] = [
        (name, weight_format_named(name).bits, ink.blue)
        for name in ("Q8_0", "Q6_K", "Q5_K", "Q4_K", "nvfp4", "nf4", "mxfp4", "nf4_dq", "awq",
                     "Q3_K", "Q2_K")
    ]  # fmt: skip
    rows += [
        (f"{mix} file", gguf_bits_per_weight(model, mix), ink.orange)
        for mix in ("Q5_K_M", "Q4_K_M", "Q3_K_M", "Q2_K")
    ]
    rows.sort(key=lambda row: -row[1])
    parts = []
    for number, (name, bits, fill) in enumerate(rows):
        y = 8 + number * 26
        shown = name.replace("nf4_dq", "NF4, double").replace("nvfp4", "NVFP4")
        shown = shown.replace("mxfp4", "MXFP4").replace("nf4", "NF4").replace("awq", "AWQ, GPTQ")
        label = max(132 + bits * 25, 234.0 if bits < 4 else 0.0)  # clear of the line at 4 bits
        parts += [
            words(118, y + 14, shown, ink.text, size=14, anchor="end"),
            box(126, y, bits * 25, 18, fill, rounding=2),
            words(label, y + 14, f"{bits + 1e-9:.2f}", ink.text, size=14),
        ]
    bottom = 8 + len(rows) * 26
    parts.append(stroke([(126 + 100, 2), (126 + 100, bottom)], ink.text, dashed=True))
    parts.append(words(226, bottom + 16, "4 bits", ink.text, size=14, anchor="middle"))
    return svg(400, bottom + 24, parts)


FIGURES = {
    "number-formats-layouts": layouts,
    "number-formats-gap": gap,
    "number-formats-four-bits": four_bits,
    "number-formats-block": block,
    "number-formats-true-bits": true_bits,
}


def figures() -> dict[str, str]:
    """File name and SVG text of every figure of the lesson."""
    return in_both_inks(FIGURES)


def _bits(left: float, top: float, name: str, note: str, fills: list[str], ink: Ink) -> list[str]:
    return [
        words(left, top + 14, name, ink.text, bold=True),
        words(380, top + 14, note, ink.text, size=14, anchor="end"),
        *(
            box(left + i * CELL, top + 20, CELL - 1.6, 16, fill, rounding=1)
            for i, fill in enumerate(fills)
        ),
    ]


def _large(value: float) -> str:
    if value < 1e6:
        return f"{value:,.0f}"
    digits, power = f"{value:.1e}".split("e+")
    return f"{digits} · 10{power.translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


if __name__ == "__main__":
    write(figures())
