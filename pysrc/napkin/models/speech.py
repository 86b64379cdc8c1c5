"""Speech encoders over raw sound: wav2vec 2.0 and HuBERT."""

from __future__ import annotations

from napkin.models.built import Built
from napkin.models.config import Config
from napkin.models.counts import Counts
from napkin.models.decoders import activation_name
from napkin.models.heads import ending, no_such_head
from napkin.models.layers import Attention, Layer, Stack
from napkin.models.pieces import attention_counts, label_count, linear, mlp, norm

__all__ = ["wav2vec2"]


def _convolutions(config: Config) -> tuple[Counts, tuple[tuple[int, int, int], ...]]:
    """The convolutions that turn sound into frames, with their norms, and at what strides."""
    widths, kernels = config.items("conv_dim") or [], config.items("conv_kernel") or []
    strides = config.items("conv_stride") or []
    if not widths or len(widths) != len(kernels):
        raise ValueError(
            f"{config.where}conv_dim has {len(widths)} entries and conv_kernel {len(kernels)}: "
            "give one of each per convolution"
        )
    if not config.given("conv_stride"):
        strides = strides[: len(widths)]
    if len(strides) != len(widths):
        raise ValueError(
            f"{config.where}conv_stride has {len(strides)} entries for {len(widths)} convolutions: "
            "give one each"
        )
    every = config.text("feat_extract_norm") == "layer"
    counts, inputs, cuts = Counts(), 1, []
    for index, (width, kernel, stride) in enumerate(zip(widths, kernels, strides, strict=True)):
        for key, value in (("conv_dim", width), ("conv_kernel", kernel), ("conv_stride", stride)):
            if type(value) is not int or value < 1:
                raise ValueError(f"{config.where}{key} has {value!r}: write whole numbers above 0")
        counts += linear("projector", inputs * kernel, width, config.flag("conv_bias"))
        if every or index == 0:
            counts += norm("layer", width)
        cuts.append((inputs * kernel * width, kernel, stride))
        inputs = width
    return counts, tuple(cuts)


def wav2vec2(config: Config, architecture: str) -> Built:
    """wav2vec 2.0 and HuBERT: convolutions, then an encoder, then letters or classes."""
    if config.flag("add_adapter"):
        raise ValueError("add_adapter is true, and the adapter's layers are not counted here")
    hidden, heads = config.whole("hidden_size"), config.whole("num_attention_heads")
    width = config.multiple("hidden_size", "num_attention_heads")
    attention = Attention(
        "full", heads, heads, width, width, causal=False, bias=True, out_bias=True
    )
    feed, counts = mlp(
        hidden,
        config.whole("intermediate_size"),
        gated=False,
        activation=activation_name(config),
        bias=True,
    )
    counts += attention_counts(hidden, attention) + norm("layer", hidden, 2)
    adapter = config.maybe("adapter_attn_dim")
    if adapter and config.model_type == "wav2vec2" and config.flag("do_stable_layer_norm"):
        counts += norm("layer", hidden) + linear("mlp", hidden, adapter, True)
        counts += linear("mlp", adapter, hidden, True)
    layer = Layer(attention=attention, mlp=feed, norm="layer", counts=counts)
    frames = (config.items("conv_dim") or [0])[-1]
    around, strides = _convolutions(config)
    around += linear("projector", frames, hidden, True)
    if config.model_type == "wav2vec2" or config.flag("feat_proj_layer_norm"):
        around += norm("layer", frames)
    # Positions come from one wide convolution in groups, its kernel's scale kept apart.
    kernel = config.whole("num_conv_pos_embeddings")
    groups = config.whole("num_conv_pos_embedding_groups")
    if config.flag("conv_pos_batch_norm"):
        around += norm("layer", hidden) + Counts(other=-kernel)
    around += Counts(projector=hidden * hidden // groups * kernel, bias=hidden)
    around += Counts(other=kernel) + norm("layer", hidden)
    masks = (config.raw("mask_time_prob"), config.raw("mask_feature_prob"))
    if any(isinstance(share, (int, float)) and share > 0 for share in masks):
        around += Counts(other=hidden)
    end = ending(architecture)
    letters = config.whole("vocab_size")
    if end == "ForCTC":
        around += linear("head", hidden, letters, True)
    elif end == "ForSequenceClassification":
        narrow = config.whole("classifier_proj_size")
        around += linear("projector", hidden, narrow, True)
        around += linear("pooler", narrow, label_count(config), True)
        if config.flag("use_weighted_layer_sum"):
            around += Counts(other=config.depth() + 1)
    elif end != "Model":
        raise no_such_head(config, architecture)
    stack = Stack("audio", hidden, (layer,) * config.depth(), around, strides=strides)
    return Built((stack,), False, letters if end == "ForCTC" else 0, None)
