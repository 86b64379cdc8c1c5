"""How far an estimate is from the truth, where the truth is known."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from napkin.models import estimate_from_config, from_config, known_families
from napkin.models.estimate import HOW_SURE

VECTORS = Path(__file__).parents[1] / "vectors"
ROWS = list(csv.DictReader((VECTORS / "exact_params.csv").read_text("utf-8").splitlines()))
UNKNOWN = json.loads((VECTORS / "params_unknown.json").read_text("utf-8"))["models"]


def test_what_an_estimate_says_of_itself_is_measured_on_families_it_does_not_know() -> None:
    assert not {config["model_type"] for config, _ in UNKNOWN} & set(known_families())
    ratios = sorted(estimate_from_config(config).total / total for config, total in UNKNOWN)
    errors = sorted(abs(ratio - 1) for ratio in ratios)
    assert f"of {len(errors)} decoders of families unknown here" in HOW_SURE
    assert "half came within 1%" in HOW_SURE
    assert errors[len(errors) // 2] < 0.01
    assert "nine in ten within 28%" in HOW_SURE
    assert errors[int(len(errors) * 0.9)] < 0.28
    assert "the worst was 2.8 times too large" in HOW_SURE
    assert ratios[0] > 0.7 and 2.75 < ratios[-1] < 2.85


def test_a_known_decoder_is_estimated_closer_still() -> None:
    errors = []
    for row in ROWS:
        data = json.loads((VECTORS / "configs" / f"{row['name']}.json").read_text("utf-8"))
        exact = from_config(data)
        alone = len(exact.stacks) == 1 and exact.stacks[0].role == "decoder"
        if not alone or any(layer.recurrent for layer in exact.layers):
            continue
        errors.append(abs(estimate_from_config(data).total / int(row["params_total"]) - 1))
    errors.sort()
    assert errors[len(errors) // 2] < 0.001
    assert errors[int(len(errors) * 0.9)] < 0.20
    assert errors[-1] < 0.335


def test_a_switch_that_turns_experts_off_is_heeded() -> None:
    config = {"model_type": "new", "hidden_size": 64, "vocab_size": 100, "num_hidden_layers": 2,
              "num_attention_heads": 4, "intermediate_size": 128, "num_experts": 4096,
              "num_experts_per_tok": 2}  # fmt: skip
    dense = estimate_from_config({**config, "is_moe": False})
    assert not any(layer.experts for layer in dense.layers)
    assert any(layer.experts for layer in estimate_from_config(config).layers)
