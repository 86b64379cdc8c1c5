"""Measured speeds inside the stated ranges, and what must hold for any model and device."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from napkin.achieved import ACHIEVED, Range, achieved, engine_named, memory_kind
from napkin.flops import decode_flops, prefill_flops
from napkin.hardware import accelerator, accelerators
from napkin.kv import kv_cache_bytes
from napkin.models import Model, from_config
from napkin.passes import decode_pass, experts_read, prefill_pass, read_bytes
from napkin.serving import batch_sweep, context_sweep, decode_rate, decode_speed, prefill_speed
from napkin.serving import request_speed as request
from napkin.speculative import (
    best_draft_length,
    speculative,
    speculative_speedup,
    tokens_per_round,
)
from napkin.speed import Setup, decode_seconds, prefill_seconds, verify_seconds
from napkin.weights import weights_bytes
from sitekit.accuracy.comparison import Family
from sitekit.accuracy.published import model_named
from sitekit.accuracy.speed import decode_family, prefill_family, request_family


def model(name: str) -> Model:
    found = model_named(name)
    assert found is not None
    return found


LLAMA = model("llama-2-7b")
HALF: Any = 1.5
TEXT: Any = "9"
MIXTRAL = from_config({"model_type": "mixtral"})


@pytest.mark.parametrize(
    ("family", "least"), [(decode_family(), 100), (request_family(), 100), (prefill_family(), 100)],
    ids=lambda value: value.key if isinstance(value, Family) else "",
)  # fmt: skip
def test_four_of_five_measurements_are_inside_their_range(family: Family, least: int) -> None:
    assert len(family.rows) >= least
    assert family.hit_rate >= 0.8
    held_out = [row for row in family.rows if row.split == "held out"]
    assert sum(row.inside for row in held_out) / len(held_out) >= 0.8


def test_no_range_is_wider_than_two_and_a_half() -> None:
    for rates in ACHIEVED.values():
        for name in ("bandwidth", "peak", "peak_fp8", "layer", "hop"):
            span = getattr(rates, name)
            assert span.width <= 2.5001, (rates.reason, name)
    for family in (decode_family(), request_family(), prefill_family()):
        assert max(row.width for row in family.rows) <= 2.5001


def test_every_device_and_engine_gives_a_range_with_a_reason() -> None:
    for gpu in accelerators():
        for engine in ("compiled", "llama.cpp", "transformers"):
            setup = Setup.of(gpu, 1, engine, "bf16")
            step = decode_seconds(LLAMA, setup, context=512)
            assert 0 < step.low <= step.typical <= step.high <= 2.6 * step.low, gpu.name
            assert step.low >= (LLAMA.total - LLAMA.embedding) * 2 / gpu.bandwidth, gpu.name
            assert len(setup.rates.reason) > 20


@pytest.mark.parametrize(
    ("name", "kind"),
    [("H100", "hbm"), ("A100", "hbm"), ("B200", "hbm"), ("MI300X", "hbm"), ("TPU v5e", "hbm"),
     ("T4", "gddr pro"), ("L40S", "gddr pro"), ("RTX A6000", "gddr pro"),
     ("RTX 6000 Ada", "gddr pro"), ("RTX 4000 Ada", "gddr pro"), ("RTX 4090", "gddr"),
     ("RTX 3080 Ti", "gddr"), ("RTX 5090", "gddr"), ("GTX 1080 Ti", "gddr"),
     ("RX 7900 XTX", "gddr"), ("Apple M4 Max (40-core GPU)", "unified"),
     ("Apple M1 Ultra (64-core GPU)", "two dies"), ("Jetson AGX Orin 64GB", "unified")],
)  # fmt: skip
def test_kind_of_memory(name: str, kind: str) -> None:
    assert memory_kind(accelerator(name)) == kind


# An independent count: napkin.flops builds its figures part by part, napkin.passes from totals.
@pytest.mark.parametrize(
    "name", ["llama-2-7b", "llama-3.1-70b", "qwen3-0.6b", "qwen3-30b-a3b", "deepseek-v3", "gpt2"]
)
def test_flops_agree_with_the_exact_count(name: str) -> None:
    one = decode_pass(model(name), context=1000, batch=3)
    exact = decode_flops(model(name), 999, 3).value("total")
    assert one.linear + one.attention == pytest.approx(exact, rel=0.001)
    many = prefill_pass(model(name), prompt=1000, batch=2)
    exact = prefill_flops(model(name), 1000, 2).value("total")
    assert many.linear + many.attention == pytest.approx(exact, rel=0.01)


@pytest.mark.parametrize("name", ["llama-2-7b", "llama-3.1-70b", "qwen3-8b", "deepseek-v3"])
def test_cache_read_is_the_cache_kept(name: str) -> None:
    read = decode_pass(model(name), context=2048, batch=2).cache
    assert read == kv_cache_bytes(model(name), 2048, 2)


def test_windows_and_states_bound_what_is_read() -> None:
    mistral = from_config({"model_type": "mistral", "sliding_window": 4096})
    assert decode_pass(mistral, context=4096).cache == decode_pass(mistral, context=10**6).cache
    mamba = from_config({"model_type": "mamba"})
    assert decode_pass(mamba, context=1).cache == decode_pass(mamba, context=10**6).cache > 0


def test_weights_read_leave_out_only_the_lookup() -> None:
    assert read_bytes(LLAMA) == weights_bytes(LLAMA) - 2 * LLAMA.embedding
    tied = model("llama-3.2-1b")
    assert read_bytes(tied) == weights_bytes(tied)
    table = read_bytes(LLAMA, "Q4_K_M")
    assert table == pytest.approx(weights_bytes(LLAMA, "Q4_K_M") - 32000 * 4096 * 4.5 / 8, rel=1e-3)


def test_experts_are_read_as_tokens_wake_them() -> None:
    one, all_of_them = read_bytes(MIXTRAL, tokens=1), read_bytes(MIXTRAL, tokens=10**6)
    assert one / 2 == pytest.approx(MIXTRAL.active - MIXTRAL.embedding, rel=1e-6)
    assert all_of_them / 2 == pytest.approx(MIXTRAL.total - MIXTRAL.embedding, rel=1e-6)
    assert experts_read(128, 8, 1) == pytest.approx(8)
    assert read_bytes(MIXTRAL, "awq") < one / 3


@settings(max_examples=40, deadline=None)
@given(
    batch=st.integers(1, 512), context=st.integers(0, 100_000),
    gpu=st.sampled_from(["H100", "RTX 4090", "A100", "Apple M2 Ultra (76-core GPU)"]),
    weights=st.sampled_from(["bf16", "fp8", "awq", "Q4_K_M"]),
)  # fmt: skip
def test_more_work_never_takes_less_time(batch: int, context: int, gpu: str, weights: str) -> None:
    setup = Setup.of(gpu, weights=weights)
    here = decode_seconds(LLAMA, setup, context=context, batch=batch)
    assert decode_seconds(LLAMA, setup, context=context + 1000, batch=batch).low >= here.low
    more = decode_seconds(LLAMA, setup, context=context, batch=batch + 1)
    assert here.typical <= more.typical
    # … and a bigger batch never lowers the tokens per second of all together.
    assert (batch + 1) / more.typical >= batch / here.typical * (1 - 1e-9)


def test_batching_is_nearly_free_while_memory_bound() -> None:
    setup = Setup.of("H100")
    rates = {batch: total.typical for batch, _, total in batch_sweep(LLAMA, setup, (1, 16),
             context=128)}  # fmt: skip
    assert 14 < rates[16] / rates[1] <= 16


def test_a_faster_chip_with_the_same_memory_does_not_decode_faster() -> None:
    # H800 and H100 differ in links, GH200's peak is the same at more bandwidth.
    h100, gh200 = (decode_rate(LLAMA, Setup.of(name)).typical for name in ("H100", "GH200"))
    assert gh200 / h100 == pytest.approx(4000 / 3350, rel=0.06)


def test_longer_contexts_slow_down_by_the_cache() -> None:
    setup = Setup.of("A100")
    sweep = dict(context_sweep(LLAMA, setup, (0, 25_000)))
    # 25,000 tokens × 512 KiB = 13.1 GB, as much as the weights: about half the speed.
    assert sweep[25_000].typical / sweep[0].typical == pytest.approx(0.54, abs=0.04)


def test_tensor_parallel_is_faster_and_layer_split_is_not() -> None:
    one = decode_rate(LLAMA, Setup.of("A100")).typical
    four = decode_rate(LLAMA, Setup.of("A100", 4)).typical
    assert 2 < four / one < 4  # gpt-fast: 254 against 105 tokens/s
    layers = decode_rate(LLAMA, Setup.of("A100", 4, split="layers")).typical
    assert 0.9 < layers / one < 1


def test_tables_say_range_bound_and_reason() -> None:
    table = decode_speed(LLAMA, "rtx-4090", weights="Q4_K_M", batch=4)
    low, high = table.value("tokens_per_s_low"), table.value("tokens_per_s_high")
    assert low <= table.value("tokens_per_s") <= high <= 2.5 * low
    assert high <= table.value("limit")
    assert table.value("total_tokens_per_s") == pytest.approx(4 * table.value("tokens_per_s"))
    assert table.notes[0] == "bound by memory"
    assert "76-100%" in table.notes[1]
    assert prefill_speed(LLAMA, "H100", prompt=4096).notes[0] == "bound by arithmetic"
    whole = request(LLAMA, "H100", prompt=512, generated=64)
    assert whole.value("request") == pytest.approx(
        whole.value("first_token") + 64 * whole.value("step")
    )


def test_a_speed_of_what_does_not_fit_says_so() -> None:
    assert "does not fit" not in decode_speed(LLAMA, "rtx-4090", batch=4).text()
    assert "does not fit: 142 GB" in decode_speed("llama-3.1-70b", "rtx-4090").text()
    assert "does not fit" in request("llama-3.1-70b", "h100", generated=10).text()


def test_first_token_of_llama_7b_on_an_a100() -> None:
    # TensorRT-LLM on A100, hahnyuan/LLM-Viewer issue 4: 120.5 ms for 2,048 tokens.
    seconds = prefill_seconds(LLAMA, Setup.of("A100", weights="fp16"), prompt=2048)
    assert 0.1205 in seconds


def test_speculative_decoding_against_the_paper() -> None:
    # Leviathan et al. 2023, table 2 (recalled): T5-XXL with T5-small, EnDe, a = 0.75, 7 guesses:
    # 3.4 times measured. Draft cost about 0.02.
    assert speculative_speedup(0.75, 7, 0.02) == pytest.approx(3.4, rel=0.1)
    assert tokens_per_round(0.6, 4) == pytest.approx(sum(0.6**i for i in range(5)))


def test_speculative_decoding_against_gpt_fast() -> None:
    # gpt-fast on A100: Llama 2 70B and 7B in 4 bits reach 48.4 tokens/s together, 25.25 without.
    table = speculative(model("llama-2-70b"), LLAMA, "A100", weights="gptq", draft_weights="gptq",
                        draft=5, acceptance=0.8, context=128)  # fmt: skip
    assert table.value("plain") == pytest.approx(25.25, rel=0.25)
    assert table.value("speedup") == pytest.approx(48.4 / 25.25, rel=0.2)


@given(rate=st.floats(0, 1), draft=st.integers(0, 32), cost=st.floats(0, 2))
def test_speculation_yields_one_to_k_plus_one_tokens(rate: float, draft: int, cost: float) -> None:
    assert 1 <= tokens_per_round(rate, draft) <= draft + 1 + 1e-9
    best = best_draft_length(rate, cost)
    assert speculative_speedup(rate, best, cost) >= speculative_speedup(rate, draft, cost) - 1e-12


def test_checking_a_draft_costs_little_more_than_one_step() -> None:
    setup = Setup.of("H100")
    one = verify_seconds(LLAMA, setup, tokens=1).typical
    assert one <= verify_seconds(LLAMA, setup, tokens=8).typical < 1.05 * one


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Setup.of("H1000"), "H100"),
        (lambda: Setup.of("H100", engine="vlm"), "did you mean 'vllm'"),
        (lambda: Setup.of("H100", split="rows"), "auto, tensor or layers"),
        (lambda: Setup.of("H100", gpus=0), "gpus must be at least 1"),
        (lambda: decode_speed(LLAMA, "H100", weights="q9"), "not a weight format"),
        (lambda: decode_speed(LLAMA, "H100", batch=HALF), "batch must be a whole number"),
        (lambda: decode_speed(LLAMA, "H100", context=-1), "context must be at least 0"),
        (lambda: prefill_speed(LLAMA, "H100", prompt=0), "prompt must be at least 1"),
        (lambda: request(LLAMA, "H100", generated=TEXT), "generated must be a whole number"),
        (lambda: tokens_per_round(1.5, 4), "acceptance must be a share"),
        (lambda: achieved("auto", "core rope"), "memory 'core rope' is not known"),
        (lambda: Range(3, 2, 1), "from low over typical to high"),
        (lambda: engine_named(""), "engine '' is not known"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_with_a_fix(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]
