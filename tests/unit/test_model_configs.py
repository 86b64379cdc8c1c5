"""Configurations that are wrong, hostile or of no known family: refused by name, never guessed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from napkin.models import estimate_from_config, from_config

VECTORS = Path(__file__).parents[1] / "vectors"
RANDOM = json.loads((VECTORS / "params_random.json").read_text("utf-8"))["families"]

LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_attention_heads": 4,
    "num_hidden_layers": 2,
    "num_key_value_heads": 2,
    "vocab_size": 100,
}
MIXTRAL: dict[str, Any] = {
    **LLAMA,
    "model_type": "mixtral",
    "architectures": ["MixtralForCausalLM"],
    "num_local_experts": 4,
    "num_experts_per_tok": 2,
}
VISION = {
    "model_type": "clip_vision_model",
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "image_size": 16,
    "patch_size": 4,
}
LLAVA: dict[str, Any] = {"model_type": "llava", "text_config": LLAMA, "vision_config": VISION}


def refused(data: Any, *words: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        from_config(data)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("key", ["hidden_size", "num_hidden_layers", "vocab_size"])
@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (-1, "at least"),
        ("4096", "text"),
        (True, "true or false"),
        (64.5, "fraction"),
        (64.0, "whole number"),
        (10**12, "largest accepted"),
        ([64], "whole number"),
        ({}, "whole number"),
        (float("nan"), "whole number"),
    ],
)
def test_a_wrong_size_is_refused_by_name(key: str, value: Any, words: str) -> None:
    refused({**LLAMA, key: value}, key, words)


@pytest.mark.parametrize("key", ["hidden_size", "vocab_size", "num_attention_heads"])
def test_zero_is_refused_where_it_means_nothing(key: str) -> None:
    refused({**LLAMA, key: 0}, key, "at least 1")


def test_too_many_layers_are_refused_at_once() -> None:
    refused({**LLAMA, "num_hidden_layers": 10**9}, "num_hidden_layers", "10000")


def test_no_layers_are_embedding_and_head() -> None:
    assert from_config({**LLAMA, "num_hidden_layers": 0}).total == 2 * 100 * 64 + 64


def test_heads_must_fit() -> None:
    five = {**LLAMA, "num_attention_heads": 5, "num_key_value_heads": 5}
    refused(five, "hidden_size 64", "num_attention_heads 5")
    refused({**LLAMA, "num_key_value_heads": 3}, "num_key_value_heads 3", "does not divide")
    assert (
        from_config(
            {**LLAMA, "num_attention_heads": 5, "head_dim": 8, "num_key_value_heads": 1}
        ).total
        > 0
    )


def test_a_head_width_that_the_family_cannot_have_is_refused() -> None:
    gpt2 = {"model_type": "gpt2", "n_embd": 64, "n_head": 4, "n_layer": 1}
    refused({**gpt2, "head_dim": 32}, "head_dim", "gpt2", "16")
    assert from_config({**gpt2, "head_dim": 16}).total == from_config(gpt2).total


def test_half_of_an_encoder_decoder_is_refused() -> None:
    for family, name in (("bart", "BartForCausalLM"), ("whisper", "WhisperForCausalLM")):
        with pytest.raises(ValueError, match=f"architectures.*{name}.*half of an encoder-decoder"):
            from_config({"model_type": family, "architectures": [name]})


def test_a_default_head_width_that_does_not_fit_says_what_to_write() -> None:
    with pytest.raises(ValueError, match=r"head_dim is 128 by default.*write head_dim 32"):
        from_config({"model_type": "helium", "hidden_size": 64, "num_attention_heads": 2,
                     "num_key_value_heads": 1})  # fmt: skip


def test_two_names_of_one_key_must_agree() -> None:
    refused({"model_type": "gpt2", "n_embd": 64, "hidden_size": 128}, "n_embd", "hidden_size")


def test_switches_must_be_true_or_false() -> None:
    refused({**LLAMA, "attention_bias": "yes"}, "attention_bias", "true or false")
    refused({**LLAMA, "tie_word_embeddings": 1}, "tie_word_embeddings", "true or false")


def test_experts_must_fit() -> None:
    refused({**MIXTRAL, "num_experts_per_tok": 5}, "num_experts_per_tok", "4 experts")
    refused({**MIXTRAL, "num_local_experts": 0}, "num_local_experts", "at least 1")
    refused({**MIXTRAL, "num_local_experts": "8"}, "num_local_experts", "text")


def test_lists_must_match_the_layers() -> None:
    gemma = {**LLAMA, "model_type": "gemma2", "architectures": None}
    refused({**gemma, "layer_types": ["full_attention"]}, "layer_types", "1 layers", "2")
    refused({**gemma, "layer_types": ["full_attention", "wide"]}, "layer_types", "'wide'")
    refused({**gemma, "layer_types": "full_attention"}, "layer_types", "list")
    neo = {"model_type": "gpt_neo", "num_layers": 4}
    refused({**neo, "attention_types": [[["global"], 3]]}, "attention_types", "3 layers")
    refused({**neo, "attention_types": ["global"]}, "attention_types")


def test_nested_parts_are_named_by_their_path() -> None:
    assert from_config(LLAVA).total > 0
    broken = {**LLAVA, "text_config": {**LLAVA["text_config"], "hidden_size": "64"}}
    refused(broken, "text_config.hidden_size", "text")
    refused({**LLAVA, "vision_config": {**VISION, "patch_size": 0}}, "vision_config.patch_size")
    refused({**LLAVA, "vision_config": {**VISION, "patch_size": 64}}, "patch_size", "image_size")
    refused({**LLAVA, "vision_config": None}, "vision_config is missing")
    refused({**LLAVA, "text_config": "llama"}, "text_config", "nested")
    refused(
        {**LLAVA, "text_config": {**LLAVA["text_config"], "model_type": "llame"}},
        "text_config.model_type",
        "'llame'",
        "llama",
    )
    refused(
        {**LLAVA, "vision_config": {**VISION, "model_type": "vqgan"}}, "vision_config.", "vqgan"
    )


def test_a_text_side_that_the_family_cannot_have_is_refused() -> None:
    gemma3 = {"model_type": "gemma3", "text_config": LLAMA, "vision_config": VISION}
    refused(gemma3, "text_config.model_type 'llama'", "gemma3_text")
    assert from_config({**gemma3, "model_type": "paligemma"}).family == "llama"


def test_a_part_that_is_not_counted_is_refused_not_dropped() -> None:
    gemma4 = {
        "model_type": "gemma4",
        "text_config": {},
        "vision_config": {},
        "audio_config": {"hidden_size": 1024},
    }
    refused(gemma4, "audio_config", "null")


def test_the_family_must_be_named() -> None:
    refused({key: value for key, value in LLAMA.items() if key != "model_type"}, "model_type")
    refused({**LLAMA, "model_type": 7}, "model_type")
    refused({**LLAMA, "model_type": ""}, "model_type")
    refused([LLAMA], "mapping", "list")
    refused("llama", "mapping", "str")
    refused(None, "mapping")


def test_an_unknown_family_is_refused_with_the_nearest() -> None:
    refused({**LLAMA, "model_type": "lamma"}, "'lamma' is not known", "'llama'", "estimate=True")
    refused({**LLAMA, "model_type": "qqqq"}, "'qqqq' is not known", "known_families")


def test_an_unknown_head_is_refused() -> None:
    refused({**LLAMA, "architectures": ["LlamaForTimeTravel"]}, "architectures", "TimeTravel")
    refused({**LLAMA, "architectures": "LlamaForCausalLM"}, "architectures", "list")
    refused({**LLAMA, "architectures": [None]}, "architectures", "list")


@pytest.mark.parametrize(
    ("family", "head"),
    [
        ("llama", "LlamaForImageClassification"),
        ("gpt2", "GPT2DoubleHeadsModel"),
        ("pegasus", "PegasusForSequenceClassification"),
        ("t5", "T5ForPreTraining"),
        ("modernbert", "ModernBertForCTC"),
        ("vit", "ViTForCausalLM"),
        ("siglip", "SiglipForTokenClassification"),
        ("wav2vec2", "Wav2Vec2ForPreTraining"),
        ("bart", "BartPreTrainedModel"),
    ],
)
def test_a_head_that_the_family_has_not_is_refused(family: str, head: str) -> None:
    case = next(case for case, _ in RANDOM[family])
    refused({**case, "architectures": [head]}, "architectures", head)


@pytest.mark.parametrize(
    ("family", "changes", "words"),
    [
        ("marian", {"decoder_vocab_size": 31}, ("decoder_vocab_size is 31", "vocabularies")),
        (
            "marian",
            {"share_encoder_decoder_embeddings": False, "decoder_vocab_size": None},
            ("share_encoder_decoder_embeddings is false",),
        ),
        ("mamba2", {"hidden_size": 40}, ("num_heads", "make up", "Mamba-2")),
        ("bamba", {"mamba_d_head": 3}, ("mamba_n_heads", "mamba_d_head 3")),
        ("deepseek_v4", {"o_groups": 7}, ("o_groups 7", "does not divide")),
        (
            "t5",
            {"is_decoder": True, "architectures": ["T5EncoderModel"]},
            ("is_decoder is true", "T5EncoderModel is an encoder"),
        ),
        ("olmoe", {"head_dim": 24}, ("head_dim is 24",)),
        ("modernbert", {"head_dim": 24}, ("head_dim is 24",)),
        ("deberta-v2", {"embedding_size": 24}, ("embedding_size is 24", "hidden_size")),
        (
            "zamba",
            {"tie_word_embeddings": False, "layers_block_type": None, "num_hidden_layers": 9,
             "attn_layer_period": 2, "attn_layer_offset": 0},
            ("tie_word_embeddings is false", "shared block"),
        ),
    ],
)  # fmt: skip
def test_what_transformers_would_build_otherwise_is_refused(
    family: str, changes: dict[str, Any], words: tuple[str, ...]
) -> None:
    refused({**RANDOM[family][0][0], **changes}, *words)


CLIP = {**VISION, "num_hidden_layers": 1}


def behind_a_tower(text: dict[str, Any], tied: bool) -> dict[str, Any]:
    return {"model_type": "llava", "architectures": ["LlavaForConditionalGeneration"],
            "text_config": text, "vision_config": CLIP, "tie_word_embeddings": tied}  # fmt: skip


def test_behind_a_tower_the_whole_model_says_whether_the_head_is_tied() -> None:
    """Kimi Linear alone never ties; transformers 5.24.0 does it where LLaVA's file says so."""
    kimi = {**RANDOM["kimi_linear"][0][0], "tie_word_embeddings": False}
    kimi.pop("architectures")
    untied, tied = (from_config(behind_a_tower(kimi, tied)) for tied in (False, True))
    assert untied.total - tied.total == kimi["vocab_size"] * kimi["hidden_size"]
    alone = {**kimi, "tie_word_embeddings": True}
    assert from_config(alone).total == from_config(kimi).total


