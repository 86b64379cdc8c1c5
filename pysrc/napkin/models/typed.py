"""A model as people type it: a name, a size, its dimensions, or the text of a ``config.json``.

``llama-3.1-8b`` is a preset; ``7B`` a decoder of today's usual shape with exactly that many
parameters; ``32 layers, hidden 4096, 32 heads`` the decoder of those dimensions; text that starts
with a brace a configuration.  What was assumed is in ``Model.assumed``.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

from napkin.models.build import from_config, known_families
from napkin.models.model import Model
from napkin.models.presets import preset
from napkin.notation import parse_count
from napkin.printing import format_count

__all__ = ["model_of_size", "typed_model"]

LONGEST = 400_000
SMALLEST, LARGEST = 1000, 10**14
HOW = "write a name such as llama-3.1-8b, a size such as 7B, or paste a config.json"

_DIMENSIONS = {
    "num_hidden_layers": ("layers", "layer", "l", "depth", "n_layer", "n_layers", "blocks"),
    "hidden_size": ("hidden", "h", "d", "dim", "width", "d_model", "n_embd", "embedding"),
    "num_attention_heads": ("heads", "head", "a", "n_head", "n_heads", "attention_heads"),
    "num_key_value_heads": ("kv_heads", "kv", "kv_head", "n_kv_heads", "num_kv_heads", "groups"),
    "head_dim": ("head_dim", "d_head"),
    "intermediate_size": ("ffn", "ff", "mlp", "intermediate", "d_ff", "ffn_dim"),
    "vocab_size": ("vocab", "vocabulary", "v", "n_vocab"),
    "num_local_experts": ("experts", "expert", "e", "n_experts", "num_experts"),
    "num_experts_per_tok": ("top_k", "topk", "k", "active_experts"),
    "max_position_embeddings": ("context", "positions", "max_context", "sequence"),
}
_KEYS = {spelling: key for key, spellings in _DIMENSIONS.items() for spelling in (key, *spellings)}
_SIZE = re.compile(r"[0-9][0-9.,_ ]*(?:[eE][0-9]+)?\s*(?:[kKmMbBtT]|million|billion|trillion|bn)?")
_PIECE = re.compile(r"[0-9][0-9_.,]*[kK]?(?![A-Za-z0-9])|[A-Za-z][A-Za-z_]*|[0-9.]+")


@lru_cache(maxsize=64)
def typed_model(text: str) -> Model:
    """The model that ``text`` means.  Raises ValueError saying what was read and what to write.

    >>> typed_model("Llama-3.1-8B-Instruct").total, typed_model("7B").total
    (8030261248, 7000000000)
    >>> typed_model("32 layers, hidden 4096, 32 heads").total  # what Llama 2 7B is
    6738415616
    """
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"no model is named: {HOW}")
    text = text.strip().lstrip("\ufeff").strip()
    text = re.sub(r"(?<=[0-9kKmMbBtTn]) ?param(eter)?s$", "", text)
    if text[0] in "{[":
        return _from_json(text)
    if len(text) > 300:
        raise ValueError(
            f"{len(text):,} characters that do not start with {{ are no config.json: {HOW}"
        )
    if _SIZE.fullmatch(text):
        return model_of_size(_size(text))
    dimensions = _dimensions(text)
    if dimensions:
        return _from_dimensions(dimensions)
    try:
        return preset(text)
    except ValueError as error:
        reason = re.split(r"\. For any other|; preset_names", str(error))[0]
        raise ValueError(f"{reason}; or write a size such as 7B, or paste a config.json") from None


def _from_json(text: str) -> Model:
    if len(text) > LONGEST:
        raise ValueError(f"{len(text):,} characters is too long for a config.json: at most 400,000")
    try:
        config = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"not valid JSON, line {error.lineno}, column {error.colno}: {error.msg}; paste the "
            "whole config.json, from its first { to its last }"
        ) from None
    except (ValueError, RecursionError):
        raise ValueError("not a configuration: nested too deep or a number too long") from None
    if not isinstance(config, dict):
        raise ValueError(
            f"a config.json is an object in braces, this is a {type(config).__name__}: paste the "
            "whole file"
        )
    kind = config.get("model_type")
    if isinstance(kind, str) and kind in known_families():
        return from_config(config, name=_given_name(config, f"your {kind} model"))
    from napkin.models.estimate import estimate_from_config  # seldom needed

    return estimate_from_config(config, name=_given_name(config, kind or "config.json"))


def _given_name(config: dict[str, Any], otherwise: object) -> str:
    name = config.get("_name_or_path")
    if isinstance(name, str) and name.strip():
        return name.strip().rstrip("/").split("/")[-1][:60] or str(otherwise)[:60]
    return str(otherwise)[:60]


def _size(text: str) -> int:
    """Parameters; in a model's size, ``7b`` and ``124m`` have one meaning."""
    value = parse_count(re.sub(r"[kmbt]$", lambda end: end[0].upper(), text), "model")
    if not SMALLEST <= value <= LARGEST:
        raise ValueError(
            f"model {text!r} means {format_count(value)} parameters: a size lies between 1,000 "
            "and 100T, such as 7B"
        )
    return round(value)


