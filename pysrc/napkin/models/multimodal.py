"""Models that read images beside text: a vision tower, a projector, a decoder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from napkin.models.built import Built
from napkin.models.config import Config
from napkin.models.counts import Counts
from napkin.models.decoders import decoder
from napkin.models.families import TEXT_SIDES, builder
from napkin.models.heads import LM_ENDINGS, ending
from napkin.models.layers import Attention, Layer, Stack
from napkin.models.pieces import attention_counts, linear, norm
from napkin.models.rules import Rule
from napkin.models.towers import tower

__all__ = ["VISION_LANGUAGE", "image_text"]

Projector = Callable[[Config, Config, Stack, int], Counts]
"""(model, its vision_config, tower, text width) → what stands between tower and text."""


def _two_linear(config: Config, vision: Config, seeing: Stack, text: int) -> Counts:
    bias = config.raw("multimodal_projector_bias")
    biased = True if bias is None else config.flag("multimodal_projector_bias")
    layers = config.raw("vision_feature_layer")
    number = len(layers) if isinstance(layers, (list, tuple)) else 1
    counts = linear("projector", seeing.hidden_size * number, text, biased)
    return counts + linear("projector", text, text, biased)


def _with_newline(config: Config, vision: Config, seeing: Stack, text: int) -> Counts:
    return _two_linear(config, vision, seeing, text) + Counts(other=text)


def _merged(config: Config, vision: Config, seeing: Stack, text: int) -> Counts:
    """Mistral 3: norm, groups of patches to one, two linear layers."""
    wide = seeing.hidden_size * config.whole("spatial_merge_size") ** 2
    counts = norm("rms", seeing.hidden_size) + linear("projector", wide, seeing.hidden_size)
    return counts + _two_linear(config, vision, seeing, text)


def _one_linear(bias: bool) -> Projector:
    return lambda config, vision, seeing, text: linear("projector", seeing.hidden_size, text, bias)


def _paligemma(config: Config, vision: Config, seeing: Stack, text: int) -> Counts:
    return linear("projector", seeing.hidden_size, config.whole("projection_dim"), True)


def _gemma3(config: Config, vision: Config, seeing: Stack, text: int) -> Counts:
    return linear("projector", seeing.hidden_size, text) + norm("rms", seeing.hidden_size)


def _llama4(config: Config, vision: Config, seeing: Stack, text: int) -> Counts:
    return linear("projector", vision.whole("vision_output_dim"), text)


def _shuffled(config: Config, vision: Config, seeing: Stack, text: int) -> Counts:
    """Idefics3 and SmolVLM: ``scale_factor``² patches side by side, one linear layer."""
    return linear("projector", seeing.hidden_size * config.whole("scale_factor") ** 2, text)


def _per_side(config: Config, key: str) -> int:
    """Patches that are joined along each side, from the ratio of the sides."""
    ratio = config.number(key)
    if ratio > 1:
        raise ValueError(
            f"{config.where}{key} is {ratio}: it makes the image smaller; write at most 1"
        )
    return int(1 / ratio)


def _internvl(config: Config, vision: Config, seeing: Stack, text: int) -> Counts:
    wide = seeing.hidden_size * _per_side(config, "downsample_ratio") ** 2
    counts = norm("layer", wide) + linear("projector", wide, text, True)
    return counts + linear("projector", text, text, True)


def _none(config: Config, vision: Config, seeing: Stack, text: int) -> Counts:
    return Counts()


VISION_LANGUAGE: dict[str, tuple[str, str, Projector]] = {
    "gemma3": ("gemma3_text", "siglip_vision_model", _gemma3),
    "gemma4": ("gemma4_text", "gemma4_vision", _one_linear(False)),
    "idefics3": ("llama", "idefics3_vision", _shuffled),
    "internvl": ("qwen2", "internvl_vision", _internvl),
    "llama4": ("llama4_text", "llama4_vision_model", _llama4),
    "llava": ("llama", "clip_vision_model", _two_linear),
    "llava_next": ("llama", "clip_vision_model", _with_newline),
    "mistral3": ("mistral", "pixtral", _merged),
    "paligemma": ("gemma", "siglip_vision_model", _paligemma),
    "qwen2_5_vl": ("qwen2_5_vl_text", "qwen2_5_vl_vision", _none),
    "qwen2_vl": ("qwen2_vl_text", "qwen2_vl_vision", _none),
    "qwen3_5": ("qwen3_5_text", "qwen3_5_vision", _none),
    "qwen3_5_moe": ("qwen3_5_moe_text", "qwen3_5_moe_vision", _none),
    "qwen3_vl": ("qwen3_vl_text", "qwen3_vl_vision", _none),
    "qwen3_vl_moe": ("qwen3_vl_moe_text", "qwen3_vl_moe_vision", _none),
    "smolvlm": ("llama", "smolvlm_vision", _shuffled),
}
"""Type of the text and the vision side by default, and what joins them."""


def image_text(config: Config, architecture: str) -> Built:
    """A model of ``VISION_LANGUAGE``: its tower, what joins the two, its text side."""
    text_type, vision_type, projector = VISION_LANGUAGE[config.model_type]
    words = text_side(config, text_type)
    if words.model_type != text_type and config.model_type not in _ANY_TEXT:
        raise words.unknown("model_type", words.model_type, [text_type])
    if words.model_type not in TEXT_SIDES:
        raise words.unknown("model_type", words.model_type, list(TEXT_SIDES))
    alone = ending(architecture) == "ForCausalLM"
    narrow = words.maybe("word_embed_proj_dim") if words.model_type == "opt" else None
    if not alone and narrow not in (None, words.raw("hidden_size")):
        raise ValueError(
            f"{words.where}word_embed_proj_dim is {narrow}: the whole model's head reads "
            f"hidden_size columns, {words.raw('hidden_size')}; leave word_embed_proj_dim out"
        )
    built = builder(words.model_type)(words, architecture)
    built = replace(built, text_type=words.model_type)
    if alone:
        return built
    if config.data.get("audio_config") is not None:
        raise ValueError(
            "audio_config describes an audio tower, which is not counted here: set it to null for "
            "the model without it"
        )
    if config.model_type == "gemma4" and config.data.get("vision_config") is None:
        return built
    vision = required(config, "vision_config", vision_type)
    if vision.model_type == config.model_type:
        vision = Config(vision.data, vision_type, vision.where)
        vision.assumed = config.assumed
    seeing = tower(vision)
    between = projector(config, vision, seeing, built.main.hidden_size)
    seeing = _followed(seeing, between, _image_tokens(config, vision, seeing))
    return replace(built, stacks=(seeing, *built.stacks))


def _image_tokens(config: Config, vision: Config, seeing: Stack) -> int:
    """Tokens that the projector makes of one image: patches, or groups of them."""
    number = seeing.front[0][1] if seeing.front else seeing.positions or 0
    family = config.model_type
    if family == "gemma3":
        return config.whole("mm_tokens_per_image")
    if family in ("idefics3", "smolvlm"):
        return number // config.whole("scale_factor") ** 2
    if family == "mistral3":
        return number // config.whole("spatial_merge_size") ** 2
    if family == "internvl":
        return number // _per_side(config, "downsample_ratio") ** 2
    if family == "llama4":
        return number // _per_side(vision, "pixel_shuffle_ratio") ** 2
    return number


def _followed(seeing: Stack, between: Counts, times: int) -> Stack:
    """The tower with what stands between it and the text, which runs ``times`` per image."""
    if not seeing.positions:
        return replace(seeing, around=seeing.around + between)
    front = seeing.front or ((seeing.around.projector, seeing.positions),)
    rest = seeing.around.projector - sum(weights for weights, _ in front)
    # What a tower has of its own behind its layers (Llama 4) sees groups of patches as well.
    front += ((between.projector + rest, times),)
    return replace(seeing, around=seeing.around + between, front=front)


# These take any decoder as their text side; transformers builds the others with their own.
_ANY_TEXT = ("idefics3", "internvl", "llava", "llava_next", "mistral3", "paligemma", "smolvlm")
# Tied where either configuration says so; elsewhere the whole model's alone decides.
_EITHER_TIES = ("llava", "qwen2_5_vl", "qwen2_vl")


def required(config: Config, key: str, model_type: str) -> Config:
    """The nested configuration under ``key``, which must be there."""
    if config.data.get(key) is None:
        raise ValueError(
            f"{config.where}{key} is missing: {config.model_type!r} is made of a text_config and a "
            "vision_config; add it"
        )
    return config.sub(key, model_type)


def text_side(config: Config, text_type: str) -> Config:
    """The nested text configuration, tied as the whole model is.

    Older files keep the text model's keys at the top level.
    """
    if config.data.get("text_config") is None and "hidden_size" in config.data:
        words = Config({**config.data, "model_type": text_type}, text_type, config.where)
    else:
        words = required(config, "text_config", text_type)
    words.assumed = config.assumed
    whole, text = config.flag("tie_word_embeddings"), words.flag("tie_word_embeddings")
    if words.model_type in ("zamba", "zamba2") and not text:
        raise ValueError(
            f"{words.where}tie_word_embeddings is false: transformers then keeps a copy of the "
            "shared block for each layer that uses it, which is not counted here; write true"
        )
    if config.model_type == "llama4":
        tied = text
    else:
        tied = whole or (text and config.model_type in _EITHER_TIES)
    # A classifier stands on the whole model, and counts its labels, not the text side's.
    labels = {key: config.data.get(key) for key in ("id2label", "num_labels")}
    words.data = {**words.data, **labels, "tie_word_embeddings": tied}
    return words


def mllama(config: Config, architecture: str) -> Built:
    """Llama 3.2 Vision: cross-attention layers in between; the head lacks the image tokens."""
    words = text_side(config, "mllama_text_model")
    vision = config.sub("vision_config", "mllama_vision_model")
    stack, tied = decoder(words, architecture, Rule(explicit_head_dim=False))
    crossing = words.items("cross_attention_layers")
    if crossing is None:
        crossing = [3, 8, 13, 18, 23, 28, 33, 38]
    hidden = stack.hidden_size
    made: dict[int, Layer] = {}
    layers = []
    for index, layer in enumerate(stack.layers):
        if index in crossing:
            layer = made.setdefault(id(layer), _crossing(layer, hidden))
        layers.append(layer)
    # Eight image tokens have an embedding but no output.
    stack = replace(
        stack, layers=tuple(layers), around=stack.around + Counts(token_embedding=8 * hidden)
    )
    if ending(architecture) == "ForCausalLM":
        return Built((stack,), tied, words.whole("vocab_size"), None)
    seeing = tower(vision)
    between = linear("projector", vision.whole("vision_output_dim"), hidden, True)
    seeing = replace(seeing, around=seeing.around + between)
    tied = tied and ending(architecture) in LM_ENDINGS
    length = words.maybe("max_position_embeddings")
    return Built((seeing, stack), tied, words.whole("vocab_size"), length)


def _crossing(layer: Layer, hidden: int) -> Layer:
    """The same layer with cross-attention in place of self-attention, and two gates."""
    if layer.attention is None:
        raise AssertionError("a text layer attends")
    cross: Attention = replace(layer.attention, causal=False, qk_norm="head")
    swap = attention_counts(hidden, cross)
    own = attention_counts(hidden, layer.attention)
    counts = layer.counts + swap + own * -1 + Counts(other=2)
    return replace(layer, attention=None, cross_attention=cross, counts=counts)
