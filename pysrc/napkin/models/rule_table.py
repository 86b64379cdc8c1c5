"""The families of plain decoders, each with what sets it apart; with experts: ``sparse_rules``.

Facts read from the model definitions of Hugging Face transformers 5.24.0; the code is ours.
"""

from __future__ import annotations

from dataclasses import replace

from napkin.models.counts import Counts
from napkin.models.patterns import (
    falcon_groups,
    falcon_norms,
    neo_kinds,
    one_full_in,
    qwen_kinds,
    smol_kinds,
    windowed,
)
from napkin.models.pieces import norm
from napkin.models.rules import Rule
from napkin.models.sparse_rules import SPARSE_RULES

__all__ = ["RULES"]

_LLAMA = Rule(qkv_bias="attention_bias", out_bias="attention_bias", mlp_bias="mlp_bias")


_MISTRAL = Rule(kinds=windowed)


_GPTJ = Rule(
    norm="layer",
    norms=1,
    gated=False,
    width="n_inner",
    four_times=True,
    mlp_bias=True,
    head_bias=True,
    explicit_head_dim=False,
    parallel=True,
    groups=lambda config: config.whole("num_attention_heads"),
)


_GPT2 = Rule(
    norm="layer",
    gated=False,
    width="n_inner",
    four_times=True,
    qkv_bias=True,
    out_bias=True,
    mlp_bias=True,
    explicit_head_dim=False,
    positions="max_position_embeddings",
    groups=lambda config: config.whole("num_attention_heads"),
    crosses=True,
)


_QWEN2 = Rule(qkv_bias=True, kinds=qwen_kinds)


_QWEN3 = Rule(
    qkv_bias="attention_bias", out_bias="attention_bias", qk_norm="head", kinds=qwen_kinds
)


