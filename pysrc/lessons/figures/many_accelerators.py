"""The figures of the lesson "More than one accelerator", drawn as SVG.

Writes docs/assets/figures/many-accelerators-*.svg, each for a light and for a dark page:
    PYTHONPATH=pysrc python -m lessons.figures.many_accelerators
"""

from __future__ import annotations

from lessons.figures.drawing import Ink, box, in_both_inks, svg, words, write

DEVICES = 4


def who_holds_what(ink: Ink) -> str:
    """Four devices under DDP and the three stages of ZeRO: what each keeps of 16 bytes."""
    parts = [
        box(8, 8, 12, 12, ink.blue), words(26, 19, "weights", ink.text, size=14),
        box(104, 8, 12, 12, ink.orange), words(122, 19, "gradients", ink.text, size=14),
        box(212, 8, 12, 12, ink.green), words(230, 19, "optimiser, master", ink.text, size=14),
    ]  # fmt: skip
    rows = (("DDP", 4, 4, 4), ("ZeRO-1", 4, 4, 1), ("ZeRO-2", 4, 1, 1), ("FSDP", 1, 1, 1))
    top = 40
    for name, weights, gradients, rest in rows:
        parts.append(words(8, top + 40, name, ink.text, bold=True))
        kept = (2 * weights + 2 * gradients + 12 * rest) / DEVICES
        parts.append(words(8, top + 58, f"{kept:g} B each", ink.faint, size=14))
        for device in range(DEVICES):
            x = 90 + device * 78
            parts.append(box(x, top, 68, 74, "none", stroke=ink.line, rounding=4))
            for at, height, share, fill in (
                (top + 5, 12, weights, ink.blue),
                (top + 19, 12, gradients, ink.orange),
                (top + 33, 36, rest, ink.green),
            ):
                width = 58 * share / DEVICES
                left = x + 5 + (0 if share == DEVICES else device * width)
                parts.append(box(left, at, width, height, fill, rounding=1))
        top += 88
    return svg(400, top, parts)


def bubble(ink: Ink) -> str:
    """Four stages, one and four micro-batches: forward and backward, and the gaps."""
    parts: list[str] = []
    top = 22
    for micro_batches, label in ((1, "1 micro-batch: 75 % idle"), (4, "4: 43 % idle")):
        parts.append(words(8, top - 6, label, ink.text, bold=True))
        stages = 4
        slots = 2 * (micro_batches + stages - 1)
        cell = 336 / 14
        for stage in range(stages):
            y = top + stage * 24
            parts.append(words(8, y + 17, f"stage {stage + 1}", ink.faint, size=14))
            parts.append(box(62, y, cell * slots - 2, 21, "none", stroke=ink.line, rounding=2))
            for batch in range(micro_batches):
                forward = stage + batch
                backward = slots - 1 - stage - batch
                for slot, fill in ((forward, ink.blue), (backward, ink.orange)):
                    x = 62 + slot * cell
                    parts.append(box(x, y, cell - 2, 21, fill, rounding=2))
        top += stages * 24 + 34
    parts += [
        box(62, top - 26, 12, 12, ink.blue), words(80, top - 15, "forward", ink.text, size=14),
        box(160, top - 26, 12, 12, ink.orange), words(178, top - 15, "backward", ink.text, size=14),
    ]  # fmt: skip
    return svg(406, top, parts)


def four_ways(ink: Ink) -> str:
    """One layer's work cut in four ways."""
    parts: list[str] = []
    kinds = (
        ("data", "the batch is cut", "rows of input"),
        ("tensor", "each matrix is cut", "columns, then rows"),
        ("pipeline", "the layers are dealt out", "one after the other"),
        ("expert", "the experts are dealt out", "tokens travel"),
    )
    for i, (name, what, how) in enumerate(kinds):
        x, y = 8 + (i % 2) * 198, 8 + (i // 2) * 124
        parts += [
            words(x, y + 14, name, ink.text, bold=True),
            words(x, y + 96, what, ink.text, size=14),
            words(x, y + 113, how, ink.faint, size=14),
        ]
        for device in range(2):
            left = x + device * 92
            parts.append(box(left, y + 22, 84, 56, "none", stroke=ink.line, rounding=4))
            for layer in range(3):
                top = y + 27 + layer * 16
                first = device == 0
                if name == "data":
                    parts.append(box(left + 6, top, 72, 13, ink.blue, rounding=1))
                elif name == "tensor":
                    at = left + (6 if first else 42)
                    parts.append(box(at, top, 36, 13, ink.blue, rounding=1))
                elif name == "pipeline":
                    if (layer < 2) == first:
                        parts.append(box(left + 6, top, 72, 13, ink.blue, rounding=1))
                else:
                    parts.append(box(left + 6, top, 20, 13, ink.blue, rounding=1))
                    at = left + (30 if first else 54)
                    parts.append(box(at, top, 24, 13, ink.green, rounding=1))
    return svg(400, 256, parts)


def figures() -> dict[str, str]:
    """File name and text of every figure."""
    return in_both_inks({
        "many-accelerators-who-holds-what": who_holds_what,
        "many-accelerators-bubble": bubble,
        "many-accelerators-four-ways": four_ways,
    })  # fmt: skip


if __name__ == "__main__":
    write(figures())
