"""What one forward pass of a model reads from memory and computes, for serving.

Decoding runs one token per sequence through the model: every weight is read once for the whole
batch, every sequence reads its own cache.  Prefill runs the whole prompt at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from napkin.collectives import whole
from napkin.kv_engines import cache_bytes_per_number
from napkin.weights import weights_table

if TYPE_CHECKING:
    from napkin.models import Model
    from napkin.models.layers import Attention, Layer

__all__ = ["Pass", "decode_pass", "experts_read", "prefill_pass", "read_bytes", "require_decoder"]


@dataclass(frozen=True)
class Pass:
    """Bytes and FLOP of one forward pass over all devices together.

    ``weights`` and ``cache`` are bytes read, ``expanded`` those of the cache when keys and values
    are repeated for every query head; ``linear`` and ``attention`` FLOP; ``tokens`` how many go
    through; ``activation`` bytes of one layer's output in 16 bits, which tensor parallelism adds up
    twice per layer; ``experts`` routed experts over all layers.
    """

    weights: float
    cache: float
    expanded: float
    linear: float
    attention: float
    tokens: int
    layers: int
    activation: int
    experts: int


def experts_read(total: int, top_k: int, tokens: int) -> float:
    """Distinct experts that ``tokens`` tokens wake in one layer, if routing is even.

    total × (1 - (1 - k/total)^tokens).

    >>> experts_read(8, 2, 1), round(experts_read(128, 8, 16), 1)
    (2.0, 82.4)
    """
    return total * (1 - (1 - top_k / total) ** tokens)


def read_bytes(model: Model, form: str = "bf16", tokens: int = 1) -> float:
    """Bytes of weights that a pass over ``tokens`` tokens reads.

    All but the input embedding (one row per token is looked up; a tied head is read in full),
    encoders and vision towers, and the experts that no token chose.
    """
    table = weights_table(model, form)
    size = float(table.value("total"))
    if "vocabulary" in table:
        size -= table.value("vocabulary")
    parts = model.counts
    # What a gguf table lists by itself; in the others all parameters left alone are 16 bits.
    per_rest = table.value("rest") / (model.total - _covered(model)) if "rest" in table else None
    average = size / model.total
    if not model.tied:
        size -= (
            float(table.value("token_embedding"))
            if "token_embedding" in table
            else (parts.token_embedding * (average if per_rest is None else per_rest))
        )
    main = model.main
    other = model.total - main.counts.total
    size -= other * average
    if parts.experts:
        stored = (
            float(table.value("experts"))
            if "experts" in table
            else (
                parts.experts
                * (average if "quantised" not in table else _per_quantised(model, table))
            )
        )
        share = used = 0.0
        for layer, times in main.groups():
            if layer.experts:
                experts = layer.experts
                share += times * experts.total * experts.per_expert
                used += (
                    times * experts.per_expert * experts_read(experts.total, experts.top_k, tokens)
                )
        size -= stored * (1 - used / share)
    return max(size, 0.0)


def _covered(model: Model) -> int:
    counts = model.counts
    return counts.attention + counts.recurrent + counts.mlp + counts.experts + counts.shared_experts


def _per_quantised(model: Model, table: object) -> float:
    value = table.value("quantised")  # type: ignore[attr-defined]
    return float(value) / _covered(model)


def _span(attention: Attention, context: int) -> int:
    """Positions that a query at ``context`` looks at in this layer."""
    return min(attention.window, context) if attention.window else context


def _per_position(attention: Attention) -> int:
    """FLOP of one query token against one cached position (scores and weighted sum)."""
    if attention.kind == "mla":  # decoded in the compressed space: nothing is expanded
        rank, rope = attention.kv_rank or 0, attention.rope_dim or 0
        return 2 * attention.heads * (2 * rank + rope)
    return 2 * attention.heads * (attention.head_dim + attention.value_dim)


def _cache_read(layer: Layer, context: int, size: float) -> float:
    """Cache bytes that one decoded token reads in this layer."""
    total = 0.0
    if layer.attention and layer.attention.causal:
        attention = layer.attention
        elements = attention.cache_elements or attention.k_width + attention.v_width
        total += elements * _span(attention, context) / attention.compression * size
    if layer.recurrent:  # state in fp32 is read and written back
        total += 2 * (4 * layer.recurrent.state_elements + 2 * layer.recurrent.conv_elements)
    return total


def _experts(model: Model) -> int:
    return sum(times * layer.experts.total for layer, times in model.main.groups() if layer.experts)


def require_decoder(model: Model) -> None:
    """Raise ValueError for a model that writes no tokens, such as BERT or a vision transformer."""
    if not model.generates:
        raise ValueError(
            f"{model.name} has no decoder: it reads its whole input at once and writes no tokens; "
            "name a model that generates, such as llama-3.1-8b"
        )


def decode_pass(
    model: Model,
    weights: str = "bf16",
    cache: str = "bf16",
    context: int = 1024,
    batch: int = 1,
    tokens: int = 1,
) -> Pass:
    """``tokens`` tokens for each of ``batch`` sequences that are ``context`` tokens long.

    More than one token per sequence is what checking a speculative draft does: weights and cache
    are read once for all of them.

    >>> from napkin.models import from_config
    >>> gpt2 = decode_pass(from_config({"model_type": "gpt2"}), context=1)
    >>> gpt2.linear  # 2 FLOP per weight that multiplies a token, the tied head included
    247064064.0
    """
    require_decoder(model)
    context = whole(context, "context", 0, "4096")
    batch = whole(batch, "batch")
    tokens = batch * whole(tokens, "tokens")
    size = float(cache_bytes_per_number(cache))
    groups = model.main.groups()
    read = sum(times * _cache_read(layer, context, size) for layer, times in groups)
    expanded = sum(
        times * _cache_read(layer, context, size) * layer.attention.heads / layer.attention.kv_heads
        for layer, times in groups
        if layer.attention
    )
    attention = sum(
        times * _per_position(layer.attention) * _span(layer.attention, context)
        / layer.attention.compression
        for layer, times in groups
        if layer.attention
    )  # fmt: skip
    return Pass(
        weights=read_bytes(model, weights, tokens),
        cache=batch * read,
        expanded=batch * expanded,
        linear=2.0 * tokens * model.matmul_active,
        attention=float(tokens * attention),
        tokens=tokens,
        layers=len(model.layers),
        activation=2 * tokens * model.main.hidden_size,
        experts=_experts(model),
    )


def prefill_pass(model: Model, weights: str = "bf16", prompt: int = 1024, batch: int = 1) -> Pass:
    """The prompts of ``batch`` sequences; the output head runs on the last token of each.

    Attention is counted causally: half of the square.
    """
    prompt = whole(prompt, "prompt", 1, "2048")
    batch = whole(batch, "batch")
    tokens = prompt * batch
    head = model.main.counts.head or model.tied_head
    attention = 0.0
    for layer, times in model.main.groups():
        if layer.attention:
            span = _span(layer.attention, prompt)
            pairs = span * (span + 1) / 2 + (prompt - span) * span
            width = layer.attention.head_dim + layer.attention.value_dim
            attention += times * 2 * layer.attention.heads * width * pairs
    return Pass(
        weights=read_bytes(model, weights, tokens),
        cache=0.0,
        expanded=0.0,
        linear=2.0 * tokens * (model.matmul_active - head) + 2.0 * batch * head,
        attention=batch * attention,
        tokens=tokens,
        layers=len(model.layers),
        activation=2 * tokens * model.main.hidden_size,
        experts=_experts(model),
    )
