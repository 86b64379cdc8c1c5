"""What a calculator's parameters accept: amounts, choices, models and GPUs as people write them.

Every field reads a text and gives the value, and a sentence that says how it was read. What it
cannot read is a ValueError that says what was read, the rule and a fix.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from napkin.printing import format_count, format_money, format_quantity
from napkin.quantities import (
    parse_bytes,
    parse_count,
    parse_fraction,
    parse_money,
    parse_rate,
    parse_seconds,
)

__all__ = [
    "Amount",
    "Choice",
    "GpuInput",
    "ModelInput",
    "Options",
    "Reader",
    "Switch",
    "Text",
]

LONGEST = 100
LONGEST_CONFIG = 200_000


@dataclass(frozen=True)
class Amount:
    """A number typed as people write it, between ``low`` and ``high``.

    ``unit`` stands behind the field and may be typed too. ``kind`` says which grammar reads it:
    ``count`` (7B, 32k), ``bytes`` (80 GB), ``seconds`` (90 days), ``money`` ($2.50), ``fraction``
    (40%) or ``rate`` (3.35 TB/s; ``unit`` says of what). ``slider`` adds one beside the field.

    >>> Amount("tokens", 1, 1e8, whole=True).read("32k", "Context")
    (32000, 'read as 32,000 tokens')
    """

    unit: str
    low: float
    high: float
    whole: bool = False
    kind: Literal["count", "bytes", "seconds", "money", "fraction", "rate"] = "count"
    suggestions: tuple[str, ...] = ()
    slider: bool = False

    def read(self, text: str, label: str) -> tuple[float | int, str]:
        """The value, and how the text was read."""
        example = self._example()
        try:
            value = self._parse(_short(text, label, example), label)
        except ValueError as error:
            # The grammar's own examples are of no field in particular.
            message = str(error).replace("7B, 3e9, 1,000", example)
            raise ValueError(message) from None
        shown = self.exact(value)
        if self.whole and value != int(value):
            raise ValueError(f"{label} {text!r} is {shown}: it must be a whole number, such as "
                             f"{format_count(max(1, round(value)))}")  # fmt: skip
        if not self.low <= value <= self.high:
            rule = (
                f"at least {self.exact(self.low)}"
                if value < self.low
                else f"at most {self.exact(self.high)}"
            )
            raise ValueError(f"{label} {text!r} is {shown}: it must be {rule}, such as "
                             f"{example}")  # fmt: skip
        plain = text.strip().replace(",", "") == f"{value}"
        return value, "" if plain else f"read as {shown}"

    def _parse(self, text: str, label: str) -> float | int:
        if self.kind == "bytes":
            return parse_bytes(text, label)
        if self.kind == "seconds":
            return parse_seconds(text, label)
        if self.kind == "money":
            return parse_money(text, label)
        if self.kind == "rate":
            return parse_rate(text, self.unit, label)
        if self.kind == "fraction":
            # In a field for a share, 40 can only be a percentage.
            bare = re.fullmatch(r"[0-9]+(\.[0-9]+)?", text)
            return parse_fraction(f"{text}%" if bare and float(text) > 1 else text, label)
        for word in (self.unit, self.unit.removesuffix("s")):
            if word and text.casefold().endswith(word.casefold()) and text[:1].isdigit():
                text = text[: -len(word)].strip()
                break
        # A count of things has no bits, millis or tonnes: 7b, 15t and 1m have one reading here.
        return parse_count(re.sub(r"(?<=[0-9])( ?)([bmtg])$", _upper, text), label)

    def _example(self) -> str:
        return self.suggestions[0] if self.suggestions else self.written(self.low)

    def written(self, value: float | int) -> str:
        """The value as people would type it; reading it gives the value again.

        >>> Amount("tokens", 1, 1e8).written(32_000), Amount("", 0, 1, kind="fraction").written(0.4)
        ('32k', '40%')
        """
        if self.kind == "fraction":
            return f"{value * 100:.6g}%"
        if self.kind == "rate":
            text = format_quantity(value, self.unit)
        elif self.kind == "count":
            text = format_count(value)
        else:
            unit = {"bytes": "B", "seconds": "s", "money": "$"}[self.kind]
            text = format_quantity(value, unit)
        if self._same(text, value):
            return text
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        long = f"{value:,}" if isinstance(value, int) else repr(value)
        return long + {"bytes": " B", "seconds": " s", "rate": f" {self.unit}"}.get(self.kind, "")

    def _same(self, text: str, value: float | int) -> bool:
        try:
            return self._parse(text, "") == value
        except ValueError:
            return False

    def exact(self, value: float | int) -> str:
        """The value in full, with its unit, for the echo of what was read."""
        if self.kind == "count":
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            if abs(value) >= 1e15:
                return f"{value:.3g} {self.unit}".strip()
            unit = self.unit.removesuffix("s") if value == 1 else self.unit
            return f"{value:,} {unit}".strip()
        if self.kind == "fraction":
            return f"{value * 100:.4g} %"
        if self.kind == "money":
            return format_money(value)
        return format_quantity(value, {"bytes": "B", "seconds": "s"}.get(self.kind, self.unit))


def _upper(match: re.Match[str]) -> str:
    return match[1] + match[2].upper()


@dataclass(frozen=True)
class ModelInput:
    """A model: a preset's name, a size such as ``7B``, or the text of a ``config.json``."""

    def read(self, text: str, label: str) -> tuple[str, str]:
        """The text itself, once it is known to name or describe a model."""
        from napkin.models.typed import typed_model

        if not text.strip():
            raise ValueError(f"{label} is empty: write a name such as llama-3.1-8b, or 7B")
        if len(text) > LONGEST_CONFIG:
            raise ValueError(f"{label}: {len(text):,} characters are no config.json of a model")
        model = typed_model(text)
        layers = len(model.layers)
        return text.strip(), (
            f"{model.name}: {format_count(model.total)} parameters, {layers} layers"
        )


