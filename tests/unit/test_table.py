"""Tables: sums that hold exactly, keys, dictionaries, text."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from napkin.table import Row, Table

values = st.one_of(st.integers(-(10**30), 10**30), st.floats(allow_nan=False, allow_infinity=False))


def rows_of(numbers: list[float | int], unit: str = "B") -> list[Row]:
    return [Row(f"part_{i}", f"Part {i}", value, unit) for i, value in enumerate(numbers)]


@given(st.lists(values, min_size=1, max_size=8))
def test_a_table_round_trips_through_json(numbers: list[float | int]) -> None:
    try:
        table = Table.of("Parts", rows_of(numbers), notes=("a note",))
    except OverflowError:  # a sum beyond the largest double
        return
    assert Table.from_dict(json.loads(json.dumps(table.to_dict(), allow_nan=False))) == table


@given(st.lists(st.integers(-(10**30), 10**30), min_size=1, max_size=8))
def test_integers_add_up_exactly_and_stay_integers(numbers: list[int]) -> None:
    total = Table.of("Parts", rows_of(list(numbers))).value("total")
    assert total == sum(numbers)
    assert isinstance(total, int)


def test_a_total_that_is_off_by_one_byte_is_refused() -> None:
    rows = tuple(rows_of([10**18, 1]))
    with pytest.raises(ValueError, match="add up to 1000000000000000001 B, the total says"):
        Table("Parts", rows, Row("total", "Total", 10**18, "B"))


def test_floats_may_be_summed_either_way_but_not_wrongly() -> None:
    rows = tuple(rows_of([0.1, 0.2, 0.3]))
    for total in (0.1 + 0.2 + 0.3, math.fsum([0.1, 0.2, 0.3])):
        Table("Parts", rows, Row("total", "Total", total, "B"))
    with pytest.raises(ValueError, match="add up"):
        Table("Parts", rows, Row("total", "Total", 0.61, "B"))


def test_rows_of_other_units_are_not_added() -> None:
    rows = (Row("weights", "Weights", 10, "B"), Row("share", "Share", 50, "%"))
    assert Table("Parts", rows, Row("total", "Total", 10, "B")).value("total") == 10
    with pytest.raises(ValueError, match="one unit"):
        Table.of("Parts", rows)


def test_keys_find_rows_and_the_total_and_a_typo_gets_a_hint() -> None:
    table = Table.of("Memory", [Row("kv_cache", "KV cache", 5, "B")])
    assert table["kv_cache"].label == "KV cache"
    assert table["total"].value == 5
    assert "kv_cache" in table and "weights" not in table
    with pytest.raises(KeyError, match="did you mean 'kv_cache'"):
        table["kv_cahe"]
    with pytest.raises(KeyError, match="it has kv_cache, total"):
        table["zzz"]


@pytest.mark.parametrize("key", ["", "Weights", "kv cache", "kv-cache", "1st", "ünits"])
def test_a_key_is_snake_case(key: str) -> None:
    with pytest.raises(ValueError, match="snake_case"):
        Row(key, "Label", 1, "B")


@pytest.mark.parametrize("value", ["7", None, True, [1]])
def test_a_value_is_a_number(value: object) -> None:
    with pytest.raises(ValueError, match="an int or a float"):
        Row("key", "Label", value, "B")  # type: ignore[arg-type]


def test_two_rows_of_one_key_and_notes_that_are_one_text_are_refused() -> None:
    with pytest.raises(ValueError, match="two rows named 'a'"):
        Table("T", (Row("a", "A", 1, "B"), Row("a", "B", 1, "B")))
    with pytest.raises(ValueError, match="notes must be a tuple"):
        Table("T", (), notes="oops")  # type: ignore[arg-type]


def test_infinity_and_nan_survive_json() -> None:
    table = Table("T", (Row("a", "A", math.inf, ""), Row("b", "B", math.nan, "")))
    text = json.dumps(table.to_dict(), allow_nan=False)
    back = Table.from_dict(json.loads(text))
    assert back.value("a") == math.inf
    assert math.isnan(back.value("b"))


def test_a_dictionary_without_a_field_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="a row needs the field 'value'"):
        Row.from_dict({"key": "a", "label": "A", "unit": "B"})
    with pytest.raises(ValueError, match="a table needs the field 'rows'"):
        Table.from_dict({"title": "T"})


def test_text_is_aligned_with_the_total_under_a_rule() -> None:
    table = Table.of(
        "Training state",
        [
            Row("weights", "Weights", 14 * 10**9, "B", "7e9 × 2 B = 14 GB"),
            Row("moments", "Adam moments", 56 * 10**9, "B", "7e9 × 8 B = 56 GB"),
        ],
        notes=("before activations",),
    )
    assert str(table) == "\n".join([
        "Training state",
        "Weights       14 GB   7e9 × 2 B = 14 GB",
        "Adam moments  56 GB   7e9 × 8 B = 56 GB",
        "───────────────────",
        "Total         70 GB",
        "note: before activations",
    ])  # fmt: skip
