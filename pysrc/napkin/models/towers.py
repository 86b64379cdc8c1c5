"""Vision towers: the part of a model that turns an image into tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from napkin.models.config import Config
from napkin.models.counts import Counts
from napkin.models.decoders import activation_name
from napkin.models.layers import Attention, Layer, QkNorm, Stack
from napkin.models.pieces import (
    Norm,
    attention_counts,
    kv_heads,
    linear,
    mlp,
    norm,
)

__all__ = [
    "TOWERS",
    "block",
    "clip_tower",
    "patch_numbers",
    "patches",
    "plain_block",
    "siglip_tower",
    "tower",
]


def square(config: Config, key: str) -> tuple[int, int]:
    """A side length, or the two of a pair, as (height, width)."""
    value = config.raw(key)
    if isinstance(value, (list, tuple)):
        if len(value) != 2 or any(type(side) is not int or side < 1 for side in value):
            raise ValueError(f"{config.where}{key} is {value!r}: write a side or [height, width]")
        return value[0], value[1]
    side = config.whole(key)
    return side, side


def patches(config: Config) -> int:
    """Patches that one image is cut into."""
    high, wide = square(config, "image_size")
    tall, broad = square(config, "patch_size")
    if tall > high or broad > wide:
        raise ValueError(
            f"{config.where}patch_size {tall} is larger than image_size {high}: the image must "
            "hold at least one patch"
        )
    return (high // tall) * (wide // broad)


def patch_numbers(config: Config, channels: str = "num_channels") -> int:
    """Numbers in one patch: channels × height × width."""
    tall, broad = square(config, "patch_size")
    return config.whole(channels) * tall * broad


def block(
    hidden: int,
    heads: int,
    width: int,
    *,
    activation: str,
    where: str,
    norm_kind: Norm = "layer",
    norms: int = 2,
    bias: bool = True,
    out_bias: bool = True,
    mlp_bias: bool = True,
    gated: bool = False,
    extra: int = 0,
    qk_norm: QkNorm = "none",
    head_dim: int | None = None,
    groups: int | None = None,
    causal: bool = False,
) -> Layer:
    """One layer of a vision transformer; ``extra`` numbers scale its parts."""
    if head_dim is None:
        if hidden % heads:
            raise ValueError(
                f"{where}hidden_size {hidden} is not a multiple of num_attention_heads {heads}: "
                "change one of them"
            )
        head_dim = hidden // heads
    attention = Attention(
        "full",
        heads,
        groups or heads,
        head_dim,
        head_dim,
        causal=causal,
        bias=bias,
        out_bias=out_bias,
        qk_norm=qk_norm,
    )
    feed, counts = mlp(hidden, width, gated=gated, activation=activation, bias=mlp_bias)
    counts += attention_counts(hidden, attention) + norm(norm_kind, hidden, norms)
    counts += Counts(other=extra)
    kind: Literal["rms", "layer"] = "rms" if norm_kind == "rms" else "layer"
    return Layer(attention=attention, mlp=feed, norm=kind, norms=norms, counts=counts)


def plain_block(config: Config, hidden: int) -> Layer:
    return block(
        hidden,
        config.whole("num_attention_heads"),
        config.whole("intermediate_size"),
        activation=activation_name(config),
        where=config.where,
    )


def clip_tower(config: Config) -> Stack:
    hidden, number = config.whole("hidden_size"), patches(config) + 1
    around = linear("projector", patch_numbers(config), hidden)
    around += Counts(position_embedding=number * hidden, other=hidden) + norm("layer", hidden, 2)
    layers = (plain_block(config, hidden),) * config.depth()
    front = ((patch_numbers(config) * hidden, number - 1),)
    return Stack("vision", hidden, layers, around, number, front=front)


def siglip_tower(config: Config) -> Stack:
    hidden, number = config.whole("hidden_size"), patches(config)
    around = linear("projector", patch_numbers(config), hidden, True)
    around += Counts(position_embedding=number * hidden) + norm("layer", hidden)
    front = [(patch_numbers(config) * hidden, number)]
    if config.raw("vision_use_head") is None or config.flag("vision_use_head"):
        around += _pooling_head(config, hidden)
        # Keys and values of every patch; the one query's scores, 0.002% at real sizes, are not.
        front.append((2 * hidden * hidden, number))
    layers = (plain_block(config, hidden),) * config.depth()
    return Stack("vision", hidden, layers, around, number, front=tuple(front))


def _pooling_head(config: Config, hidden: int) -> Counts:
    """SigLIP's head: a learned query attends to all patches, then an MLP."""
    counts = Counts(other=hidden) + linear("pooler", hidden, 2 * hidden)
    counts += linear("projector", hidden, 2 * hidden)
    counts += Counts(bias=4 * hidden) + norm("layer", hidden)
    width = config.whole("intermediate_size")
    return counts + linear("pooler", hidden, width, True) + linear("pooler", width, hidden, True)


