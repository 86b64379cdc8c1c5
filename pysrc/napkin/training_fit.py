"""Training asked backwards: does it fit, the largest micro-batch, the fewest devices.

``method`` is ``full`` (every weight trained), ``lora`` (adapters on 16-bit weights) or ``qlora``
(adapters on 4-bit weights).  More than one device means ZeRO-3 (FSDP) over all of them unless a
``split`` says otherwise.
"""

from __future__ import annotations

from typing import Literal

from napkin.activations import Checkpointing
from napkin.capacity import largest_that_fits
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
    model, device = model_of(model), accelerator(gpu)

    def need(batch: int) -> float:
        return training_table(model, method=method, seq=seq, batch=batch, gpus=gpus,
                              optimizer=optimizer, precision=precision,
                              checkpointing=checkpointing).value("total")  # fmt: skip

    one, two = need(1), need(2)
    if one > device.memory:
        return 0
    guess = (device.memory - one) / (two - one) + 1
    return largest_that_fits(
        lambda batch: batch == 0 or need(batch) <= device.memory, MOST_SEQUENCES, guess
    )


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
    model, device = model_of(model), accelerator(gpu)

    def fits(gpus: int) -> bool:
        table = training_table(model, method=method, seq=seq, batch=batch, gpus=gpus,
                               optimizer=optimizer, precision=precision,
                               checkpointing=checkpointing)  # fmt: skip
        return table.value("total") <= device.memory

    if fits(1):
        return 1
    high = 2
    while not fits(high):
        if high >= MOST_DEVICES:
            raise ValueError(
                f"{batch} × {seq:,} tokens of {model.name} do not fit on {device.name} however "
                "many share the state: use checkpointing='full', shorter sequences, or tensor "
                "parallelism"
            )
        high *= 4
    low = max(1, high // 4)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high


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
    parts = training_table(model, method=method, seq=seq, batch=batch, gpus=gpus,
                           optimizer=optimizer, precision=precision,
                           checkpointing=checkpointing)  # fmt: skip
    need = int(parts.value("total"))
    fits = need <= device.memory
    rows = [
        *parts.rows,
        Row("need", "Needed on each device", need, "B",
            f"sum of the {len(parts.rows)} parts above"),
        Row("have", f"Usable on {device.name}", device.memory, "B",
            "reported by software" if device.memory_is_measured else
            f"sold as {device.marketed_gb:g} GB; estimated", device.source),
        Row("spare", "Left over", device.memory - need, "B"),
        Row("fits", "Fits (1 yes, 0 no)", int(fits), ""),
    ]  # fmt: skip
    notes = [f"{'fits' if fits else 'does not fit'}: {format_bytes(need)} of "
             f"{format_bytes(device.memory)}", *parts.notes]  # fmt: skip
    if fits:
        most = largest_batch(model, device, method=method, seq=seq, gpus=gpus, optimizer=optimizer,
                             precision=precision, checkpointing=checkpointing)  # fmt: skip
        rows.append(
            Row("largest_batch", "Largest micro-batch", most, "sequences",
                f"of {seq:,} tokens on each device")
        )  # fmt: skip
    else:
        try:
            least = fewest_devices(model, device, method=method, seq=seq, batch=batch,
                                   optimizer=optimizer, precision=precision,
                                   checkpointing=checkpointing)  # fmt: skip
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
