"""Reading a configuration: every value checked, absent keys filled from the family's defaults."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pkgutil import get_data
from typing import Any

from napkin.table import nearest_name

__all__ = ["Config", "known_model_types"]

# No dimension of a model comes near this; a larger number is a slip, and would cost memory here.
LARGEST = 10**10
MOST_LAYERS = 10_000
# Keys not worth a word where they are absent. The first change no parameter count.
_NOT_SIZES = {
    "max_window_layers",
    "sliding_window",
    "window_size",
    "attention_chunk_size",
    "no_rope_layer_interval",
    "num_experts_per_tok",
    "moe_k",
    # Sizes that hardly any configuration states, because its family has one value only.
    "block_types",
    "conv1d_width",
    "conv_stride",
    "index_topk",
    "mm_tokens_per_image",
    "pixel_shuffle_ratio",
    "num_channels",
    "relative_attention_num_buckets",
    "vision_feature_layer",
}


@cache
def _families() -> dict[str, Any]:
    data = get_data("napkin.models", "defaults.json")
    if data is None:
        raise FileNotFoundError("napkin/models/defaults.json is not beside its module")
    families: dict[str, Any] = json.loads(data)["families"]
    return families


def known_model_types() -> tuple[str, ...]:
    """Every ``model_type`` whose defaults are known."""
    return tuple(_families())


class Config:
    """A configuration of one ``model_type``.

    ``whole("hidden_size")`` and its like raise a ValueError that names the field, the rule and a
    fix.  A key may go by the name that Hugging Face gives it in general (``hidden_size``) or in
    this family (``n_embd``).  ``assumed`` collects what was absent and came from the defaults.
    """

    def __init__(self, data: Mapping[str, Any], model_type: str, where: str = "") -> None:
        family = _families().get(model_type, {})
        self.data = data
        self.model_type = model_type
        self.where = where
        self.defaults: dict[str, Any] = family.get("defaults", {})
        self.assumed: dict[str, Any] = {}
        self._names: dict[str, list[str]] = {}
        for general, own in family.get("names", {}).items():
            self._names.setdefault(general, []).append(own)
            self._names.setdefault(own, []).append(general)

    def raw(self, key: str) -> Any:
        """The value as given, or the family's default, or None."""
        names = [key, *self._names.get(key, ())]
        found = [name for name in names if name in self.data]
        if found:
            value = self.data[found[0]]
            for other in found[1:]:
                if self.data[other] != value:
                    raise ValueError(
                        f"{self.where}{found[0]} is {value!r} but {self.where}{other}, another "
                        f"name for it, is {self.data[other]!r}: keep one of them"
                    )
            return value
        for name in names:
            if name in self.defaults:
                value = self.defaults[name]
                if value is not None and not isinstance(value, bool) and key not in _NOT_SIZES:
                    self.assumed[f"{self.where}{key}"] = value
                return value
        return None

    def given(self, key: str) -> bool:
        """Whether the configuration itself has the key, under any of its names."""
        return any(name in self.data for name in (key, *self._names.get(key, ())))

    def maybe(self, key: str, least: int = 1) -> int | None:
        """A whole number, or None where the key is absent or null."""
        value = self.raw(key)
        return None if value is None else self._whole(key, value, least)

    def whole(self, key: str, least: int = 1) -> int:
        """A whole number of at least ``least``."""
        value = self.raw(key)
        if value is None:
            if self.given(key):
                raise ValueError(
                    f"{self.where}{key} is null: it needs a whole number; leave the key out to "
                    f"take the default of {self.model_type!r}"
                )
            raise ValueError(
                f"{self.where}{key} is missing and {self.model_type!r} has no default for it: "
                "add it to the configuration"
            )
        return self._whole(key, value, least)

    def _whole(self, key: str, value: Any, least: int) -> int:
        name = f"{self.where}{key}"
        if isinstance(value, bool) or not isinstance(value, int):
            kind = {str: "text", bool: "true or false", float: "a fraction"}.get(type(value))
            hint = f", which is {kind}" if kind else ""
            raise ValueError(f"{name} is {value!r}{hint}: write a whole number, such as 32")
        if value < least:
            raise ValueError(f"{name} is {value}: it must be at least {least}")
        if value > LARGEST:
            raise ValueError(f"{name} is {value}: the largest accepted is {LARGEST}; check it")
        return value

    def depth(self, key: str = "num_hidden_layers", least: int = 0) -> int:
        """A number of layers."""
        value = self.whole(key, least)
        if value > MOST_LAYERS:
            raise ValueError(
                f"{self.where}{key} is {value}: the most layers accepted is {MOST_LAYERS}; check it"
            )
        return value

    def flag(self, key: str) -> bool:
        """True or false; null and absent count as false."""
        value = self.raw(key)
        if value is None:
            return False
        if not isinstance(value, bool):
            raise ValueError(f"{self.where}{key} is {value!r}: write true or false")
        return value

    def number(self, key: str) -> float:
        """A positive number, fractions allowed."""
        value = self.raw(key)
        real = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not real or not 0 < value <= LARGEST:
            raise ValueError(f"{self.where}{key} is {value!r}: write a number above 0, such as 2")
        return float(value)

    def text(self, key: str, default: str = "") -> str:
        """A word; absent or null gives ``default``."""
        value = self.raw(key)
        if value is None:
            return default
        if not isinstance(value, str):
            raise ValueError(f"{self.where}{key} is {value!r}: write a text, such as 'silu'")
        return value

    def items(self, key: str, length: int | None = None) -> list[Any] | None:
        """A list, of ``length`` entries where that is given; None where absent or null."""
        value = self.raw(key)
        if value is None:
            return None
        if not isinstance(value, (list, tuple)):
            raise ValueError(f"{self.where}{key} is {value!r}: write a list")
        if length is not None and len(value) != length:
            raise ValueError(
                f"{self.where}{key} has {len(value)} entries for {length} layers: give one each"
            )
        return list(value)

    def sub(self, key: str, model_type: str) -> Config:
        """The nested configuration under ``key``; absent or null gives the defaults."""
        value = self.data.get(key)
        if value is None:
            value = {}
        if not isinstance(value, Mapping):
            raise ValueError(f"{self.where}{key} is {value!r}: write a nested configuration")
        named = value.get("model_type", model_type)
        if not isinstance(named, str):
            raise ValueError(f"{self.where}{key}.model_type is {named!r}: write a text")
        nested = Config(value, named, f"{self.where}{key}.")
        nested.assumed = self.assumed
        return nested

    def multiple(self, key: str, of: str) -> int:
        """``key`` divided by ``of``, which must divide it."""
        value, parts = self.whole(key), self.whole(of)
        if value % parts:
            raise ValueError(
                f"{self.where}{key} {value} is not a multiple of {of} {parts}: change one of them"
            )
        return value // parts

    def unknown(self, field: str, value: object, known: list[str]) -> ValueError:
        """The error for a value that no rule covers."""
        close = nearest_name(str(value), known, 1)
        hint = f"nearest is {close[0]!r}" if close else f"known are {', '.join(sorted(known)[:20])}"
        return ValueError(f"{self.where}{field} {value!r} is not known; {hint}")
