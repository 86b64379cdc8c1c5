"""gguf files and quantised weights against published sizes."""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from napkin.gguf import gguf_bits_per_weight, gguf_bytes, gguf_size
from napkin.gguf_mix import MIXES, fallback, mix_named, more_bits
from napkin.models import Counts, Model, Stack, from_config
from napkin.models.presets import preset
from napkin.weight_formats import (
    BLOCK_FORMATS,
    GGML_FORMATS,
    bits_per_weight,
    weight_format_named,
    weight_formats_table,
)
from napkin.weights import weights_bytes, weights_table

VECTORS = Path(__file__).parents[1] / "vectors"
with (VECTORS / "gguf_sizes.csv").open(newline="", encoding="utf-8") as lines:
    PUBLISHED = list(csv.DictReader(lines))


def llama(hidden: int, layers: int, heads: int, kv_heads: int, width: int, vocab: int = 32000,
          **more: object) -> dict[str, object]:  # fmt: skip
    return {"model_type": "llama", "hidden_size": hidden, "num_hidden_layers": layers,
            "num_attention_heads": heads, "num_key_value_heads": kv_heads,
            "intermediate_size": width, "vocab_size": vocab, "tie_word_embeddings": False,
            **more}  # fmt: skip


# The figures are of these configurations, which the published model cards state.
CONFIGS: dict[str, dict[str, object]] = {
    "llama-3.1-8b": llama(4096, 32, 32, 8, 14336, 128256),
    "llama-2-7b": llama(4096, 32, 32, 32, 11008),
    "llama-2-13b": llama(5120, 40, 40, 40, 13824),
    "llama-2-70b": llama(8192, 80, 64, 8, 28672),
    "llama-1-30b": llama(6656, 60, 52, 52, 17920),
    "llama-1-65b": llama(8192, 80, 64, 64, 22016),
    "qwen2.5-32b": llama(5120, 64, 40, 8, 27648, 152064) | {"model_type": "qwen2"},
    "phi-3-mini": llama(3072, 32, 32, 32, 8192, 32064) | {"model_type": "phi3"},
    "qwen2.5-0.5b": llama(896, 24, 14, 2, 4864, 151936)
    | {"model_type": "qwen2", "tie_word_embeddings": True},
    "smollm2-135m": llama(576, 30, 9, 3, 1536, 49152, tie_word_embeddings=True),
    "deepseek-v3": {
        "model_type": "deepseek_v3", "hidden_size": 7168, "num_hidden_layers": 61,
        "num_attention_heads": 128, "num_key_value_heads": 128, "intermediate_size": 18432,
        "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1,
        "num_experts_per_tok": 8, "first_k_dense_replace": 3, "q_lora_rank": 1536,
        "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
        "vocab_size": 129280, "tie_word_embeddings": False,
    },
    "mixtral-8x7b": llama(4096, 32, 32, 8, 14336)
    | {"model_type": "mixtral", "num_local_experts": 8, "num_experts_per_tok": 2},
}  # fmt: skip


@cache
def model_named(name: str) -> Model:
    return from_config(json.loads(json.dumps(CONFIGS[name])))


def predicted(row: dict[str, str]) -> float:
    model = model_named(row["model"])
    if row["quantity"] == "bits_per_weight":
        return gguf_bits_per_weight(model, row["mix"], made=row["made"] or None)
    size = gguf_bytes(model, row["mix"], made=row["made"] or None)
    return size / {"file_gib": 2**30, "file_gb": 1e9}[row["quantity"]]


@pytest.mark.parametrize(
    "row",
    [row for row in PUBLISHED if row["note"] != "slip"],
    ids=lambda row: f"{row['model']} {row['mix']} {row['quantity']} {row['made']}",
)
def test_a_published_size_is_reproduced(row: dict[str, str]) -> None:
    assert predicted(row) == pytest.approx(float(row["value"]), rel=float(row["tolerance"]))


def test_the_one_figure_that_is_left_out_repeats_another_row() -> None:
    (slip,) = [row for row in PUBLISHED if row["note"] == "slip"]
    assert (slip["model"], slip["mix"], slip["value"]) == ("llama-3.1-8b", "Q2_K_S", "2.96")
    twin = gguf_bytes(model_named("llama-3.1-8b"), "Q2_K") / 2**30
    assert round(twin, 2) == pytest.approx(2.96)


