"""From a Hugging Face configuration to a ``Model``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from napkin.models.config import Config
from napkin.models.families import FAMILIES, builder
from napkin.models.heads import has_language_head
from napkin.models.model import Model
from napkin.table import nearest_name

__all__ = ["from_config", "known_families"]


def known_families() -> tuple[str, ...]:
    """Every ``model_type`` that ``from_config`` counts exactly.

    >>> "llama" in known_families()
    True
    """
    return tuple(sorted(FAMILIES))


def from_config(config: Mapping[str, Any], *, name: str = "", estimate: bool = False) -> Model:
    """The model that a Hugging Face ``config.json`` describes, exact to the last parameter.

    Absent keys take the defaults of the family's configuration class, as transformers 5.24.0 does
    it; those that set a size are listed in ``Model.assumed``.  A ``quantization_config`` changes
    how weights are stored, not how many there are.  With ``estimate=True`` an unknown family is
    counted as a plain decoder, and the result says so; without it, it is refused.

    Raises ValueError, naming the field, the rule and a fix.

    >>> model = from_config({"model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16,
    ...     "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 8192,
    ...     "vocab_size": 128256, "tie_word_embeddings": True})
    >>> model.total
    1235814400
    """
    if not isinstance(config, Mapping):
        raise ValueError(
            f"a configuration is a mapping of keys to values, got {type(config).__name__}: "
            "pass json.load(file)"
        )
    model_type = config.get("model_type")
    if not isinstance(model_type, str) or not model_type:
        raise ValueError(
            f"model_type is {model_type!r}: it names the family, such as 'llama'; add it to the "
            "configuration"
        )
    if model_type not in FAMILIES:
        if estimate:
            from napkin.models.estimate import estimate_from_config

            return estimate_from_config(config, name=name)
        close = nearest_name(model_type, known_families())
        hint = f"nearest: {', '.join(map(repr, close))}" if close else "see known_families()"
        raise ValueError(
            f"model_type {model_type!r} is not known; {hint}. from_config(..., estimate=True) "
            "counts it as a plain decoder and says how sure that is"
        )
    architecture = _architecture(config, FAMILIES[model_type][0])
    reader = Config(config, model_type)
    built = builder(model_type)(reader, architecture)
    return Model(
        name=name or str(config.get("_name_or_path") or model_type),
        model_type=model_type,
        architecture=architecture,
        hidden_size=built.main.hidden_size,
        vocab_size=built.vocab_size,
        # Nothing is tied to a head that is not there: an embedding model, a classifier.
        tied=built.tied and has_language_head(architecture),
        max_context=built.max_context,
        stacks=built.stacks,
        text_type=built.text_type,
        assumed=tuple(f"{key} = {value}" for key, value in reader.assumed.items()),
    )


def _architecture(config: Mapping[str, Any], default: str) -> str:
    listed = config.get("architectures")
    if listed is None or listed == []:
        return default
    if not isinstance(listed, (list, tuple)) or not isinstance(listed[0], str):
        raise ValueError(
            f"architectures is {listed!r}: write a list of class names, such as [{default!r}]"
        )
    return listed[0]