def _dimensions(text: str) -> dict[str, int]:
    """``layers=32 hidden=4096`` or ``32 layers, hidden 4096``; empty where it is nothing such."""
    pairs: list[tuple[str, str]] = []
    for part in re.split(r"[;\n]|,(?=\s|[A-Za-z])", text):
        pieces = _PIECE.findall(re.sub(r"(?<=[a-z]) (?=(?:size|dim|heads)\b)", "_", part.lower()))
        names = [piece for piece in pieces if piece[0].isalpha()]
        numbers = [piece for piece in pieces if piece[0].isdigit()]
        if len(names) != len(numbers):
            return {}
        pairs += zip(names, numbers, strict=True)
    keys = [_KEYS.get(name) or _KEYS.get(name.removesuffix("_size")) for name, _ in pairs]
    if not any(keys):
        return {}
    found: dict[str, int] = {}
    for (name, number), key in zip(pairs, keys, strict=True):
        if key is None:
            raise ValueError(
                f"{name!r} is no dimension known here: use layers, hidden, heads, kv_heads, "
                "head_dim, ffn, vocab, experts, top_k"
            )
        if key in found:
            raise ValueError(f"{name!r} is given twice: keep one of them")
        value = parse_count(number, name)
        if value != int(value):
            raise ValueError(f"{name} is {number}: write a whole number, such as 32")
        found[key] = int(value)
    return found


