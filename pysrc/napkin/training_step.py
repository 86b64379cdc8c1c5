"""Time of one optimiser step on many devices: arithmetic, pipeline bubble, communication.

    step = compute ÷ (devices × peak × share) × (1 + bubble) + what communication does not hide

The low end takes the best kernels and links and hides all that can hide behind arithmetic; the
high end the worst, with nothing hidden.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from napkin.achieved import Range
from napkin.collectives import Link, whole
from napkin.flops import training_flops
from napkin.hardware import Accelerator, accelerator
from napkin.lookup import model_of
from napkin.parallel import bubble_share
from napkin.printing import format_flops, format_number, format_rate, format_seconds
from napkin.roofline import positive
from napkin.speed import LINK_SHARE
from napkin.table import Row, Table
from napkin.traffic import Shape, Split, Traffic, traffic

if TYPE_CHECKING:
    from napkin.models import Model

__all__ = ["KERNELS", "step_links", "training_step"]

KERNELS = Range(0.48, 0.65, 0.80)
"""Share of the dense peak that a training step's kernels reach between waits."""

NETWORK = 50e9
"""Bytes per second and direction between nodes for each device: a 400 Gbit/s card."""

HOP = 10e-6


def step_links(gpu: Accelerator, split: Split, network: float, node: int) -> dict[str, Link]:
    """The link that each scheme uses: inside the node while its group fits there.

    Tensor ranks are neighbours, then context, then expert ranks; data and pipeline come last.
    """
    positive(network, "network", "B/s between nodes for each device, such as 50e9")
    inside = Link(gpu.link or network, HOP, gpu.link_name)
    outside = Link(min(network, inside.bandwidth), HOP, "network")
    spans = {
        "tensor": split.tensor,
        "context": split.tensor * split.context,
        "expert": split.tensor * max(split.context, split.expert),
        "data": split.devices,
        "pipeline": split.devices,
    }
    return {name: inside if span <= node else outside for name, span in spans.items()}


def _seconds(parts: list[Traffic], links: dict[str, Link], share: float) -> tuple[float, float]:
    """(can hide, the device waits) at that share of the links' bandwidth."""
    hides = waits = 0.0
    for part in parts:
        link = links[part.scheme]
        seconds = part.seconds(Link(link.bandwidth * share, link.latency, link.name))
        hides, waits = (hides + seconds, waits) if part.hides else (hides, waits + seconds)
    return hides, waits


def training_step(
    model: Model | str,
    gpu: str,
    split: Split | None = None,
    *,
    sequence: int = 4096,
    micro_batch: int = 1,
    micro_batches: int = 1,
    recompute: Literal["none", "selective", "full"] = "none",
    network: float = NETWORK,
    node: int = 8,
) -> Table:
    """Seconds per step, tokens per second and MFU of a run split as ``split`` says.

    ``micro_batches`` is how many each pipeline works through in a step; ``network`` the bandwidth
    between nodes of ``node`` devices, per device and direction in B/s.

    >>> from napkin.models import from_config
    >>> gpt2 = from_config({"model_type": "gpt2"})
    >>> table = training_step(gpt2, "A100", Split(data=8), sequence=1024, micro_batch=64)
    >>> table.value("seconds_low") <= table.value("seconds") <= table.value("seconds_high")
    True
    """
    model = model_of(model)
    device = accelerator(gpu)
    split = Split() if split is None else split
    if not isinstance(split, Split):
        raise ValueError(f"split is {split!r}: give a napkin.parallel.Split, such as Split(data=8)")
    node = whole(node, "node")
    parts = traffic(Shape.of(model), split, sequence=sequence, micro_batch=micro_batch,
                    micro_batches=micro_batches)  # fmt: skip
    links = step_links(device, split, network, node)
    tokens = split.data * micro_batch * micro_batches * sequence
    work = training_flops(model, tokens, sequence, recompute=recompute)
    flops, peak = float(work.value("total")), device.peak_16bit
    useful = flops - (float(work.value("recompute")) if "recompute" in work else 0.0)
    idle = bubble_share(split.pipeline, micro_batches, split.interleave)
    ideal = flops / (split.devices * peak)

    def step(kernels: float, share: float, hidden: float) -> float:
        busy = ideal / kernels
        hides, waits = _seconds(parts, links, share)
        return busy / (1 - idle) + waits + max(0.0, hides - hidden * busy)

    span = Range(
        step(KERNELS.high, LINK_SHARE.high, 1.0),
        step(KERNELS.typical, LINK_SHARE.typical, 0.7),
        step(KERNELS.low, LINK_SHARE.low, 0.0),
    )
    busy = ideal / KERNELS.typical
    hides, waits = _seconds(parts, links, LINK_SHARE.typical)
    rows = (
        Row("compute", "Arithmetic", busy, "s",
            f"{format_flops(flops)} ÷ ({split.devices:,} × {format_rate(peak)} × "
            f"{KERNELS.typical:.0%})"),
        Row("bubble", "Waiting in the pipeline", busy / (1 - idle) - busy, "s",
            f"bubble {idle:.1%}"),
        Row("waits", "Communication that cannot hide", waits, "s"),
        Row("hides", "Communication that can hide", hides, "s",
            "behind up to 70% of the arithmetic"),
        Row("seconds_low", "One step, fast end", span.low, "s"),
        Row("seconds", "One step, typical", span.typical, "s",
            f"{format_seconds(span.low)} to {format_seconds(span.high)}"),
        Row("seconds_high", "One step, slow end", span.high, "s"),
        Row("tokens_per_s", "Tokens per second, typical", tokens / span.typical, "tokens/s",
            f"{format_number(tokens)} tokens ÷ {format_seconds(span.typical)}"),
        Row("mfu", "MFU, typical", 100 * useful / (split.devices * peak) / span.typical, "%"),
    )  # fmt: skip
    crossing = sorted({part.scheme for part in parts if links[part.scheme].name == "network"})
    notes = [f"kernels reach {KERNELS.low:.0%} to {KERNELS.high:.0%} of the dense peak, links "
             f"{LINK_SHARE.low:.0%} to {LINK_SHARE.high:.0%} of theirs"]  # fmt: skip
    if crossing:
        notes.append(f"over the network between nodes: {', '.join(crossing)}")
    return Table(f"One step of {model.name} on {split.devices:,} × {device.name}", rows,
                 notes=tuple(notes))  # fmt: skip
