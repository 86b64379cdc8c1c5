"""Training asked backwards: does it fit, the largest micro-batch, the fewest devices.

``method`` is ``full`` (every weight trained), ``lora`` (adapters on 16-bit weights) or ``qlora``
(adapters on 4-bit weights).  More than one device means ZeRO-3 (FSDP) over all of them unless a
``split`` says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from napkin.activations import Checkpointing
from napkin.capacity import comparison, largest_that_fits
from napkin.collectives import whole
from napkin.hardware import Accelerator, accelerator, accelerators
from napkin.lookup import model_of
from napkin.memory_training import adapter_memory, training_memory
from napkin.models import Model
from napkin.printing import format_bytes
from napkin.table import Row, Table
from napkin.traffic import Split

__all__ = ["fewest_devices", "largest_batch", "training_fit", "training_table"]

Method = Literal["full", "lora", "qlora"]
MOST_DEVICES = 2**16
MOST_SEQUENCES = 2**20


def training_table(
    model: Model | str,
    *,
    method: Method = "full",
    seq: int = 2048,
    batch: int = 1,
    gpus: int = 1,
    split: Split | None = None,
    optimizer: str = "adamw",
    precision: str = "mixed",
    checkpointing: Checkpointing = "none",
) -> Table:
    """Bytes on the fullest device, by part.

    >>> table = training_table("llama-2-7b", method="qlora", seq=512, checkpointing="full")
    >>> 5e9 < table.value("total") < 10e9  # "a 7B fine-tune fits in about 10 GB"
    True
    """
    model = model_of(model)
    gpus = whole(gpus, "gpus")
    if split is None:
        split = Split(data=gpus, zero=3 if gpus > 1 else 0)
    if method == "full":
        return training_memory(model, seq, batch, split=split, optimizer=optimizer,
                               precision=precision, checkpointing=checkpointing)  # fmt: skip
    if method not in ("lora", "qlora"):
        raise ValueError(f"method {method!r} is not known: use full, lora or qlora")
    base = "bf16" if method == "lora" else "nf4_dq"
    return adapter_memory(model, seq, batch, base=base, split=split, optimizer=optimizer,
                          precision=precision, checkpointing=checkpointing)  # fmt: skip


def largest_batch(
    model: Model | str,
    gpu: Accelerator | str,
    *,
    method: Method = "full",
    seq: int = 2048,
    gpus: int = 1,
    optimizer: str = "adamw",
    precision: str = "mixed",
    checkpointing: Checkpointing = "none",
) -> int:
    """Most sequences that pass a device at once; 0 when not even one fits.

    >>> 5 < largest_batch("gpt2", "T4", seq=1024) < 15
    True
    """
    run = _Run(model_of(model), method, seq, optimizer, precision, checkpointing)
    return run.largest_batch(accelerator(gpu), whole(gpus, "gpus"))


def fewest_devices(
    model: Model | str,
    gpu: Accelerator | str,
    *,
    method: Method = "full",
    seq: int = 2048,
    batch: int = 1,
    optimizer: str = "adamw",
    precision: str = "mixed",
    checkpointing: Checkpointing = "none",
) -> int:
    """Fewest devices that hold the run under ZeRO-3, ``batch`` sequences on each.

    Sharding leaves activations where they are.  Raises ValueError when those alone do not fit.

    >>> fewest_devices("llama-3.1-8b", "h100", seq=4096, checkpointing="full")
    2
    """
    run = _Run(model_of(model), method, seq, optimizer, precision, checkpointing)
    return run.fewest_devices(accelerator(gpu), whole(batch, "batch"))


@dataclass(frozen=True)
class _Run:
    """A recipe, and the bytes that each load of it was found to need."""

    model: Model
    method: Method
    seq: int
    optimizer: str
    precision: str
    checkpointing: Checkpointing
    known: dict[tuple[int, int], float] = field(default_factory=dict)

    def table(self, batch: int, gpus: int) -> Table:
        """The parts on the fullest device."""
        table = training_table(
            self.model, method=self.method, seq=self.seq, batch=batch, gpus=gpus,
            optimizer=self.optimizer, precision=self.precision, checkpointing=self.checkpointing,
        )  # fmt: skip
        self.known[batch, gpus] = table.value("total")
        return table

    def need(self, batch: int, gpus: int) -> float:
        """Bytes on the fullest device."""
        if (batch, gpus) not in self.known:
            self.table(batch, gpus)
        return self.known[batch, gpus]

    def largest_batch(self, device: Accelerator, gpus: int) -> int:
        """Most sequences; 0 when not even one fits."""
        memory = device.memory
        if self.need(1, gpus) > memory:
            return 0
        if self.need(2, gpus) > memory:
            return 1
        each = self.need(2, gpus) - self.need(1, gpus)
        guess = (memory - self.need(1, gpus)) / each + 1
        return largest_that_fits(
            lambda batch: self.need(batch, gpus) <= memory, MOST_SEQUENCES, guess
        )

    def fewest_devices(self, device: Accelerator, batch: int, short: int = 1) -> int:
        """Fewest devices under ZeRO-3, or a refusal; fewer than ``short`` are known not to do."""
        memory = device.memory
        if self.need(batch, short) <= memory:
            return short
        first = max(2, short)
        if self.need(batch, first) <= memory:
            return first
        # Under ZeRO-3: what stays + what is shared ÷ devices.
        shared = 2 * first * (self.need(batch, first) - self.need(batch, 2 * first))
        spare = memory - (self.need(batch, first) - shared / first)
        most = max(MOST_DEVICES, first)
        guess = shared / spare if spare > 0 else most
        fewer = largest_that_fits(
            lambda gpus: gpus <= first or self.need(batch, gpus) > memory, most, guess
        )
        if fewer == most:
            raise ValueError(
                f"{batch} × {self.seq:,} tokens of {self.model.name} do not fit on {device.name} "
                "however many share the state: use checkpointing='full', shorter sequences, or "
                "tensor parallelism"
            )
        return fewer + 1


def training_fit(
    model: Model | str,
    gpu: Accelerator | str,
    *,
    method: Method = "full",
    seq: int = 2048,
    batch: int = 1,
    gpus: int = 1,
    optimizer: str = "adamw",
    precision: str = "mixed",
    checkpointing: Checkpointing = "none",
) -> Table:
    """Does training fit, with how much to spare; the largest micro-batch; what would help.

    ``fits`` is 1 or 0.

    >>> table = training_fit("llama-3.1-8b", "h100")
    >>> table.value("fits"), table.value("fewest_devices")
    (0, 3)
    """
    model, device = model_of(model), accelerator(gpu)
    batch, gpus = whole(batch, "batch"), whole(gpus, "gpus")
    run = _Run(model, method, seq, optimizer, precision, checkpointing)
    parts = run.table(batch, gpus)
    need = int(parts.value("total"))
    rows, verdict = comparison(parts, device, f"sum of the {len(parts.rows)} parts above")
    notes = [verdict, *parts.notes]
    if need <= device.memory:
        most = run.largest_batch(device, gpus)
        rows.append(
            Row("largest_batch", "Largest micro-batch", most, "sequences",
                f"of {seq:,} tokens on each device")
        )  # fmt: skip
    else:
        try:
            least = run.fewest_devices(device, batch, gpus)
        except ValueError as error:
            notes.append(str(error))
        else:
            rows.append(Row("fewest_devices", "Fewest devices under ZeRO-3", least, "devices"))
        notes += _ways_out(model, device, method, seq, batch, gpus, checkpointing, need)
    title = f"Training {model.name} ({method}) on {gpus} × {device.name}, {batch} × {seq:,} tokens"
    return Table(title, tuple(rows), notes=tuple(notes))


def _ways_out(
    model: Model, device: Accelerator, method: Method, seq: int, batch: int, gpus: int,
    checkpointing: Checkpointing, need: int,
) -> list[str]:  # fmt: skip
    """Cheaper recipes that fit, and single devices that hold it as asked."""
    ways = []
    recipes: list[tuple[Method, Checkpointing]] = [("full", "full"), ("lora", "full"),
                                                   ("qlora", "full")]  # fmt: skip
    for other, kept in recipes:
        if (other, kept) == (method, checkpointing):
            continue
        size = training_table(model, method=other, seq=seq, batch=batch, gpus=gpus,
                              checkpointing=kept).value("total")  # fmt: skip
        if size <= device.memory:
            how = "" if other == method else f"{other} with "
            ways.append(f"{how}full checkpointing fits: {format_bytes(size)}")
            break
    if gpus == 1:
        single = sorted((g for g in accelerators() if g.memory >= need), key=lambda g: g.memory)
        if single:
            ways.append(f"one of these holds it: {', '.join(g.name for g in single[:3])}")
    return ways
