"""The families of decoders with experts, each with what sets it apart.

Facts read from the model definitions of Hugging Face transformers 5.24.0; the code is ours.
"""

from __future__ import annotations

from napkin.models.patterns import (
    after_dense,
    after_dense_layers,
    ernie_sparse,
    llama4_kinds,
    llama4_sparse,
    one_full_in,
    qwen_kinds,
    qwen_moe_kinds,
    qwen_sparse,
    shared_like_routed,
    shared_of_width,
    windowed,
)
from napkin.models.pieces import linear
from napkin.models.rules import Moe, Rule

__all__ = ["SPARSE_RULES"]


_DEEPSEEK_MOE = Moe(
    total="n_routed_experts",
    width="moe_intermediate_size",
    sparse=after_dense,
    shared=shared_like_routed("n_shared_experts"),
)


_GLM_MOE = Rule(
    qkv_bias="attention_bias", qk_norm="head", qk_norm_if="use_qk_norm", moe=_DEEPSEEK_MOE
)


_GRANITE_MOE = Moe(width="intermediate_size")


_QWEN3_MOE = Rule(
    qkv_bias="attention_bias",
    out_bias="attention_bias",
    qk_norm="head",
    kinds=lambda config, layers: (
        ["sliding" if config.flag("use_sliding_window") else "full"] * layers
    ),
    moe=Moe(total="num_experts", width="moe_intermediate_size", sparse=qwen_sparse),
)


SPARSE_RULES: dict[str, Rule] = {
    "mixtral": Rule(kinds=windowed, moe=Moe()),
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
    "phimoe": Rule(
        norm="layer",
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        head_bias="lm_head_bias",
        kinds=windowed,
        # Its router picks two, whatever ``num_experts_per_tok`` says.
        moe=Moe(top_k=2),
    ),
    "olmoe": Rule(
        explicit_head_dim=False,
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
    "solar_open": Rule(
        qkv_bias="attention_bias",
        moe=Moe(
            total="n_routed_experts",
            width="moe_intermediate_size",
            shared=shared_like_routed("n_shared_experts"),
        ),
    ),
}
