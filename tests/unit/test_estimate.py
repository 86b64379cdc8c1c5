"""How far an estimate is from the truth, measured on decoders whose truth is known."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from napkin.models import estimate_from_config, from_config
from napkin.models.estimate import HOW_SURE

VECTORS = Path(__file__).parents[1] / "vectors"
ROWS = list(csv.DictReader((VECTORS / "exact_params.csv").read_text("utf-8").splitlines()))


def test_what_an_estimate_says_of_itself_is_measured() -> None:
    errors = []
    for row in ROWS:
        data = json.loads((VECTORS / "configs" / f"{row['name']}.json").read_text("utf-8"))
        exact = from_config(data)
        alone = len(exact.stacks) == 1 and exact.stacks[0].role == "decoder"
        if not alone or any(layer.recurrent for layer in exact.layers):
            continue
        errors.append(abs(estimate_from_config(data).total / int(row["params_total"]) - 1))
    errors.sort()
    assert f"of {len(errors)} known decoders" in HOW_SURE
    assert "half came within 0.1%" in HOW_SURE
    assert errors[len(errors) // 2] < 0.001
    assert "nine in ten within 20%" in HOW_SURE
    assert errors[int(len(errors) * 0.9)] < 0.20
    assert "the worst was 33% off" in HOW_SURE
    assert 0.32 < errors[-1] < 0.335
