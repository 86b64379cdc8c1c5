"""Models given by name or as themselves."""

from __future__ import annotations

from napkin.models import Model
from napkin.models.presets import preset

__all__ = ["model_of"]


def model_of(model: Model | str) -> Model:
    """The model itself, or the preset of that name (nearest names in the error).

    >>> model_of("gpt2").total
    124439808
    """
    if isinstance(model, Model):
        return model
    if isinstance(model, str):
        return preset(model)
    raise ValueError(
        f"a model is a name such as 'llama-3.1-8b' or what from_config returns, got "
        f"{type(model).__name__}: pass a config.json's dict through from_config first"
    )
