"""Models from their configurations: exact parameters, layers, caches.

``from_config`` reads a Hugging Face ``config.json``; ``Model`` is what it gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from napkin.models.build import from_config, known_families
from napkin.models.counts import Counts
from napkin.models.layers import Attention, Experts, Layer, Mlp, Recurrent, Stack
from napkin.models.model import Model
from napkin.models.presets import preset, preset_names

__all__ = [
    "Attention",
    "Counts",
    "Experts",
    "Layer",
    "Mlp",
    "Model",
    "Recurrent",
    "Stack",
    "estimate_from_config",
    "from_config",
    "known_families",
    "preset",
    "preset_names",
]

if TYPE_CHECKING:
    from napkin.models.estimate import estimate_from_config


def __getattr__(name: str) -> Any:
    if name == "estimate_from_config":
        from napkin.models.estimate import estimate_from_config

        return estimate_from_config
    raise AttributeError(f"module 'napkin.models' has no attribute {name!r}")