RULES: dict[str, Rule] = {
    "llama": _LLAMA,
    "cwm": Rule(mlp_bias="mlp_bias", kinds=one_full_in(4)),
    "seed_oss": Rule(qkv_bias="attention_bias", out_bias="attention_out_bias", mlp_bias="mlp_bias"),
    "granite": _LLAMA,
    "internlm3": _LLAMA,
    "iquestcoder": _LLAMA,
    "helium": Rule(qkv_bias="attention_bias", mlp_bias="mlp_bias", explicit_head_dim=False),
    "arcee": Rule(
        qkv_bias="attention_bias", out_bias="attention_bias", mlp_bias="mlp_bias", gated=False
    ),
    "smollm3": Rule(
        qkv_bias="attention_bias", out_bias="attention_bias", mlp_bias="mlp_bias", kinds=smol_kinds
    ),
    "ernie4_5": Rule(qkv_bias="use_bias", out_bias="use_bias", mlp_bias="use_bias"),
    "hunyuan_v1_dense": Rule(qkv_bias="attention_bias", out_bias="attention_bias", qk_norm="head"),
    "mistral": _MISTRAL,
    "ministral": Rule(kinds=windowed),
    "ministral3": Rule(kinds=windowed),
    "phi3": Rule(kinds=windowed),
    "qwen2": _QWEN2,
    "qwen2_vl_text": replace(_QWEN2, explicit_head_dim=False),
    "qwen2_5_vl_text": replace(_QWEN2, explicit_head_dim=False),
    "qwen3": _QWEN3,
    "qwen3_vl_text": _QWEN3,
    "gemma": Rule(qkv_bias="attention_bias", out_bias="attention_bias"),
    "gemma2": Rule(
        qkv_bias="attention_bias", out_bias="attention_bias", norms=4, kinds=one_full_in(2)
    ),
    "gemma3_text": Rule(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        norms=4,
        qk_norm="head",
        kinds=one_full_in(6, "sliding_window_pattern", "_sliding_window_pattern"),
    ),
    "vaultgemma": Rule(
        qkv_bias="attention_bias", out_bias="attention_bias", norms=2, kinds=one_full_in(2)
    ),
    "phi": Rule(
        explicit_head_dim=False,
        norm="layer",
        norms=1,
        gated=False,
        qkv_bias=True,
        out_bias=True,
        mlp_bias=True,
        head_bias=True,
        qk_norm="head",
        qk_norm_if="qk_layernorm",
        qk_norm_kind="layer",
        parallel=True,
    ),
    "falcon": Rule(
        norm="layer",
        norms=falcon_norms,
        gated=False,
        width="ffn_hidden_size",
        four_times=True,
        qkv_bias="bias",
        out_bias="bias",
        mlp_bias="bias",
        explicit_head_dim=False,
        groups=falcon_groups,
        parallel="parallel_attn",
    ),
    "bloom": Rule(
        norm="layer",
        gated=False,
        width="",
        four_times=True,
        qkv_bias=True,
        out_bias=True,
        mlp_bias=True,
        explicit_head_dim=False,
        embedding_norm=True,
        groups=lambda config: config.whole("num_attention_heads"),
    ),
    "gpt2": _GPT2,
    "gpt-sw3": _GPT2,
    "openai-gpt": replace(_GPT2, width="", final_norm=False, crosses=False),
    "gpt_bigcode": Rule(
        norm="layer",
        gated=False,
        width="n_inner",
        four_times=True,
        qkv_bias=True,
        out_bias=True,
        mlp_bias=True,
        explicit_head_dim=False,
        positions="max_position_embeddings",
        crosses=True,
        groups=lambda config: (
            1 if config.flag("multi_query") else config.whole("num_attention_heads")
        ),
    ),
    "gpt_neo": Rule(
        norm="layer",
        gated=False,
        four_times=True,
        out_bias=True,
        mlp_bias=True,
        explicit_head_dim=False,
        positions="max_position_embeddings",
        kinds=neo_kinds,
        window="window_size",
        groups=lambda config: config.whole("num_attention_heads"),
    ),
    "gpt_neox": Rule(
        norm="layer",
        gated=False,
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        mlp_bias=True,
        explicit_head_dim=False,
        parallel="use_parallel_residual",
        groups=lambda config: config.whole("num_attention_heads"),
    ),
    "gptj": _GPTJ,
    "codegen": _GPTJ,
    "stablelm": Rule(
        norm="layer",
        norms=lambda config: 1 if config.flag("use_parallel_residual") else 2,
        qkv_bias="use_qkv_bias",
        qk_norm="full",
        qk_norm_if="qk_layernorm",
        qk_norm_kind="scale",
        explicit_head_dim=False,
        parallel="use_parallel_residual",
    ),
    "starcoder2": Rule(
        norm="layer",
        gated=False,
        qkv_bias="use_bias",
        out_bias="use_bias",
        mlp_bias="use_bias",
        kinds=windowed,
    ),
    "persimmon": Rule(
        norm="layer",
        gated=False,
        qkv_bias=True,
        out_bias=True,
        mlp_bias=True,
        qk_norm="head",
        qk_norm_if="qk_layernorm",
        qk_norm_kind="layer",
        explicit_head_dim=False,
        groups=lambda config: config.whole("num_attention_heads"),
    ),
    "nemotron": Rule(
        norm="layer",
        gated=False,
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        mlp_bias="mlp_bias",
    ),
    "cohere": Rule(
        norm="scale",
        norms=1,
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        qk_norm="full",
        qk_norm_if="use_qk_norm",
        parallel=True,
    ),
    "cohere2": Rule(
        norm="scale",
        norms=1,
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        parallel=True,
        kinds=one_full_in(4, "sliding_window_pattern"),
    ),
    "olmo": Rule(norm="none", qkv_bias="attention_bias", out_bias="attention_bias"),
    "olmo2": Rule(qkv_bias="attention_bias", out_bias="attention_bias", qk_norm="full"),
    "olmo3": Rule(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        qk_norm="full",
        kinds=one_full_in(4),
    ),
    "exaone4": Rule(
        qk_norm="head", kinds=one_full_in(4, "sliding_window_pattern", needs_window=True)
    ),
    "apertus": Rule(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        qk_norm="head",
        gated=False,
    ),
    "glm": Rule(qkv_bias="attention_bias"),
    "glm4": Rule(qkv_bias="attention_bias", norms=4),
    "bitnet": Rule(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        extra=lambda attention, hidden, width: norm("rms", hidden) + norm("rms", width),
    ),
    "diffllama": Rule(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        rounds=2,
        extra=lambda attention, hidden, width: Counts(other=4 * attention.head_dim),
    ),
    "nanochat": Rule(
        norm="none",
        gated=False,
        qkv_bias="attention_bias",
        out_bias="attention_bias",
    ),
    **SPARSE_RULES,
}
