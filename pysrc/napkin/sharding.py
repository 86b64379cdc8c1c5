"""Which parameters one device of a split run holds, and over how many devices each is repeated.

Tensor parallelism divides matrices, not norms; expert parallelism divides routed experts; pipeline
stages hold a run of layers; ZeRO divides what is left over the devices that would otherwise repeat
it.  So each class of tensor has its own denominator.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from napkin.models.counts import Counts
from napkin.traffic import Split

if TYPE_CHECKING:
    from napkin.models import Model

__all__ = ["Portion", "largest_unit", "layer_range", "portions"]

SPLIT_PARTS = ("attention", "recurrent", "mlp", "shared_experts", "projector")
VOCABULARY = ("token_embedding", "head")


@dataclass(frozen=True)
class Portion:
    """``parameters`` of one part that a pipeline stage holds.

    ``shards`` devices divide them (tensor, expert); ``replicas`` hold the same shard, and ZeRO
    spreads it over those.
    """

    part: str
    parameters: int
    shards: int
    replicas: int

    def on_device(self, bytes_each: Fraction | int, spread: bool) -> int:
        """Bytes on one device, rounded up."""
        devices = self.shards * (self.replicas if spread else 1)
        return -(-self.parameters * bytes_each.numerator // (bytes_each.denominator * devices))


def layer_range(layers: int, split: Split, stage: int) -> tuple[int, int]:
    """First layer of a pipeline stage and the one after its last; early stages take the remainder.

    >>> [layer_range(10, Split(pipeline=4), stage) for stage in range(4)]
    [(0, 3), (3, 6), (6, 8), (8, 10)]
    """
    if split.pipeline > layers:
        raise ValueError(
            f"pipeline = {split.pipeline} is more than the model's {layers} layers: use fewer"
        )
    each, more = divmod(layers, split.pipeline)
    first = stage * each + min(stage, more)
    return first, first + each + (stage < more)


def portions(model: Model, split: Split, stage: int = 0) -> list[Portion]:
    """What the given pipeline stage holds, part by part.

    The first stage holds embeddings and every stack before the main one, the last the output head
    (a tied head is a second copy where they are not the same stage).

    >>> from napkin.models import from_config
    >>> gpt2 = from_config({"model_type": "gpt2"})
    >>> sum(p.parameters for p in portions(gpt2, Split())) == gpt2.total
    True
    """
    counts = stage_counts(model, split, stage)
    found = []
    for part, parameters in _parts(counts):
        shards, replicas = 1, split.replicas
        if part == "experts":
            shards = split.tensor * split.expert
            replicas = split.replicas // split.expert
        elif part in SPLIT_PARTS or part in VOCABULARY:
            shards = split.tensor
        if parameters:
            found.append(Portion(part, parameters, shards, replicas))
    return found


@lru_cache(maxsize=64)
def stage_counts(model: Model, split: Split, stage: int) -> Counts:
    """Parameters of a pipeline stage by part."""
    main = model.main
    first, last = layer_range(len(main.layers), split, stage)
    counts = Counts()
    for layer, times in main.groups(first, last):
        counts = counts + layer.counts * times
    at_end = stage == split.pipeline - 1
    around = main.around
    if stage == 0:
        for stack in model.stacks:
            if stack is not main:
                counts = counts + stack.counts
        counts = counts + Counts(
            token_embedding=around.token_embedding,
            position_embedding=around.position_embedding,
            segment_embedding=around.segment_embedding,
            layer_embedding=around.layer_embedding,
            projector=around.projector,
        )
    if at_end:
        counts = counts + Counts(
            norm_weight=around.norm_weight, norm_bias=around.norm_bias, bias=around.bias,
            head=around.head, pooler=around.pooler, other=around.other,
            attention=around.attention, mlp=around.mlp,
        )  # fmt: skip
        if model.tied and split.pipeline > 1:
            counts = counts + Counts(head=model.tied_head)
    return counts


def largest_unit(model: Model, split: Split) -> tuple[str, Fraction]:
    """The unit that ZeRO-3 gathers whole, the largest one: its name and parameters per device.

    A layer, or embedding or head; tensor and expert parallel shards stay shards.
    """
    return _largest_unit(model, split.tensor, split.expert)


@lru_cache(maxsize=64)
def _largest_unit(model: Model, tensor: int, expert: int) -> tuple[str, Fraction]:
    best: tuple[str, Fraction] = ("layer", Fraction(0))
    for stack in model.stacks:
        for layer, _ in stack.groups():
            size = Fraction(0)
            for part, parameters in _parts(layer.counts):
                shards = 1
                if part == "experts":
                    shards = tensor * expert
                elif part in SPLIT_PARTS:
                    shards = tensor
                size += Fraction(parameters, shards)
            if size > best[1]:
                best = (f"a {stack.role} layer", size)
    for name, parameters in (
        ("the embedding", model.counts.token_embedding),
        ("the head", model.counts.head),
    ):
        if Fraction(parameters, tensor) > best[1]:
            best = (name, Fraction(parameters, tensor))
    return best


def _parts(counts: Counts) -> list[tuple[str, int]]:
    """Parts with their counts; everything that stays whole under tensor parallelism as one."""
    parts = [(part, getattr(counts, part)) for part in (*SPLIT_PARTS, *VOCABULARY, "experts")]
    return [*parts, ("rest", counts.total - sum(number for _, number in parts))]