@pytest.mark.parametrize(("mix", "size"), [("Q4_K_S", 34.27), ("Q2_K", 25.57), ("Q3_K_M", 29.34)])
def test_files_of_2023_differ_from_those_of_today(mix: str, size: float) -> None:
    model = model_named("llama-1-65b")
    assert gguf_bytes(model, mix, made="2023-06-05") / 2**30 == pytest.approx(size, rel=0.0015)
    assert gguf_bytes(model, mix) / 2**30 != pytest.approx(size, rel=0.0035)
    assert gguf_bytes(model, mix, made="2024-02") == gguf_bytes(model, mix)
    with pytest.raises(ValueError, match="made is 'last year': give the month or day"):
        gguf_bytes(model, mix, made="last year")


def test_the_parts_add_up_and_the_weights_are_all_there() -> None:
    for name in CONFIGS:
        model = model_named(name)
        table = gguf_size(model, "F32")
        tensors = table.value("total") - table.value("vocabulary")
        assert tensors == 4 * model.total


@given(st.sampled_from(sorted(CONFIGS)), st.sampled_from(sorted(MIXES)))
def test_bits_stay_between_the_default_format_and_a_little_more(name: str, mix: str) -> None:
    model = model_named(name)
    bits = gguf_bits_per_weight(model, mix)
    default = GGML_FORMATS[MIXES[mix]].bits
    ceiling = 16.1 if default <= 16 else 32
    assert min(default, 2.0) - 0.3 <= bits <= ceiling
    assert gguf_bytes(model, mix) > bits * model.total / 8


OTHERS = [
    {"model_type": "gpt2"}, {"model_type": "opt", "word_embed_proj_dim": 512},
    {"model_type": "gemma2"}, {"model_type": "falcon"}, {"model_type": "mamba"},
    {"model_type": "t5"}, {"model_type": "zamba2"}, {"model_type": "bert"}, {"model_type": "jamba"},
    {"model_type": "deepseek_v3"}, {"model_type": "qwen2_moe"},
]  # fmt: skip


@pytest.mark.parametrize("config", OTHERS, ids=lambda config: str(config["model_type"]))
def test_no_weight_of_any_family_is_forgotten(config: dict[str, object]) -> None:
    model = from_config(config)
    table = gguf_size(model, "F32")
    assert table.value("total") - table.value("vocabulary") == 4 * model.total


def test_a_speech_model_is_refused() -> None:
    with pytest.raises(ValueError, match="speech model"):
        gguf_size(from_config({"model_type": "whisper"}), "Q8_0")


def test_more_bits_make_larger_files() -> None:
    order = ["IQ1_S", "IQ2_XXS", "IQ2_M", "Q2_K", "Q3_K_S", "Q3_K_M", "Q3_K_L", "Q4_K_S", "Q4_K_M",
             "Q5_K_S", "Q5_K_M", "Q6_K", "Q8_0", "F16", "F32"]  # fmt: skip
    sizes = [gguf_bytes(model_named("llama-3.1-8b"), mix) for mix in order]
    assert sizes == sorted(sizes)
    assert len(set(sizes)) == len(sizes)


def test_an_eight_expert_model_gets_its_special_rules() -> None:
    """Mixtral's keys and values are Q8_0 and its attention output Q5_K in a Q4_K_M file."""
    attention = gguf_size(model_named("mixtral-8x7b"), "Q4_K_M")["attention"].working
    assert "(Q8_0)" in attention
    assert "(Q5_K)" in attention


def test_the_pattern_of_layers_with_more_bits() -> None:
    raised = [number for number in range(32) if more_bits(number, 32)]
    assert raised == [0, 1, 2, 3, 6, 9, 12, 15, 18, 21, 24, 27, 28, 29, 30, 31]


def test_rows_that_do_not_divide_fall_back_as_the_quantizer_does() -> None:
    assert fallback("Q4_K", 896) == "Q5_0"
    assert fallback("Q6_K", 896) == "Q8_0"
    assert fallback("Q3_K", 2880) == "Q4_0"
    assert fallback("IQ3_S", 576) == "IQ4_NL"
    assert fallback("Q4_K", 100) == "F16"
    assert fallback("Q8_0", 48) == "F16"
    assert fallback("Q4_K", 4096) == "Q4_K"


