"""Which tensor of a gguf file gets which block format: the rule of llama.cpp's quantizer.

A mix such as ``Q4_K_M`` names a default format and raises it where quality suffers most: the
output head, the value projections and the down projections of some layers.  The rule looks at a
tensor's role, its place among the layers, the sharing of key-value heads and the number of experts.

Source: llama.cpp, ``src/llama-quant.cpp`` at 007dbbf (read 2026-11), restated; for a fused
query-key-value tensor the rule of the releases to 2025, which the published files follow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from napkin.table import nearest_name

__all__ = ["MIXES", "Place", "Role", "fallback", "mix_named", "more_bits", "tensor_format"]

Role = Literal[
    "token_embedding", "head", "q", "k", "v", "qkv", "attention_out", "gate", "up", "down", "other"
]

MIXES: dict[str, str] = {
    "F32": "F32", "F16": "F16", "BF16": "BF16",
    "Q4_0": "Q4_0", "Q4_1": "Q4_1", "Q5_0": "Q5_0", "Q5_1": "Q5_1", "Q8_0": "Q8_0",
    "Q2_K": "Q2_K", "Q2_K_S": "Q2_K", "Q3_K_S": "Q3_K", "Q3_K_M": "Q3_K", "Q3_K_L": "Q3_K",
    "Q4_K_S": "Q4_K", "Q4_K_M": "Q4_K", "Q5_K_S": "Q5_K", "Q5_K_M": "Q5_K", "Q6_K": "Q6_K",
    "IQ1_S": "IQ1_S", "IQ1_M": "IQ1_M", "IQ2_XXS": "IQ2_XXS", "IQ2_XS": "IQ2_XS",
    "IQ2_S": "IQ2_XS", "IQ2_M": "IQ2_S", "IQ3_XXS": "IQ3_XXS", "IQ3_XS": "IQ3_S",
    "IQ3_S": "IQ3_S", "IQ3_M": "IQ3_S", "IQ4_NL": "IQ4_NL", "IQ4_XS": "IQ4_XS",
    "TQ1_0": "TQ1_0", "TQ2_0": "TQ2_0", "MXFP4_MOE": "MXFP4",
}  # fmt: skip
"""Each mix with its default format."""

_ALIASES = {"Q3_K": "Q3_K_M", "Q4_K": "Q4_K_M", "Q5_K": "Q5_K_M", "MXFP4": "MXFP4_MOE",
            "FP16": "F16", "FP32": "F32"}  # fmt: skip
_IQ_TINY = {"IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ2_M"}
_PLAIN = {"F32", "F16", "BF16"}

_FALLBACK = {
    "Q4_K": "Q5_0", "Q5_K": "Q5_1", "Q6_K": "Q8_0",
    "Q2_K": "Q4_0", "Q3_K": "Q4_0", "TQ1_0": "Q4_0", "TQ2_0": "Q4_0",
    **dict.fromkeys(
        ("IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ3_XXS", "IQ3_S", "IQ4_XS"), "IQ4_NL"
    ),
}  # fmt: skip
BLOCK_OF_32 = {"Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "IQ4_NL", "MXFP4"}


@dataclass(frozen=True)
class Place:
    """Where a tensor stands: its number among the layers, and what its model is like.

    ``heads_per_kv`` is query heads ÷ key-value heads; ``experts`` is 0 in a dense model;
    ``falcon`` and ``large_80`` mark the two architectures with rules of their own (Falcon; the
    80-layer Llama and Qwen2 models with shared key-value heads); ``imatrix`` says that the file
    was made with an importance matrix.
    """

    number: int
    layers: int
    heads_per_kv: float
    experts: int
    falcon: bool
    large_80: bool
    tied: bool
    imatrix: bool

    @property
    def first_eighth(self) -> bool:
        return self.number < self.layers // 8

    @property
    def first_sixteenth(self) -> bool:
        return self.number < self.layers // 16

    @property
    def more_bits(self) -> bool:
        return more_bits(self.number, self.layers)


def mix_named(name: str) -> str:
    """The mix of that name in its usual spelling; ``Q4_K`` alone is ``Q4_K_M``.

    >>> mix_named("q4_k_m"), mix_named("Q5_K")
    ('Q4_K_M', 'Q5_K_M')
    """
    folded = str(name).strip().upper().replace("-", "_")
    folded = _ALIASES.get(folded, folded)
    if folded in MIXES:
        return folded
    close = nearest_name(folded, list(MIXES))
    hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(MIXES)}"
    raise ValueError(f"{name!r} is not a gguf type: {hint}")


def more_bits(number: int, layers: int) -> bool:
    """The layers that a ``_M`` mix raises: the first and last eighth, and every third between.

    >>> sum(more_bits(number, 32) for number in range(32))
    16
    """
    return number < layers // 8 or number >= 7 * layers // 8 or (number - layers // 8) % 3 == 2


def fallback(form: str, columns: int) -> str:
    """The format that a tensor takes when its row length is no multiple of the block length."""
    if form in _PLAIN:
        return form
    if form not in BLOCK_OF_32 and columns % 256:
        form = _FALLBACK[form]
    return "F16" if form in BLOCK_OF_32 and columns % 32 else form


def tensor_format(mix: str, role: Role, place: Place, columns: int, expert: bool = False) -> str:
    """The format of a 2-D weight of that role; ``columns`` is its row length.

    ``expert`` marks a tensor that holds all experts of a layer.
    """
    default = MIXES[mix]
    if default in _PLAIN:
        return default
    if role == "head" or (role == "token_embedding" and place.tied):
        form = _head(mix, default, place, columns)
    elif mix == "MXFP4_MOE":
        form = "MXFP4" if expert else "Q8_0"
    elif role == "token_embedding":
        form = _token_embedding(mix, default)
    elif mix in _IQ_TINY:
        form = _tiny(mix, default, role, place)
    elif role == "v":
        form = _value(mix, default, place)
    elif role == "qkv":
        form = _QKV.get(mix, default)
    elif role in ("q", "k"):
        form = _query_key(mix, default, role, place)
    elif role == "down":
        form = _down(mix, default, place)
    elif role == "attention_out":
        form = _attention_out(mix, default, place)
    elif role in ("gate", "up") and mix == "IQ3_XS":
        middle = place.layers // 8 <= place.number < 7 * place.layers // 8
        form = "IQ3_XXS" if middle else default
    else:
        form = default
    return fallback(form, columns)


def _head(mix: str, default: str, place: Place, columns: int) -> str:
    block = 32 if default in BLOCK_OF_32 else 256
    if mix == "MXFP4_MOE" or place.falcon or columns % block or default == "Q8_0":
        return "Q8_0"
    return "Q5_K" if mix in _IQ_TINY or mix == "IQ3_XXS" else "Q6_K"


def _token_embedding(mix: str, default: str) -> str:
    if mix in ("IQ2_XXS", "IQ2_XS", "IQ1_S", "IQ1_M"):
        return "Q2_K"
    if mix in ("IQ2_S", "IQ2_M", "IQ3_XXS"):
        return "IQ3_S"
    return "Q4_K" if mix in ("TQ1_0", "TQ2_0") else default


def _tiny(mix: str, default: str, role: Role, place: Place) -> str:
    larger = mix in ("IQ2_S", "IQ2_M")
    if role == "v":
        if place.heads_per_kv >= 4 or place.experts >= 4:
            return "Q4_K"
        return "IQ3_S" if larger else "Q2_K"
    if role == "k" and place.experts == 8:
        return "Q4_K"
    if role == "down" and place.first_eighth:
        return "IQ3_S" if larger else "Q2_K"
    if role == "attention_out":
        if place.experts == 8:
            return "Q5_K"
        if mix in ("IQ1_S", "IQ1_M"):
            return "IQ2_XXS"
        return "IQ3_S" if larger else default
    return default


def _value(mix: str, default: str, place: Place) -> str:
    shared = place.heads_per_kv >= 4
    form = default
    if mix == "Q2_K":
        form = "Q4_K" if shared else "Q3_K"
    elif (mix in ("Q2_K_S", "IQ3_XS", "IQ3_S") and shared) or mix == "IQ3_M":
        form = "Q4_K"
    elif mix == "IQ3_XXS":
        form = "Q4_K" if shared else default if place.imatrix else "IQ3_S"
    elif mix == "Q3_K_M":
        form = "Q5_K" if place.number < 2 else "Q4_K"
    elif mix == "Q3_K_L" or (mix in ("IQ4_NL", "IQ4_XS") and shared):
        form = "Q5_K"
    elif mix in ("Q4_K_M", "Q5_K_M") and place.more_bits:
        form = "Q6_K"
    elif mix == "Q4_K_S" and place.number < 4:
        form = "Q5_K"
    if place.large_80 and form in ("Q3_K", "Q4_K"):
        form = "Q5_K"
    return "Q8_0" if place.experts == 8 else form


def _query_key(mix: str, default: str, role: Role, place: Place) -> str:
    if role == "k" and place.experts == 8:
        return "Q8_0"
    return {"IQ3_XS": "IQ3_XXS", "IQ3_XXS": "IQ2_S"}.get(mix, default)


def _down(mix: str, default: str, place: Place) -> str:
    if mix == "Q2_K":
        return "Q3_K"
    if mix == "Q2_K_S":
        return "Q4_K" if place.first_eighth else default
    if mix == "IQ3_XXS" and not place.imatrix:
        return "Q4_K" if place.first_eighth else "Q3_K"
    if mix == "Q3_K_M":
        if place.first_sixteenth:
            return "Q5_K"
        return "Q4_K" if not place.falcon or place.more_bits else "Q3_K"
    if mix == "IQ3_M":
        raised = place.first_eighth or (place.experts == 8 and place.more_bits)
        return "Q4_K" if raised else default
    if mix == "Q3_K_L":
        return "Q4_K" if place.falcon else "Q5_K"
    if mix == "Q4_K_M" and place.falcon:
        return "Q6_K" if place.first_sixteenth else "Q5_K" if place.more_bits else "Q4_K"
    if mix in ("Q4_K_M", "Q5_K_M"):
        return "Q6_K" if place.more_bits else default
    if mix in ("IQ4_NL", "IQ4_XS") and place.first_eighth and not place.imatrix:
        return "Q5_K"
    if mix == "Q4_K_S" and place.first_eighth and not place.falcon:
        return "Q5_K"
    if mix in ("Q4_0", "Q5_0") and place.first_eighth and place.imatrix:
        return {"Q4_0": "Q4_1", "Q5_0": "Q5_1"}[mix]
    return default


_QKV = {"Q3_K_M": "Q4_K", "Q3_K_L": "Q4_K", "IQ3_M": "Q4_K", "Q4_K_M": "Q5_K", "Q5_K_M": "Q6_K"}
_OUT_8_EXPERTS = {"Q2_K", "IQ3_XS", "IQ3_XXS", "Q3_K_S", "Q3_K_M", "IQ4_NL", "Q4_K_S", "Q4_K_M",
                  "IQ3_S", "IQ3_M", "IQ4_XS"}  # fmt: skip


def _attention_out(mix: str, default: str, place: Place) -> str:
    if place.falcon:
        return "Q4_K" if mix == "Q3_K_L" else default
    if place.experts == 8:
        return "Q5_K" if mix in _OUT_8_EXPERTS else default
    raised = {"Q2_K": "Q3_K", "IQ3_XXS": "IQ3_S", "Q3_K_M": "Q4_K", "Q3_K_L": "Q5_K",
              "IQ3_M": "Q4_K"}  # fmt: skip
    return raised.get(mix, default)
