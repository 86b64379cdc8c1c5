"""The figures of the lesson "Training compute", drawn as SVG.

Writes docs/assets/figures/training-compute-*.svg, each for a light and for a dark page:
    PYTHONPATH=pysrc python -m lessons.figures.training_compute
Losses come from napkin.scaling (the fit of Hoffmann et al. 2022).
"""

from __future__ import annotations

from math import log2

from lessons.figures.drawing import Ink, box, in_both_inks, stroke, svg, words, write
from napkin.scaling import loss


def three_products(ink: Ink) -> str:
    """One product on the way forward, two on the way back: 2, 2 and 2 FLOP per parameter."""
    parts = []
    rows = [
        ("forward", "output = input · weights", ink.blue),
        ("backward", "gradient of the input = gradient · weightsᵀ", ink.orange),
        ("backward", "gradient of the weights = inputᵀ · gradient", ink.orange),
    ]
    top = 10
    for kind, product, fill in rows:
        parts += [
            box(8, top, 384, 50, fill, rounding=4),
            words(20, top + 20, kind, ink.text, bold=True),
            words(380, top + 20, "2 FLOP each", ink.text, anchor="end", bold=True),
            words(20, top + 40, product, ink.text, size=14),
        ]
        top += 58
    parts.append(words(200, top + 16, "6 FLOP per parameter and token", ink.text, anchor="middle",
                       bold=True))  # fmt: skip
    return svg(400, top + 28, parts)


def valleys(ink: Ink) -> str:
    """Predicted loss against parameters at three budgets, and the lowest point of each."""
    left, right, top, bottom = 52, 388, 20, 250
    low, high = 1.9, 2.7
    small, large = 2.5e8, 1.28e11

    def at(n: float, value: float) -> tuple[float, float]:
        x = left + (log2(n) - log2(small)) / (log2(large) - log2(small)) * (right - left)
        y = bottom - (value - low) / (high - low) * (bottom - top)
        return x, y

    parts = [
        stroke([(left, top), (left, bottom), (right, bottom)], ink.line),
        words(left - 6, top - 6, "loss", ink.faint, size=14),
        words(right, bottom + 38, "parameters", ink.faint, size=14, anchor="end"),
    ]
    for value in (2.0, 2.2, 2.4, 2.6):
        x, y = at(small, value)
        parts += [
            stroke([(left - 4, y), (left, y)], ink.line),
            words(left - 8, y + 5, f"{value:.1f}", ink.faint, size=14, anchor="end"),
        ]
    for n, label in ((1e9, "1B"), (8e9, "8B"), (64e9, "64B")):
        x, _ = at(n, low)
        parts += [
            stroke([(x, bottom), (x, bottom + 4)], ink.line),
            words(x, bottom + 20, label, ink.faint, size=14, anchor="middle"),
        ]
    for budget, label in ((7.68e20, "7.7e20 FLOP"), (7.68e21, "7.7e21"), (7.68e22, "7.7e22")):
        sizes = [small * 2 ** (i / 8) for i in range(73)]
        values = [(n, float(loss(n, budget / 6 / n).value("loss"))) for n in sizes]
        curve = [at(n, value) for n, value in values if value <= high]
        best, lowest = min(values, key=lambda pair: pair[1])
        x, y = at(best, lowest)
        parts += [
            stroke(curve, ink.strong, width=2),
            box(x - 4, y - 4, 8, 8, ink.orange, rounding=4),
            words(x, y + 20, label, ink.text, size=14, anchor="middle"),
        ]
    return svg(400, bottom + 46, parts)


def figures() -> dict[str, str]:
    """File name and text of every figure."""
    return in_both_inks({
        "training-compute-three-products": three_products,
        "training-compute-valleys": valleys,
    })  # fmt: skip


if __name__ == "__main__":
    write(figures())
