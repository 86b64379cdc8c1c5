"""Decoders of the common shape: attention, then an MLP or experts, with norms around them."""

from __future__ import annotations

from dataclasses import replace

from napkin.models.built import Built, context_length
from napkin.models.config import Config
from napkin.models.counts import Counts
from napkin.models.heads import WHOLE_ENDINGS, ending, tie_flag, with_head
from napkin.models.layers import AttentionKind, Layer, Stack
from napkin.models.pieces import (
    attention_counts,
    experts,
    mlp,
    norm,
    standard_attention,
    with_cross_attention,
)
from napkin.models.rules import Rule, Switch

__all__ = ["activation_name", "decoder", "plain_decoder"]


def switch(config: Config, value: Switch) -> bool:
    """The value of a fixed or configured switch."""
    return config.flag(value) if isinstance(value, str) else value


def decoder(config: Config, architecture: str, rule: Rule | None = None) -> tuple[Stack, bool]:
    """The decoder's stack, and whether its head is the embedding."""
    if rule is None:
        from napkin.models.rule_table import RULES

        rule = RULES[config.model_type]
    hidden = config.whole("hidden_size")
    depth = config.depth()
    kinds = rule.kinds(config, depth) if rule.kinds else ["full"] * depth
    sparse = [rule.moe is not None and rule.moe.sparse(config, index) for index in range(depth)]
    made: dict[tuple[str, bool], Layer] = {}
    for key in zip(kinds, sparse, strict=True):
        if key not in made:
            made[key] = _layer(config, rule, hidden, *key)
    layers = tuple(made[key] for key in zip(kinds, sparse, strict=True))
    around = Counts(token_embedding=config.whole("vocab_size") * hidden)
    positions = None
    if rule.positions:
        positions = config.whole(rule.positions)
        around += Counts(position_embedding=(positions + rule.position_offset) * hidden)
    if rule.embedding_norm:
        around += norm(rule.norm, hidden)
    if rule.final_norm:
        around += norm(rule.norm, hidden)
    tied = tie_flag(config)
    # Behind a vision tower the head is the whole model's, and has no bias.
    bias = switch(config, rule.head_bias) and ending(architecture) not in WHOLE_ENDINGS
    around += with_head(config, architecture, hidden, tied, bias)
    return Stack("decoder", hidden, layers, around, positions), tied


def plain_decoder(config: Config, architecture: str) -> Built:
    """A family with a ``Rule``."""
    stack, tied = decoder(config, architecture)
    return Built((stack,), tied, config.whole("vocab_size"), context_length(config))


def _layer(config: Config, rule: Rule, hidden: int, kind: str, sparse: bool) -> Layer:
    normed = not rule.qk_norm_if or config.flag(rule.qk_norm_if)
    attention_kind: AttentionKind = (
        "sliding" if kind == "sliding" else "chunked" if kind == "chunked" else "full"
    )
    attention = standard_attention(
        config,
        kind=attention_kind,
        explicit_head_dim=rule.explicit_head_dim,
        bias=switch(config, rule.qkv_bias),
        out_bias=switch(config, rule.out_bias),
        qk_norm=rule.qk_norm if normed else "none",
        window=config.maybe(rule.window, 0) if attention_kind != "full" else None,
        groups=rule.groups(config),
    )
    if rule.rounds > 1:
        attention = replace(attention, rounds=rule.rounds)
    counts = attention_counts(hidden, attention, rule.qk_norm_kind)
    if rule.sinks:
        counts += Counts(other=attention.heads)
    norms = rule.norms(config) if callable(rule.norms) else rule.norms
    counts += norm(rule.norm, hidden, norms)
    feed, routed = None, None
    if sparse and rule.moe is not None:
        moe = rule.moe
        shared, shared_width = moe.shared(config)
        total = config.whole(moe.total)
        routed, more = experts(
            hidden,
            total=total,
            top_k=moe.top_k if isinstance(moe.top_k, int) else config.whole(moe.top_k),
            width=config.whole(moe.width),
            gated=moe.gated,
            activation=activation_name(config),
            bias=moe.bias,
            router_bias=moe.router_bias,
            shared=shared,
            shared_width=shared_width,
            shared_gate=moe.shared_gate,
            shared_bias=switch(config, moe.shared_bias),
        )
        if moe.correction_bias:
            more += Counts(bias=total)
    else:
        feed, more = mlp(
            hidden,
            feed_width(config, rule, hidden),
            gated=rule.gated,
            activation=activation_name(config),
            bias=switch(config, rule.mlp_bias),
        )
        if activation_name(config) == "xielu":
            more += Counts(other=2)
    if rule.extra:
        more += rule.extra(attention, hidden, feed.width if feed else 0)
    parallel = switch(config, rule.parallel)
    layer = Layer(
        attention=attention,
        mlp=feed,
        experts=routed,
        norm="rms" if rule.norm == "rms" else "none" if rule.norm == "none" else "layer",
        norms=norms if rule.norm != "none" else 2,
        parallel=parallel,
        counts=counts + more,
    )
    crosses = rule.crosses and config.flag("add_cross_attention")
    return with_cross_attention(layer, hidden) if crosses else layer


def feed_width(config: Config, rule: Rule, hidden: int) -> int:
    """The MLP's hidden width; four times the hidden size where the family says so."""
    width = config.maybe(rule.width) if rule.width else None
    if width is None:
        if rule.four_times:
            return 4 * hidden
        return config.whole(rule.width)
    return width


def activation_name(config: Config) -> str:
    """The activation, by whichever key the family uses."""
    for key in ("hidden_act", "hidden_activation", "activation_function", "activation"):
        value = config.raw(key)
        if isinstance(value, str):
            config.assumed.pop(f"{config.where}{key}", None)
            return value
    return "silu"
