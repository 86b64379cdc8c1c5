"""Cost: the course's worked examples, published runs, and what must hold for any run."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from napkin.cost import (
    break_even_hours,
    cost_per_million_tokens,
    energy,
    money,
    training_cost,
)
from napkin.hardware import accelerator

counts = st.floats(1e6, 1e13)

VECTORS = Path(__file__).parents[1] / "vectors"
with (VECTORS / "training_runs.csv").open(newline="", encoding="utf-8") as lines:
    RUNS: list[dict[str, Any]] = [
        {**row, "inputs": json.loads(row["inputs"])} for row in csv.DictReader(lines)
    ]


def runs_with(quantity: str, *inputs: str) -> list[Any]:
    found = [
        row for row in RUNS if row["quantity"] == quantity and set(inputs) <= set(row["inputs"])
    ]
    assert found, f"no published {quantity} with {inputs}"
    return [pytest.param(row, id=row["case_id"]) for row in found]


@pytest.mark.parametrize("row", runs_with("pf_days", "flops_per_param_per_token"))
def test_compute_of_published_runs_by_the_rule(row: dict[str, Any]) -> None:
    """Brown et al. 2020, table D.1: 6 (encoder-decoders: 3) FLOP per parameter and token."""
    known = row["inputs"]
    flops = training_cost(known["params"], known["tokens"]).value("flops")
    flops *= known["flops_per_param_per_token"] / 6
    assert flops / 8.64e19 == pytest.approx(float(row["value"]), rel=0.01)


@pytest.mark.parametrize("row", runs_with("train_days", "flops_factor", "gpus", "tflops"))
def test_days_of_published_runs(row: dict[str, Any]) -> None:
    """With recomputation a run takes 8 FLOP per parameter and token; TFLOP/s as measured."""
    known = row["inputs"]
    reached = known["tflops"] * 1e12 / accelerator("A100").peak()
    run = training_cost(known["params"], known["tokens"], "A100", known["gpus"], mfu=reached)
    days = run.value("time") / 86400 * known["flops_factor"] / 6
    assert days == pytest.approx(float(row["value"]), rel=0.02)


@pytest.mark.parametrize("row", runs_with("cost_usd", "usd_per_node_hour", "steps"))
def test_bills_of_published_runs(row: dict[str, Any]) -> None:
    """llm.c states step time, steps, price of a node of 8 and a rounded bill."""
    known = row["inputs"]
    node_hours = known["steps"] * known["ms_per_step"] / 3.6e6
    bill = money(8 * node_hours, known["usd_per_node_hour"] / 8).value("money")
    assert bill == pytest.approx(float(row["value"]), rel=0.12)


@pytest.mark.parametrize(
    ("parameters", "tokens", "gpu", "gpus", "mfu", "hours", "tolerance"),
    [
        # 124M on 10B tokens: about 5.2 hours of one H100 at 40%.
        (124e6, 10e9, "H100", 1, 0.4, 5.22, 0.005),
        # 350M on 7B tokens at 35%: about 12 hours.
        (350e6, 7e9, "H100", 1, 0.35, 12, 0.03),
        # Llama 3 405B on 15.6T tokens, 16,384 H100s at 40%: about 68 days.
        (405e9, 15.6e12, "H100", 16384, 0.4, 68 * 24, 0.01),
        # 7B on 50M tokens: about 1.5 H100-hours and 5 A100-hours.
        (7e9, 50e6, "H100", 1, 0.4, 1.475, 0.01),
        (7e9, 50e6, "A100", 1, 0.4, 4.67, 0.01),
    ],
)
def test_worked_examples(
    parameters: float, tokens: float, gpu: str, gpus: int, mfu: float, hours: float,
    tolerance: float,
) -> None:  # fmt: skip
    run = training_cost(parameters, tokens, gpu, gpus, mfu)
    assert run.value("time") / 3600 == pytest.approx(hours, rel=tolerance)


@pytest.mark.parametrize(
    ("name", "parameters", "tokens", "gpu", "gpu_hours", "low", "high"),
    [
        # Model cards: Llama 2 (A100-80GB) and Llama 3.1 (H100-80GB). The implied MFU must be one
        # that such a run can have; the cards state hours, not MFU.
        ("llama-2-7b", 6_738_415_616, 2e12, "A100", 184_320, 0.35, 0.45),
        ("llama-2-13b", 13_015_864_320, 2e12, "A100", 368_640, 0.34, 0.42),
        ("llama-2-70b", 68_976_648_192, 2e12, "A100", 1_720_320, 0.40, 0.48),
        ("llama-3.1-405b", 405_853_388_800, 15.6e12, "H100", 30_840_000, 0.33, 0.40),
        ("llama-1-65b", 65_285_660_672, 1.4e12, "A100", 1_022_362, 0.45, 0.52),
    ],
)
def test_published_device_hours_imply_a_possible_mfu(
    name: str, parameters: float, tokens: float, gpu: str, gpu_hours: float, low: float,
    high: float,
) -> None:  # fmt: skip
    perfect = training_cost(parameters, tokens, gpu, mfu=1.0).value("gpu_hours")
    assert low < perfect / gpu_hours < high, name


def test_eight_gpus_at_ninety_percent_scaling() -> None:
    run = training_cost(350e6, 7e9, "H100", 8, 0.35, 3, scaling_efficiency=0.9)
    assert run.value("time") / 3600 == pytest.approx(1.64, rel=0.01)
    assert run.value("money") == pytest.approx(
        training_cost(350e6, 7e9, "H100", 1, 0.35, 3).value("money") / 0.9
    )


@given(counts, counts, st.integers(1, 100_000), st.floats(0.01, 1))
def test_more_devices_are_faster_and_cost_the_same(
    parameters: float, tokens: float, gpus: int, mfu: float
) -> None:
    one = training_cost(parameters, tokens, "H100", 1, mfu, 3)
    many = training_cost(parameters, tokens, "H100", gpus, mfu, 3)
    assert many.value("time") * gpus == pytest.approx(one.value("time"))
    assert many.value("money") == pytest.approx(one.value("money"))
    double = training_cost(parameters, 2 * tokens, "H100", 1, mfu, 3)
    assert double.value("money") == pytest.approx(2 * one.value("money"))


def test_a_rent_that_is_not_given_is_the_newest_known_and_says_so() -> None:
    run = training_cost(7e9, 2e12)
    assert "2026" in run["money"].source
    assert any("an hour" in note for note in run.notes)
    unpriced = training_cost(7e9, 2e12, "MI100")
    assert "money" not in unpriced
    assert any("no rent price is known" in note for note in unpriced.notes)


def test_energy_of_llama_3_1_is_near_what_its_card_implies() -> None:
    """39.3M H100 hours at 700 W are 27.5 GWh of boards at full power; ours count 80% of it."""
    table = energy(39.3e6, "H100")
    assert table.value("boards") == pytest.approx(0.8 * 39.3e6 * 0.7 * 3.6e6)
    assert 27.5e6 < table.value("total") / 3.6e6 < 45e6  # kWh
    assert sum(row.value for row in table.rows) == pytest.approx(table.value("total"), rel=1e-15)


@given(st.floats(1, 1e6), st.floats(0.01, 100), st.floats(0.01, 1))
def test_tokens_cost_less_when_made_faster(rate: float, price: float, share: float) -> None:
    slow = cost_per_million_tokens(rate, price_per_hour=price, utilisation=share)
    fast = cost_per_million_tokens(2 * rate, price_per_hour=price, utilisation=share)
    assert fast.value("per_million") == pytest.approx(slow.value("per_million") / 2)
    # Independent derivation: seconds for a million tokens, at the price of a second.
    seconds = 1e6 / (rate * share)
    assert slow.value("per_million") == pytest.approx(seconds * price / 3600)


def test_a_4090_costs_a_few_hundred_cloud_hours() -> None:
    hours = break_even_hours("rtx-4090", rent_of="H100").value("hours")
    assert 300 < hours < 900
    with pytest.raises(ValueError, match="buying never pays"):
        break_even_hours("rtx-4090", price_per_hour=0.05)


@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf, "7B", None, True])
def test_bad_input_is_refused_by_name(bad: object) -> None:
    with pytest.raises(ValueError, match="parameters must be"):
        training_cost(bad, 1e9)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="tokens must be"):
        training_cost(1e9, bad)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="mfu must be"):
        training_cost(1e9, 1e9, mfu=bad if bad is not True else "40%")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="tokens_per_second must be"):
        cost_per_million_tokens(bad)  # type: ignore[arg-type]


def test_shares_counts_and_factors_out_of_range() -> None:
    with pytest.raises(ValueError, match=r"mfu is a share of at most 1, got 40: 40% is 0.4"):
        training_cost(1e9, 1e9, mfu=40)
    with pytest.raises(ValueError, match="gpus must be a whole number"):
        training_cost(1e9, 1e9, gpus=1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="pue is a factor of 1 or more"):
        energy(10, pue=0.5)
    with pytest.raises(ValueError, match="power of TPU v5e is not known"):
        energy(10, "tpu v5e")
    assert accelerator("tpu v5e").watts is None
