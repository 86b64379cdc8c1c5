"""The roofline against published ridges, limits and step times."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from napkin.hardware import accelerator
from napkin.intensity import critical_batch, model_roofline, roofline_series
from napkin.roofline import (
    attainable,
    bound,
    decode_limit,
    intensity,
    matmul_intensity,
    ridge,
    roofline,
    roofline_points,
    roofline_seconds,
)

rates = st.floats(1e9, 1e16)
counts = st.floats(0, 1e20)


@pytest.mark.parametrize(
    ("device", "published", "source"),
    [
        ("H100 SXM", 295, "989 TFLOP/s ÷ 3.35 TB/s, the usual figure for bf16"),
        ("A100 SXM 80GB", 153, "312 TFLOP/s ÷ 2.039 TB/s"),
        ("TPU v5e", 240, "jax-ml/scaling-book, roofline: 1.97e14 ÷ 8.2e11"),
    ],
)
def test_ridge_is_the_published_one(device: str, published: float, source: str) -> None:
    gpu = accelerator(device)
    assert ridge(gpu.peak(), gpu.bandwidth) == pytest.approx(published, rel=0.005), source


def test_7b_bf16_on_an_h100_is_limited_to_about_240_tokens_per_second() -> None:
    assert decode_limit(7e9 * 2, 3.35e12) == pytest.approx(240, rel=0.01)


# jax-ml/scaling-book@0819a7d inference.md: Llama 2 13B in bf16, 8192 tokens of context, 8 × TPU
# v5e (6.56 TB/s together): theoretical step times in ms, with 40 and with 8 KV heads.
SCALING_BOOK = [
    (40, 1, 4.98), (40, 8, 12.13), (40, 16, 20.30), (40, 32, 36.65), (40, 64, 69.33),
    (40, 240, 249.09), (8, 1, 4.17), (8, 8, 5.60), (8, 16, 7.23), (8, 64, 17.04),
    (8, 240, 52.99),
]  # fmt: skip


@pytest.mark.parametrize(("kv_heads", "batch", "milliseconds"), SCALING_BOOK)
def test_step_times_of_the_scaling_book(kv_heads: int, batch: int, milliseconds: float) -> None:
    cache = batch * 8192 * 2 * 2 * 40 * kv_heads * 128
    weights, per_token = 13e9 * 2, 2 * 13e9
    seconds = roofline_seconds(0, cache, 1.6e15, 6.56e12) + roofline_seconds(
        per_token * batch, weights, 1.6e15, 6.56e12
    )
    assert seconds * 1000 == pytest.approx(milliseconds, rel=0.01)


@pytest.mark.parametrize("batch", [1, 4, 16, 64])
def test_weights_times_a_batch_have_the_batch_as_intensity(batch: int) -> None:
    assert matmul_intensity(batch, 16384, 16384) == pytest.approx(batch, rel=0.01)


def test_four_bit_weights_move_the_ridge_to_a_quarter_of_the_batch() -> None:
    # With weights alone moved, 16 bits need a batch of 295 on an H100 and 4 bits a quarter of it.
    assert matmul_intensity(74, 10**6, 10**6, 0.5) == pytest.approx(296, rel=0.01)


@given(flops=counts, size=counts, peak=rates, bandwidth=rates, fixed=st.floats(0, 10))
def test_time_is_never_below_either_bound(
    flops: float, size: float, peak: float, bandwidth: float, fixed: float
) -> None:
    seconds = roofline_seconds(flops, size, peak, bandwidth, fixed)
    assert seconds >= flops / peak
    assert seconds >= size / bandwidth
    assert seconds >= fixed
    slower = flops / peak if bound(flops, size, peak, bandwidth) == "compute" else size / bandwidth
    assert seconds == slower + fixed


@given(low=st.floats(0, 1e6), more=st.floats(1, 1e6), peak=rates, bandwidth=rates)
def test_more_reuse_never_slows_down(
    low: float, more: float, peak: float, bandwidth: float
) -> None:
    assert attainable(low, peak, bandwidth) <= attainable(low * more, peak, bandwidth) <= peak


def test_below_the_ridge_more_flops_do_not_help() -> None:
    h100 = roofline_seconds(14e9, 14e9, 989e12, 3.35e12)
    assert roofline_seconds(14e9, 14e9, 10 * 989e12, 3.35e12) == h100
    assert roofline_seconds(14e9, 14e9, 989e12, 2 * 3.35e12) == h100 / 2


def test_table_shows_both_times_and_the_bound() -> None:
    table = roofline(14e9, 14e9, 989e12, 3.35e12)
    assert table.value("intensity") == intensity(14e9, 14e9) == 1
    assert table.value("memory") == table.value("seconds")
    assert "more FLOP/s do not" in table.notes[0]
    assert table["memory"].working == "14 GB ÷ 3.35 TB/s"


def test_points_bend_at_the_ridge() -> None:
    points = dict(roofline_points(989e12, 3.35e12))
    corner = ridge(989e12, 3.35e12)
    assert math.isclose(points[corner], 989e12)
    assert points[1.0] == 3.35e12


@pytest.mark.parametrize("bad", [0, -1, float("nan"), float("inf"), "989e12", None, True])
def test_bad_rates_are_named(bad: object) -> None:
    with pytest.raises(ValueError, match=r"peak must be a finite number above 0.*989e12"):
        ridge(bad, 3.35e12)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="bandwidth must be"):
        decode_limit(14e9, bad)  # type: ignore[arg-type]


def test_decoding_in_16_bits_needs_a_batch_of_the_ridge() -> None:
    # jax-ml/scaling-book, inference: on TPU v5e the critical batch in bf16 is 240; on an H100 295.
    for device, batch in (("TPU v5e", 240), ("H100", 296)):
        assert critical_batch("llama-3.1-8b", device) == pytest.approx(batch, rel=0.01)
    # 8-bit weights with 16-bit arithmetic: half of it.
    assert critical_batch("llama-3.1-8b", "TPU v5e", weights="int8") == pytest.approx(120, rel=0.02)


def test_long_contexts_stay_bound_by_memory_at_any_batch() -> None:
    assert critical_batch("llama-3.1-8b", "h100", context=32_768) is None
    assert "critical_batch" not in model_roofline(batch=512, context=32_768)
    assert "critical_batch" in model_roofline(context=0)


def test_prefill_is_above_the_ridge_and_decoding_below() -> None:
    prefill = model_roofline("llama-3.1-8b", "h100", phase="prefill", context=4096)
    assert prefill.value("intensity") > 10 * prefill.value("ridge")
    assert prefill.value("share") == 100
    decode = model_roofline("llama-3.1-8b", "h100")
    assert decode.value("share") < 0.5
    assert decode.value("tokens_per_s") == pytest.approx(3.35e12 / decode.value("bytes"))
    with pytest.raises(ValueError, match="use 'decode' or 'prefill'"):
        model_roofline(phase="train")  # type: ignore[arg-type]


def test_series_climbs_the_roof() -> None:
    series = roofline_series("llama-3.1-8b", "h100", (1, 16, 256, 4096), context=0)
    reach = [flops for _, _, flops in series]
    assert reach == sorted(reach)
    assert reach[-1] == 989e12
    assert [round(own) for _, own, _ in series[:2]] == [1, 16]
