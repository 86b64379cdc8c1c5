"""Gemma 3n and Gemma 4: per-layer embeddings, shared caches, two widths of head."""

from __future__ import annotations

from napkin.models.built import Built, context_length
from napkin.models.config import Config
from napkin.models.counts import Counts
from napkin.models.decoders import activation_name
from napkin.models.heads import tie_flag, with_head
from napkin.models.layers import Attention, Layer, Stack
from napkin.models.patterns import one_full_in
from napkin.models.pieces import experts, kv_heads, linear, mlp, norm
from napkin.models.stacking import stacked

__all__ = ["gemma3n", "gemma4"]


def _first_shared(config: Config, depth: int) -> int:
    """The first layer that reads an earlier layer's keys and values."""
    shared = config.whole("num_kv_shared_layers", 0)
    if shared > depth:
        raise ValueError(
            f"{config.where}num_kv_shared_layers is {shared} but there are only {depth} layers: "
            f"choose at most {depth}"
        )
    return depth - shared


def _per_layer(config: Config, hidden: int, depth: int) -> tuple[Counts, Counts]:
    """Per-layer token embeddings: what each layer adds, and what stands before the layers."""
    least = 1 if config.model_type == "gemma3n_text" else 0
    width = config.maybe("hidden_size_per_layer_input", least) or 0
    if not width:
        return Counts(), Counts()
    each = linear("projector", hidden, width) + linear("projector", width, hidden)
    vocabulary = config.whole("vocab_size_per_layer_input")
    before = Counts(layer_embedding=vocabulary * depth * width)
    before += linear("projector", hidden, depth * width) + norm("rms", width)
    return each + norm("rms", hidden), before


def _attend(config: Config, hidden: int, attention: Attention, keys: bool, values: bool) -> Counts:
    """Projections and qk-norms; keys and values only where the layer makes its own."""
    bias = attention.bias
    counts = linear("attention", hidden, attention.q_width, bias)
    counts += linear("attention", attention.out_width, hidden, bias)
    counts += norm("rms", attention.head_dim, 2 if keys else 1)
    if keys:
        counts += linear("attention", hidden, attention.k_width * (2 if values else 1), bias)
    return counts


def gemma4(config: Config, architecture: str) -> Built:
    """Gemma 4: wider heads in full layers, keys that serve as values, experts beside the MLP."""
    hidden, depth = config.whole("hidden_size"), config.depth()
    kinds = one_full_in(6)(config, depth)
    if kinds:
        kinds[-1] = "full"
    first = _first_shared(config, depth)
    heads, bias = config.whole("num_attention_heads"), config.flag("attention_bias")
    same = config.flag("attention_k_eq_v")
    full_width = config.whole("global_head_dim") if config.given("global_head_dim") else 512
    full_groups = config.maybe("num_global_key_value_heads") if same else None
    each, before = _per_layer(config, hidden, depth)
    act = activation_name(config)

    def make(kind: tuple[str, bool]) -> Layer:
        mixer, shared = kind
        full = mixer == "full"
        width = full_width if full else config.whole("head_dim")
        groups = full_groups if full and full_groups else kv_heads(config)
        attention = Attention(
            "full" if full else "sliding",
            heads,
            groups,
            width,
            width,
            window=None if full else config.maybe("sliding_window"),
            bias=bias,
            out_bias=bias,
            qk_norm="head",
            stores_kv=not shared,
        )
        counts = _attend(config, hidden, attention, not shared, not (same and full))
        double = 2 if shared and config.flag("use_double_wide_mlp") else 1
        feed, fed = mlp(
            hidden, config.whole("intermediate_size") * double, gated=True, activation=act
        )
        counts += fed + norm("rms", hidden, 4) + each
        routed, norms = None, 4
        if config.flag("enable_moe_block"):
            total = config.whole("num_experts")
            routed, more = experts(
                hidden,
                total=total,
                top_k=config.whole("top_k_experts"),
                width=config.whole("moe_intermediate_size"),
                activation=act,
            )
            counts += more + norm("rms", hidden, 3) + Counts(other=hidden + total)
            norms = 7
        return Layer(attention=attention, mlp=feed, experts=routed, norms=norms, counts=counts)

    described: list[tuple[str, bool]] = [(kind, index >= first) for index, kind in enumerate(kinds)]
    return _finish(config, architecture, hidden, stacked(described, make), before)


def gemma3n(config: Config, architecture: str) -> Built:
    """Gemma 3n: several residual streams (AltUp), a low-rank side path (LAuReL) in each layer."""
    hidden, depth = config.whole("hidden_size"), config.depth()
    kinds = one_full_in(5)(config, depth)
    first = _first_shared(config, depth)
    heads, width = config.whole("num_attention_heads"), config.whole("head_dim")
    bias, streams = config.flag("attention_bias"), config.whole("altup_num_inputs")
    rank, act = config.whole("laurel_rank"), activation_name(config)
    each, before = _per_layer(config, hidden, depth)
    widths = config.raw("intermediate_size")
    listed = config.items("intermediate_size", depth) if isinstance(widths, list) else None
    side = linear("projector", hidden, rank) + linear("projector", rank, hidden)
    side += linear("projector", streams, streams**2) + linear("projector", streams, streams)
    # The router is asked twice: before the layer, to predict the streams, and after, to correct.
    router = linear("projector", hidden, streams)
    side += router + norm("rms", hidden, 2) + Counts(other=hidden)

    def make(kind: tuple[str, bool, int]) -> Layer:
        mixer, shared, inner = kind
        attention = Attention(
            "full" if mixer == "full" else "sliding",
            heads,
            kv_heads(config),
            width,
            width,
            window=None if mixer == "full" else config.maybe("sliding_window"),
            bias=bias,
            out_bias=bias,
            qk_norm="head",
            stores_kv=not shared,
        )
        feed, fed = mlp(hidden, inner, gated=True, activation=act)
        counts = _attend(config, hidden, attention, not shared, True)
        counts += fed + norm("rms", hidden, 4) + side + each
        return Layer(
            attention=attention,
            mlp=feed,
            norms=7,
            counts=counts,
            borrowed=router,
            mixing=streams * streams * hidden,
        )

    described: list[tuple[str, bool, int]] = [
        (kind, index >= first, listed[index] if listed else config.whole("intermediate_size"))
        for index, kind in enumerate(kinds)
    ]
    before += Counts(projector=2 * (streams - 1) * hidden * hidden)
    return _finish(config, architecture, hidden, stacked(described, make), before)


def _finish(
    config: Config, architecture: str, hidden: int, layers: tuple[Layer, ...], before: Counts
) -> Built:
    vocabulary, tied = config.whole("vocab_size"), tie_flag(config)
    around = before + Counts(token_embedding=vocabulary * hidden) + norm("rms", hidden)
    around += with_head(config, architecture, hidden, tied)
    stack = Stack("decoder", hidden, layers, around)
    return Built((stack,), tied, vocabulary, context_length(config))
