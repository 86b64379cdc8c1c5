"""FLOP of whole models: against a counter that ran them, and against what tools publish.

``flops_activation_kv_oracle.csv``: PyTorch's FlopCounterMode over each real configuration on the
meta device, transformers 5.24.0, torch 2.13.0, eager attention, batch 1.  ``published.csv``:
figures with their source, row by row.
"""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from napkin.flops import (
    CONVENTIONS,
    backward_flops,
    compare_conventions,
    convention_named,
    decode_flops,
    flops_per_token,
    forward_flops,
    generation_flops,
    matmul_flops,
    mfu,
    prefill_flops,
    recomputation_flops,
    rule_flops,
    training_flops,
)
from napkin.flops.conventions import Convention
from napkin.flops.scores import twice_pairs
from napkin.models import Attention, Model, from_config
from napkin.table import Table

VECTORS = Path(__file__).parents[1] / "vectors"


def rows(name: str) -> list[dict[str, str]]:
    with (VECTORS / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


ORACLE = [row for row in rows("flops_activation_kv_oracle") if row["eager_fwd_flops"]]
PUBLISHED = rows("published")


@cache
def model(name: str) -> Model:
    text = (VECTORS / "configs" / f"{name}.json").read_text(encoding="utf-8")
    return from_config(json.loads(text), name=name)


SMALL = [
    "gpt2", "llama-3.2-1b", "qwen3-0.6b", "gemma3-1b", "mixtral-8x7b", "deepseek-v3", "t5-small",
    "whisper-tiny", "mamba-130m", "jamba-v0.1", "gpt-oss-120b", "vit-base-16-224",
    "modernbert-base", "qwen3-next-80b-a3b", "deepseek-v4-flash-284b", "gemma4-e2b",
]  # fmt: skip


# --- the counter -------------------------------------------------------------------------------


@pytest.mark.parametrize("row", ORACLE, ids=[row["name"] for row in ORACLE])
def test_forward_and_backward_are_what_the_counter_counted(row: dict[str, str]) -> None:
    seq = int(row["seq"])
    forward = forward_flops(model(row["name"]), seq).value("total")
    backward = backward_flops(model(row["name"]), seq).value("total")
    assert forward == pytest.approx(int(row["eager_fwd_flops"]), rel=5e-5)
    assert forward + backward == pytest.approx(int(row["eager_fwd_bwd_flops"]), rel=5e-5)


INVENTED = json.loads((VECTORS / "flops_random.json").read_text("utf-8"))["families"]
CONFIGS = json.loads((VECTORS / "params_random.json").read_text("utf-8"))["families"]


@pytest.mark.parametrize("family", sorted(INVENTED))
def test_invented_configurations_cost_what_the_counter_counted(family: str) -> None:
    for index, seq, counted in INVENTED[family]:
        table = forward_flops(from_config(CONFIGS[family][index][0]), seq)
        assert table.value("total") == pytest.approx(counted, rel=2e-4), index


def test_images_cost_what_the_counter_counted() -> None:
    # LLaVA's projector sees the patches without the class token, Mistral 3's groups of them.
    for name, family in (("llava", "llava"), ("mistral3", "mistral3"), ("internvl", "internvl")):
        data = CONFIGS[name][0][0]
        with_image = forward_flops(from_config(data), 9, images=1)
        without = forward_flops(from_config(data), 9)
        vision = [row for row in with_image.rows if row.key.startswith("vision_")]
        seen = sum(row.value for row in vision)
        assert with_image.value("total") - without.value("total") == seen > 0, family
        assert any(row.key == "vision_bridge" for row in vision)


def test_sound_is_cut_at_many_times_the_rate_of_frames() -> None:
    """wav2vec 2.0 base, 49 frames of one second: 7 convolutions."""
    table = forward_flops(from_config({"model_type": "wav2vec2"}), 49)
    # The shortest sound that gives 49 frames: 15,760 samples, of which the first makes 3,151.
    lengths, kernels = [3151, 1575, 787, 393, 196, 98, 49], [10, 3, 3, 3, 3, 2, 2]
    cut = sum(n * k * 512 * (1 if i == 0 else 512)
              for i, (n, k) in enumerate(zip(lengths, kernels, strict=True)))  # fmt: skip
    after = 49 * (512 * 768 + 768 * 768 // 16 * 128)
    assert table.value("projector") + table.value("bridge") == 2 * (cut + after)
    assert any("shortest sound" in note for note in table.notes)


def test_a_sparse_reader_pays_for_its_indexer_and_then_reads_less() -> None:
    base = CONFIGS["deepseek_v32"][0][0]
    few, many = (from_config({**base, "index_topk": k}) for k in (8, 10**6))
    assert forward_flops(few, 64).value("total") == forward_flops(many, 64).value("total")
    short, long = (forward_flops(m, 64, convention="kernel").value("scores") for m in (few, many))
    attention = few.layers[0].attention
    assert attention is not None
    unread = 64 * 65 // 2 - (8 * 9 // 2 + 56 * 8)
    width = attention.heads * (attention.head_dim + attention.value_dim)
    assert long - short == len(few.layers) * 2 * unread * width


def test_what_is_estimated_or_left_out_is_said() -> None:
    for name, words in (("mamba", "scan is estimated"), ("llama4_text", "chosen ones only")):
        data = next(c for c, _ in CONFIGS[name] if "experts" in str(c) or name == "mamba")
        notes = forward_flops(from_config(data), 16).notes
        assert any(words in note for note in notes), name


def test_without_scores_the_counter_counted_the_weights_alone() -> None:
    # Its memory-efficient run hid attention in a kernel that it does not know.
    bare = replace(CONVENTIONS["counter"], scores="none")
    exact = 0
    for row in ORACLE:
        if row["memeff_fwd_flops"] and "bloom" not in row["name"] and "vit" not in row["name"]:
            counted = int(row["memeff_fwd_flops"])
            total = forward_flops(model(row["name"]), int(row["seq"]), convention=bare)
            assert total.value("total") == counted, row["name"]
            exact += 1
    assert exact > 60


# --- an independent derivation -------------------------------------------------------------------


def test_gpt2_forward_is_its_products_added_up() -> None:
    s, h, v = 512, 768, 50257
    layer = (
        matmul_flops(s, h, 3 * h) + matmul_flops(s, h, h)
        + matmul_flops(s, h, 4 * h) + matmul_flops(s, 4 * h, h)
        + 12 * (matmul_flops(s, 64, s) + matmul_flops(s, s, 64))
    )  # fmt: skip
    expected = 12 * layer + matmul_flops(s, h, v)
    assert forward_flops(model("gpt2"), s).value("total") == expected


def test_mixtral_runs_two_of_eight_experts() -> None:
    table = forward_flops(model("mixtral-8x7b"), 4096)
    per_token = 2 * 32 * 2 * 3 * 4096 * 14336  # layers, experts, matrices
    assert table.value("experts") == 4096 * per_token


@settings(deadline=None)
@given(st.integers(1, 70), st.integers(0, 70), st.integers(1, 40))
def test_pairs_are_those_of_a_mask_drawn_out(queries: int, past: int, window: int) -> None:
    exact = CONVENTIONS["kernel"]
    for kind in ("full", "sliding", "chunked"):
        attention = Attention(kind, 1, 1, 1, 1, window=None if kind == "full" else window)
        seen = 0
        for query in range(past, past + queries):
            for key in range(query + 1):
                near = query - key < window
                same = query // window == key // window
                seen += {"full": True, "sliding": near, "chunked": same}[kind]
        assert twice_pairs(attention, queries, past, exact) == 2 * seen, kind


@settings(deadline=None)
@given(st.integers(1, 60), st.integers(1, 40))
def test_a_two_sided_window_sees_half_on_each_side(tokens: int, window: int) -> None:
    attention = Attention("sliding", 1, 1, 1, 1, window=window, causal=False)
    seen = sum(abs(query - key) <= window // 2 for query in range(tokens) for key in range(tokens))
    assert twice_pairs(attention, tokens, 0, CONVENTIONS["kernel"]) == 2 * seen


@pytest.mark.parametrize("name", SMALL)
def test_reading_in_two_pieces_costs_what_reading_at_once_does(name: str) -> None:
    if model(name).main.role == "vision" or model(name).stack("encoder"):
        pytest.skip("reads everything at once")
    subject = model(name)
    absorbed = any(x.attention and x.attention.kind == "mla" for x in subject.layers)
    if absorbed or model(name).stack("audio"):
        pytest.skip("decoding multiplies other matrices there")
    whole = prefill_flops(subject, 600, logits="all").value("total")
    first = prefill_flops(subject, 400, logits="all").value("total")
    rest = decode_flops(subject, 400, tokens=200).value("total")
    assert first + rest == pytest.approx(whole, rel=2e-3)
    if "deepseek-v4" not in name:
        assert first + rest == whole


# --- published figures ---------------------------------------------------------------------------


def test_llm_foundrys_mfu_tables() -> None:
    errors = []
    for row in PUBLISHED:
        given = json.loads(row["inputs"])
        if row["quantity"] == "mfu" and "llmfoundry" in row["case_id"]:
            each = 6 * given["params_total"] + 12 * (
                given["n_layers"] * given["d_model"] * given["seq_len"]
            )
            table = mfu(given["tokens_per_s_per_gpu"], given["peak_flops"], per_token=each)
            errors.append(abs(table.value("mfu") / float(row["value"]) - 1))
    assert len(errors) > 150
    assert max(errors) < 0.0025


def test_llm_foundrys_formula_is_a_named_convention() -> None:
    mpt = model("mpt-7b")
    each = 6 * mpt.total + 12 * 32 * 4096 * 2048
    assert flops_per_token(mpt, 2048, convention="llm_foundry") == each


@pytest.mark.parametrize(
    ("name", "extra"),
    [("llama-3.1-70b", 0), ("llama-3.1-405b", 0), ("qwen3-30b-a3b", 0), ("deepseek-v3", 1)],
)
def test_megatron_bridges_flops_per_token(name: str, extra: int) -> None:
    """NVIDIA prints TFLOP/s and tokens/s, both rounded: half of the rows within 0.5%, all in 3%."""
    errors = []
    for row in PUBLISHED:
        given = json.loads(row["inputs"])
        wanted = row["quantity"] == "training_flops_per_token" and given["model"] == name
        if wanted and row["case_id"].startswith("mbridge"):
            mine = flops_per_token(
                model(name), given["seq_len"], convention="megatron", extra_predictions=extra
            )
            errors.append(abs(mine / float(row["value"]) - 1))
    assert len(errors) >= 4
    assert median(errors) < 0.005
    assert max(errors) < 0.03


def test_torchtitans_count_to_the_last_flop() -> None:
    # pytorch/torchtitan#4300, Qwen3-30B-A3B at 8192 tokens.
    each = flops_per_token(model("qwen3-30b-a3b"), 8192, convention="torchtitan")
    assert each == 37_578_559_488


def test_maxtexts_count_to_the_last_flop() -> None:
    # AI-Hypercomputer/maxtext#1304: Llama 2 7B, 4 sequences of 256 tokens.
    table = training_flops(model("llama-2-7b"), 1024, 256)
    assert table.value("total") == 41_006_200_258_560


def test_nanogpts_count() -> None:
    # karpathy/nanoGPT transformer_sizing.ipynb: 6N + 12·L·h·Q·T with N = 123,653,376... per token.
    each = flops_per_token(model("gpt2"), 1024, convention="nanogpt")
    assert each == 6 * (124_439_808 - 786_432) + 12 * 12 * 768 * 1024


@pytest.mark.parametrize(
    ("layers", "hidden", "heads", "vocab", "seq"), [(24, 2304, 24, 51200, 2048)]
)
def test_full_recomputation_is_narayanans_formula(
    layers: int, hidden: int, heads: int, vocab: int, seq: int
) -> None:
    """Narayanan et al. 2021: 96·B·s·L·h²·(1 + s/6h + V/16Lh) with everything run again."""
    gpt = from_config(
        {"model_type": "gpt2", "n_layer": layers, "n_embd": hidden, "n_head": heads,
         "vocab_size": vocab, "n_positions": seq}
    )  # fmt: skip
    factor = 1 + seq / (6 * hidden) + vocab / (16 * layers * hidden)
    expected = 96 * seq * layers * hidden**2 * factor
    total = training_flops(gpt, seq, seq, recompute="full").value("total")
    assert total == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("layers", "hidden", "heads"), [(48, 6144, 64), (96, 12288, 96), (105, 20480, 128)]
)
def test_model_flops_are_korthikantis_formula(layers: int, hidden: int, heads: int) -> None:
    """Korthikanti et al. 2022, appendix A: 72·B·L·s·h²·(1 + s/6h + V/12hL)."""
    seq, vocab = 2048, 51200
    gpt = from_config(
        {"model_type": "gpt2", "n_layer": layers, "n_embd": hidden, "n_head": heads,
         "vocab_size": vocab, "n_positions": seq}
    )  # fmt: skip
    factor = 1 + seq / (6 * hidden) + vocab / (12 * hidden * layers)
    each = flops_per_token(gpt, seq, convention="korthikanti")
    assert each == pytest.approx(72 * layers * hidden**2 * factor, rel=1e-12)
    some = flops_per_token(gpt, seq, convention="korthikanti", recompute="selective")
    assert some - each == 4 * layers * seq * hidden


def test_llama_3_says_how_much_conventions_differ() -> None:
    """Llama 3.1 8B at 8192 tokens: with and without the mask, N without and with embeddings."""
    llama = model("llama-3.1-8b")
    without = 6 * llama.matmul
    full = flops_per_token(llama, 8192, convention="counter") / without - 1
    half = flops_per_token(llama, 8192, convention="megatron") / without - 1
    assert (round(half, 2), round(full, 2)) == (0.14, 0.29)
    table = compare_conventions(llama, 8192)
    assert table.value("palm") / (6 * llama.active) - 1 == pytest.approx(0.27, abs=0.005)
    assert {row.key for row in table.rows} == set(CONVENTIONS)


@pytest.mark.parametrize(
    ("parameters", "tokens", "published", "tolerance"),
    [
        (124e6, 10e9, 7.44e18, 1e-9),  # karpathy/llm.c run_gpt2_124M.sh
        (174.6e9, 300e9, 3.14e23, 0.002),  # Brown et al. 2020, table D.1
        (405e9, 15.6e12, 3.8e25, 0.01),  # Dubey et al. 2024
        (280e9, 300e9, 5.04e23, 1e-9),  # Hoffmann et al. 2022: Gopher
    ],
)
def test_six_n_d_gives_published_budgets(
    parameters: float, tokens: float, published: float, tolerance: float
) -> None:
    assert rule_flops(parameters, tokens).value("total") == pytest.approx(published, rel=tolerance)


def test_the_course_s_toy_and_rule() -> None:
    assert rule_flops(1000, 500).value("total") == 3_000_000
    assert rule_flops(7e9, 1, "forward").value("total") == 14e9
    assert rule_flops(1e9, 1, "training_recompute").value("recompute") == 2e9
    assert rule_flops(1e9, 1, "adapters").value("total") == 4e9


# --- properties ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SMALL)
@settings(deadline=None, max_examples=25)
@given(seq=st.integers(1, 5000), more=st.integers(1, 3000), batch=st.integers(1, 9))
def test_more_never_costs_less_and_batch_multiplies(
    name: str, seq: int, more: int, batch: int
) -> None:
    for convention in ("counter", "kernel", "megatron"):
        one = forward_flops(model(name), seq, convention=convention)
        longer = forward_flops(model(name), seq + more, convention=convention)
        many = forward_flops(model(name), seq, batch, convention=convention)
        assert longer.value("total") >= one.value("total")
        assert many.value("total") == batch * one.value("total")


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("convention", sorted(CONVENTIONS))
def test_parts_add_up_and_round_trip(name: str, convention: str) -> None:
    seq = 1000
    forward = forward_flops(model(name), seq, convention=convention)
    backward = backward_flops(model(name), seq, convention=convention)
    assert forward.value("total") == sum(row.value for row in forward.rows)
    assert all(isinstance(row.value, int) and row.working for row in forward.rows)
    assert Table.from_dict(json.loads(json.dumps(forward.to_dict()))) == forward
    trained = training_flops(model(name), seq, seq, convention=convention)
    assert trained.value("total") == forward.value("total") + backward.value("total")


@pytest.mark.parametrize("name", SMALL)
def test_recomputation_lies_between_nothing_and_the_forward_pass(name: str) -> None:
    forward = forward_flops(model(name), 777).value("total")
    full = recomputation_flops(model(name), 777).value("total")
    some = recomputation_flops(model(name), 777, recompute="selective").value("total")
    assert 0 <= some <= full <= forward


def test_adapters_train_for_two_thirds() -> None:
    llama = model("llama-2-7b")
    full = training_flops(llama, 1e9, 2048, convention=replace(CONVENTIONS["counter"],
                                                               scores="none"))  # fmt: skip
    lora = training_flops(llama, 1e9, 2048, adapter_parameters=20_000_000,
                          convention=replace(CONVENTIONS["counter"], scores="none"))  # fmt: skip
    assert lora.value("total") / full.value("total") == pytest.approx(2 / 3, abs=0.005)


def test_generation_is_prefill_and_single_steps() -> None:
    llama = model("llama-3.2-1b")
    steps = sum(int(decode_flops(llama, 100 + i).value("total")) for i in range(9))
    table = generation_flops(llama, 100, 10)
    assert table.value("decode") == steps
    assert generation_flops(llama, 100, 1).value("total") == prefill_flops(llama, 100).value(
        "total"
    )


def test_windows_shorten_long_contexts_only() -> None:
    mistral = model("mistral-7b-v0.1")
    honoured, ignored = CONVENTIONS["kernel"], replace(CONVENTIONS["kernel"], windows=False)
    for seq, same in ((4096, True), (8192, False)):
        a = forward_flops(mistral, seq, convention=honoured).value("total")
        b = forward_flops(mistral, seq, convention=ignored).value("total")
        assert (a == b) is same


def test_heads_and_embeddings_can_be_left_out() -> None:
    gpt2 = model("gpt2")
    bare = replace(CONVENTIONS["counter"], head=False)
    assert "head" not in forward_flops(gpt2, 10, convention=bare)
    without = flops_per_token(gpt2, 1, convention="kaplan")
    assert without == 6 * gpt2.non_embedding
    assert flops_per_token(gpt2, 1, convention="six_n") == 6 * gpt2.total


def test_mfu_counts_all_devices_and_doubts_more_than_the_peak() -> None:
    llama = model("llama-3.1-8b")
    one = mfu(7207, 918e12, llama, seq=8192)
    # AI-Hypercomputer/maxtext, tiering.md: 45.46% on v6e.
    assert one.value("mfu") == pytest.approx(45.46, abs=0.01)
    many = mfu(256 * 7207, 918e12, llama, seq=8192, devices=256)
    assert many.value("mfu") == pytest.approx(one.value("mfu"))
    assert "above 100%" in mfu(20_000, 918e12, llama, seq=8192).notes[0]
    assert not one.notes


# --- refusals ------------------------------------------------------------------------------------


def untyped(value: object) -> Any:
    """Hides a wrong argument from the type checker."""
    return value


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: forward_flops(m, 0), "seq must be at least 1"),
        (lambda m: forward_flops(m, untyped(1.5)), "seq must be a whole number"),
        (lambda m: forward_flops(m, True), "seq must be a whole number"),
        (lambda m: forward_flops(m, 8, -1), "batch must be at least 1"),
        (lambda m: forward_flops(m, 8, convention="palmm"), "did you mean 'palm'"),
        (lambda m: forward_flops(m, 8, logits=untyped("some")), "use 'all' or 'last'"),
        (lambda m: training_flops(m, 0), "tokens is 0"),
        (lambda m: training_flops(m, float("nan")), "tokens is nan"),
        (lambda m: training_flops(m, float("inf")), "tokens is infinite"),
        (
            lambda m: training_flops(m, 1e9, recompute=untyped("half")),
            "use one of none, selective, full",
        ),
        (lambda m: recomputation_flops(m, 8, recompute=untyped("none")), None),
        (lambda m: mfu(0, 1e15, m), "tokens_per_s is 0"),
        (lambda m: mfu(1.0, untyped("1e15"), m), "peak_flops is '1e15'"),
        (lambda m: mfu(1.0, 1e15), "either a model"),
        (lambda m: mfu(1.0, 1e15, m, per_token=6e9), "either a model"),
        (lambda m: mfu(1.0, 1e15, per_token=-6e9), "per_token is -6"),
        (lambda m: mfu(1.0, 1e15, m, devices=0), "devices must be at least 1"),
        (lambda m: rule_flops(-1), "parameters is -1"),
        (lambda m: rule_flops(1e9, untyped("1e9")), "tokens is '1e9'"),
        (lambda m: rule_flops(1e9, 1, untyped("inference")), "use one of forward"),
        (lambda m: generation_flops(m, 10, 0), "new_tokens must be at least 1"),
        (lambda m: Convention("mine", "", scores=untyped("full")), "use one of square"),
        (lambda m: Convention("mine", "", weights=untyped("N")), "weights is 'N'"),
    ],
)
def test_bad_input_is_refused_with_the_rule(call: Any, message: str | None) -> None:
    subject = model("gpt2")
    if message is None:
        assert call(subject).value("total") == 0
        return
    with pytest.raises(ValueError, match=message):
        call(subject)


def test_a_convention_can_be_given_by_name_or_made() -> None:
    mine = replace(convention_named("LLM-Foundry"), name="mine")
    assert flops_per_token(model("gpt2"), 64, convention=mine) == flops_per_token(
        model("gpt2"), 64, convention="llm_foundry"
    )
