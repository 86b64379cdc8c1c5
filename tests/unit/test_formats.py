"""Number formats against NumPy and ml_dtypes, pattern by pattern."""

from __future__ import annotations

import math
import random
import struct

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from napkin.formats import (
    FORMATS,
    bit_text,
    bytes_per_value,
    decode,
    encode,
    format_named,
    spacing,
    stored,
)
from napkin.precision import after_update, formats_table, number_in_formats

SMALL = {
    "fp16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "fp8_e4m3": ml_dtypes.float8_e4m3fn,
    "fp8_e5m2": ml_dtypes.float8_e5m2,
    "fp8_e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "fp8_e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "fp6_e3m2": ml_dtypes.float6_e3m2fn,
    "fp6_e2m3": ml_dtypes.float6_e2m3fn,
    "fp4_e2m1": ml_dtypes.float4_e2m1fn,
    "e8m0": ml_dtypes.float8_e8m0fnu,
}


def patterns_of(values: np.ndarray, name: str) -> list[int]:
    """The patterns that the other library rounds float32 values to."""
    with np.errstate(over="ignore", invalid="ignore"):
        kept = values.astype(SMALL[name])
    words = kept.view(np.uint16 if kept.dtype.itemsize == 2 else np.uint8)
    return [int(word) for word in words]


def all_values(name: str) -> np.ndarray:
    bits = FORMATS[name].bits
    word = np.uint16 if bits == 16 else np.uint8
    with np.errstate(invalid="ignore"):  # signalling NaNs among the patterns
        values: np.ndarray = np.arange(1 << bits, dtype=word).view(SMALL[name]).astype(np.float64)
    return values


def same(ours: float, theirs: float) -> bool:
    if math.isnan(ours) or math.isnan(theirs):
        return math.isnan(ours) and math.isnan(theirs)
    return ours == theirs and math.copysign(1, ours) == math.copysign(1, theirs)


@pytest.mark.parametrize("name", SMALL)
def test_every_pattern_has_the_value_the_other_library_gives_it(name: str) -> None:
    theirs = all_values(name)
    wrong = [
        bits for bits, value in enumerate(theirs) if not same(decode(bits, name), float(value))
    ]
    assert not wrong, f"{len(wrong)} patterns of {name} differ, first {wrong[0]:#x}"


@pytest.mark.parametrize("name", SMALL)
def test_every_value_ties_and_their_neighbours_round_as_the_other_library_rounds(
    name: str,
) -> None:
    finite = np.unique(all_values(name)[np.isfinite(all_values(name))])
    middles = (finite[:-1] + finite[1:]) / 2
    beyond = np.array([finite[-1] * factor for factor in (1.01, 1.03, 1.0625, 1.07, 1.5, 2, 100)])
    rng = np.random.default_rng(0)
    spread = np.exp2(rng.uniform(-30, 30, 4000)) * rng.choice([-1, 1], 4000)
    with np.errstate(over="ignore"):
        inputs = np.concatenate([finite, middles, beyond, -beyond, spread]).astype(np.float32)
    near = np.concatenate([inputs, np.nextafter(inputs, np.float32(0)), np.nextafter(
        inputs, np.float32(np.inf))])  # fmt: skip
    near = near[np.isfinite(near)]
    if name == "e8m0":  # unsigned, without zero; ml_dtypes rounds subnormal fp32 inputs up, always
        near = near[near >= np.float32(2.0**-126)]
    theirs = patterns_of(near, name)
    wrong = [
        (float(x), encode(float(x), name), bits)
        for x, bits in zip(near, theirs, strict=True)
        if encode(float(x), name) != bits
        and not (math.isnan(decode(bits, name)) and math.isnan(stored(float(x), name)))
    ]
    assert not wrong, f"{name}: {len(wrong)} of {len(near)} differ: {wrong[:5]}"


@pytest.mark.parametrize(("name", "code", "size"), [("fp16", "e", 2), ("fp32", "f", 4),
                                                    ("fp64", "d", 8)])  # fmt: skip
def test_ieee_formats_agree_with_struct(name: str, code: str, size: int) -> None:
    rng = random.Random(1)
    for _ in range(5000):
        bits = rng.getrandbits(8 * size)
        value = struct.unpack(f"<{code}", bits.to_bytes(size, "little"))[0]
        assert same(decode(bits, name), value)
        if not math.isnan(value):
            assert encode(value, name) == bits


def test_fp32_rounds_doubles_as_numpy_does() -> None:
    rng = np.random.default_rng(2)
    values = rng.standard_normal(5000) * np.exp2(rng.uniform(-160, 130, 5000))
    with np.errstate(over="ignore", under="ignore"):
        theirs = values.astype(np.float32).view(np.uint32)
    assert [encode(float(x), "fp32") for x in values] == [int(bits) for bits in theirs]