def _pixtral_tower(config: Config) -> Stack:
    hidden = config.whole("hidden_size")
    layer = block(
        hidden,
        config.whole("num_attention_heads"),
        config.whole("intermediate_size"),
        activation=activation_name(config),
        where=config.where,
        norm_kind="rms",
        bias=False,
        out_bias=False,
        mlp_bias=False,
        gated=True,
    )
    around = linear("projector", patch_numbers(config), hidden) + norm("rms", hidden)
    return Stack("vision", hidden, (layer,) * config.depth(), around, patches(config))


def _idefics_tower(config: Config) -> Stack:
    hidden, number = config.whole("hidden_size"), patches(config)
    around = linear("projector", patch_numbers(config), hidden, True)
    around += Counts(position_embedding=number * hidden) + norm("layer", hidden)
    layers = (plain_block(config, hidden),) * config.depth()
    return Stack("vision", hidden, layers, around, number)


def _internvl_tower(config: Config) -> Stack:
    hidden, number = config.whole("hidden_size"), patches(config) + 1
    normed = config.flag("use_qk_norm")
    kind: Norm = "rms" if config.text("norm_type", "layer_norm") == "rms_norm" else "layer"
    layer = block(
        hidden,
        config.whole("num_attention_heads"),
        config.whole("intermediate_size"),
        activation=activation_name(config),
        where=config.where,
        norm_kind=kind,
        bias=config.flag("attention_bias"),
        extra=2 * hidden + (2 * hidden if normed else 0),
    )
    around = linear("projector", patch_numbers(config), hidden, True) + Counts(other=hidden)
    if config.flag("use_absolute_position_embeddings"):
        around += Counts(position_embedding=number * hidden)
    if config.flag("use_mask_token"):
        around += Counts(other=hidden)
    if not config.flag("use_mean_pooling"):
        around += norm("layer", hidden)
    front = ((patch_numbers(config) * hidden, number - 1),)
    return Stack("vision", hidden, (layer,) * config.depth(), around, number, front=front)


def _llama4_tower(config: Config) -> Stack:
    hidden, number = config.whole("hidden_size"), patches(config) + 1
    around = linear("projector", patch_numbers(config), hidden)
    # The position table is a plain parameter here, as is the class token.
    around += Counts(other=(number + 1) * hidden) + norm("layer", hidden, 2)
    merged = config.whole("intermediate_size")
    around += linear("projector", merged, config.whole("projector_input_dim"))
    around += linear(
        "projector", config.whole("projector_output_dim"), config.whole("projector_output_dim")
    )
    layers = (plain_block(config, hidden),) * config.depth()
    return Stack("vision", hidden, layers, around, number)


def _gemma4_tower(config: Config) -> Stack:
    hidden = config.whole("hidden_size")
    layer = block(
        hidden,
        config.whole("num_attention_heads"),
        config.whole("intermediate_size"),
        activation=activation_name(config),
        where=config.where,
        norm_kind="rms",
        norms=4,
        bias=False,
        out_bias=False,
        mlp_bias=False,
        gated=True,
        qk_norm="head",
        head_dim=config.whole("head_dim"),
        groups=kv_heads(config),
    )
    tall, broad = square(config, "patch_size")
    around = linear("projector", 3 * tall * broad, hidden)
    around += Counts(other=2 * config.whole("position_embedding_size") * hidden)
    return Stack("vision", hidden, (layer,) * config.depth(), around)


