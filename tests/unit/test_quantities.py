"""Quantities: what people write is read, what has two readings is refused, prints parse again."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from napkin import quantities as q


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7B", 7_000_000_000), ("15.6T", 15_600_000_000_000), ("124M", 124_000_000),
        ("32k", 32_000), ("32K", 32_000), ("32Ki", 32_768), ("3e9", 3_000_000_000),
        ("1,000", 1000), ("1 000", 1000), ("1_000", 1000), ("1'000'000", 1_000_000),
        ("1\u00a0000", 1000), ("1\u202f000\u202f000", 1_000_000), ("1,234.5", 1234.5),
        ("1.5×10^3", 1500), ("1.5·10³", 1500), ("1.5*10**3", 1500), ("1.5 x 10^3", 1500),
        ("10⁹", 10**9), ("2^20", 1_048_576), ("10⁻³", 0.001), ("1e−5", 1e-5), ("1E+3", 1000),
        ("7 billion", 7 * 10**9), ("1.236B", 1_236_000_000), ("0.125", 0.125), (".5", 0.5),
        ("3.", 3), (" 12 ", 12), (7, 7), (7.0, 7), (0.5, 0.5), ("1e22", 10**22),
        # full-width, as from an East Asian keyboard
        ("\uff17\uff22", 7 * 10**9), ("\uff11\uff0c\uff10\uff10\uff10", 1000),
    ],
)  # fmt: skip
def test_counts_are_read_as_people_write_them(text: str | float, value: float) -> None:
    parsed = q.parse_count(text)
    assert parsed == value
    assert isinstance(parsed, int) == isinstance(value, int)


@pytest.mark.parametrize(
    ("text", "choices"),
    [
        ("7b", ("7B", "bit")), ("124m", ("124M", "milli")), ("15t", ("15T", "tonne")),
        ("1.500", ("1.5000", "1500")), ("1,5", ("1.5", "15")), ("12,50", ("12.50", "1250")),
        ("32ki", ("32Ki", "32k")),
    ],
)  # fmt: skip
def test_an_ambiguous_count_is_refused_with_its_readings(
    text: str, choices: tuple[str, ...]
) -> None:
    with pytest.raises(ValueError, match="ambiguous") as refusal:
        q.parse_count(text)
    assert all(choice in str(refusal.value) for choice in choices)


HOSTILE = ["", " ", "-", "+", "nan", "inf", "-inf", "٣", "0x10", "1__0", "1,,0", "1..5",
           "1.2.3", "12,34,567", "1.000.000", "5 5 5 5", "e5", "1e", "10^", "1e5.5", "1e999999999",
           "1e400", "9" * 500, "7 potatoes", "7B;", "<b>7</b>", "7\n8", "--7", "7%", "$7",
           "10^^9", "²", "7²³⁴⁵", "\x00", "1e-99999", "7GB", "1/2"]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_nonsense_is_refused_as_a_count_with_a_reason(text: str) -> None:
    with pytest.raises(ValueError, match=r"count") as refusal:
        q.parse_count(text)
    assert len(str(refusal.value)) < 300


@pytest.mark.parametrize(
    "value", [None, True, False, math.nan, math.inf, [], {}, b"7B", complex(1), "-7", -1]
)
def test_what_is_no_count_at_all_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="count"):
        q.parse_count(value)  # type: ignore[arg-type]


@given(st.text(max_size=100))
def test_any_text_gives_a_finite_number_or_a_value_error(text: str) -> None:
    for parse in (q.parse_count, q.parse_bytes, q.parse_seconds, q.parse_money, q.parse_fraction,
                  q.parse_flops, q.parse_rate):  # fmt: skip
        try:
            value = parse(text)
        except ValueError:
            continue
        assert math.isfinite(value)
        assert value >= 0


@given(st.text(alphabet="0123456789.,_ eE^·×⁻³kKMGTPBbi/sFLOPday$%-−+hmn", max_size=14))
def test_text_near_the_grammar_never_breaks_it(text: str) -> None:
    test_any_text_gives_a_finite_number_or_a_value_error.hypothesis.inner_test(text)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("80 GB", 80 * 10**9), ("80GB", 80 * 10**9), ("80GiB", 80 * 2**30),
        ("512 MiB", 2**29), ("1.5 TB", 1_500_000_000_000), ("8 Gbit", 10**9), ("64 KB", 64_000),
        ("64 kB", 64_000), ("64 KiB", 65_536), ("640 bytes", 640), ("1 byte", 1),
        ("1.1 GiB", 1_181_116_006), (640, 640), ("1,000 MB", 10**9),
    ],
)  # fmt: skip
def test_sizes_keep_gb_and_gib_apart(text: str | int, size: int) -> None:
    assert q.parse_bytes(text) == size


@pytest.mark.parametrize(
    ("text", "choices"),
    [
        ("80 G", ("80 GB", "80 GiB")), ("80G", ("80 GB", "80 GiB")), ("80", ("80 GB", "80 GiB")),
        ("80 Gb", ("80 GB", "80 Gbit")), ("80gb", ("80 GB", "80 Gbit")),
        ("4 Mib", ("4 MiB", "4 Mibit")), ("16k", ("16 KB", "16 KiB")),
    ],
)  # fmt: skip
def test_an_ambiguous_size_is_refused_with_its_readings(
    text: str, choices: tuple[str, ...]
) -> None:
    with pytest.raises(ValueError, match="ambiguous") as refusal:
        q.parse_bytes(text)
    assert all(choice in str(refusal.value) for choice in choices)


def test_half_a_byte_and_negative_sizes_are_refused() -> None:
    for bad in ("0.5 B", 0.5, "-1 GB", -1):
        with pytest.raises(ValueError, match="size"):
            q.parse_bytes(bad)


def test_a_count_of_operations_and_a_rate_are_not_confused() -> None:
    assert q.parse_flops("3.8e25 FLOP") == 38 * 10**24
    assert q.parse_flops("3,640 PF-days") == 3640 * 86400 * 10**15
    assert q.parse_rate("989 TFLOP/s") == q.parse_rate("989 TFLOPS") == 989 * 10**12
    for count in ("989 TFLOPS", "989 TFLOP/s"):
        with pytest.raises(ValueError, match="is a rate"):
            q.parse_flops(count)
    with pytest.raises(ValueError, match="a count"):
        q.parse_rate("989 TFLOPs")


def test_bandwidth_knows_bits_from_bytes() -> None:
    assert q.parse_rate("3.35 TB/s", "B/s") == 3_350_000_000_000
    assert q.parse_rate("400 Gbit/s", "B/s") == q.parse_rate("50 GB/s", "B/s")
    assert q.parse_rate("400 Gbps", "B/s") == q.parse_rate("50 GBps", "B/s")
    with pytest.raises(ValueError, match="ambiguous"):
        q.parse_rate("50 Gb/s", "B/s")
    with pytest.raises(ValueError, match="not a bandwidth"):
        q.parse_rate("50 GB", "B/s")


def test_durations() -> None:
    assert q.parse_seconds("1 h 30 min") == q.parse_seconds("1:30:00") == 5400
    assert q.parse_seconds("1h30m") == 5400
    assert q.parse_seconds("68 days") == 68 * 86400
    assert q.parse_seconds("3.5 µs") == pytest.approx(3.5e-6, rel=1e-15)
    for text in ("5 m", "1:30"):
        with pytest.raises(ValueError, match="ambiguous"):
            q.parse_seconds(text)
    for text in ("90", "3 MS", "2 months", "30 min 1 h", "1 h 30"):
        with pytest.raises(ValueError, match="duration"):
            q.parse_seconds(text)


def test_money_and_shares() -> None:
    assert q.parse_money("$2.50/h") == q.parse_money("2.50 USD per GPU-hour") == 2.5
    assert q.parse_money("$1.2M") == 1_200_000
    with pytest.raises(ValueError, match="US dollars"):
        q.parse_money("€3")
    assert q.parse_fraction("40%") == q.parse_fraction("0.4") == 0.4
    for text in ("40", "140%", "-0.1", "abc"):
        with pytest.raises(ValueError, match="share"):
            q.parse_fraction(text)


positive = st.floats(1e-3, 1e24, allow_nan=False)


@given(positive)
def test_printed_counts_parse_back_to_three_digits(value: float) -> None:
    assert q.parse_count(q.format_count(value) + ("" if value >= 1e3 else "e0")) == pytest.approx(
        value, rel=5.01e-3
    )


@given(st.integers(0, 10**18), st.booleans())
def test_printed_sizes_parse_back(value: int, binary: bool) -> None:
    text = q.format_bytes(value, binary)
    assert q.parse_bytes(text) == pytest.approx(value, rel=5.01e-3, abs=0.5)


@given(st.floats(1e-9, 1e8))
def test_printed_durations_parse_back(value: float) -> None:
    assert q.parse_seconds(q.format_seconds(value)) == pytest.approx(value, rel=5.01e-3)


@given(st.floats(1, 1e28))
def test_printed_compute_and_rates_parse_back(value: float) -> None:
    assert q.parse_flops(q.format_flops(value)) == pytest.approx(value, rel=5.01e-3)
    if value < 1e21:
        assert q.parse_rate(q.format_rate(value)) == pytest.approx(value, rel=5.01e-3)
        assert q.parse_rate(q.format_rate(value, "B/s"), "B/s") == pytest.approx(value, rel=5.01e-3)


@given(st.floats(0.001, 1e12))
@example(0.995)
def test_printed_money_parses_back_to_the_cent(value: float) -> None:
    text = q.format_money(value)
    assert q.parse_money(text) == pytest.approx(value, rel=5.01e-3)


@given(st.integers(0, 10**15))
def test_grouped_integers_parse_exactly_in_every_grouping(value: int) -> None:
    for mark in (",", " ", "_", "'", "\u00a0", "\u202f"):
        assert q.parse_count(f"{value:,}".replace(",", mark)) == value


def test_rounding_moves_up_to_the_next_prefix() -> None:
    assert q.format_count(999_999) == "1M"
    assert q.format_bytes(999_999_999) == "1 GB"
    assert q.format_bytes(2**30 - 1, binary=True) == "1 GiB"
    assert q.format_count(999.9) == "1k"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (14 * 10**9, "B", "14 GB"), (3.15e23, "FLOP", "3.15e23 FLOP"),
        (989e12, "FLOP/s", "989 TFLOP/s"), (3.35e12, "B/s", "3.35 TB/s"), (5400, "s", "90 min"),
        (36.28, "$", "$36.28"), (8_030_261_248, "parameters", "8.03B parameters"), (0, "B", "0 B"),
        (math.inf, "s", "inf s"), (2048, "GPUs", "2,048 GPUs"), (3.6e6, "J", "1 kWh"),
        (-5, "$", "-$5"), (-2.5e9, "B", "-2.5 GB"),
    ],
)  # fmt: skip
def test_a_quantity_prints_by_its_unit(value: float, unit: str, text: str) -> None:
    assert q.format_quantity(value, unit) == text


@pytest.mark.parametrize(
    "text",
    ["1 PF-day", "1 petaflop/s-day", "1 petaflop/s-days", "1 pflop/s-day", "1 pfs-day",
     "1 PFLOP/s-day", "0.001 exaflop/s-days"],
)  # fmt: skip
def test_a_petaflop_per_second_for_a_day_is_a_count_however_it_is_spelled(text: str) -> None:
    assert q.parse_flops(text) == 10**15 * 86400


@pytest.mark.parametrize("parse", [q.parse_count, q.parse_fraction, q.parse_bytes])
@pytest.mark.parametrize("value", [10**400, -(10**400), "1e300 T"])
def test_numbers_too_large_to_reckon_with_are_refused(
    parse: Callable[[Any], Any], value: Any
) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        parse(value)
