"""The figures of the lesson "Arithmetic intensity and the roofline", drawn as SVG.

Writes docs/assets/figures/roofline-*.svg, each for a light and for a dark page:
    PYTHONPATH=pysrc python -m lessons.figures.roofline
Peak and bandwidth come from napkin.hardware.
"""

from __future__ import annotations

from math import log10

from lessons.figures.drawing import Ink, box, in_both_inks, stroke, svg, words, write
from napkin.hardware import accelerator

PEAK, BANDWIDTH = accelerator("H100").peak_16bit, accelerator("H100").bandwidth


def roof(ink: Ink) -> str:
    """The roofline of an H100 with four kinds of work under it."""
    left, right, top, bottom = 62, 388, 34, 250

    def at(intensity: float, rate: float) -> tuple[float, float]:
        x = left + (log10(intensity) + 1) / 5 * (right - left)
        y = bottom - (log10(rate) - 11) / 4.4 * (bottom - top)
        return x, y

    ridge = PEAK / BANDWIDTH
    parts = [
        stroke([(left, top), (left, bottom), (right, bottom)], ink.line),
        words(8, top - 14, "FLOP/s", ink.faint, size=14),
        words(right, bottom + 40, "FLOP per byte", ink.faint, size=14, anchor="end"),
        stroke([at(0.1, 0.1 * BANDWIDTH), at(ridge, PEAK), at(1e4, PEAK)], ink.strong, width=2.5),
        words(*_shift(at(3, 3 * BANDWIDTH), -12, -8), "bandwidth", ink.text, size=14, anchor="end"),
        words(*_shift(at(3500, PEAK), 0, -10), "peak", ink.text, size=14, anchor="middle"),
        stroke([at(ridge, PEAK), at(ridge, 1e11)], ink.line, dashed=True),
        words(*_shift(at(ridge, 1e11), 0, 20), f"ridge {ridge:.0f}", ink.text, size=14,
              anchor="middle"),
    ]  # fmt: skip
    for intensity, label in ((0.1, "0.1"), (1, "1"), (10, "10"), (1e4, "10,000")):
        x, y = at(intensity, 1e11)
        parts += [
            stroke([(x, y), (x, y + 4)], ink.line),
            words(x, y + 20, label, ink.faint, size=14,
                  anchor="end" if intensity > 1e3 else "middle"),
        ]  # fmt: skip
    for rate, label in ((1e12, "1 T"), (1e14, "100 T")):
        x, y = at(0.1, rate)
        parts += [
            stroke([(x - 4, y), (x, y)], ink.line),
            words(x - 8, y + 5, label, ink.faint, size=14, anchor="end"),
        ]
    works = (
        (1 / 6, "adding", ink.orange),
        (1.0, "one reader", ink.orange),
        (64.0, "64 readers", ink.orange),
        (1365.0, "training", ink.green),
    )
    for intensity, label, fill in works:
        x, y = at(intensity, min(PEAK, intensity * BANDWIDTH))
        parts.append(box(x - 5, y - 5, 10, 10, fill, stroke=ink.text, rounding=5))
        side = "middle" if intensity > 1e3 else "start"  # clear of the dashed line
        parts.append(words(x + 18 if side == "middle" else x + 10, y + 20, label, ink.text,
                           size=14, anchor=side))  # fmt: skip
    return svg(400, bottom + 48, parts)


def sharing(ink: Ink) -> str:
    """One read of the weights serves one reader, or four."""
    parts = []
    for top, readers in ((10, 1), (108, 4)):
        parts += [
            box(8, top, 190, 66, ink.blue, rounding=4),
            words(103, top + 30, "read all weights", ink.text, anchor="middle"),
            words(103, top + 50, "4.2 ms", ink.text, anchor="middle", bold=True),
        ]
        for i in range(readers):
            x = 214 + i * 44
            parts += [
                box(x, top, 38, 66, ink.green, rounding=4),
                words(x + 19, top + 39, "1", ink.text, anchor="middle", bold=True),
            ]
        label = "1 token" if readers == 1 else "4 tokens in that time"
        parts.append(words(214, top + 84, label, ink.faint, size=14))
    return svg(400, 206, parts)


def _shift(point: tuple[float, float], right: float, down: float) -> tuple[float, float]:
    return point[0] + right, point[1] + down


def figures() -> dict[str, str]:
    """File name and text of every figure."""
    return in_both_inks({
        "roofline-roof": roof,
        "roofline-sharing": sharing,
    })  # fmt: skip


if __name__ == "__main__":
    write(figures())
