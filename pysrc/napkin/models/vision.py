"""Vision transformers on their own (ViT, DeiT, DINOv2) and with a text side (CLIP, SigLIP)."""

from __future__ import annotations

from dataclasses import replace

from napkin.models.built import Built
from napkin.models.config import Config
from napkin.models.counts import Counts
from napkin.models.decoders import activation_name
from napkin.models.heads import ending, no_such_head
from napkin.models.layers import Stack
from napkin.models.pieces import (
    label_count,
    linear,
    norm,
)
from napkin.models.towers import (
    block,
    clip_tower,
    patch_numbers,
    patches,
    plain_block,
    siglip_tower,
)

__all__ = ["clip", "siglip", "vit"]


def vit(config: Config, architecture: str) -> Built:
    """ViT, DeiT, DINOv2 (with registers): patches, a class token, a classifier."""
    kind = config.model_type
    dino = kind.startswith("dinov2")
    hidden, depth, number = config.whole("hidden_size"), config.depth(), patches(config)
    spare = 2 if kind == "deit" else 1
    width = int(hidden * config.number("mlp_ratio")) if dino else config.whole("intermediate_size")
    gated = dino and config.flag("use_swiglu_ffn")
    if gated:
        width = -(-int(width * 2 / 3) // 8) * 8
    layer = block(
        hidden,
        config.whole("num_attention_heads"),
        width,
        activation=activation_name(config),
        where=config.where,
        bias=config.flag("qkv_bias"),
        gated=gated,
        extra=2 * hidden if dino else 0,
        head_dim=config.maybe("head_dim"),
    )
    around = linear("projector", patch_numbers(config), hidden, True) + norm("layer", hidden)
    around += Counts(position_embedding=(number + spare) * hidden, other=spare * hidden)
    registers = 0
    if dino:
        masked = kind == "dinov2_with_registers" or config.flag("use_mask_token")
        around += Counts(other=hidden if masked else 0)
    if kind == "dinov2_with_registers":
        registers = config.whole("num_register_tokens", 0)
        around += Counts(other=registers * hidden)
    end = ending(architecture)
    if end == "Model":
        if not dino:
            pooled = config.maybe("pooler_output_size") or hidden
            around += linear("pooler", hidden, pooled, True)
    else:
        _only_images(config, architecture)
        seen = 2 * hidden if dino else hidden
        around += linear("pooler", seen, label_count(config), True)
    front = ((patch_numbers(config) * hidden, number),)
    positions = number + spare + registers
    stack = Stack("vision", hidden, (layer,) * depth, around, positions, front=front)
    return Built((stack,), False, 0, None)


def _only_images(config: Config, architecture: str) -> None:
    """Raise where the head is not a classifier of images."""
    if ending(architecture) != "ForImageClassification":
        raise no_such_head(config, architecture)


def _text_side(config: Config) -> Stack:
    """The text encoder of CLIP or SigLIP; CLIP's reads from left to right."""
    hidden, positions = config.whole("hidden_size"), config.whole("max_position_embeddings")
    layer = plain_block(config, hidden)
    if layer.attention is not None and config.model_type == "clip_text_model":
        layer = replace(layer, attention=replace(layer.attention, causal=True, stores_kv=False))
    around = Counts(
        token_embedding=config.whole("vocab_size") * hidden,
        position_embedding=positions * hidden,
    ) + norm("layer", hidden)
    return Stack("encoder", hidden, (layer,) * config.depth(), around, positions)


def clip(config: Config, architecture: str) -> Built:
    """CLIP: an image and a text encoder, each projected to one shared space."""
    vision = config.sub("vision_config", "clip_vision_model")
    words = config.sub("text_config", "clip_text_model")
    seeing, reading = clip_tower(vision), _text_side(words)
    shared = config.whole("projection_dim")
    if ending(architecture) != "Model":
        _only_images(config, architecture)
        top = linear("pooler", seeing.hidden_size, label_count(config), True)
        return Built((replace(seeing, around=seeing.around + top),), False, 0, None)
    seeing = replace(seeing, around=seeing.around + linear("pooler", seeing.hidden_size, shared))
    top = linear("pooler", reading.hidden_size, shared) + Counts(other=1)
    reading = replace(reading, around=reading.around + top)
    return Built((seeing, reading), False, words.whole("vocab_size"), reading.positions)


def siglip(config: Config, architecture: str) -> Built:
    """SigLIP: as CLIP, with a pooling head on the image side and a sigmoid loss."""
    vision = config.sub("vision_config", "siglip_vision_model")
    words = config.sub("text_config", "siglip_text_model")
    seeing, reading = siglip_tower(vision), _text_side(words)
    if ending(architecture) != "Model":
        _only_images(config, architecture)
        top = linear("pooler", seeing.hidden_size, label_count(config), True)
        return Built((replace(seeing, around=seeing.around + top),), False, 0, None)
    shared = words.maybe("projection_size") or reading.hidden_size
    top = linear("pooler", reading.hidden_size, shared, True) + Counts(other=2)
    reading = replace(reading, around=reading.around + top)
    return Built((seeing, reading), False, words.whole("vocab_size"), reading.positions)