def _from_dimensions(found: dict[str, int]) -> Model:
    """A Llama (a Mixtral where there are experts) of those dimensions."""
    for key, example in (("num_hidden_layers", "layers=32"), ("hidden_size", "hidden=4096")):
        if key not in found:
            raise ValueError(f"{_DIMENSIONS[key][0]} is missing: add it, as in {example}")
    config: dict[str, Any] = dict(found)
    hidden = found["hidden_size"]
    guesses = {}
    if "num_attention_heads" not in found:
        each = found.get("head_dim") or (128 if hidden >= 2048 else 64)
        guesses["num_attention_heads"] = max(1, hidden // each)
    heads = found.get("num_attention_heads") or guesses["num_attention_heads"]
    if "num_key_value_heads" not in found:
        guesses["num_key_value_heads"] = heads
    if "intermediate_size" not in found:
        guesses["intermediate_size"] = -(-8 * hidden // (3 * 256)) * 256
    if "vocab_size" not in found:
        guesses["vocab_size"] = 32_000
    mixture = found.get("num_local_experts", 1) > 1
    if mixture and "num_experts_per_tok" not in found:
        guesses["num_experts_per_tok"] = 2
    config.update(guesses)
    config["model_type"] = "mixtral" if mixture else "llama"
    model = from_config(config, name=f"{found['num_hidden_layers']} layers of {hidden:,}")
    assumed = tuple(f"{_DIMENSIONS[key][0]} = {value:,}" for key, value in guesses.items())
    limit = found.get("max_position_embeddings")
    return replace(model, assumed=assumed, max_context=limit)


@lru_cache(maxsize=64)
def model_of_size(parameters: int) -> Model:
    """A dense decoder shaped as Llama 3 is, with exactly that many parameters.

    Depth and width are those of well-known models of about that size; 8 key-value heads and a
    vocabulary of 128,256 (as many heads as queries, and 32,000, below 1B; tied below 4B).  The
    width of the MLP makes up the rest; what is left over, below 0.1%, multiplies nothing.

    >>> model = model_of_size(70_000_000_000)
    >>> model.total, len(model.layers), model.hidden_size
    (70000000000, 80, 8192)
    """
    config = _shape(parameters)
    model = from_config({"model_type": "llama", **config}, name=format_count(parameters))
    main = model.main
    left = parameters - model.total
    around = replace(main.around, other=main.around.other + left)
    stacks = tuple(replace(s, around=around) if s is main else s for s in model.stacks)
    kept = ("num_hidden_layers", "hidden_size", "num_attention_heads", "num_key_value_heads",
            "intermediate_size", "vocab_size")  # fmt: skip
    assumed = tuple(f"{_DIMENSIONS[key][0]} = {config[key]:,}" for key in kept)
    return replace(model, stacks=stacks, assumed=assumed, max_context=None)


# Parameters, layers, width: as GPT-2, Llama, Qwen and GPT-3 of about that size have them.
_SHAPES = (
    (10**6, 2, 64), (10**7, 4, 256), (6 * 10**7, 8, 512), (124 * 10**6, 12, 768),
    (350 * 10**6, 24, 896), (774 * 10**6, 24, 1280), (1_240_000_000, 16, 2048),
    (3 * 10**9, 28, 3072), (7 * 10**9, 32, 4096), (13 * 10**9, 40, 5120),
    (32 * 10**9, 64, 6144), (70 * 10**9, 80, 8192), (180 * 10**9, 96, 12288),
    (405 * 10**9, 126, 16384), (10**12, 140, 24576), (10**13, 200, 65536),
    (10**14, 320, 163840),
)  # fmt: skip


def _shape(parameters: int) -> dict[str, Any]:
    """Depth and width of the nearest size by ratio whose MLP does not come out too thin."""
    if parameters < 10**6:  # too few for a shape: one layer, and only the number means much
        return _sizes(1, 2, 1, 1, 1, 1, True)
    large = parameters >= 10**9
    vocabulary = 128_256 if large else 32_000 if parameters > 6e7 else 1000
    nearest = sorted(_SHAPES, key=lambda row: max(row[0] / parameters, parameters / row[0]))
    for _, layers, hidden in nearest:
        heads = hidden // (128 if hidden >= 2048 else 64)
        grouped = 8 if large and heads % 8 == 0 else heads
        fixed = _sizes(layers, hidden, heads, grouped, 0, vocabulary, parameters < 4 * 10**9)
        width = (parameters - _total(fixed)) // (3 * hidden * layers)
        if width >= hidden:
            return {**fixed, "intermediate_size": width}
    raise ValueError(f"no usual shape has {format_count(parameters)} parameters: use e.g. 7B")


def _sizes(layers: int, hidden: int, heads: int, grouped: int, width: int, vocabulary: int,
           tied: bool) -> dict[str, Any]:  # fmt: skip
    return {
        "num_hidden_layers": layers,
        "hidden_size": hidden,
        "num_attention_heads": heads,
        "num_key_value_heads": grouped,
        "intermediate_size": width,
        "vocab_size": vocabulary,
        "tie_word_embeddings": tied,
    }


def _total(sizes: dict[str, Any]) -> int:
    """Parameters of a Llama with an MLP of width 0."""
    hidden, layers = sizes["hidden_size"], sizes["num_hidden_layers"]
    head = hidden // sizes["num_attention_heads"]
    attention = 2 * hidden * hidden + 2 * hidden * head * sizes["num_key_value_heads"]
    tables = (1 if sizes["tie_word_embeddings"] else 2) * sizes["vocab_size"] * hidden
    return int(layers * (attention + 2 * hidden) + tables + hidden)
