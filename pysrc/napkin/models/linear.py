"""Decoders with linear attention, RG-LRU or short convolutions between their full layers."""

from __future__ import annotations

from napkin.models.built import Built
from napkin.models.config import Config
from napkin.models.decoders import activation_name
from napkin.models.latent import latent_attention
from napkin.models.layers import Layer
from napkin.models.patterns import qwen_sparse
from napkin.models.pieces import (
    attention_counts,
    experts,
    head_dim,
    layer_kinds,
    linear,
    mlp,
    norm,
    standard_attention,
)
from napkin.models.recurrent import (
    gated_delta,
    kimi_delta,
    lightning,
    rg_lru,
    short_convolution,
)
from napkin.models.stacking import finish, stacked

__all__ = ["kimi_linear", "lfm2", "minimax", "qwen_next", "recurrent_gemma"]


def qwen_next(config: Config, architecture: str) -> Built:
    """Qwen3-Next and Qwen3.5: gated delta rule with gated full attention at intervals."""
    hidden, depth = config.whole("hidden_size"), config.depth()
    interval = (
        config.whole("full_attention_interval") if config.given("full_attention_interval") else 4
    )
    mixers = layer_kinds(
        config, depth, lambda index: "linear" if (index + 1) % interval else "full"
    )
    has_experts = config.model_type != "qwen3_5_text"
    steps = config.model_type == "qwen3_next"
    act = activation_name(config)

    def make(kind: tuple[str, bool]) -> Layer:
        mixer, sparse = kind
        feed, routed = None, None
        if sparse:
            routed, counts = experts(
                hidden,
                total=config.whole("num_experts"),
                top_k=config.whole("num_experts_per_tok"),
                width=config.whole("moe_intermediate_size"),
                activation=act,
                shared=1,
                shared_width=config.whole("shared_expert_intermediate_size"),
                shared_gate=True,
            )
        else:
            feed, counts = mlp(
                hidden, config.whole("intermediate_size"), gated=True, activation=act
            )
        counts += norm("rms", hidden, 2)
        if mixer == "full":
            bias = config.flag("attention_bias")
            attention = standard_attention(config, bias=bias, out_bias=bias, qk_norm="head")
            counts += attention_counts(hidden, attention)
            # A gate per query column, made by the query projection.
            counts += linear("attention", hidden, attention.q_width, bias)
            return Layer(attention=attention, mlp=feed, experts=routed, counts=counts)
        recurrent, more = gated_delta(config, hidden)
        return Layer(recurrent=recurrent, mlp=feed, experts=routed, counts=counts + more)

    kinds: list[tuple[str, bool]] = [
        (mixers[index], has_experts and (not steps or qwen_sparse(config, index)))
        for index in range(depth)
    ]
    return finish(config, architecture, hidden, stacked(kinds, make))


def minimax(config: Config, architecture: str) -> Built:
    """MiniMax-01: lightning attention with full attention in between, experts everywhere."""
    hidden, depth = config.whole("hidden_size"), config.depth()
    width = head_dim(config)
    routed, fed = experts(
        hidden,
        total=config.whole("num_local_experts"),
        top_k=config.whole("num_experts_per_tok"),
        width=config.whole("intermediate_size"),
        activation=activation_name(config),
    )
    fed += norm("rms", hidden, 2)

    def make(kind: str) -> Layer:
        if kind == "full":
            attention = standard_attention(config)
            counts = attention_counts(hidden, attention)
            return Layer(attention=attention, experts=routed, counts=counts + fed)
        recurrent, counts = lightning(config, hidden, width)
        return Layer(recurrent=recurrent, experts=routed, counts=counts + fed)

    kinds: list[str] = list(
        layer_kinds(config, depth, lambda index: "full" if (index + 1) % 2 else "linear")
    )
    return finish(config, architecture, hidden, stacked(kinds, make))


def recurrent_gemma(config: Config, architecture: str) -> Built:
    """RecurrentGemma: blocks of RG-LRU and local attention in turn."""
    hidden, depth = config.whole("hidden_size"), config.depth()
    pattern = config.items("block_types") or ["recurrent", "recurrent", "attention"]
    for name in pattern:
        if name not in ("recurrent", "attention"):
            raise config.unknown("block_types", name, ["recurrent", "attention"])
    feed, fed = mlp(
        hidden,
        config.whole("intermediate_size") // 2,
        gated=True,
        activation=activation_name(config),
        bias=True,
    )
    fed += norm("rms", hidden, 2)

    def make(kind: str) -> Layer:
        if kind == "attention":
            attention = standard_attention(
                config,
                kind="sliding",
                explicit_head_dim=False,
                bias=config.flag("attention_bias"),
                out_bias=True,
                window=config.whole("attention_window_size"),
            )
            counts = attention_counts(hidden, attention)
            return Layer(attention=attention, mlp=feed, counts=counts + fed)
        recurrent, counts = rg_lru(config, hidden)
        return Layer(recurrent=recurrent, mlp=feed, counts=counts + fed)

    kinds: list[str] = [pattern[index % len(pattern)] for index in range(depth)]
    return finish(config, architecture, hidden, stacked(kinds, make))


