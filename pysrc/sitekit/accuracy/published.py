"""Published figures, copied into ``tests/vectors``, and the models that they are about."""

from __future__ import annotations

import csv
import json
from functools import cache
from typing import Any

from napkin.models import Model, from_config
from napkin.models.presets import preset_config, preset_names
from sitekit.paths import ROOT

__all__ = ["VECTORS", "configuration", "model_named", "rows_of"]

VECTORS = ROOT / "tests" / "vectors"


def rows_of(name: str) -> list[dict[str, str]]:
    """Rows of ``tests/vectors/<name>.csv``."""
    with (VECTORS / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


# Sizes that papers state, of models that have neither a copied configuration nor a preset.
_STATED: dict[str, dict[str, Any]] = {
    "llama-1-30b": {"model_type": "llama", "hidden_size": 6656, "intermediate_size": 17920,
                    "num_hidden_layers": 60, "num_attention_heads": 52},
}  # fmt: skip


def configuration(name: str) -> dict[str, Any] | None:
    """The configuration of a model: ``tests/vectors/configs``, else the package's preset."""
    path = VECTORS / "configs" / f"{name}.json"
    if path.is_file():
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return found
    if name in _STATED:
        return _STATED[name]
    return preset_config(name) if name in preset_names() else None


@cache
def model_named(name: str) -> Model | None:
    """The model that a published figure is about; None where its sizes are not public."""
    config = configuration(name)
    return None if config is None else from_config(config, name=name)
