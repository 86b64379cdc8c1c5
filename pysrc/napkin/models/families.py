"""Which builder counts which ``model_type``, and the architecture it stands for by default.

A builder's module is imported when it is first asked for: most models need two or three.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from napkin.models.built import Builder

__all__ = ["FAMILIES", "TEXT_SIDES", "builder"]

# (default architecture, module, function): the model types that it builds
_BUILDERS: dict[tuple[str, str, str], str] = {
    ("ForCausalLM", "decoders", "plain_decoder"): (
        "afmoe apertus arcee bitnet bloom codegen cohere cohere2 cwm diffllama dots1 ernie4_5 "
        "ernie4_5_moe exaone4 exaone_moe falcon flex_olmo gemma gemma2 gemma3_text glm glm4 "
        "glm4_moe gpt-sw3 gpt2 gpt_bigcode gpt_neo gpt_neox gpt_oss gptj granite granitemoe "
        "granitemoeshared helium hunyuan_v1_dense hunyuan_v1_moe internlm3 iquestcoder llama "
        "llama4_text minimax_m2 ministral ministral3 mistral mixtral nanochat nemotron olmo olmo2 "
        "olmo3 olmoe openai-gpt persimmon phi phi3 phimoe qwen2 qwen2_5_vl_text qwen2_moe "
        "qwen2_vl_text qwen3 qwen3_moe qwen3_vl_moe_text qwen3_vl_text sarvam_moe seed_oss "
        "smollm3 solar_open stablelm starcoder2 vaultgemma"
    ),
    ("ForCausalLM", "hybrids", "bamba"): "bamba",
    ("ForCausalLM", "classic", "fairseq_decoder"): "biogpt xglm",
    ("ForCausalLM", "classic", "dbrx"): "dbrx",
    ("ForCausalLM", "latent", "deepseek"): (
        "deepseek_v2 deepseek_v3 deepseek_v32 glm4_moe_lite glm_moe_dsa kimi_k2 minicpm3 "
        "sarvam_mla youtu"
    ),
    ("ForCausalLM", "latent", "deepseek_v4"): "deepseek_v4",
    ("ForCausalLM", "hybrids", "falcon_h1"): "falcon_h1",
    ("ForCausalLM", "hybrids", "mamba_model"): "falcon_mamba mamba",
    ("ForCausalLM", "gemma", "gemma3n"): "gemma3n_text",
    ("ForCausalLM", "gemma", "gemma4"): "gemma4_text",
    ("ForCausalLM", "hybrids", "granite_hybrid"): "granitemoehybrid",
    ("ForCausalLM", "hybrids", "jamba"): "jamba",
    ("ForCausalLM", "linear", "kimi_linear"): "kimi_linear",
    ("ForCausalLM", "linear", "lfm2"): "lfm2 lfm2_moe",
    ("ForCausalLM", "hybrids", "mamba2_model"): "mamba2",
    ("ForCausalLM", "linear", "minimax"): "minimax",
    ("ForCausalLM", "classic", "mpt"): "mpt",
    ("ForCausalLM", "hybrids", "nemotron_h"): "nemotron_h",
    ("ForCausalLM", "classic", "opt"): "opt",
    ("ForCausalLM", "linear", "qwen_next"): "qwen3_5_moe_text qwen3_5_text qwen3_next",
    ("ForCausalLM", "linear", "recurrent_gemma"): "recurrent_gemma",
    ("ForCausalLM", "zamba", "zamba"): "zamba",
    ("ForCausalLM", "zamba", "zamba2"): "zamba2",
    ("ForMaskedLM", "bert", "bert"): (
        "albert bert camembert deberta deberta-v2 distilbert electra ernie mpnet "
        "roberta xlm-roberta"
    ),
    ("ForMaskedLM", "encoders", "eurobert"): "eurobert",
    ("ForMaskedLM", "encoders", "modernbert"): "modernbert",
    ("ForMaskedLM", "encoders", "nomic_bert"): "nomic_bert",
    ("ForConditionalGeneration", "seq2seq", "bart"): "bart blenderbot m2m_100 marian mbart pegasus",
    ("ForConditionalGeneration", "seq2seq", "t5"): "mt5 t5 umt5",
    ("ForConditionalGeneration", "seq2seq", "whisper"): "whisper",
    ("ForConditionalGeneration", "multimodal", "image_text"): (
        "gemma3 gemma4 idefics3 internvl llama4 llava llava_next mistral3 paligemma "
        "qwen2_5_vl qwen2_vl qwen3_5 qwen3_5_moe qwen3_vl qwen3_vl_moe smolvlm"
    ),
    ("ForConditionalGeneration", "multimodal", "mllama"): "mllama",
    ("Model", "vision", "clip"): "clip",
    ("ForImageClassification", "vision", "vit"): "deit vit",
    ("Model", "vision", "vit"): "dinov2 dinov2_with_registers",
    ("ForCTC", "speech", "wav2vec2"): "hubert wav2vec2",
    ("Model", "vision", "siglip"): "siglip",
}

FAMILIES: dict[str, tuple[str, str, str]] = {
    model_type: place for place, names in _BUILDERS.items() for model_type in names.split()
}
"""Default architecture, module and function of every ``model_type``."""

TEXT_SIDES = tuple(name for name, place in FAMILIES.items() if place[0] == "ForCausalLM")
"""Families that may stand behind a vision tower."""


def builder(model_type: str) -> Builder:
    """The function that builds models of this family."""
    _, module, function = FAMILIES[model_type]
    return cast("Builder", getattr(import_module(f"napkin.models.{module}"), function))
