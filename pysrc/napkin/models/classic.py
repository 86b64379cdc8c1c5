"""Decoders whose keys or shapes no ``Rule`` covers: OPT, MPT, DBRX, XGLM, BioGPT."""

from __future__ import annotations

from napkin.models.built import Built, context_length
from napkin.models.config import Config
from napkin.models.counts import Counts
from napkin.models.decoders import activation_name
from napkin.models.heads import tie_flag, with_head
from napkin.models.layers import Attention, Layer, Stack
from napkin.models.pieces import Norm, attention_counts, experts, kv_heads, linear, mlp, norm

__all__ = ["dbrx", "fairseq_decoder", "mpt", "opt"]


def _heads(config: Config) -> tuple[int, int, int]:
    hidden = config.whole("hidden_size")
    return (
        hidden,
        config.whole("num_attention_heads"),
        config.multiple("hidden_size", "num_attention_heads"),
    )


def opt(config: Config, architecture: str) -> Built:
    """OPT: an embedding that may be narrower than the layers, positions shifted by two."""
    hidden, heads, width = _heads(config)
    bias = config.flag("enable_bias")
    kind: Norm = "layer" if config.flag("layer_norm_elementwise_affine") else "none"
    attention = Attention("full", heads, heads, width, width, bias=bias, out_bias=bias)
    feed, counts = mlp(
        hidden,
        config.whole("ffn_dim"),
        gated=False,
        activation=activation_name(config),
        bias=bias,
    )
    counts += attention_counts(hidden, attention) + norm(kind, hidden, 2)
    layer = Layer(attention=attention, mlp=feed, norm="layer", counts=counts)
    vocabulary, narrow = config.whole("vocab_size"), config.maybe("word_embed_proj_dim") or hidden
    positions = config.whole("max_position_embeddings")
    around = Counts(
        token_embedding=vocabulary * narrow, position_embedding=(positions + 2) * hidden
    )
    if narrow != hidden:
        around += linear("projector", narrow, hidden) + linear("projector", hidden, narrow)
    final = config.flag("do_layer_norm_before") and not config.flag("_remove_final_layer_norm")
    if final:
        around += norm(kind, hidden)
    tied = tie_flag(config)
    around += with_head(config, architecture, narrow, tied)
    stack = Stack("decoder", hidden, (layer,) * config.depth(), around, positions, final)
    return Built((stack,), tied, vocabulary, positions)


def mpt(config: Config, architecture: str) -> Built:
    """MPT: no biases, norms without shift, an MLP of four times the hidden size."""
    hidden, heads, width = _heads(config)
    attention = Attention("full", heads, heads, width, width)
    feed, counts = mlp(hidden, 4 * hidden, gated=False, activation="gelu")
    counts += attention_counts(hidden, attention) + norm("scale", hidden, 2)
    layer = Layer(attention=attention, mlp=feed, norm="layer", counts=counts)
    vocabulary = config.whole("vocab_size")
    tied = tie_flag(config)
    around = Counts(token_embedding=vocabulary * hidden) + norm("scale", hidden)
    around += with_head(config, architecture, hidden, tied)
    stack = Stack("decoder", hidden, (layer,) * config.depth(), around)
    return Built((stack,), tied, vocabulary, context_length(config))


def dbrx(config: Config, architecture: str) -> Built:
    """DBRX: attention and experts described in nested configurations."""
    hidden, heads, width = _heads(config)
    attend, feed = config.sub("attn_config", "dbrx_attention"), config.sub("ffn_config", "dbrx_ffn")
    groups = kv_heads(
        Config({"num_attention_heads": heads, **attend.data}, "dbrx_attention", attend.where),
        "kv_n_heads",
    )
    if attend.maybe("kv_n_heads") is None:
        groups = 1
    attention = Attention("full", heads, groups, width, width)
    routed, counts = experts(
        hidden,
        total=feed.whole("moe_num_experts"),
        top_k=feed.whole("moe_top_k"),
        width=feed.whole("ffn_hidden_size"),
    )
    counts += attention_counts(hidden, attention) + norm("scale", hidden, 2)
    layer = Layer(attention=attention, experts=routed, norm="layer", counts=counts)
    vocabulary = config.whole("vocab_size")
    tied = tie_flag(config)
    around = Counts(token_embedding=vocabulary * hidden) + norm("scale", hidden)
    around += with_head(config, architecture, hidden, tied)
    stack = Stack("decoder", hidden, (layer,) * config.depth(), around)
    return Built((stack,), tied, vocabulary, context_length(config))


def fairseq_decoder(config: Config, architecture: str) -> Built:
    """XGLM (positions computed) and BioGPT (positions learned, shifted by two)."""
    hidden, heads, width = _heads(config)
    key = "ffn_dim" if config.model_type == "xglm" else "intermediate_size"
    attention = Attention("full", heads, heads, width, width, bias=True, out_bias=True)
    feed, counts = mlp(
        hidden, config.whole(key), gated=False, activation=activation_name(config), bias=True
    )
    counts += attention_counts(hidden, attention) + norm("layer", hidden, 2)
    cross = None
    if config.model_type == "xglm" and config.flag("add_cross_attention"):
        cross = Attention(
            "full", heads, heads, width, width, causal=False, bias=True, out_bias=True
        )
        counts += attention_counts(hidden, cross) + norm("layer", hidden)
    layer = Layer(
        attention=attention,
        cross_attention=cross,
        mlp=feed,
        norm="layer",
        norms=3 if cross else 2,
        counts=counts,
    )
    vocabulary = config.whole("vocab_size")
    tied = tie_flag(config)
    around = Counts(token_embedding=vocabulary * hidden) + norm("layer", hidden)
    positions = config.whole("max_position_embeddings")
    if config.model_type == "biogpt":
        around += Counts(position_embedding=(positions + 2) * hidden)
    around += with_head(config, architecture, hidden, tied)
    stack = Stack("decoder", hidden, (layer,) * config.depth(), around, positions)
    return Built((stack,), tied, vocabulary, positions)
