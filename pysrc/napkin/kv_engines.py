"""How engines lay out a cache, and the formats they keep it in."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from napkin.table import nearest_name
from napkin.weight_formats import weight_format_named

__all__ = ["ENGINES", "Engine", "cache_bytes_per_number", "engine_named"]


@dataclass(frozen=True)
class Engine:
    """How an engine lays out its cache.

    ``block``: tokens are stored in whole blocks of this many.  ``windows``: sliding layers store
    their window only.  ``spare``: positions of the window that it does not store (−1) or stores on
    top, in blocks for paged engines.  ``expands_falcon``: stores one key per query head there.
    ``full_length``: families whose windows are only masked, every token kept.
    ``cacheless``: families for which it keeps nothing, and reads every token again.
    """

    name: str
    meaning: str
    block: int = 1
    windows: bool = True
    spare: int = 0
    counters: int = 0
    expands_falcon: bool = False
    full_length: tuple[str, ...] = ()
    cacheless: tuple[str, ...] = ()
    source: str = ""


ENGINES: dict[str, Engine] = {
    e.name: e
    for e in (
        Engine("contiguous", "every token once, no padding; windows honoured"),
        Engine(
            "transformers",
            "contiguous; a full sliding layer keeps window − 1 tokens and an 8-byte counter; "
            "Falcon's newer architecture stores one key per query head, GPT-Neo every token, GPT-1 "
            "nothing",
            spare=-1,
            counters=8,
            expands_falcon=True,
            full_length=("gpt_neo",),
            cacheless=("openai-gpt",),
            source="transformers 5.24.0, DynamicCache and DynamicSlidingWindowLayer",
        ),
        Engine(
            "paged",
            "blocks of 16 tokens; windows honoured, with one block on top",
            block=16,
            spare=1,
            source="Kwon et al. 2023 (vLLM), hybrid cache manager on",
        ),
        Engine(
            "paged_full_length",
            "blocks of 16 tokens; every layer keeps the full length",
            block=16,
            windows=False,
            source="vLLM with the hybrid cache manager off",
        ),
        Engine("full_length", "no padding; every layer keeps the full length", windows=False),
    )
}
"""Cache layouts by name."""

_GROUP = 64  # numbers that share a scale and a zero point in int caches
_NAMES = {"int8": Fraction(8 * _GROUP + 32, 8 * _GROUP), "int4": Fraction(4 * _GROUP + 32,
          8 * _GROUP), "int2": Fraction(2 * _GROUP + 32, 8 * _GROUP)}  # fmt: skip


def cache_bytes_per_number(dtype: str) -> Fraction:
    """Bytes that one cached number takes, scales included.

    ``int8``, ``int4``, ``int2``: a 16-bit scale and zero point for every 64 numbers.  ``q8_0``,
    ``q4_0`` …: the blocks of llama.cpp.  ``fp8`` has one scale per tensor, which is nothing.

    >>> [float(cache_bytes_per_number(d)) for d in ("bf16", "fp8", "int4", "q8_0", "q4_0")]
    [2.0, 1.0, 0.5625, 1.0625, 0.5625]
    """
    name = str(dtype).strip().lower()
    if name in _NAMES:
        return _NAMES[name]
    try:
        form = weight_format_named(dtype)
    except ValueError as error:
        raise ValueError(f"cache format {dtype!r}: {error}") from None
    return Fraction(form.block_bits, 8 * form.block)


def engine_named(name: str) -> Engine:
    """The engine of that name."""
    found = ENGINES.get(str(name).strip().lower().replace("-", "_"))
    if found is None:
        close = nearest_name(str(name), list(ENGINES), 1)
        hint = f"did you mean {close[0]!r}?" if close else f"use one of {', '.join(ENGINES)}"
        raise ValueError(f"engine {name!r} is not known: {hint}")
    return found
