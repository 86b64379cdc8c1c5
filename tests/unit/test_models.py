"""Models against the counts of their real definitions, and against published figures.

``exact_params.csv``: 109 real configurations, each built on PyTorch's meta device from its
``config.json`` with transformers 5.24.0 and counted.  ``params_random.json``: configurations
invented for this purpose, sizes odd and switches thrown, built and counted the same way.
"""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from napkin.models import Counts, Model, Stack, from_config, known_families
from napkin.models.config import known_model_types
from napkin.models.counts import PARTS
from napkin.models.families import FAMILIES
from napkin.models.rule_table import RULES
from napkin.table import Table

VECTORS = Path(__file__).parents[1] / "vectors"
ROWS = list(csv.DictReader((VECTORS / "exact_params.csv").read_text("utf-8").splitlines()))
RANDOM = json.loads((VECTORS / "params_random.json").read_text(encoding="utf-8"))

# The oracle finds norms by the word in a parameter's name. DBRX keeps its attention in a module
# named "norm_attn_norm"; Gemma's norm before the projector is named otherwise.
NORM_BY_NAME = {
    "dbrx": 2_013_763_584 - 497_664,
    "gemma3-4b": -1152,
    "gemma3-27b": -1152,
    "gemma4-e2b": -256,
}


def config(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((VECTORS / "configs" / f"{name}.json").read_text("utf-8"))
    return data


@cache
def model(name: str) -> Model:
    return from_config(config(name), name=name)


def by_name(rows: list[dict[str, str]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("row", rows, ids=[row["name"] for row in rows])


@by_name(ROWS)
def test_every_real_configuration_is_counted_to_the_last_parameter(row: dict[str, str]) -> None:
    found = model(row["name"])
    assert found.estimate == ""
    assert found.total == int(row["params_total"])
    assert found.tied == (row["tied"] == "True")
    assert found.embedding == int(row["token_embedding"])
    assert found.counts.head == int(row["lm_head_if_untied"])
    assert found.counts.position_embedding == int(row["position_embedding"])
    assert found.non_embedding == int(row["params_nonembedding"])


@by_name(ROWS)
def test_norms_and_biases_of_real_configurations(row: dict[str, str]) -> None:
    counts = model(row["name"]).counts
    named = counts.norms + NORM_BY_NAME.get(row["name"], 0)
    assert named == int(row["norm_params"])
    assert counts.bias + counts.norm_bias == int(row["bias_params"])


@by_name(ROWS)
def test_active_parameters_by_each_convention(row: dict[str, str]) -> None:
    found = model(row["name"])
    assert found.active == int(row["params_active"])
    assert found.active_non_embedding == int(row["params_active_nonembedding"])
    routed = [layer.experts for layer in found.layers if layer.experts]
    held = sum(experts.total * experts.per_expert for experts in routed)
    assert held == int(row["routed_expert_params"])
    if routed or int(row["n_experts"] or 0):
        assert {experts.total for experts in routed} == {int(row["n_experts"])}
        assert {experts.top_k for experts in routed} == {int(row["top_k"])}


def test_published_active_figures_follow_two_conventions() -> None:
    # gpt-oss leaves the input embedding out (5.1 B); Mixtral counts everything (12.9 B).
    # Sources: openai/gpt-oss README; Mixtral of Experts, arXiv 2401.04088.
    assert round(model("gpt-oss-120b").active_without_input_embedding / 1e9, 1) == 5.1
    assert round(model("mixtral-8x7b").active / 1e9, 1) == 12.9
    assert round(model("deepseek-v3").active / 1e9) == 38
    assert round(model("deepseek-v3").active_without_input_embedding / 1e9) == 37


# Checkpoints that hold more than the model's parameters, and why.
BESIDE = {
    "deepseek-v3": 58 * 256,  # one correction number per expert, a buffer in transformers
    "gpt-j-6b": 0,
}


@by_name([row for row in ROWS if row["published_total"]])
def test_published_totals(row: dict[str, str]) -> None:
    found = model(row["name"])
    published = int(row["published_total"]) - BESIDE.get(row["name"], 0)
    assert published in (found.total, found.stored)


@by_name([row for row in ROWS if row["hf_kv_bytes_per_token_bf16_s256_512"] not in ("", "0.0")])
def test_cache_bytes_per_token(row: dict[str, str]) -> None:
    """Against the cache that transformers itself filled, from 256 to 512 tokens, in bf16."""
    found = model(row["name"])
    measured = float(row["hf_kv_bytes_per_token_bf16_s256_512"])
    ours = found.kv_bytes_per_token("bf16", context=256)
    if row["name"] == "falcon-180b":
        # transformers stores a copy of each of the 8 key-value heads for all 232 query heads.
        assert ours * 232 / 8 == measured
    elif row["name"] == "gemma3-1b":
        # Windows of 512 keep 511 earlier tokens: the last of the 256 steps adds nothing there.
        sliding = sum(
            layer.attention.kind == "sliding" for layer in found.layers if layer.attention
        )
        assert ours - sliding * 2 * 2 * 256 / 256 == measured
    elif row["name"].startswith("whisper"):
        # The decoder takes 448 tokens at most: 192 of the 256 steps fit.
        assert ours * 192 / 256 == measured
    else:
        # An encoder-decoder's figure grew both sequences at once.
        assert ours + found.cross_kv_bytes_per_token("bf16") == measured


@pytest.mark.parametrize("family", sorted(RANDOM["families"]))
def test_invented_configurations(family: str) -> None:
    assert RANDOM["transformers"] == "5.24.0"
    for case, total in RANDOM["families"][family]:
        assert from_config(case).total == total, case


def test_the_list_of_plain_decoders_is_that_of_the_rules() -> None:
    listed = {name for name, place in FAMILIES.items() if place[2] == "plain_decoder"}
    assert listed == set(RULES)


def test_every_family_has_defaults_and_nearly_every_one_invented_configurations() -> None:
    assert set(FAMILIES) <= set(known_model_types())
    # kimi_k2 is DeepSeek-V3 by another name; DBRX cannot be built from an invented configuration.
    text_sides = {name for name in FAMILIES if name.endswith("_text")}
    missing = set(known_families()) - set(RANDOM["families"]) - text_sides - {"kimi_k2", "dbrx"}
    assert missing == set()


@by_name(ROWS)
def test_rows_add_up_and_round_trip(row: dict[str, str]) -> None:
    table = model(row["name"]).parameters()
    assert table.total is not None
    assert table.total.value == int(row["params_total"])
    assert Table.from_dict(table.to_dict()) == table
    for entry in table.rows:
        assert entry.working.endswith(f"{entry.value:,}")


@by_name(ROWS)
def test_stacks_and_layers_add_up_to_the_model(row: dict[str, str]) -> None:
    found = model(row["name"])
    total = sum((stack.around.total for stack in found.stacks), 0)
    for stack in found.stacks:
        total += sum(layer.counts.total for layer in stack.layers)
    assert total == found.total
    assert found.active <= found.total <= found.stored
    assert 0 < found.matmul_active <= found.matmul


def test_working_shows_the_numbers() -> None:
    table = model("deepseek-v3").parameters()
    assert table["attention"].working == "61 × 187,105,280 = 11,413,422,080"
    assert table["token_embedding"].working == "129,280 × 7,168 = 926,679,040"


def test_matmul_weights_give_the_published_flops() -> None:
    """2 × tokens × matmul + attention is what a counter saw: Llama-3.1-8B, 1024 tokens.

    Counted with PyTorch's FlopCounterMode: 15,919,296,282,624 FLOP.
    """
    found = model("llama-3.1-8b")
    attention = found.layers[0].attention
    assert attention is not None
    scores = 4 * len(found.layers) * 1024**2 * attention.q_width
    assert 2 * 1024 * found.matmul + scores == pytest.approx(15_919_296_282_624, rel=2e-4)


def test_a_tied_head_multiplies_but_is_stored_once() -> None:
    tied, untied = (
        from_config({"model_type": "llama", "vocab_size": 1000, "tie_word_embeddings": tie})
        for tie in (True, False)
    )
    assert untied.total - tied.total == 1000 * 4096
    assert tied.stored == untied.stored == untied.total
    assert tied.matmul == untied.matmul


@pytest.mark.parametrize(
    ("family", "head"),
    [("gpt2", "GPT2Model"), ("gpt2", "GPT2ForSequenceClassification"), ("t5", "T5Model"),
     ("gemma3_text", "Gemma3TextModel"), ("bart", "BartModel"), ("opt", "OPTModel")],
)  # fmt: skip
def test_a_model_without_a_head_is_tied_to_none(family: str, head: str) -> None:
    # The counter of PyTorch sees no product with the vocabulary in any of these.
    config = {"model_type": family, "tie_word_embeddings": True}
    whole = from_config(config)
    found = from_config({**config, "architectures": [head]})
    assert whole.tied and not found.tied
    assert found.stored == found.total
    assert whole.matmul - found.matmul == whole.counts.token_embedding


def test_layers_used_again_multiply_again() -> None:
    once = from_config({"model_type": "albert", "num_hidden_layers": 1})
    twelve = from_config({"model_type": "albert", "num_hidden_layers": 12})
    assert twelve.total == once.total
    assert twelve.matmul - once.matmul == 11 * once.layers[0].counts.matmul


def test_equal_layers_are_one_object() -> None:
    assert len(model("llama-3.1-405b").main.groups()) == 1
    assert [times for _, times in model("deepseek-v3").main.groups()] == [3, 58]
    assert [times for _, times in model("gemma3-27b").main.groups()] == [52, 10]


def test_more_layers_add_whole_layers() -> None:
    for name in ("llama-3.1-8b", "mixtral-8x7b", "mamba-130m", "gpt2"):
        data = config(name)
        key = "n_layer" if "n_layer" in data else "num_hidden_layers"
        more = from_config({**data, key: data[key] + 5})
        assert more.total - model(name).total == 5 * model(name).layers[0].counts.total


def test_what_the_layers_are() -> None:
    attention = model("deepseek-v3").layers[0].attention
    assert attention is not None
    assert (attention.kind, attention.head_dim, attention.value_dim) == ("mla", 192, 128)
    assert model("deepseek-v3").kv_bytes_per_token("bf16") == 70_272
    kinds = [layer.attention.kind for layer in model("gpt-oss-120b").layers if layer.attention]
    assert kinds[:4] == ["sliding", "full", "sliding", "full"]
    mixers = [layer.recurrent is not None for layer in model("qwen3-next-80b-a3b").layers]
    assert mixers == [True, True, True, False] * 12
    assert [stack.role for stack in model("whisper-tiny").stacks] == ["audio", "decoder"]
    assert [stack.role for stack in model("llava-1.5-7b").stacks] == ["vision", "decoder"]
    assert model("llava-1.5-7b").stacks[0].positions == 577
    cached = [
        bool(layer.attention.cache_elements)
        for layer in model("gemma4-e2b").layers
        if layer.attention
    ]
    assert cached == [True] * 15 + [False] * 20


def test_state_of_recurrent_layers() -> None:
    """State in fp32 and convolution window in bf16 are what transformers keeps per sequence."""
    measured = {"mamba-130m": 2_654_208, "mamba2-2.7b": 170_524_672, "falcon-mamba-7b": 37_748_736}
    for name, size in measured.items():
        states = [layer.recurrent for layer in model(name).layers if layer.recurrent]
        assert sum(4 * state.state_elements + 2 * state.conv_elements for state in states) == size


def test_defaults_fill_in_absent_sizes_and_say_so() -> None:
    bare = from_config({"model_type": "gpt2"})
    assert bare.total == 124_439_808
    assert "hidden_size = 768" in bare.assumed
    assert model("llama-3.1-8b").assumed == ()


def test_general_and_own_key_names_mean_the_same() -> None:
    own = from_config({"model_type": "gpt2", "n_embd": 64, "n_head": 4, "n_layer": 2})
    general = from_config(
        {
            "model_type": "gpt2",
            "hidden_size": 64,
            "num_attention_heads": 4,
            "num_hidden_layers": 2,
        }
    )
    assert own.stacks == general.stacks


def test_quantization_changes_no_count() -> None:
    data = config("llama-3.1-8b")
    quantized = {**data, "quantization_config": {"quant_method": "awq", "bits": 4}}
    assert from_config(quantized).total == model("llama-3.1-8b").total


def test_counts_cover_every_part_once() -> None:
    counts = Counts(*range(1, len(PARTS) + 1))
    assert counts.total == sum(range(1, len(PARTS) + 1))
    assert (counts + counts).total == (counts * 2).total == 2 * counts.total


def test_a_stack_without_layers_counts_what_is_around() -> None:
    stack = Stack("decoder", 4, (), Counts(norm_weight=4))
    assert stack.counts.total == 4
    assert stack.groups() == []