def test_text_sides_that_the_whole_model_would_build_otherwise_are_refused() -> None:
    opt = {"model_type": "opt", "hidden_size": 32, "num_attention_heads": 2, "ffn_dim": 48,
           "num_hidden_layers": 1, "vocab_size": 60}  # fmt: skip
    narrow = {**opt, "word_embed_proj_dim": 24}
    refused(behind_a_tower(narrow, False), "text_config.word_embed_proj_dim is 24", "leave")
    assert from_config(behind_a_tower({**opt, "word_embed_proj_dim": 32}, False)).total > 0
    assert from_config(narrow).total > 0  # alone it is sound
    for family in ("zamba", "zamba2"):
        shared = {**RANDOM[family][0][0], "tie_word_embeddings": False}
        refused(behind_a_tower(shared, True), "text_config.tie_word_embeddings is false", "copy")


def test_heads_too_narrow_to_turn_are_refused() -> None:
    v4 = {**RANDOM["deepseek_v4"][0][0], "o_groups": 1}
    refused({**v4, "head_dim": 1}, "head_dim is 1", "at least 8")
    assert from_config({**v4, "head_dim": 8}).total > 0


def test_a_ratio_that_would_enlarge_an_image_is_refused() -> None:
    internvl = RANDOM["internvl"][0][0]
    refused({**internvl, "downsample_ratio": 1.5}, "downsample_ratio is 1.5", "at most 1")


