"""The figures of the lesson "Memory to train a model", drawn as SVG.

Writes docs/assets/figures/memory-to-train-*.svg, each for a light and for a dark page:
    PYTHONPATH=pysrc python -m lessons.figures.memory_to_train
Sizes come from napkin.memory and napkin.hardware.
"""

from __future__ import annotations

from lessons.figures.drawing import Ink, box, in_both_inks, stroke, svg, words, write
from napkin.hardware import accelerator
from napkin.memory import peak_layer_activations, saved_activations, training_memory
from napkin.memory_groups import growing_bytes
from napkin.models.presets import preset

MODEL, TOKENS = "llama-2-7b", 2048
LEFT, WIDTH = 8, 384
PARTS = (
    ("weights", "weights", 2),
    ("gradients", "gradients", 2),
    ("master", "fp32 master copy", 4),
    ("optimizer", "Adam's two moments", 8),
)


def bytes_each(ink: Ink) -> str:
    """A square per byte and parameter: to run in 4 and in 16 bits, and to train."""
    fills = dict(zip([key for key, _, _ in PARTS], _fills(ink), strict=True))
    side, gap, top = 20, 2.6, 26
    step = side + gap
    parts = [
        words(LEFT, 18, "to run, int4", ink.text, bold=True),
        words(LEFT + WIDTH, 18, "7B: 3.5 GB", ink.text, anchor="end"),
        box(LEFT, top, side / 2, side, fills["weights"], rounding=2),
        words(LEFT, top + 52, "to run, bf16", ink.text, bold=True),
        words(LEFT + WIDTH, top + 52, "7B: 14 GB", ink.text, anchor="end"),
        *(box(LEFT + i * step, top + 60, side, side, fills["weights"], rounding=2)
          for i in range(2)),
        words(LEFT, top + 112, "to train, before activations", ink.text, bold=True),
        words(LEFT + WIDTH, top + 112, "7B: 112 GB", ink.text, anchor="end"),
    ]  # fmt: skip
    x, y = float(LEFT), top + 120
    for number, (key, label, count) in enumerate(PARTS):
        parts += [
            box(x + i * step, y, side, side, fills[key], rounding=2) for i in range(count)
        ]  # fmt: skip
        x += count * step
        row = y + side + 22 + number * 22
        parts += [
            box(LEFT, row - 11, 12, 12, fills[key], rounding=1),
            words(LEFT + 18, row, f"{label}: {count} bytes", ink.text, size=14),
        ]
    return svg(LEFT + WIDTH + 8, y + side + 22 + 4 * 22, parts)


def bars(ink: Ink) -> str:
    """A 7B model at batch 1 and 8, part by part, against an 80 GB card."""
    tables = {batch: training_memory(MODEL, TOKENS, batch) for batch in (1, 8)}
    card = accelerator("H100 SXM").memory / 1e9
    unit = WIDTH / (tables[8].value("total") / 1e9)
    top, parts = 118, []
    names = [(label, fill) for (_, label, _), fill in zip(PARTS, _fills(ink), strict=True)]
    names += [("activations, loss", ink.orange), ("buffers", ink.line)]
    for number, (label, fill) in enumerate(names):
        x, y = LEFT + number % 2 * 186, 8 + number // 2 * 24
        parts += [box(x, y, 12, 12, fill, rounding=1), words(x + 18, y + 11, label, ink.text,
                                                             size=14)]  # fmt: skip
    for batch, table in tables.items():
        total = table.value("total") / 1e9
        parts += [
            words(LEFT, top - 8, f"batch {batch}", ink.text, bold=True),
            words(LEFT + WIDTH, top - 8, f"{total:.0f} GB", ink.text, anchor="end", bold=True),
        ]
        sizes = [table.value(key) / 1e9 for key, _, _ in PARTS]
        sizes += [growing_bytes(table) / 1e9, table.value("headroom") / 1e9]
        x = float(LEFT)
        for size, (_, fill) in zip(sizes, names, strict=True):
            parts.append(box(x, top, max(size * unit - 1, 1), 28, fill, rounding=2))
            if size * unit > 36 and fill != ink.line:
                parts.append(words(x + 6, top + 19, f"{size:.0f}", ink.text, size=14))
            x += size * unit
        top += 76
    line = LEFT + card * unit
    parts += [
        stroke([(line, 112), (line, top - 36)], ink.text, dashed=True),
        words(line, top - 18, f"an “80 GB” card: {card:.0f} GB", ink.text, size=14,
              anchor="middle"),
    ]  # fmt: skip
    return svg(LEFT + WIDTH + 8, top - 8, parts)


def step(ink: Ink) -> str:
    """Activations in memory during one training step, with and without checkpointing."""
    model, batch = preset(MODEL), 4
    layers = len(model.layers)
    whole = saved_activations(model, TOKENS, batch).value("total") / 1e9
    inputs = saved_activations(model, TOKENS, batch, checkpointing="full").value("total") / 1e9
    again = peak_layer_activations(model, TOKENS, batch) / 1e9
    left, right, top, bottom = 46, 388, 44, 214
    highest, longest = 60.0, 4.0  # GB; forward passes

    def at(time: float, size: float) -> tuple[float, float]:
        return (left + time / longest * (right - left), bottom - size / highest * (bottom - top))

    saw = [at(0, 0), at(1, inputs)]
    for layer in range(layers):
        start = 1 + 3 * layer / layers
        kept = inputs * (layers - layer - 1) / layers
        saw += [at(start + 1 / layers, kept + again), at(start + 3 / layers, kept)]
    parts = [
        stroke([(left, top), (left, bottom), (right, bottom)], ink.line),
        stroke([at(0, 0), at(1, whole), at(3, 0)], ink.strong, width=3),
        stroke(saw, ink.orange, width=2.5),
        stroke([at(1, 0), at(1, highest)], ink.line, dashed=True),
        words(*at(0.5, -5.5), "forward", ink.text, size=14, anchor="middle"),
        words(*at(2.2, -5.5), "backward", ink.text, size=14, anchor="middle"),
        words(right, bottom + 38, "time →", ink.faint, size=14, anchor="end"),
        words(left - 38, 18, "GB of activations", ink.text, size=14),
        words(at(1.5, 0)[0], at(0, 45)[1], f"keep all: {whole:.0f} GB", ink.text),
        words(at(2.15, 0)[0], at(0, 32)[1], f"checkpointing: {inputs + again:.0f} GB,", ink.text),
        words(at(2.15, 0)[0], at(0, 25.5)[1], "and a third longer", ink.text),
    ]  # fmt: skip
    for size in (20, 40, 60):
        y = at(0, size)[1]
        parts += [
            stroke([(left, y), (right, y)], ink.line, width=0.4),
            words(left - 8, y + 5, f"{size}", ink.text, size=14, anchor="end"),
        ]
    return svg(400, bottom + 46, parts)


FIGURES = {
    "memory-to-train-bytes": bytes_each,
    "memory-to-train-bars": bars,
    "memory-to-train-step": step,
}


def figures() -> dict[str, str]:
    """File name and SVG text of every figure of the lesson."""
    return in_both_inks(FIGURES)


def _fills(ink: Ink) -> tuple[str, str, str, str]:
    return (ink.blue, ink.strong, ink.green, ink.purple)


if __name__ == "__main__":
    write(figures())
