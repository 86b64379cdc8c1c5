"""Mamba and Mamba-2 models, alone or mixed with attention."""

from __future__ import annotations

from dataclasses import replace

from napkin.models.built import Built
from napkin.models.config import Config
from napkin.models.counts import Counts
from napkin.models.decoders import activation_name
from napkin.models.layers import Attention, Experts, Layer, Mlp
from napkin.models.pieces import (
    attention_counts,
    experts,
    layer_kinds,
    linear,
    mlp,
    norm,
    standard_attention,
)
from napkin.models.recurrent import Mixed, mamba, mamba2, mamba2_heads, rank_or_sixteenth
from napkin.models.stacking import finish, stacked

__all__ = [
    "bamba",
    "falcon_h1",
    "granite_hybrid",
    "jamba",
    "mamba2_model",
    "mamba_model",
    "nemotron_h",
]


def mamba_model(config: Config, architecture: str) -> Built:
    """Mamba and Falcon-Mamba."""
    hidden = config.whole("hidden_size")
    recurrent, counts = mamba(
        hidden,
        config.maybe("intermediate_size") or int(config.number("expand") * hidden),
        state=config.whole("state_size"),
        rank=rank_or_sixteenth(config, "time_step_rank", hidden),
        kernel=config.whole("conv_kernel"),
        bias=config.flag("use_bias"),
        conv_bias=config.flag("use_conv_bias"),
    )
    layer = Layer(recurrent=recurrent, norms=1, counts=counts + norm("rms", hidden))
    return finish(config, architecture, hidden, (layer,) * config.depth())


def mamba2_model(config: Config, architecture: str) -> Built:
    """Mamba-2."""
    hidden = config.whole("hidden_size")
    inner = int(config.number("expand") * hidden)
    recurrent, counts = mamba2(
        hidden,
        inner,
        heads=mamba2_heads(config, inner, "num_heads", "head_dim", 64),
        state=config.whole("state_size"),
        groups=config.whole("n_groups"),
        kernel=config.whole("conv_kernel"),
        in_bias=config.flag("use_bias"),
        out_bias=config.flag("use_bias"),
        conv_bias=config.flag("use_conv_bias"),
    )
    layer = Layer(recurrent=recurrent, norms=1, counts=counts + norm("rms", hidden))
    return finish(config, architecture, hidden, (layer,) * config.depth())


def jamba(config: Config, architecture: str) -> Built:
    """Jamba: Mamba with attention at a period, MLPs with experts at another."""
    hidden, depth = config.whole("hidden_size"), config.depth()
    period, offset = config.whole("attn_layer_period"), config.whole("attn_layer_offset", 0)
    every, first = config.whole("expert_layer_period"), config.whole("expert_layer_offset", 0)
    number, width = config.whole("num_experts"), config.whole("intermediate_size")
    act = activation_name(config)

    def make(kind: tuple[bool, bool]) -> Layer:
        attends, sparse = kind
        feed, routed = None, None
        if sparse:
            routed, counts = experts(
                hidden,
                total=number,
                top_k=config.whole("num_experts_per_tok"),
                width=width,
                activation=act,
            )
        else:
            feed, counts = mlp(hidden, width, gated=True, activation=act)
        counts += norm("rms", hidden, 2)
        if attends:
            attention = standard_attention(config)
            more = attention_counts(hidden, attention)
            return Layer(attention=attention, mlp=feed, experts=routed, counts=counts + more)
        recurrent, more = mamba(
            hidden,
            config.whole("mamba_expand") * hidden,
            state=config.whole("mamba_d_state"),
            rank=rank_or_sixteenth(config, "mamba_dt_rank", hidden),
            kernel=config.whole("mamba_d_conv"),
            bias=config.flag("mamba_proj_bias"),
            conv_bias=config.flag("mamba_conv_bias"),
            inner_norms=True,
        )
        return Layer(recurrent=recurrent, mlp=feed, experts=routed, counts=counts + more)

    kinds: list[tuple[bool, bool]] = [
        (index % period == offset, number > 1 and index % every == first) for index in range(depth)
    ]
    return finish(config, architecture, hidden, stacked(kinds, make))


def bamba(config: Config, architecture: str) -> Built:
    """Bamba: Mamba-2 with attention at listed layers."""
    hidden, depth = config.whole("hidden_size"), config.depth()
    attending = config.items("attn_layer_indices") or []
    feed, fed = mlp(
        hidden,
        config.whole("intermediate_size"),
        gated=True,
        activation=activation_name(config),
        bias=config.flag("mlp_bias"),
    )
    fed += norm("rms", hidden, 2)

    def make(kind: str) -> Layer:
        if kind == "full":
            attention, counts = _biased_attention(config, hidden)
            return Layer(attention=attention, mlp=feed, counts=counts + fed)
        recurrent, counts = _grouped_mamba2(config, hidden)
        return Layer(recurrent=recurrent, mlp=feed, counts=counts + fed)

    kinds: list[str] = list(
        layer_kinds(config, depth, lambda index: "full" if index in attending else "linear")
    )
    return finish(config, architecture, hidden, stacked(kinds, make))


def _biased_attention(config: Config, hidden: int) -> tuple[Attention, Counts]:
    bias = config.flag("attention_bias")
    attention = standard_attention(config, bias=bias, out_bias=bias)
    return attention, attention_counts(hidden, attention)


def _grouped_mamba2(config: Config, hidden: int) -> Mixed:
    bias = config.flag("mamba_proj_bias")
    inner = config.whole("mamba_expand") * hidden
    return mamba2(
        hidden,
        inner,
        heads=mamba2_heads(config, inner, "mamba_n_heads", "mamba_d_head"),
        state=config.whole("mamba_d_state"),
        groups=config.whole("mamba_n_groups"),
        kernel=config.whole("mamba_d_conv"),
        in_bias=bias,
        out_bias=bias,
        conv_bias=config.flag("mamba_conv_bias"),
    )