def test_block_formats_have_their_published_bits() -> None:
    for name, bits, tolerance in [
        ("Q4_0", 4.5, 0), ("Q8_0", 8.5, 0), ("Q2_K", 2.625, 0), ("Q3_K", 3.4375, 0),
        ("Q4_K", 4.5, 0), ("Q5_K", 5.5, 0), ("Q6_K", 6.5625, 0), ("IQ4_XS", 4.25, 0),
        ("IQ2_XXS", 2.0625, 0), ("IQ3_S", 3.4375, 0), ("IQ1_S", 1.5625, 0), ("TQ2_0", 2.0625, 0),
        ("nf4", 4.5, 0), ("nf4_dq", 4.127, 5e-4), ("mxfp4", 4.25, 0), ("nvfp4", 4.5, 0),
        ("mxfp8", 8.25, 0), ("awq", 4.16, 5e-3), ("gptq", 4.16, 5e-3), ("bf16", 16, 0),
        ("int8", 8, 0), ("tf32", 32, 0),
    ]:  # fmt: skip
        assert bits_per_weight(name) == pytest.approx(bits, rel=tolerance, abs=0), name
    assert len(weight_formats_table().rows) == len(BLOCK_FORMATS) + len(GGML_FORMATS) - 1


@given(st.sampled_from(sorted(BLOCK_FORMATS) + sorted(GGML_FORMATS)), st.integers(0, 10**13))
def test_bytes_cover_the_weights_and_waste_less_than_a_block(name: str, weights: int) -> None:
    form = weight_format_named(name)
    size = form.bytes_for(weights)
    exact = weights * form.bits / 8
    assert exact * (1 - 1e-12) <= size <= exact * (1 + 1e-12) + float(form.block_bytes) + 1


def test_nf4_leaves_embeddings_and_head_in_16_bits() -> None:
    """QLoRA's Llama-2-7B: 6.48B linear weights at 4.127 bits and 0.26B others at 16."""
    model = model_named("llama-2-7b")
    table = weights_table(model, "nf4_dq")
    assert table.value("quantised") == pytest.approx(6_476_005_376 * 4.127 / 8, rel=1e-4)
    assert table.value("rest") == 2 * (model.total - 6_476_005_376)


def test_weights_in_any_format() -> None:
    model = model_named("llama-3.1-8b")
    assert weights_bytes(model, "bf16") == 2 * 8_030_261_248
    assert weights_bytes(model, "int4") == 8_030_261_248 // 2
    assert weights_bytes(model, "Q4_K_M") == gguf_bytes(model, "Q4_K_M")
    mixtral = model_named("mixtral-8x7b")
    assert weights_bytes(mixtral, "mxfp4", scope="experts") > weights_bytes(mixtral, "mxfp4")
    with pytest.raises(ValueError, match="has no experts"):
        weights_bytes(model, "mxfp4", scope="experts")
    with pytest.raises(ValueError, match="scope 'some' is not known"):
        weights_bytes(model, "mxfp4", scope="some")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["Q9_K", "", "q4_k_x", "gguf", "💥", "None"])
def test_a_type_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is not a gguf type"):
        mix_named(name)
    with pytest.raises(ValueError, match=r"is not a weight format|is a gguf mix"):
        weight_format_named(name)


def test_a_vision_encoder_alone_is_refused() -> None:
    stack = Stack("vision", 8, (), Counts(projector=8))
    vision = Model("tower", "vit", "Tower", 8, 0, False, None, (stack,))
    with pytest.raises(ValueError, match="no text model"):
        gguf_size(vision, "Q4_K_M")


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("gemma2-2b", 1_708_582_752), ("gemma2-9b", 5_761_057_728),
        ("gemma2-27b", 16_645_381_760), ("gemma3-4b", 2_489_757_856),
        ("gemma3-27b", 16_546_404_640),
    ],
)  # fmt: skip
def test_a_vocabulary_without_merges_is_small(name: str, published: int) -> None:
    # Q4_K_M files of bartowski on the Hub, sizes as recalled.
    assert gguf_bytes(preset(name), "Q4_K_M") == pytest.approx(published, rel=2e-4)
