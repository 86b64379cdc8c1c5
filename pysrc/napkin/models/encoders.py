"""Newer text encoders: ModernBERT, NomicBERT, EuroBERT."""

from __future__ import annotations

from napkin.models.bert import BertRule, bert_head
from napkin.models.built import Built, context_length
from napkin.models.config import Config
from napkin.models.counts import Counts
from napkin.models.decoders import activation_name
from napkin.models.heads import LM_ENDINGS, ending, no_such_head, tie_flag
from napkin.models.layers import Layer, Stack
from napkin.models.pieces import (
    Norm,
    attention_counts,
    label_count,
    layer_kinds,
    linear,
    mlp,
    norm,
    standard_attention,
)

__all__ = ["eurobert", "modernbert", "nomic_bert"]


def modernbert(config: Config, architecture: str) -> Built:
    """ModernBERT: gated MLP, local and global attention in turn, no norm before layer 0."""
    hidden, depth = config.whole("hidden_size"), config.depth()
    every = (
        config.whole("global_attn_every_n_layers")
        if config.given("global_attn_every_n_layers")
        else 3
    )
    kinds = layer_kinds(config, depth, lambda index: "sliding" if index % every else "full")
    kind_of_norm: Norm = "layer" if config.flag("norm_bias") else "scale"
    bias = config.flag("attention_bias")
    feed, fed = mlp(
        hidden,
        config.whole("intermediate_size"),
        gated=True,
        activation=activation_name(config),
        bias=config.flag("mlp_bias"),
    )
    made: dict[tuple[str, bool], Layer] = {}
    layers = []
    for index, kind in enumerate(kinds):
        key = (kind, index == 0)
        if key not in made:
            attention = standard_attention(
                config,
                kind="sliding" if kind == "sliding" else "full",
                bias=bias,
                out_bias=bias,
                causal=False,
                explicit_head_dim=False,
                window=config.maybe("local_attention"),
                groups=config.whole("num_attention_heads"),
            )
            norms = 1 if index == 0 else 2
            counts = attention_counts(hidden, attention) + fed
            counts += norm(kind_of_norm, hidden, norms)
            made[key] = Layer(
                attention=attention, mlp=feed, norm="layer", norms=norms, counts=counts
            )
        layers.append(made[key])
    vocabulary, tied = config.whole("vocab_size"), tie_flag(config)
    around = Counts(token_embedding=vocabulary * hidden) + norm(kind_of_norm, hidden, 2)
    end = ending(architecture)
    # A classifier of whole texts reads one token, or their mean; the other heads read each.
    part = "pooler" if end == "ForSequenceClassification" else "projector"
    top = linear(part, hidden, hidden, config.flag("classifier_bias"))
    top += norm(kind_of_norm, hidden)
    if end in LM_ENDINGS:
        around += top + Counts(
            head=0 if tied else vocabulary * hidden,
            bias=vocabulary if config.flag("decoder_bias") else 0,
        )
    elif end in ("ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering"):
        part = "pooler" if end == "ForSequenceClassification" else "head"
        around += top + linear(part, hidden, label_count(config), True)
    elif end != "Model":
        raise no_such_head(config, architecture)
    stack = Stack("encoder", hidden, tuple(layers), around)
    tied = tied and end in LM_ENDINGS
    return Built((stack,), tied, vocabulary, context_length(config))


def nomic_bert(config: Config, architecture: str) -> Built:
    """NomicBERT: rotary positions, gated MLP without biases, norms after each part."""
    hidden = config.whole("hidden_size")
    heads = config.whole("num_attention_heads")
    attention = standard_attention(config, causal=False, groups=heads)
    feed, counts = mlp(
        hidden,
        config.whole("intermediate_size"),
        gated=True,
        activation=activation_name(config),
    )
    counts += attention_counts(hidden, attention) + norm("layer", hidden, 2)
    layer = Layer(attention=attention, mlp=feed, norm="layer", counts=counts)
    vocabulary = config.whole("vocab_size")
    around = Counts(
        token_embedding=vocabulary * hidden,
        segment_embedding=config.whole("type_vocab_size", 0) * hidden,
    ) + norm("layer", hidden)
    tied = tie_flag(config)
    around += bert_head(config, architecture, BertRule(pooler=False), hidden, hidden, tied)
    stack = Stack("encoder", hidden, (layer,) * config.depth(), around, final_norm=False)
    tied = tied and ending(architecture) in LM_ENDINGS
    return Built((stack,), tied, vocabulary, context_length(config))


def eurobert(config: Config, architecture: str) -> Built:
    """EuroBERT: a Llama that reads in both directions."""
    hidden = config.whole("hidden_size")
    bias = config.flag("attention_bias")
    attention = standard_attention(config, bias=bias, out_bias=bias, causal=False)
    feed, counts = mlp(
        hidden,
        config.whole("intermediate_size"),
        gated=True,
        activation=activation_name(config),
        bias=config.flag("mlp_bias"),
    )
    counts += attention_counts(hidden, attention) + norm("rms", hidden, 2)
    layer = Layer(attention=attention, mlp=feed, counts=counts)
    vocabulary, tied = config.whole("vocab_size"), tie_flag(config)
    around = Counts(token_embedding=vocabulary * hidden) + norm("rms", hidden)
    end = ending(architecture)
    if end in LM_ENDINGS:
        around += Counts(
            head=0 if tied else hidden * vocabulary,
            bias=vocabulary if config.flag("mlp_bias") else 0,
        )
    elif end == "ForSequenceClassification":
        # "late" gives every token a score and takes their mean.
        part = "head" if config.text("classifier_pooling", "late") == "late" else "pooler"
        around += linear(part, hidden, hidden, True)
        around += linear(part, hidden, label_count(config), True)
    elif end == "ForTokenClassification":
        around += linear("head", hidden, label_count(config), True)
    elif end != "Model":
        raise no_such_head(config, architecture)
    stack = Stack("encoder", hidden, (layer,) * config.depth(), around)
    return Built((stack,), tied and end in LM_ENDINGS, vocabulary, context_length(config))