BAD = [None, -1, 0, "x", "auto", True, [], [1], {}, {"a": 1}, 1.5, float("inf"), 10**15]


def paths(data: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, value in data.items():
        yield (*above, key)
        if isinstance(value, dict):
            yield from paths(value, (*above, key))


@pytest.mark.parametrize("family", sorted(RANDOM))
def test_any_key_set_to_anything_is_answered_or_refused(family: str) -> None:
    """Every key of a sound configuration set wrong in turn: ValueError or a model, no crash."""
    case = RANDOM[family][0][0]
    refusals: list[str] = []
    for path in paths(case):
        for value in BAD:
            broken = json.loads(json.dumps(case))
            place = broken
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = value
            try:
                found = from_config(broken)
            except ValueError as error:
                refusals.append(str(error))
            else:
                assert found.active <= found.total
    assert len(refusals) > 20
    assert min(len(message) for message in refusals) > 20


def test_an_estimate_says_that_it_is_one_and_how_sure() -> None:
    data = {**LLAMA, "model_type": "brand_new"}
    model = from_config(data, estimate=True)
    assert model.total == from_config(LLAMA).total
    assert model.estimate.startswith("estimate: model_type 'brand_new' is not known")
    assert "within 28%" in model.estimate
    assert any("estimate" in note for note in model.parameters().notes)


def test_a_known_family_is_counted_exactly_even_when_an_estimate_would_do() -> None:
    assert from_config(LLAMA, estimate=True).estimate == ""


def test_an_estimate_names_what_it_guessed_and_left_out() -> None:
    data = {key: LLAMA[key] for key in ("hidden_size", "num_hidden_layers", "vocab_size")}
    model = estimate_from_config({**data, "n_head": 4, "vision_config": {"depth": 3}})
    assert "guessed: intermediate_size = 4 × hidden_size" in model.estimate
    assert "left out: vision_config" in model.estimate


def test_no_estimate_without_the_sizes_it_needs_or_for_recurrent_layers() -> None:
    with pytest.raises(ValueError, match="vocab_size is missing"):
        estimate_from_config({"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4})
    with pytest.raises(ValueError, match="mamba_d_state speaks of recurrent layers"):
        estimate_from_config({**LLAMA, "mamba_d_state": 16})
    with pytest.raises(ValueError, match="hidden_size"):
        estimate_from_config({**LLAMA, "hidden_size": "64"})
