"""What passes through a model at once, and the kinds of work that it causes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from napkin.collectives import whole

if TYPE_CHECKING:
    from napkin.models import Model, Stack

__all__ = ["Part", "Pass"]


@dataclass(frozen=True, slots=True)
class Part:
    """One kind of work: ``kind`` is a key of the counts, ``scores`` or ``scan``."""

    key: str
    kind: str
    label: str
    flops: int
    working: str


@dataclass(frozen=True, slots=True)
class Pass:
    """How many tokens go through the model at once.

    ``queries`` new tokens per sequence after ``past`` cached ones.  ``encoder_tokens`` feed an
    encoder (None: as many as queries; a speech encoder: its own length).  ``images`` is how many
    pictures a vision stack reads (None: none behind a decoder or an output head, else one).
    ``extra_predictions``: modules that predict further tokens (DeepSeek-V3's MTP), each one more
    layer, a 2h × h projection and the head again.
    """

    queries: int
    past: int = 0
    batch: int = 1
    encoder_tokens: int | None = None
    images: int | None = None
    run_encoder: bool = True
    logits: Literal["all", "last"] = "all"
    absorbed: bool = False
    extra_predictions: int = 0

    def __post_init__(self) -> None:
        whole(self.queries, "tokens", 1, "1024")
        whole(self.past, "past", 0, "1024")
        whole(self.batch, "batch", 1, "8")
        whole(self.extra_predictions, "extra_predictions", 0, "1")
        if self.encoder_tokens is not None:
            whole(self.encoder_tokens, "encoder_tokens", 1, "1024")
        if self.images is not None:
            whole(self.images, "images", 0, "1")
        if self.logits not in ("all", "last"):
            raise ValueError(f"logits is {self.logits!r}: use 'all' or 'last'")

    def main_tokens(self, model: Model) -> int:
        """Tokens per sequence in the stack that gives the output."""
        main = model.main
        if main.role in ("vision", "audio") and main.positions:
            return main.positions
        return self.queries

    def side_tokens(self, model: Model, stack: Stack) -> int:
        """Tokens per sequence in another stack, 0 where it does not run."""
        if stack.role == "encoder":
            return self.encoder_tokens or self.queries
        feeds = any(layer.cross_attention for layer in model.layers)
        if stack.role == "audio" and feeds:
            return self.encoder_tokens or stack.positions or self.queries
        images = self.images
        if images is None:
            images = 0 if model.generates or model.tied or model.main.around.head else 1
        if images and not stack.positions:
            raise ValueError(
                f"the {stack.role} stack of {model.name} takes inputs of any size: leave images "
                "at 0 and count its tokens apart"
            )
        return images * (stack.positions or 0)
