"""The figures of the lesson "Why hardware shapes the field", drawn as SVG.

Writes docs/assets/figures/why-hardware-*.svg, each for a light and for a dark page:
    PYTHONPATH=pysrc python -m lessons.figures.why_hardware
The ladder's figures come from napkin.hierarchy, the curve from napkin.scaling.
"""

from __future__ import annotations

import math

from lessons.figures.drawing import Ink, box, in_both_inks, stroke, svg, words, write
from napkin.hierarchy import memory_ladder
from napkin.printing import format_bytes
from napkin.scaling import PF_DAY, power_law_loss


def ladder(ink: Ink) -> str:
    """Each rung with its size, the time of a gigabyte and the energy of a byte, on log scales."""
    left, right, step = 8, 392, 74
    parts = []
    for number, rung in enumerate(memory_ladder()):
        top = 12 + number * step
        milliseconds = rung.seconds_per_byte * 1e9 * 1e3
        mark = "≈ " if rung.estimated else ""
        time = f"{mark}{_short(milliseconds)} ms per GB"
        parts += [
            words(left, top + 14, rung.name, ink.text, bold=True),
            words(right, top + 14, format_bytes(rung.capacity), ink.text, anchor="end"),
            box(left, top + 22, _length(milliseconds, 1e-3, 200), 16, ink.blue, rounding=2),
            words(_length(milliseconds, 1e-3, 200) + left + 8, top + 35, time, ink.text, size=14),
        ]
        if rung.energy is None:
            parts.append(words(left, top + 56, "energy: no figure we trust", ink.faint, size=14))
            continue
        pico = rung.energy * 1e12
        about = "≈ " if rung.energy_source.startswith("estimate") else ""
        length = _length(pico, 0.5, 2000)
        parts += [
            box(left, top + 42, length, 16, ink.orange, rounding=2),
            words(length + left + 8, top + 55, f"{about}{_short(pico)} pJ per byte", ink.text,
                  size=14),
        ]  # fmt: skip
    return svg(400, 12 + len(memory_ladder()) * step, parts)


def chips(ink: Ink) -> str:
    """A CPU of few big cores, a GPU of many small ones, a TPU's array that numbers flow through."""
    size, top = 116, 34
    parts = []
    for number, name in enumerate(("CPU", "GPU", "TPU")):
        x = 8 + number * 134
        parts += [
            words(x + size / 2, 20, name, ink.text, anchor="middle", bold=True),
            box(x, top, size, size, "none", stroke=ink.line, rounding=4),
        ]
    parts += [
        box(8 + 8 + i * 52, top + 8 + j * 34, 48, 30, ink.blue, rounding=3)
        for i in range(2) for j in range(2)
    ]  # fmt: skip
    parts += [box(16, top + 78, 100, 30, ink.green, rounding=3)]
    parts += [
        box(142 + 8 + i * 12.6, top + 8 + j * 12.6, 10.6, 10.6,
            ink.purple if j % 4 == 3 else ink.blue, rounding=1)
        for i in range(8) for j in range(8)
    ]  # fmt: skip
    x = 276
    for i in range(7):
        for j in range(7):
            parts.append(box(x + 22 + i * 13, top + 20 + j * 13, 11, 11, ink.purple, rounding=1))
    for k in range(7):
        y = top + 26 + k * 13
        parts.append(stroke([(x + 5, y), (x + 18, y), (x + 14, y - 3)], ink.text, width=1.2))
        across = x + 28 + k * 13
        parts.append(
            stroke([(across, top + 4), (across, top + 16), (across - 3, top + 12)], ink.text,
                   width=1.2)
        )  # fmt: skip
    captions = (
        ("few strong cores,", "much cache"),
        ("thousands of small", "cores, tensor cores"),
        ("one array: numbers", "flow past weights"),
    )
    for number, lines in enumerate(captions):
        for line, text in enumerate(lines):
            parts.append(
                words(66 + number * 134, top + size + 20 + line * 18, text, ink.text, size=13,
                      anchor="middle")
            )  # fmt: skip
    return svg(400, top + size + 48, parts)


def power_law(ink: Ink) -> str:
    """Kaplan's loss against training compute: solid where it was fitted, dashed up to GPT-3."""
    left, right, top, bottom = 44, 376, 26, 242
    low, high = 12.0, 24.0  # powers of ten, FLOP

    def at(flop: float) -> tuple[float, float]:
        loss = power_law_loss("flops", flop)
        x = left + (math.log10(flop) - low) / (high - low) * (right - left)
        y = bottom - (math.log10(loss / 1.5)) / math.log10(8 / 1.5) * (bottom - top)
        return x, y

    parts = [stroke([(left, top), (left, bottom), (right, bottom)], ink.line)]
    for power in range(12, 25, 3):
        x = at(10.0**power)[0]
        parts += [
            stroke([(x, bottom), (x, bottom + 5)], ink.line),
            words(x, bottom + 22, f"10{_raised(power)}", ink.text, size=14, anchor="middle"),
        ]
    for loss in (2, 3, 4, 6):
        y = bottom - math.log10(loss / 1.5) / math.log10(8 / 1.5) * (bottom - top)
        parts += [
            stroke([(left, y), (right, y)], ink.line, width=0.4),
            words(left - 8, y + 5, f"{loss}", ink.text, size=14, anchor="end"),
        ]
    start, end, gpt3 = 1e-7 * PF_DAY, 10 * PF_DAY, 3.15e23
    solid, dashed = [at(start), at(end)], [at(end), at(gpt3)]
    x, y = at(gpt3)
    parts += [
        stroke(solid, ink.strong, width=3),
        stroke(dashed, ink.strong, width=3, dashed=True),
        box(x - 5, y - 5, 10, 10, ink.strong, rounding=5),
        words(190, top + 26, "10 × the compute:", ink.text),
        words(190, top + 46, "loss × 0.89, each time", ink.text),
        words(x - 12, y + 12, "GPT-3", ink.text, size=14, anchor="end"),
        words((left + right) / 2, bottom + 44, "training compute, FLOP", ink.text, size=14,
              anchor="middle"),
        words(left - 34, 16, "loss", ink.text, size=14),
    ]  # fmt: skip
    return svg(400, bottom + 54, parts)


FIGURES = {
    "why-hardware-ladder": ladder,
    "why-hardware-chips": chips,
    "why-hardware-power-law": power_law,
}


def figures() -> dict[str, str]:
    """File name and SVG text of every figure of the lesson."""
    return in_both_inks(FIGURES)


def _length(value: float, low: float, high: float) -> float:
    """Bar length on a log scale, 4 to 220 px."""
    return 4 + 216 * math.log(value / low) / math.log(high / low)


def _short(value: float) -> str:
    """Two significant digits: 0.30, 2.2, 16, 1,700."""
    digits = 1 - math.floor(math.log10(value))
    return f"{round(value, digits):,.{max(digits, 0)}f}"


def _raised(power: int) -> str:
    return str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


if __name__ == "__main__":
    write(figures())
