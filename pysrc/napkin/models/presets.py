"""Models by the names that people call them, each with its configuration and its source."""

from __future__ import annotations

import json
import re
from functools import cache
from pkgutil import get_data
from typing import Any

from napkin.models.build import from_config
from napkin.models.model import Model
from napkin.table import nearest_name

__all__ = ["preset", "preset_config", "preset_names", "preset_source"]

# What is added to a name without changing the model's shape.
_ENDINGS = re.compile(r"-(instruct|base|chat|it|pt|hf|bf16|fp8|mlm)\b|-v?\d{4,}$")
_ALIASES = {
    "bert": "bert-base-uncased",
    "bert-base": "bert-base-uncased",
    "bert-large": "bert-large-uncased",
    "bloom": "bloom-176b",
    "command-r": "command-r-35b",
    "command-r-plus": "command-r-plus-104b",
    "deepseek-r1": "deepseek-v3",
    "deepseek-v3.1": "deepseek-v3",
    "distilbert": "distilbert-base",
    "gpt-j": "gpt-j-6b",
    "gpt-neox": "gpt-neox-20b",
    "gpt2-small": "gpt2",
    "kimi-k2-thinking": "kimi-k2",
    "llama-30b": "llama-1-33b",
    "llama-4-scout-17b-16e": "llama-4-scout",
    "mamba2": "mamba2-2.7b",
    "mistral-7b": "mistral-7b-v0.1",
    "mixtral": "mixtral-8x7b",
    "opt": "opt-175b",
    "phi-3": "phi-3-mini",
    "t5": "t5-base",
    "whisper": "whisper-large-v3",
    "whisper-large": "whisper-large-v3",
    "whisper-turbo": "whisper-large-v3-turbo",
}


@cache
def _presets() -> dict[str, dict[str, Any]]:
    data = get_data("napkin.models", "presets.json")
    if data is None:
        raise FileNotFoundError("napkin/models/presets.json is not beside its module")
    presets: dict[str, dict[str, Any]] = json.loads(data)
    return presets


@cache
def _spellings() -> dict[str, str]:
    """Every accepted spelling, plain and squeezed, to the name it stands for."""
    found: dict[str, str] = dict(_ALIASES)
    for name, entry in _presets().items():
        for spelling in (name, entry["hub"].split("/")[-1]):
            plain = _plain(spelling)
            for form in (plain, _ENDINGS.sub("", plain), _squeezed(plain)):
                found.setdefault(form, name)
    # A preset's own name always means itself.
    found.update({name: name for name in _presets()})
    return found


def _plain(name: str) -> str:
    return re.sub(r"[\s_]+", "-", name.strip().lower().split("/")[-1])


def _squeezed(name: str) -> str:
    return re.sub(r"[^a-z0-9.]", "", name)


def preset_names() -> tuple[str, ...]:
    """The names, in alphabetical order.

    >>> "llama-3.1-8b" in preset_names()
    True
    """
    return tuple(_presets())


def _known(name: str) -> str:
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"a model's name is {name!r}: write one such as 'llama-3.1-8b'")
    spellings = _spellings()
    plain = _plain(name)
    for form in (plain, _ENDINGS.sub("", plain), _squeezed(_ENDINGS.sub("", plain))):
        if form in spellings:
            return spellings[form]
    close = nearest_name(plain, list(spellings))
    hint = ", ".join(dict.fromkeys(spellings[form] for form in close))
    raise ValueError(
        f"model {name!r} is not known by name; "
        + (f"nearest: {hint}" if hint else "preset_names() lists those that are")
        + ". For any other, pass its config.json to from_config"
    )


@cache
def preset(name: str) -> Model:
    """The model of that name; capitals, spaces, an organisation before it and endings such as
    ``-Instruct`` do not matter.  ValueError with the nearest names where there is none.

    >>> preset("meta-llama/Llama-3.1-8B-Instruct").total
    8030261248
    """
    known = _known(name)
    return from_config(_presets()[known]["config"], name=known)


def preset_config(name: str) -> dict[str, Any]:
    """A copy of the configuration: the keys of its ``config.json`` that matter here.

    >>> preset_config("gpt2")["n_embd"]
    768
    """
    config: dict[str, Any] = json.loads(json.dumps(_presets()[_known(name)]["config"]))
    return config


def preset_source(name: str) -> str:
    """Where the configuration comes from, and the published total where there is one.

    >>> preset_source("qwen3-1.7b")[:15]
    'Qwen/Qwen3-1.7B'
    """
    entry = _presets()[_known(name)]
    source = f"{entry['hub']}: {entry['source']}"
    if "published" not in entry:
        return source
    # Some checkpoints hold numbers that are no parameters: one correction per expert.
    buffers = f", {entry['buffers']:,} of them buffers" if "buffers" in entry else ""
    return f"{source} ({entry['published']:,}{buffers})"
