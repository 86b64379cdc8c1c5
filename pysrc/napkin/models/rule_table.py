"""The families of plain decoders, each with what sets it apart.

Facts read from the model definitions of Hugging Face transformers 5.24.0; the code is ours.
"""

from __future__ import annotations

from dataclasses import replace

from napkin.models.counts import Counts
from napkin.models.patterns import (
    after_dense,
    after_dense_layers,
    ernie_sparse,
    falcon_groups,
    falcon_norms,
    llama4_kinds,
    llama4_sparse,
    neo_kinds,
    one_full_in,
    qwen_kinds,
    qwen_moe_kinds,
    qwen_sparse,
    shared_like_routed,
    shared_of_width,
    smol_kinds,
    windowed,
)
from napkin.models.pieces import linear, norm
from napkin.models.rules import Moe, Rule

__all__ = ["RULES"]

_LLAMA = Rule(qkv_bias="attention_bias", out_bias="attention_bias", mlp_bias="mlp_bias")


_MISTRAL = Rule(kinds=windowed)


_DEEPSEEK_MOE = Moe(
    total="n_routed_experts",
    width="moe_intermediate_size",
    sparse=after_dense,
    shared=shared_like_routed("n_shared_experts"),
)


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
)


_GLM_MOE = Rule(
    qkv_bias="attention_bias", qk_norm="head", qk_norm_if="use_qk_norm", moe=_DEEPSEEK_MOE
)


_GRANITE_MOE = Moe(width="intermediate_size")


_QWEN2 = Rule(qkv_bias=True, kinds=qwen_kinds)


_QWEN3 = Rule(
    qkv_bias="attention_bias", out_bias="attention_bias", qk_norm="head", kinds=qwen_kinds
)


_QWEN3_MOE = Rule(
    qkv_bias="attention_bias",
    out_bias="attention_bias",
    qk_norm="head",
    kinds=lambda config, layers: (
        ["sliding" if config.flag("use_sliding_window") else "full"] * layers
    ),
    moe=Moe(total="num_experts", width="moe_intermediate_size", sparse=qwen_sparse),
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
    "mixtral": Rule(kinds=windowed, moe=Moe()),
    "qwen2": _QWEN2,
    "qwen2_vl_text": replace(_QWEN2, explicit_head_dim=False),
    "qwen2_5_vl_text": replace(_QWEN2, explicit_head_dim=False),
    "qwen3": _QWEN3,
    "qwen3_vl_text": _QWEN3,
    "qwen2_moe": Rule(
        qkv_bias="qkv_bias",
        kinds=qwen_moe_kinds,
        moe=Moe(
            total="num_experts",
            width="moe_intermediate_size",
            sparse=qwen_sparse,
            shared=shared_of_width("shared_expert_intermediate_size"),
            shared_gate=True,
        ),
    ),
    "qwen3_moe": _QWEN3_MOE,
    "qwen3_vl_moe_text": _QWEN3_MOE,
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
    "phimoe": Rule(
        norm="layer",
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        head_bias="lm_head_bias",
        kinds=windowed,
        moe=Moe(),
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
    "openai-gpt": replace(_GPT2, final_norm=False),
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
    "olmoe": Rule(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        qk_norm="full",
        moe=Moe(total="num_experts"),
    ),
    "flex_olmo": Rule(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        qk_norm="full",
        moe=Moe(total="num_experts"),
    ),
    "exaone4": Rule(
        qk_norm="head", kinds=one_full_in(4, "sliding_window_pattern", needs_window=True)
    ),
    "apertus": Rule(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        mlp_bias="mlp_bias",
        qk_norm="head",
        gated=False,
    ),
    "glm": Rule(qkv_bias="attention_bias"),
    "glm4": Rule(qkv_bias="attention_bias", norms=4),
    "glm4_moe": _GLM_MOE,
    "sarvam_moe": _GLM_MOE,
    "dots1": Rule(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        qk_norm="head",
        kinds=qwen_kinds,
        moe=_DEEPSEEK_MOE,
    ),
    "ernie4_5_moe": Rule(
        qkv_bias="use_bias",
        out_bias="use_bias",
        mlp_bias="use_bias",
        head_bias="use_bias",
        moe=Moe(
            total="moe_num_experts",
            top_k="moe_k",
            width="moe_intermediate_size",
            sparse=ernie_sparse,
            correction_bias=True,
            shared=shared_like_routed("moe_num_shared_experts"),
            shared_bias="use_bias",
        ),
    ),
    "minimax_m2": Rule(qk_norm="full", moe=Moe()),
    "gpt_oss": Rule(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        kinds=one_full_in(2),
        sinks=True,
        moe=Moe(bias=True, router_bias=True),
    ),
    "granitemoe": Rule(qkv_bias="attention_bias", out_bias="attention_bias", moe=_GRANITE_MOE),
    "granitemoeshared": Rule(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        moe=Moe(shared=shared_of_width("shared_intermediate_size")),
    ),
    "llama4_text": Rule(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        width="intermediate_size_mlp",
        kinds=llama4_kinds,
        window="attention_chunk_size",
        moe=Moe(
            sparse=llama4_sparse,
            shared=lambda config: (1, config.whole("intermediate_size")),
        ),
    ),
    "afmoe": Rule(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        norms=4,
        qk_norm="head",
        kinds=one_full_in(4, "global_attn_every_n_layers"),
        extra=lambda attention, hidden, width: linear("attention", hidden, attention.q_width),
        moe=Moe(
            total="num_experts",
            width="moe_intermediate_size",
            sparse=after_dense_layers,
            correction_bias=True,
            shared=shared_like_routed("num_shared_experts"),
        ),
    ),
    "bitnet": Rule(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        extra=lambda attention, hidden, width: norm("rms", hidden) + norm("rms", width),
    ),
    "diffllama": Rule(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        extra=lambda attention, hidden, width: Counts(other=4 * attention.head_dim),
    ),
    "exaone_moe": Rule(
        qk_norm="head",
        kinds=one_full_in(4, "sliding_window_pattern", needs_window=True),
        moe=Moe(
            total="num_experts",
            width="moe_intermediate_size",
            sparse=after_dense,
            shared=shared_like_routed("num_shared_experts"),
        ),
    ),
    "hunyuan_v1_moe": Rule(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        qk_norm="head",
        moe=Moe(
            total="num_experts",
            top_k="moe_topk",
            shared=lambda config: (1, config.whole("intermediate_size")),
        ),
    ),
    "nanochat": Rule(
        norm="none",
        gated=False,
        qkv_bias="attention_bias",
        out_bias="attention_bias",
    ),
    "solar_open": Rule(
        qkv_bias="attention_bias",
        moe=Moe(
            total="n_routed_experts",
            width="moe_intermediate_size",
            shared=shared_like_routed("n_shared_experts"),
        ),
    ),
}
