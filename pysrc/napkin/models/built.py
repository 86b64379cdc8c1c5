"""What the builder of a family hands back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from napkin.models.config import Config
from napkin.models.layers import Stack

__all__ = ["Builder", "Built", "context_length"]


@dataclass(frozen=True)
class Built:
    """Stacks, in the order in which data flows through them; the last produces the output."""

    stacks: tuple[Stack, ...]
    tied: bool
    vocab_size: int
    max_context: int | None
    text_type: str = ""

    @property
    def main(self) -> Stack:
        """The decoder where there is one, else the last stack."""
        return next((stack for stack in self.stacks if stack.role == "decoder"), self.stacks[-1])


Builder = Callable[[Config, str], Built]


def context_length(config: Config) -> int | None:
    """The longest sequence the configuration speaks of."""
    for key in ("max_position_embeddings", "max_seq_len", "seq_length", "n_positions"):
        value = config.raw(key)
        if value is not None:
            length = config.maybe(key)
            config.assumed.pop(f"{config.where}{key}", None)
            return length
    return None
