"""The figures of the lesson "Memory to run a model", drawn as SVG.

Writes docs/assets/figures/memory-to-run-*.svg, each for a light and for a dark page:
    PYTHONPATH=pysrc python -m lessons.figures.memory_to_run
Sizes come from napkin.weights, napkin.kv and napkin.hardware.
"""

from __future__ import annotations

from lessons.figures.drawing import Ink, box, in_both_inks, stroke, svg, words, write
from napkin.hardware import accelerator
from napkin.kv import kv_cache_bytes
from napkin.weights import weights_bytes

MODEL = "llama-3.1-8b"
LOADS = ((1, 4096), (1, 32_768), (1, 131_072), (8, 32_768))
LEFT, WIDTH = 8, 372


def bars(ink: Ink) -> str:
    """Weights and cache of one model under four loads, against a 24 GB card."""
    weights = weights_bytes(MODEL, "bf16") / 1e9
    card = accelerator("RTX 4090").memory / 1e9
    caches = [kv_cache_bytes(MODEL, tokens, users) / 1e9 for users, tokens in LOADS]
    unit = WIDTH / (weights + max(caches))
    top = 34
    parts = [
        box(LEFT, 8, 12, 12, ink.blue), words(26, 19, "weights", ink.text),
        box(110, 8, 12, 12, ink.orange), words(128, 19, "KV cache", ink.text),
    ]  # fmt: skip
    for (users, tokens), cache in zip(LOADS, caches, strict=True):
        who = "1 user" if users == 1 else f"{users} users"
        total = weights + cache
        parts += [
            words(LEFT, top + 16, f"{who}, {tokens:,} tokens", ink.text),
            words(LEFT + WIDTH, top + 16, f"{total:.1f} GB", ink.text, anchor="end", bold=True),
            box(LEFT, top + 24, weights * unit, 24, ink.blue, rounding=2),
            box(LEFT + weights * unit + 1, top + 24, max(2.0, cache * unit - 1), 24, ink.orange,
                rounding=2),
            words(LEFT + 8, top + 41, f"{weights:.1f}", ink.text, size=14),
        ]  # fmt: skip
        inside = cache * unit > 28
        x = LEFT + (weights * unit + 5 if inside else total * unit + 6)
        parts.append(words(x, top + 41, f"{cache:.{1 if inside else 2}f}", ink.text, size=14))
        top += 64
    x = LEFT + card * unit
    parts += [
        stroke([(x, 54), (x, top)], ink.text, dashed=True),
        words(x, top + 18, f"a “24 GB” card: {card:.1f} GB", ink.text, size=14, anchor="middle"),
    ]
    return svg(LEFT + WIDTH + 8, top + 28, parts)


def heads(ink: Ink) -> str:
    """Eight query heads, and the pairs of key and value heads that they read: 8, 2 and 1."""
    parts, top = [], 8
    queries, step, size = 8, 30, 22
    for name, kept, note in (
        ("MHA", 8, "each head keeps its own"),
        ("GQA", 2, "four share one pair"),
        ("MQA", 1, "all share one pair"),
    ):
        parts += [
            words(LEFT, top + 16, name, ink.text, bold=True),
            words(58, top + 16, note, ink.text, size=14),
            words(LEFT + WIDTH, top + 16, _share(kept, queries), ink.text, size=14, anchor="end"),
        ]
        group = queries // kept
        for head in range(queries):
            x = 92 + head * step
            middle = 92 + (head // group * group + (group - 1) / 2) * step + size / 2
            parts += [
                box(x, top + 28, size, size, ink.blue, rounding=3),
                stroke([(x + size / 2, top + 51), (middle, top + 69)], ink.line),
            ]
        for pair in range(kept):
            x = 92 + (pair * group + (group - 1) / 2) * step
            parts += [
                box(x, top + 70, size, 10, ink.orange, rounding=2),
                box(x, top + 82, size, 10, ink.green, rounding=2),
            ]
        parts += [
            words(LEFT, top + 44, "queries", ink.text, size=14),
            words(LEFT, top + 80, "keys", ink.text, size=14),
            words(LEFT, top + 96, "values", ink.text, size=14),
        ]
        top += 118
    return svg(LEFT + WIDTH + 8, top - 8, parts)


FIGURES = {"memory-to-run-bars": bars, "memory-to-run-heads": heads}


def figures() -> dict[str, str]:
    """File name and SVG text of every figure of the lesson."""
    return in_both_inks(FIGURES)


def _share(kept: int, queries: int) -> str:
    return "cache: 1" if kept == queries else f"cache: 1/{queries // kept}"


if __name__ == "__main__":
    write(figures())
