"""Zamba and Zamba2: Mamba layers with one or two attention blocks used again and again."""

from __future__ import annotations

from napkin.models.built import Built
from napkin.models.config import Config
from napkin.models.counts import Counts
from napkin.models.decoders import activation_name
from napkin.models.heads import tie_flag
from napkin.models.layers import Attention, Layer
from napkin.models.pieces import kv_heads, layer_kinds, linear, mlp, norm
from napkin.models.recurrent import Mixed, mamba, mamba2, rank_or_sixteenth
from napkin.models.stacking import finish

__all__ = ["zamba", "zamba2"]

_ZAMBA2_DEFAULT = (
    ["linear"]
    + (["linear"] * 5 + ["hybrid"]) * 7
    + ["linear"] * 4
    + ["hybrid"]
    + ["linear"] * 3
    + ["hybrid"]
    + ["linear"] * 2
)


def _block(config: Config, hidden: int, bias: bool) -> Layer:
    """The shared block: attention over the layer's input beside the embedding, then an MLP."""
    joined = config.maybe("attention_hidden_size") or 2 * hidden
    heads = config.whole("num_attention_heads")
    width = config.maybe("attention_head_dim") or 2 * hidden // heads
    attention = Attention("full", heads, kv_heads(config), width, width)
    counts = linear("attention", joined, attention.q_width + 2 * attention.k_width)
    counts += linear("attention", attention.out_width, hidden)
    inner = config.maybe("intermediate_size") or 4 * hidden
    feed, fed = mlp(hidden, inner, gated=True, activation=activation_name(config), bias=bias)
    counts += fed + norm("rms", joined) + norm("rms", hidden)
    return Layer(attention=attention, mlp=feed, counts=counts)


def _assemble(
    config: Config,
    architecture: str,
    hidden: int,
    kinds: list[str],
    mixed: Mixed,
    block: Layer,
    *,
    blocks: int,
    adapters: Counts,
) -> Built:
    recurrent, counts = mixed
    own = counts + norm("rms", hidden)
    plain = Layer(recurrent=recurrent, norms=1, counts=own)
    joint = own + linear("projector", hidden, hidden) + adapters
    first = Layer(
        attention=block.attention,
        recurrent=recurrent,
        mlp=block.mlp,
        norms=3,
        counts=joint + block.counts,
    )
    again = Layer(
        attention=block.attention,
        recurrent=recurrent,
        mlp=block.mlp,
        norms=3,
        counts=joint,
        borrowed=block.counts,
    )
    layers: list[Layer] = []
    used = 0
    if kinds.count("hybrid") > blocks and not tie_flag(config):
        raise ValueError(
            f"{config.where}tie_word_embeddings is false: transformers then keeps a copy of the "
            "shared block for each layer that uses it, which is not counted here; write true"
        )
    for kind in kinds:
        if kind != "hybrid":
            layers.append(plain)
            continue
        layers.append(first if used < blocks else again)
        used += 1
    return finish(config, architecture, hidden, tuple(layers))


def zamba2(config: Config, architecture: str) -> Built:
    """Zamba2: Mamba-2, ``num_mem_blocks`` shared blocks, a low-rank adapter at each use."""
    hidden, bias = config.whole("hidden_size"), config.flag("add_bias_linear")
    if config.given("layers_block_type"):
        kinds = layer_kinds(config, config.depth(), lambda index: "linear", "layers_block_type")
    elif config.depth() != len(_ZAMBA2_DEFAULT):
        raise ValueError(
            f"num_hidden_layers is {config.depth()} but layers_block_type, which says what each "
            "layer is, is missing: add it ('mamba' or 'hybrid' for each layer)"
        )
    else:
        kinds = _ZAMBA2_DEFAULT
    mixed = mamba2(
        hidden,
        int(config.number("mamba_expand") * hidden),
        heads=config.whole("n_mamba_heads"),
        state=config.whole("mamba_d_state"),
        groups=config.whole("mamba_ngroups"),
        kernel=config.whole("mamba_d_conv"),
        in_bias=bias,
        out_bias=bias,
    )
    block = _block(config, hidden, bias)
    rank = config.whole("adapter_rank")
    inner = config.maybe("intermediate_size") or 4 * hidden
    adapters = linear("mlp", hidden, rank) + linear("mlp", rank, 2 * inner)
    if config.flag("use_shared_attention_adapter"):
        adapters += (linear("attention", 2 * hidden, rank) * 2) * 3
    return _assemble(
        config,
        architecture,
        hidden,
        kinds,
        mixed,
        block,
        blocks=config.whole("num_mem_blocks"),
        adapters=adapters,
    )


def zamba(config: Config, architecture: str) -> Built:
    """Zamba: Mamba, one shared block."""
    hidden, depth = config.whole("hidden_size"), config.depth()
    period, offset = config.whole("attn_layer_period"), config.whole("attn_layer_offset", 0)

    def kind(index: int) -> str:
        if index < 3:
            return "hybrid" if index == 2 else "linear"
        return "hybrid" if (index - 3) % period == offset else "linear"

    kinds = layer_kinds(config, depth, kind, "layers_block_type")
    mixed = mamba(
        hidden,
        config.whole("mamba_expand") * hidden,
        state=config.whole("mamba_d_state"),
        rank=rank_or_sixteenth(config, "mamba_dt_rank", hidden),
        kernel=config.whole("mamba_d_conv"),
        bias=config.flag("mamba_proj_bias"),
        conv_bias=config.flag("mamba_conv_bias"),
    )
    block = _block(config, hidden, False)
    return _assemble(config, architecture, hidden, kinds, mixed, block, blocks=1, adapters=Counts())
