"""Layers put on one another, with embedding, final norm and head around them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from napkin.models.built import Built, context_length
from napkin.models.config import Config
from napkin.models.counts import Counts
from napkin.models.heads import tie_flag, with_head
from napkin.models.layers import Layer, Stack
from napkin.models.pieces import (
    norm,
)

__all__ = ["finish", "stacked"]

Kind = TypeVar("Kind", bound=Hashable)


def finish(config: Config, architecture: str, hidden: int, layers: tuple[Layer, ...]) -> Built:
    """Embedding, final norm and head around the layers."""
    vocabulary, tied = config.whole("vocab_size"), tie_flag(config)
    around = Counts(token_embedding=vocabulary * hidden) + norm("rms", hidden)
    around += with_head(config, architecture, hidden, tied)
    stack = Stack("decoder", hidden, layers, around)
    return Built((stack,), tied, vocabulary, context_length(config))


def stacked(kinds: Sequence[Kind], make: Callable[[Kind], Layer]) -> tuple[Layer, ...]:
    """One layer object for each distinct kind."""
    made: dict[Kind, Layer] = {}
    for kind in kinds:
        if kind not in made:
            made[kind] = make(kind)
    return tuple(made[kind] for kind in kinds)
