"""Splitting one training run over many accelerators: bytes sent, time on the links, waiting.

``napkin.traffic`` lists who sends what; here it becomes tables of bytes and seconds per optimiser
step, and the pipeline's bubble; ``napkin.training_step`` puts them together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from napkin.collectives import Link, whole
from napkin.quantities import format_bytes
from napkin.table import Row, Table
from napkin.traffic import Shape, Split, traffic

if TYPE_CHECKING:
    from napkin.models import Model

__all__ = [
    "Shape",
    "Split",
    "bubble_share",
    "communication",
    "communication_bytes",
    "pipeline_bubble",
]


def bubble_share(stages: int, micro_batches: int, interleave: int = 1) -> float:
    """Share of a step in which a pipeline stage waits: (p - 1) / (v·m + p - 1).

    With v = 1 this is GPipe's and 1F1B's bubble; v chunks per stage make it v times smaller.

    >>> bubble_share(8, 32), round(bubble_share(8, 32, interleave=4), 4)
    (0.1794871794871795, 0.0519)
    """
    stages = whole(stages, "stages")
    micro_batches = whole(micro_batches, "micro_batches")
    interleave = whole(interleave, "interleave")
    return (stages - 1) / (interleave * micro_batches + stages - 1)


def pipeline_bubble(stages: int, micro_batches: int, interleave: int = 1) -> Table:
    """Useful and idle share of a pipelined step."""
    idle = bubble_share(stages, micro_batches, interleave)
    slots = interleave * micro_batches + stages - 1
    rows = (
        Row("busy", "Computing", 100 * (1 - idle), "%",
            f"{interleave} × {micro_batches} / ({interleave} × {micro_batches} + {stages} - 1)"),
        Row("bubble", "Waiting (bubble)", 100 * idle, "%", f"({stages} - 1) / {slots}",
            "Huang et al. 2019; interleaved: Narayanan et al. 2021"),
        Row("overhead", "Waiting ÷ computing", 100 * (stages - 1) / (interleave * micro_batches),
            "%", f"({stages} - 1) / ({interleave} × {micro_batches})"),
    )  # fmt: skip
    return Table(f"Pipeline of {stages} stages, {micro_batches} micro-batches", rows)


def communication_bytes(
    model: Shape | Model | str,
    split: Split,
    *,
    sequence: int,
    micro_batch: int = 1,
    micro_batches: int = 1,
    bytes_per_value: float = 2,
    gradient_bytes: float = 2,
) -> Table:
    """Bytes that one device sends in one optimiser step, by scheme.

    >>> shape = Shape(dense=7_000_000_000, layers=32, hidden=4096, kv_width=2048)
    >>> print(communication_bytes(shape, Split(data=8), sequence=4096))
    Bytes sent per device and step, 8 devices
    Add up gradients  24.5 GB   1 × all-reduce of 14 GB over 8: 2·(n - 1)/n × S each
    ─────────────────────────
    Sent              24.5 GB
    """
    parts = traffic(model, split, sequence=sequence, micro_batch=micro_batch,
                    micro_batches=micro_batches, bytes_per_value=bytes_per_value,
                    gradient_bytes=gradient_bytes)  # fmt: skip
    rows = [Row(t.key, t.label, t.sent, "B", t.working, t.source) for t in parts]
    title = f"Bytes sent per device and step, {split.devices} devices"
    if not rows:
        return Table(title, (), Row("sent", "Sent", 0, "B", "one device sends nothing"))
    return Table.of(title, rows, total="Sent", key="sent")


def communication(
    model: Shape | Model | str,
    split: Split,
    *,
    sequence: int,
    links: dict[str, Link] | Link,
    micro_batch: int = 1,
    micro_batches: int = 1,
    bytes_per_value: float = 2,
    gradient_bytes: float = 2,
) -> Table:
    """Time that one step's communication takes on its links, and what of it can hide.

    ``links`` is one link for all, or one per scheme (``data``, ``tensor``, ``pipeline``,
    ``expert``, ``context``): tensor parallelism belongs inside a node, the others may cross it.

    >>> shape = Shape(dense=7_000_000_000, layers=32, hidden=4096, kv_width=2048)
    >>> table = communication(shape, Split(data=8), sequence=4096, links=Link(450e9))
    >>> round(table.value("gradients"), 4), table.value("exposed")
    (0.0544, 0.0)
    """
    parts = traffic(model, split, sequence=sequence, micro_batch=micro_batch,
                    micro_batches=micro_batches, bytes_per_value=bytes_per_value,
                    gradient_bytes=gradient_bytes)  # fmt: skip
    rows = []
    hidden = exposed = 0.0
    for part in parts:
        link = links if isinstance(links, Link) else links.get(part.scheme)
        if link is None:
            raise ValueError(
                f"links has no entry for {part.scheme!r}: give one Link for each scheme in use, "
                "or a single Link for all"
            )
        seconds = part.seconds(link)
        hidden, exposed = (hidden + seconds, exposed) if part.hides else (hidden, exposed + seconds)
        rows.append(
            Row(part.key, part.label, seconds, "s",
                f"{part.working}; {format_bytes(part.sent)} ÷ {format_bytes(link.bandwidth)}/s"
                + ("; can hide behind arithmetic" if part.hides else "; the device waits"),
                part.source)
        )  # fmt: skip
    rows.append(Row("hideable", "Of which can hide", hidden, "s"))
    rows.append(Row("exposed", "Of which the device waits for", exposed, "s"))
    return Table(f"Communication per step, {split.devices} devices", tuple(rows))
