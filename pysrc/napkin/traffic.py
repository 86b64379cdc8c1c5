"""What the devices of a split training run send each other in one step.

Schemes multiply: ``devices = data × tensor × pipeline × context``; experts are spread inside the
data × context group.  For each scheme this module lists the collectives of one optimiser step
*per device*, the bytes that they send, the time on the link that they use, and whether the time
can hide behind arithmetic.

Sources: Rajbhandari et al. 2020 (ZeRO, section 7: 2Ψ for stages 0-2, 3Ψ for stage 3); Shoeybi et
al. 2019 (tensor parallel: two all-reduces per layer in each direction); Narayanan et al. 2021
(pipeline and interleaving); Lepikhin et al. 2020 (expert all-to-all); Liu et al.
2023 (ring attention).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from napkin.collectives import Collective, Link, collective, whole
from napkin.quantities import format_bytes, format_count

if TYPE_CHECKING:
    from napkin.models import Model

__all__ = [
    "Shape",
    "Split",
    "Traffic",
    "shape_of",
    "traffic",
]


@dataclass(frozen=True)
class Split:
    """How a run is divided.  ``zero`` is the ZeRO stage (3 is FSDP) over data × context ranks.

    ``interleave`` is the number of model chunks per pipeline stage (1: plain 1F1B).

    >>> Split(data=8, tensor=8, pipeline=16).devices
    1024
    """

    data: int = 1
    tensor: int = 1
    pipeline: int = 1
    context: int = 1
    expert: int = 1
    zero: int = 0
    interleave: int = 1

    def __post_init__(self) -> None:
        for field in fields(self):
            least = 0 if field.name == "zero" else 1
            number = whole(getattr(self, field.name), field.name, least)
            object.__setattr__(self, field.name, number)
        if self.zero > 3:
            raise ValueError(f"zero must be a ZeRO stage 0, 1, 2 or 3, got {self.zero}")
        if self.replicas % self.expert:
            raise ValueError(
                f"expert = {self.expert} must divide data × context = {self.replicas}: experts "
                "are spread over ranks that hold different tokens"
            )
        if self.interleave > 1 and self.pipeline == 1:
            raise ValueError("interleave needs pipeline stages: set pipeline above 1 or leave it 1")

    @property
    def replicas(self) -> int:
        """Ranks that see different tokens and so must add up their gradients."""
        return self.data * self.context

    @property
    def devices(self) -> int:
        """Accelerators in all."""
        return self.data * self.tensor * self.pipeline * self.context


@dataclass(frozen=True)
class Shape:
    """The sizes of a model that matter for communication.

    ``dense`` and ``experts`` are parameters outside and inside routed experts; ``kv_width`` is
    numbers cached per token and layer (keys and values together).
    """

    dense: int
    layers: int
    hidden: int
    kv_width: int
    experts: int = 0
    expert_layers: int = 0
    top_k: int = 0

    @classmethod
    def of(cls, model: Model) -> Shape:
        """The shape of a model built from its configuration (its main stack)."""
        layers = model.layers
        mixed = [layer.experts for layer in layers if layer.experts]
        caches = [layer.attention.cache_elements for layer in layers if layer.attention]
        return cls(
            dense=model.total - model.counts.experts,
            layers=len(layers),
            hidden=model.main.hidden_size,
            kv_width=max(caches, default=0),
            experts=model.counts.experts,
            expert_layers=len(mixed),
            top_k=max((experts.top_k for experts in mixed), default=0),
        )


def shape_of(model: Shape | Model | str) -> Shape:
    """The shape itself, that of a model, or that of the preset of that name.

    >>> shape_of("mixtral-8x7b").top_k
    2
    """
    if isinstance(model, Shape):
        return model
    from napkin.lookup import model_of

    return Shape.of(model_of(model))


@dataclass(frozen=True)
class Traffic:
    """One kind of collective in a step: ``times`` of it, on the links of ``scheme``.

    ``hides`` says whether it can run while the device computes something that does not need it.
    """

    key: str
    label: str
    scheme: str
    op: Collective
    times: int
    hides: bool
    source: str

    @property
    def sent(self) -> int:
        """Bytes that each device sends in a step."""
        return int(self.op.sent * self.times)

    def seconds(self, link: Link) -> float:
        """Time on the link, nothing hidden, in s."""
        return self.times * self.op.seconds(link)

    @property
    def working(self) -> str:
        """Count, collective and size, with the numbers put in."""
        return (
            f"{format_count(self.times)} × {self.op.name} of {format_bytes(self.op.size)} over "
            f"{self.op.devices}: {self.op.formula} each"
        )


def traffic(
    model: Shape | Model | str,
    split: Split,
    *,
    sequence: int,
    micro_batch: int = 1,
    micro_batches: int = 1,
    bytes_per_value: float = 2,
    gradient_bytes: float = 2,
) -> list[Traffic]:
    """Every collective of one optimiser step, as one device sees it.

    ``micro_batch`` sequences of ``sequence`` tokens pass ``micro_batches`` times through each
    replica before the optimiser runs.  A device on a middle pipeline stage is described; parameters
    are taken to be spread evenly over the stages.

    >>> ddp = traffic(Shape(7_000_000_000, 32, 4096, 2048), Split(data=8), sequence=4096)
    >>> [(t.key, t.sent) for t in ddp]
    [('gradients', 24500000000)]
    >>> fsdp = traffic(Shape(7_000_000_000, 32, 4096, 2048), Split(data=8, zero=3), sequence=4096)
    >>> sum(t.sent for t in fsdp) / ddp[0].sent
    1.5
    """
    shape = shape_of(model)
    sequence = whole(sequence, "sequence", example="4096")
    micro_batch = whole(micro_batch, "micro_batch")
    micro_batches = whole(micro_batches, "micro_batches")
    if sequence % split.context:
        raise ValueError(
            f"sequence = {sequence} is not a multiple of context = {split.context}: "
            "every rank takes an equal piece"
        )
    if split.pipeline * split.interleave > shape.layers:
        raise ValueError(
            f"pipeline × interleave = {split.pipeline * split.interleave} is more than the "
            f"model's {shape.layers} layers: use fewer stages"
        )
    tokens = micro_batch * sequence // split.context
    layers = -(-shape.layers // split.pipeline)
    expert_layers = -(-shape.expert_layers // split.pipeline)
    activation = int(tokens * shape.hidden * bytes_per_value)
    found: list[Traffic] = []

    def add(key: str, label: str, scheme: str, name: str, size: float, devices: int,
            times: int, hides: bool, source: str) -> None:  # fmt: skip
        if devices > 1 and times and size:
            op = collective(name, int(size), devices)
            found.append(Traffic(key, label, scheme, op, times, hides, source))

    shards = split.tensor * split.pipeline
    groups = [("", "", shape.dense / shards, split.replicas)]
    if shape.experts:
        share = shape.experts / (shards * split.expert)
        groups.append(("expert_", "expert ", share, split.replicas // split.expert))
    zero = "Rajbhandari et al. 2020, section 7"
    for prefix, word, parameters, ranks in groups:
        weights, gradients = parameters * bytes_per_value, parameters * gradient_bytes
        if split.zero == 0:
            add(f"{prefix}gradients", f"Add up {word}gradients", "data", "all-reduce", gradients,
                ranks, 1, True, "Patarasuk and Yuan 2009")  # fmt: skip
            continue
        # Stages 2 and 3 keep only their own shard of the gradients, so each micro-batch is added
        # up at once; stage 1 can wait for the last one.
        times = micro_batches if split.zero > 1 else 1
        add(f"{prefix}gradients", f"Scatter {word}gradients", "data", "reduce-scatter", gradients,
            ranks, times, True, zero)  # fmt: skip
        gathers = 2 * micro_batches if split.zero == 3 else 1
        add(f"{prefix}weights", f"Gather {word}weights", "data", "all-gather", weights,
            ranks, gathers, True, zero)  # fmt: skip
    add("tensor", "Add up activations of split matrices", "tensor", "all-reduce", activation,
        split.tensor, 4 * layers * micro_batches, False, "Shoeybi et al. 2019")  # fmt: skip
    add("pipeline", "Pass activations and their gradients on", "pipeline", "send", activation,
        split.pipeline, 2 * split.interleave * micro_batches, True,
        "Narayanan et al. 2021")  # fmt: skip
    add("expert", "Send tokens to experts and back", "expert", "all-to-all",
        activation * shape.top_k, split.expert, 4 * expert_layers * micro_batches, False,
        "Lepikhin et al. 2020")  # fmt: skip
    block = int(tokens * shape.kv_width * bytes_per_value) // split.tensor
    add("context", "Pass keys and values round the ring", "context", "ring pass", block,
        split.context, 3 * layers * micro_batches, True, "Liu et al. 2023")  # fmt: skip
    return found