@dataclass(frozen=True)
class GpuInput:
    """An accelerator of the catalogue, by the name that people say."""

    def read(self, text: str, label: str) -> tuple[str, str]:
        """The name in the catalogue, and what the device is."""
        from napkin.hardware import accelerator

        found = accelerator(_short(text, label, "H100"))
        rate = format_quantity(found.bandwidth, "B/s")
        # The text, not the name: "M3 Max 64GB" carries a size that the name alone does not.
        return text.strip(), f"{found.name}: {found.marketed_gb:g} GB at {rate}"


@dataclass(frozen=True)
class Choice:
    """Names for the values of a ``Literal``, where the values alone would say too little."""

    labels: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Text:
    """A free text, such as a number to look at bit by bit."""

    longest: int = LONGEST
    suggestions: tuple[str, ...] = ()

    def read(self, text: str, label: str) -> tuple[str, str]:
        """The text without spaces around it."""
        return _short(text, label, self.suggestions[0] if self.suggestions else "a text",
                      self.longest), ""  # fmt: skip


@dataclass(frozen=True)
class Options:
    """One of a few values."""

    values: tuple[Any, ...]
    labels: tuple[tuple[str, str], ...] = ()

    def read(self, text: str, label: str) -> tuple[Any, str]:
        """The value whose text this is."""
        for value in self.values:
            if str(value).casefold() == text.strip().casefold():
                return value, ""
        choices = ", ".join(str(value) for value in self.values)
        raise ValueError(f"{label} {text[:40]!r} is none of the choices: use {choices}")


@dataclass(frozen=True)
class Switch:
    """Yes or no."""

    def read(self, text: str, label: str) -> tuple[bool, str]:
        """True for ``yes``, False for ``no``."""
        word = text.strip().casefold()
        if word not in ("yes", "no"):
            raise ValueError(f"{label} {text[:40]!r} is neither yes nor no")
        return word == "yes", ""


Reader = Amount | ModelInput | GpuInput | Options | Switch | Text


def _short(text: str, label: str, example: str, longest: int = LONGEST) -> str:
    text = text.strip()
    if not text:
        raise ValueError(f"{label} is empty: write e.g. {example}")
    if len(text) > longest:
        raise ValueError(f"{label}: {text[:20]!r}… is too long: write e.g. {example}")
    return text
