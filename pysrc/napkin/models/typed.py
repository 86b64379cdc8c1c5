"""A model as people type it: a name, a size such as ``7B``, or the text of a ``config.json``."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import lru_cache

from napkin.models.build import from_config
from napkin.models.model import Model
from napkin.models.presets import preset
from napkin.printing import format_count
from napkin.quantities import parse_count

__all__ = ["model_of_size", "typed_model"]

SMALLEST, LARGEST = 10**7, 10**13
VOCABULARY = 128_256


@lru_cache(maxsize=32)
def typed_model(text: str) -> Model:
    """The model that the text names, sizes or describes.

    >>> typed_model("llama-3.1-8b").total, typed_model("7B").main.hidden_size
    (8030261248, 4096)
    >>> typed_model('{"model_type": "gpt2"}').total
    124439808
    """
    text = text.strip()
    if text.startswith("{"):
        return _from_json(text)
    if re.fullmatch(r"[0-9.,_ ]+ ?([kKmMbBtT]|[eE][+0-9]+|million|billion|trillion)?"
                    r"( ?param(eter)?s)?", text):  # fmt: skip
        number = re.sub(r" ?param(eter)?s$", "", text)
        if number[-1] in "mbt":
            number = number[:-1] + number[-1].upper()
        return model_of_size(int(parse_count(number, "size")))
    return preset(text)


def _from_json(text: str) -> Model:
    try:
        config = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(
            f"the config.json cannot be read: {error}; paste the whole file, from {{ to }}"
        ) from None
    if not isinstance(config, dict):
        raise ValueError("the config.json holds no object: paste the whole file, from { to }")
    name = str(config.get("_name_or_path") or "").rstrip("/").split("/")[-1]
    return from_config(config, name=name or "your config.json", estimate=True)


def model_of_size(parameters: int) -> Model:
    """A dense decoder shaped as Llama 3 is, with about so many parameters (within 0.1%).

    Depth and width follow what models of that size have; the width of the MLP makes up the rest.

    >>> model_of_size(7_000_000_000).estimate[:43]
    'a size alone has no shape: a Llama-shaped d'
    """
    if not SMALLEST <= parameters <= LARGEST:
        raise ValueError(
            f"a model of {parameters:,} parameters is outside 10M to 10T: check the size, as in 7B"
        )
    layers, width = _shape(parameters)
    heads = max(1, width // 128) if width >= 1024 else max(1, width // 64)
    config = {
        "model_type": "llama",
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": next(n for n in (8, 4, 2, 1) if heads % n == 0),
        "intermediate_size": 1,
        "vocab_size": VOCABULARY if parameters >= 10**9 else 32_000,
        "max_position_embeddings": 131_072,
        "tie_word_embeddings": parameters < 4 * 10**9,
    }
    narrow = from_config(config).total
    config["intermediate_size"] = max(1, 1 + round((parameters - narrow) / (3 * width * layers)))
    return replace(
        from_config(config, name=f"a {format_count(parameters)} model"),
        estimate=(
            "a size alone has no shape: a Llama-shaped dense decoder is assumed, "
            f"{layers} layers of width {width:,} with {config['num_key_value_heads']} heads of "
            "keys and values"
        ),
    )


# Parameters, layers, width: as Llama, Qwen and GPT-3 models of about that size have them.
_SHAPES = (
    (10**7, 4, 192), (6 * 10**7, 8, 512), (124 * 10**6, 12, 768),
    (350 * 10**6, 24, 896), (10**9, 16, 2048), (3 * 10**9, 28, 3072), (7 * 10**9, 32, 4096),
    (13 * 10**9, 40, 5120), (32 * 10**9, 64, 6144), (70 * 10**9, 80, 8192),
    (180 * 10**9, 96, 12288), (405 * 10**9, 126, 16384), (10**12, 140, 24576),
    (10**13, 200, 65536),
)  # fmt: skip


def _shape(parameters: int) -> tuple[int, int]:
    """The shape of the nearest size, by ratio."""
    near = min(_SHAPES, key=lambda row: max(row[0] / parameters, parameters / row[0]))
    return near[1], near[2]