def lfm2(config: Config, architecture: str) -> Built:
    """LFM2: gated short convolutions with attention at listed layers; experts in LFM2-MoE."""
    hidden, depth = config.whole("hidden_size"), config.depth()
    full = config.items("full_attn_idxs")
    mixers = layer_kinds(
        config, depth, lambda index: "full" if full is None or index in full else "conv"
    )
    sparse_model = config.model_type == "lfm2_moe"
    dense = config.whole("num_dense_layers", 0) if sparse_model else depth
    act = activation_name(config)

    def make(kind: tuple[str, bool]) -> Layer:
        mixer, sparse = kind
        feed, routed = None, None
        if sparse:
            routed, counts = experts(
                hidden,
                total=config.whole("num_experts"),
                top_k=config.whole("num_experts_per_tok"),
                width=config.whole("moe_intermediate_size"),
                activation=act,
            )
        else:
            feed, counts = mlp(hidden, _lfm2_width(config), gated=True, activation=act)
        counts += norm("rms", hidden, 2)
        if mixer == "full":
            attention = standard_attention(config, qk_norm="head")
            counts += attention_counts(hidden, attention)
            return Layer(attention=attention, mlp=feed, experts=routed, counts=counts)
        recurrent, more = short_convolution(config, hidden)
        return Layer(recurrent=recurrent, mlp=feed, experts=routed, counts=counts + more)

    kinds: list[tuple[str, bool]] = [(mixers[index], index >= dense) for index in range(depth)]
    return finish(config, architecture, hidden, stacked(kinds, make))


def _lfm2_width(config: Config) -> int:
    key = "block_ff_dim" if config.given("block_ff_dim") else "intermediate_size"
    width = config.whole(key)
    if config.model_type == "lfm2_moe" or not config.flag("block_auto_adjust_ff_dim"):
        return width
    width = 2 * width // 3
    if config.raw("block_ffn_dim_multiplier") is None:
        return width
    width = int(config.number("block_ffn_dim_multiplier") * width)
    multiple = config.whole("block_multiple_of")
    return -(-width // multiple) * multiple


def kimi_linear(config: Config, architecture: str) -> Built:
    """Kimi Linear: delta attention with a decay per column, latent attention in between."""
    hidden, depth = config.whole("hidden_size"), config.depth()
    nested = config.sub("linear_attn_config", "kimi_linear_attention")
    widths = {"linear_head_dim": "head_dim", "linear_num_heads": "num_heads"}
    widths["linear_conv_kernel_dim"] = "short_conv_kernel_size"
    head, heads, kernel = (
        nested.whole(own) if nested.given(own) else config.whole(general)
        for general, own in widths.items()
    )
    full = nested.items("full_attn_layers")
    mixers = layer_kinds(
        config,
        depth,
        # The listed layers are numbered from 1.
        lambda index: (
            "full"
            if (index + 1 in full if full is not None else index and index % 4 == 0)
            else "linear"
        ),
    )
    listed = config.items("mlp_layer_types", depth)
    first = config.whole("first_k_dense_replace", 0) if config.given("first_k_dense_replace") else 1
    act, wide = activation_name(config), config.whole("moe_intermediate_size")
    shared = config.maybe("n_shared_experts", 0) or 0

    def make(kind: tuple[str, bool]) -> Layer:
        mixer, sparse = kind
        feed, routed = None, None
        if sparse:
            routed, counts = experts(
                hidden,
                total=config.whole("num_local_experts"),
                top_k=config.whole("num_experts_per_tok"),
                width=wide,
                activation=act,
                shared=shared,
                shared_width=shared * wide,
            )
        else:
            width = config.whole("intermediate_size")
            feed, counts = mlp(hidden, width, gated=True, activation=act)
        counts += norm("rms", hidden, 2)
        if mixer == "full":
            attention, more = latent_attention(config, hidden, config.flag("attention_bias"))
            return Layer(attention=attention, mlp=feed, experts=routed, counts=counts + more)
        recurrent, more = kimi_delta(hidden, heads, head, kernel)
        return Layer(recurrent=recurrent, mlp=feed, experts=routed, counts=counts + more)

    kinds = [
        (mixers[index], listed[index] == "sparse" if listed else index >= first)
        for index in range(depth)
    ]
    return finish(config, architecture, hidden, stacked(kinds, make))