def _merger(hidden: int, merge: int, out: int, norm_kind: Norm, wide_norm: bool) -> Counts:
    """Groups of ``merge``² patches to one token of the text model."""
    joined = hidden * merge * merge
    counts = linear("projector", joined, joined, True) + linear("projector", joined, out, True)
    return counts + norm(norm_kind, joined if wide_norm else hidden)


def _qwen2_vl_tower(config: Config) -> Stack:
    wide, old = config.model_type == "qwen2_5_vl_vision", config.model_type == "qwen2_vl_vision"
    hidden = config.whole("embed_dim" if old else "hidden_size")
    out = config.whole("hidden_size" if old else "out_hidden_size")
    width = int(hidden * config.number("mlp_ratio")) if old else config.whole("intermediate_size")
    kind: Norm = "rms" if wide else "layer"
    layer = block(
        hidden,
        config.whole("num_heads"),
        width,
        activation=activation_name(config),
        where=config.where,
        norm_kind=kind,
        gated=wide,
    )
    merge = config.whole("spatial_merge_size")
    cut = patch_numbers(config, "in_channels") * config.whole("temporal_patch_size")
    newer = not (wide or old)
    around = linear("projector", cut, hidden, newer)
    around += _merger(hidden, merge, out, kind, False)
    if newer:
        around += Counts(other=config.whole("num_position_embeddings") * hidden)
        deep = config.items("deepstack_visual_indexes") or []
        if "qwen3_vl" in config.model_type:
            around += _merger(hidden, merge, out, kind, True) * len(deep)
    return Stack("vision", hidden, (layer,) * config.depth("depth"), around)


def _mllama_tower(config: Config) -> Stack:
    hidden, number = config.whole("hidden_size"), patches(config) + 1
    heads, width = config.whole("num_attention_heads"), config.whole("intermediate_size")
    act = activation_name(config)
    local = block(
        hidden, heads, width, activation=act, where=config.where, bias=False, out_bias=False
    )
    gated = replace(local, counts=local.counts + Counts(other=2))
    ratios = config.items("supported_aspect_ratios")
    tiles = config.whole("max_num_tiles")
    shapes = len(ratios) if ratios is not None else _tile_shapes(tiles)
    around = linear("projector", patch_numbers(config), hidden)
    around += Counts(position_embedding=number * hidden, other=hidden + 3)
    around += Counts(
        position_embedding=(shapes + 1) * tiles * hidden * number
        + 2 * (shapes + 1) * tiles * hidden
    )
    around += norm("layer", hidden, 2)
    layers = (local,) * config.depth() + (gated,) * config.depth("num_global_layers")
    return Stack("vision", hidden, layers, around, number)


def _tile_shapes(tiles: int) -> int:
    """Ways to lay out at most ``tiles`` tiles in a grid."""
    return sum(tiles // high for high in range(1, tiles + 1))


TOWERS: dict[str, Callable[[Config], Stack]] = {
    "clip_vision_model": clip_tower,
    "gemma4_vision": _gemma4_tower,
    "idefics3_vision": _idefics_tower,
    "internvl_vision": _internvl_tower,
    "llama4_vision_model": _llama4_tower,
    "mllama_vision_model": _mllama_tower,
    "pixtral": _pixtral_tower,
    "qwen2_5_vl_vision": _qwen2_vl_tower,
    "qwen2_vl_vision": _qwen2_vl_tower,
    "qwen3_5_moe_vision": _qwen2_vl_tower,
    "qwen3_5_vision": _qwen2_vl_tower,
    "qwen3_vl_moe_vision": _qwen2_vl_tower,
    "qwen3_vl_vision": _qwen2_vl_tower,
    "siglip_vision_model": siglip_tower,
    "smolvlm_vision": _idefics_tower,
}


def tower(config: Config) -> Stack:
    """The vision stack of a nested ``vision_config``."""
    if config.model_type not in TOWERS:
        raise config.unknown("model_type", config.model_type, list(TOWERS))
    return TOWERS[config.model_type](config)