def granite_hybrid(config: Config, architecture: str) -> Built:
    """Granite 4: Mamba-2 or attention, a shared MLP beside the experts, if there are any."""
    hidden, depth = config.whole("hidden_size"), config.depth()
    number, act = config.whole("num_local_experts", 0), activation_name(config)
    shared = config.whole("shared_intermediate_size")
    if number:
        feed: Mlp | None = None
        routed: Experts | None
        routed, fed = experts(
            hidden,
            total=number,
            top_k=config.whole("num_experts_per_tok"),
            width=config.whole("intermediate_size"),
            activation=act,
            shared=1,
            shared_width=shared,
        )
    else:
        routed = None
        feed, fed = mlp(hidden, shared, gated=True, activation=act)
    fed += norm("rms", hidden, 2)

    def make(kind: str) -> Layer:
        if kind == "full":
            attention, counts = _biased_attention(config, hidden)
            return Layer(attention=attention, mlp=feed, experts=routed, counts=counts + fed)
        recurrent, counts = _grouped_mamba2(config, hidden)
        return Layer(recurrent=recurrent, mlp=feed, experts=routed, counts=counts + fed)

    kinds: list[str] = list(layer_kinds(config, depth, lambda index: "linear"))
    return finish(config, architecture, hidden, stacked(kinds, make))


def falcon_h1(config: Config, architecture: str) -> Built:
    """Falcon-H1: attention and Mamba-2 side by side in every layer."""
    hidden = config.whole("hidden_size")
    attention, counts = _biased_attention(config, hidden)
    inner = config.maybe("mamba_d_ssm") or config.whole("mamba_expand") * hidden
    recurrent, more = mamba2(
        hidden,
        inner,
        heads=mamba2_heads(config, inner, "mamba_n_heads", "mamba_d_head"),
        state=config.whole("mamba_d_state"),
        groups=config.whole("mamba_n_groups"),
        kernel=config.whole("mamba_d_conv"),
        in_bias=config.flag("mamba_proj_bias"),
        out_bias=config.flag("projectors_bias"),
        conv_bias=config.flag("mamba_conv_bias"),
        gated_norm=config.flag("mamba_rms_norm"),
    )
    feed, fed = mlp(
        hidden,
        config.whole("intermediate_size"),
        gated=True,
        activation=activation_name(config),
        bias=config.flag("mlp_bias"),
    )
    counts += more + fed + norm("rms", hidden, 2)
    layer = Layer(attention=attention, recurrent=recurrent, mlp=feed, counts=counts)
    return finish(config, architecture, hidden, (layer,) * config.depth())


_NEMOTRON_PATTERN = {"M": "linear", "E": "moe", "*": "full", "-": "mlp"}


def nemotron_h(config: Config, architecture: str) -> Built:
    """Nemotron-H: each layer is one thing: Mamba-2, attention, an MLP, or experts."""
    hidden = config.whole("hidden_size")
    pattern = config.text("hybrid_override_pattern")
    listed = config.items("layers_block_type")
    if listed is None and pattern:
        for letter in pattern:
            if letter not in _NEMOTRON_PATTERN:
                raise config.unknown("hybrid_override_pattern", letter, list(_NEMOTRON_PATTERN))
        names = [_NEMOTRON_PATTERN[letter] for letter in pattern]
    elif listed is None:
        names = ["linear", "moe", "full", "mlp"]
    else:
        names = layer_kinds(config, len(listed), lambda index: "full", "layers_block_type")
    act, bias = activation_name(config), config.flag("mlp_bias")

    def make(kind: str) -> Layer:
        one = norm("rms", hidden)
        if kind == "full":
            attention = standard_attention(config)
            return Layer(
                attention=attention, norms=1, counts=one + attention_counts(hidden, attention)
            )
        if kind == "linear":
            recurrent, counts = mamba2(
                hidden,
                config.whole("mamba_num_heads") * config.whole("mamba_head_dim"),
                heads=config.whole("mamba_num_heads"),
                state=config.whole("ssm_state_size"),
                groups=config.whole("n_groups"),
                kernel=config.whole("conv_kernel"),
                in_bias=config.flag("use_bias"),
                out_bias=config.flag("use_bias"),
                conv_bias=config.flag("use_conv_bias"),
            )
            return Layer(recurrent=recurrent, norms=1, counts=one + counts)
        if kind == "mlp":
            feed, counts = mlp(
                hidden, config.whole("intermediate_size"), gated=False, activation=act, bias=bias
            )
            return Layer(mlp=feed, norms=1, counts=one + counts)
        latent = config.maybe("moe_latent_size")
        routed, counts = experts(
            latent or hidden,
            total=config.whole("n_routed_experts"),
            top_k=config.whole("num_experts_per_tok"),
            width=config.whole("moe_intermediate_size"),
            gated=False,
            activation=act,
            router_inputs=hidden,
        )
        shared = config.whole("moe_shared_expert_intermediate_size")
        _, extra = mlp(hidden, shared, gated=False, bias=bias)
        counts += Counts(shared_experts=extra.mlp, bias=extra.bias)
        routed = replace(routed, shared=1, shared_width=shared)
        if latent:
            # Tokens are narrowed for the routed experts, and widened after them.
            counts += linear("mlp", hidden, latent, bias) + linear("mlp", latent, hidden, bias)
        return Layer(experts=routed, norms=1, counts=one + counts)

    return finish(config, architecture, hidden, stacked(list(names), make))