def test_tf32_is_fp32_with_thirteen_mantissa_bits_rounded_off() -> None:
    rng = np.random.default_rng(3)
    values = (rng.standard_normal(5000) * np.exp2(rng.uniform(-130, 120, 5000))).astype(np.float32)
    for value in values:
        word = int(value.view(np.uint32))
        rounded = (word + 0xFFF + ((word >> 13) & 1)) & ~0x1FFF
        assert encode(float(value), "tf32") == rounded >> 13


@given(st.sampled_from(sorted(FORMATS)), st.data())
def test_a_stored_value_is_stored_unchanged(name: str, data: st.DataObject) -> None:
    bits = data.draw(st.integers(0, (1 << FORMATS[name].bits) - 1))
    value = decode(bits, name)
    if not math.isnan(value):
        assert encode(value, name) == bits


@given(st.sampled_from(sorted(FORMATS)), st.floats(-1e30, 1e30), st.floats(-1e30, 1e30))
def test_rounding_keeps_order_and_never_jumps_past_a_neighbour(
    name: str, one: float, other: float
) -> None:
    form = FORMATS[name]
    low, high = sorted((one, other))
    if form.signed:
        assert stored(low, form, saturate=True) <= stored(high, form, saturate=True)
    if form.signed and abs(one) <= form.largest:
        assert abs(stored(one, form) - one) <= spacing(one, form) / 2


def test_the_limits_are_those_that_the_standards_print() -> None:
    # Largest, smallest normal, smallest subnormal, epsilon: IEEE 754, OFP8 table 1, OCP MX tables.
    published = {
        "fp32": (3.4028234663852886e38, 2.0**-126, 2.0**-149, 2.0**-23),
        "fp16": (65504.0, 2.0**-14, 2.0**-24, 2.0**-10),
        "bf16": (3.3895313892515355e38, 2.0**-126, 2.0**-133, 2.0**-7),
        "fp8_e4m3": (448.0, 2.0**-6, 2.0**-9, 2.0**-3),
        "fp8_e5m2": (57344.0, 2.0**-14, 2.0**-16, 2.0**-2),
        "fp6_e3m2": (28.0, 0.25, 0.0625, 0.25),
        "fp6_e2m3": (7.5, 1.0, 0.125, 0.125),
        "fp4_e2m1": (6.0, 1.0, 0.5, 0.5),
    }
    for name, limits in published.items():
        f = FORMATS[name]
        assert (f.largest, f.smallest_normal, f.smallest_subnormal, f.epsilon) == limits


@pytest.mark.parametrize(
    ("name", "value", "default", "saturated"),
    [
        ("fp16", 1e5, math.inf, 65504.0),
        ("bf16", 3.4e38, math.inf, 3.3895313892515355e38),
        ("fp8_e5m2", -1e6, -math.inf, -57344.0),
        ("fp8_e4m3", 1e6, math.nan, 448.0),
        ("fp8_e4m3", math.inf, math.nan, 448.0),
        ("fp4_e2m1", 100.0, 6.0, 6.0),
        ("fp4_e2m1", -math.inf, -6.0, -6.0),
    ],
)
def test_overflow_follows_the_format(
    name: str, value: float, default: float, saturated: float
) -> None:
    assert same(stored(value, name), default)
    assert stored(value, name, saturate=True) == saturated


def test_signed_zero_and_nan() -> None:
    assert encode(-0.0, "bf16") == 0x8000
    assert math.copysign(1, stored(-1e-60, "fp16")) == -1
    assert encode(-0.0, "fp8_e4m3fnuz") == 0  # that format has one zero
    assert math.isnan(stored(math.nan, "fp8_e4m3"))
    with pytest.raises(ValueError, match="no NaN"):
        encode(math.nan, "fp4_e2m1")


def test_names_people_use_and_names_they_mistype() -> None:
    assert format_named("torch.bfloat16").name == "bf16"
    assert format_named("half").name == "fp16"
    assert bytes_per_value("INT4") == 0.5
    with pytest.raises(ValueError, match=r"did you mean .*bf16"):
        format_named("bf-61")
    with pytest.raises(ValueError, match="integer format"):
        format_named("int8")
    with pytest.raises(ValueError, match="not a pattern of fp8_e4m3"):
        decode(256, "fp8")


def test_a_small_update_vanishes_in_bf16_and_lives_in_the_fp32_copy() -> None:
    table = after_update(1.0, 0.001, "bf16")
    assert table.value("weight_after") == 1.0
    assert table.value("master_after") == pytest.approx(1.001, rel=1e-6)
    assert table.value("gap") == 2.0**-7
    assert after_update(1.0, 0.01, "bf16").value("weight_after") > 1.0


def test_the_tables_name_every_format_and_say_what_was_lost() -> None:
    assert {row.key for row in formats_table().rows} == set(FORMATS)
    tenth = number_in_formats(0.1)
    assert tenth["fp64"].working.endswith("exact")
    assert "relative error" in tenth["bf16"].working
    assert "overflow" in number_in_formats(1e6)["fp16"].working
    assert "saturated" in number_in_formats(100.0)["fp4_e2m1"].working
    assert "underflow" in number_in_formats(1e-30)["fp16"].working
    assert bit_text(0x3F80, "bf16") == "0 01111111 0000000"
