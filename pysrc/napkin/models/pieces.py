"""The pieces that layers are put together from, each with its exact parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal

from napkin.models.config import Config
from napkin.models.counts import Counts
from napkin.models.layers import Attention, AttentionKind, Experts, Layer, Mlp, QkNorm

__all__ = [
    "LAYER_KINDS",
    "Norm",
    "attention_counts",
    "experts",
    "head_dim",
    "kv_heads",
    "label_count",
    "layer_kinds",
    "linear",
    "mlp",
    "norm",
]

Norm = Literal["rms", "layer", "scale", "none"]
"""``rms`` and ``scale`` have a scale per column, ``layer`` a shift too, ``none`` neither."""

LAYER_KINDS: dict[str, str] = {
    "full_attention": "full",
    "attention": "full",
    "global": "full",
    "global_attention": "full",
    "sliding_attention": "sliding",
    "local": "sliding",
    "local_attention": "sliding",
    "chunked_attention": "chunked",
    "linear_attention": "linear",
    "mamba": "linear",
    "recurrent": "linear",
    "conv": "conv",
    "hybrid": "hybrid",
    "mlp": "mlp",
    "moe": "moe",
}


def linear(part: str, inputs: int, outputs: int, bias: bool = False) -> Counts:
    """A linear layer's weights under ``part``, and its biases.

    >>> linear("mlp", 4, 3, bias=True)._values()[7], linear("mlp", 4, 3, bias=True).bias
    (12, 3)
    """
    counts = {part: inputs * outputs}
    return Counts(**counts, bias=outputs if bias else 0)


def norm(kind: Norm, width: int, times: int = 1) -> Counts:
    """``times`` norms over ``width`` columns."""
    scale = 0 if kind == "none" else width * times
    return Counts(norm_weight=scale, norm_bias=scale if kind == "layer" else 0)


def head_dim(config: Config, explicit: bool = True) -> int:
    """Width of an attention head: as given, else hidden size ÷ heads."""
    given = config.maybe("head_dim")
    if explicit and given is not None:
        return given
    width = config.multiple("hidden_size", "num_attention_heads")
    if given is not None and given != width:
        stated = config.given("head_dim")
        raise ValueError(
            f"{config.where}head_dim is {given}{'' if stated else ' by default'}, but in "
            f"{config.model_type!r} a head is hidden_size ÷ num_attention_heads = {width} wide: "
            + ("leave head_dim out" if stated else f"write head_dim {width}")
        )
    return width


def kv_heads(config: Config, key: str = "num_key_value_heads") -> int:
    """Key and value heads: as given, else one per query head; they must divide the query heads."""
    heads = config.whole("num_attention_heads")
    number = config.maybe(key) or heads
    if heads % number:
        raise ValueError(
            f"{config.where}{key} {number} does not divide num_attention_heads {heads}: "
            "query heads share key and value heads in groups of one size"
        )
    return number


def attention_counts(
    hidden: int, attention: Attention, norm_kind: Norm = "rms", out: int | None = None
) -> Counts:
    """Projections to queries, keys and values, back to ``out`` columns, and the qk-norms."""
    qkv = attention.q_width + attention.k_width + attention.v_width
    counts = linear("attention", hidden, qkv, attention.bias)
    counts += linear("attention", attention.out_width, out or hidden, attention.out_bias)
    if attention.qk_norm == "head":
        counts += norm(norm_kind, attention.head_dim, 2)
    elif attention.qk_norm == "full":
        counts += norm(norm_kind, attention.q_width + attention.k_width)
    return counts


def standard_attention(
    config: Config,
    *,
    kind: AttentionKind = "full",
    explicit_head_dim: bool = True,
    bias: bool = False,
    out_bias: bool = False,
    qk_norm: QkNorm = "none",
    window: int | None = None,
    causal: bool = True,
    groups: int | None = None,
) -> Attention:
    """Attention with the usual keys: heads, key-value heads, head width."""
    width = head_dim(config, explicit_head_dim)
    number = kv_heads(config) if groups is None else groups
    heads = config.whole("num_attention_heads")
    return Attention(
        kind,
        heads,
        number,
        width,
        width,
        window=window if kind in ("sliding", "chunked") else None,
        causal=causal,
        bias=bias,
        out_bias=out_bias,
        qk_norm=qk_norm,
    )


def mlp(
    hidden: int, width: int, *, gated: bool, activation: str = "silu", bias: bool = False
) -> tuple[Mlp, Counts]:
    """A dense feed-forward block: up (twice where gated), activation, down."""
    counts = linear("mlp", hidden, width * (2 if gated else 1), bias)
    counts += linear("mlp", width, hidden, bias)
    return Mlp("gated" if gated else "plain", width, activation, bias), counts


def experts(
    hidden: int,
    *,
    total: int,
    top_k: int,
    width: int,
    gated: bool = True,
    activation: str = "silu",
    bias: bool = False,
    router_inputs: int | None = None,
    router_bias: bool = False,
    shared: int = 0,
    shared_width: int = 0,
    shared_gate: bool = False,
    shared_bias: bool = False,
) -> tuple[Experts, Counts]:
    """Routed experts, their router, and shared experts (one MLP of their joint width).

    ``router_inputs`` is what the router reads where that is not what the experts read.
    """
    if top_k > total:
        raise ValueError(
            f"num_experts_per_tok is {top_k} but there are only {total} experts: "
            f"choose at most {total}"
        )
    one, one_counts = mlp(hidden, width, gated=gated, activation=activation, bias=bias)
    counts = Counts(experts=one_counts.mlp * total, bias=one_counts.bias * total)
    counts += linear("router", router_inputs or hidden, total, router_bias)
    if shared_width:
        _, extra = mlp(hidden, shared_width, gated=gated, bias=shared_bias)
        counts += Counts(shared_experts=extra.mlp, bias=extra.bias)
    if shared_gate:
        counts += Counts(router=hidden)
    described = Experts(
        total=total,
        top_k=top_k,
        width=width,
        per_expert=one_counts.total,
        per_expert_matmul=one_counts.mlp,
        kind=one.kind,
        activation=activation,
        shared=shared if shared_width else 0,
        shared_width=shared_width,
    )
    return described, counts


def layer_kinds(
    config: Config, layers: int, default: Callable[[int], str], key: str = "layer_types"
) -> list[str]:
    """The kind of each layer: as listed under ``key``, else by the family's pattern."""
    listed = config.items(key)
    if listed is None:
        return [default(index) for index in range(layers)]
    if len(listed) != layers:
        raise ValueError(
            f"{config.where}{key} lists {len(listed)} layers but the model has {layers}: "
            "list one kind for each layer"
        )
    for name in listed:
        if name not in LAYER_KINDS:
            raise config.unknown(key, name, list(LAYER_KINDS))
    return [LAYER_KINDS[name] for name in listed]


def label_count(config: Config) -> int:
    """Classes of a classifier: as given, else one per label, else the family's number, mostly 2.

    None at all (``id2label`` is ``{}``) leaves the classifier out.
    """
    labels = config.data.get("id2label")
    if isinstance(labels, Mapping) and config.data.get("num_labels") is None:
        return len(labels)
    return 2 if config.raw("num_labels") is None else config.whole("num_labels", 0)


def with_cross_attention(layer: Layer, hidden: int) -> Layer:
    """The same layer with attention to another sequence, of the same shape, and a norm for it."""
    if layer.attention is None:
        raise AssertionError("only a layer that attends is given cross-attention")
    cross = replace(layer.attention, kind="full", window=None, causal=False)
    counts = layer.counts + attention_counts(hidden, cross) + norm("layer", hidden)
    return replace(layer, cross_attention=cross, norms=layer.norms + 1, counts=counts)


def without_cache(attention: Attention) -> Attention:
    """The same attention, reading an earlier layer's cache."""
    return replace(attention, stores_kv=False)
