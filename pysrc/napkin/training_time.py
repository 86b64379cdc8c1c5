"""How long a training run takes: exact FLOP ÷ (devices × peak × MFU), with a range for the MFU.

The ranges are what published runs reached: device-hours and days of 35 runs, 182 rows of
utilisation tables.  Those are whole runs, with restarts, evaluations and slow steps, so they lie
below what one tuned step shows.
"""

from __future__ import annotations

from napkin.achieved import Range
from napkin.collectives import whole
from napkin.flops import training_flops
from napkin.hardware import Accelerator, accelerator
from napkin.lookup import model_of
from napkin.models import Model
from napkin.printing import format_flops, format_number, format_rate, format_seconds
from napkin.roofline import positive
from napkin.table import Row, Table

__all__ = ["devices_for_deadline", "training_mfu", "training_seconds", "training_time"]

# Share of the dense 16-bit peak, by architecture: whole published runs.
MFU = {
    "Ampere": Range(0.24, 0.40, 0.57),
    "Hopper": Range(0.18, 0.30, 0.45),
    "Blackwell": Range(0.18, 0.30, 0.45),
    "TPU": Range(0.30, 0.46, 0.65),
}
OTHER = Range(0.15, 0.28, 0.37)  # older and other devices: few published runs
RUNS = "published training runs, see the accuracy page"


def training_mfu(gpu: Accelerator | str) -> Range:
    """Model FLOP utilisation that whole runs reached on this kind of device.

    >>> training_mfu("H100").typical, training_mfu("A100").typical
    (0.3, 0.4)
    """
    return MFU.get(accelerator(gpu).architecture, OTHER)


def _seconds(flops: float, peak: float, mfu: Range) -> Range:
    return Range(flops / peak / mfu.high, flops / peak / mfu.typical, flops / peak / mfu.low)


def _mfu_range(gpu: Accelerator, mfu: float | None) -> Range:
    if mfu is None:
        return training_mfu(gpu)
    positive(mfu, "mfu", "a share of the peak such as 0.4")
    if mfu > 1:
        raise ValueError(f"mfu is a share of at most 1, got {mfu!r}: write 40% as 0.4")
    return Range(mfu, mfu, mfu)


def training_seconds(
    flops: float, gpu: Accelerator | str, gpus: int = 1, mfu: float | None = None
) -> Range:
    """Seconds that so many FLOP take on so many devices.

    >>> seconds = training_seconds(3.8e25, "H100", 16384, mfu=0.4)  # Llama 3 405B
    >>> round(seconds.typical / 86400)
    68
    """
    positive(flops, "flops", "the FLOP of the whole run, such as 3.8e25")
    device = accelerator(gpu)
    return _seconds(flops, whole(gpus, "gpus") * device.peak_16bit, _mfu_range(device, mfu))


def training_time(
    model: Model | str,
    tokens: float,
    gpu: str = "H100",
    gpus: int = 1,
    *,
    seq: int = 4096,
    mfu: float | None = None,
) -> Table:
    """Time and device-hours of training on ``tokens`` tokens, as a range unless ``mfu`` is given.

    >>> from napkin.models import from_config
    >>> table = training_time(from_config({"model_type": "gpt2"}), 10e9, "H100", seq=1024, mfu=0.4)
    >>> round(table.value("seconds") / 3600, 1)  # 6ND says 5.2: attention is the rest
    6.0
    """
    model = model_of(model)
    device = accelerator(gpu)
    gpus = whole(gpus, "gpus")
    flops = float(training_flops(model, tokens, seq).value("total"))
    share = _mfu_range(device, mfu)
    span = training_seconds(flops, device, gpus, mfu)
    peak = device.peak_16bit
    rows = [
        Row("flops", "Compute", flops, "FLOP", f"sequences of {seq:,}: {format_flops(flops)}"),
        Row("mfu", "Utilisation (MFU), typical", 100 * share.typical, "%",
            f"{share.low:.0%} to {share.high:.0%} of {format_rate(peak)}",
            RUNS if mfu is None else "given"),
        Row("seconds_low", "Time, fast end", span.low, "s"),
        Row("seconds", "Time, typical", span.typical, "s",
            f"{format_flops(flops)} ÷ ({gpus:,} × {format_rate(peak)} × {share.typical:.0%}) = "
            f"{format_seconds(span.typical)}"),
        Row("seconds_high", "Time, slow end", span.high, "s"),
        Row("gpu_hours", "Device-hours, typical", span.typical * gpus / 3600, "GPU-hours",
            f"{gpus:,} × {format_seconds(span.typical)}; "
            f"{format_number(span.low * gpus / 3600)} to "
            f"{format_number(span.high * gpus / 3600)}"),
    ]  # fmt: skip
    notes = () if mfu is not None else (
        f"range: whole runs on {device.architecture} reached {share.low:.0%} to "
        f"{share.high:.0%} of the dense 16-bit peak",
    )  # fmt: skip
    return Table(f"Training {model.name} on {gpus:,} × {device.name}", tuple(rows), notes=notes)


def devices_for_deadline(
    model: Model | str,
    tokens: float,
    seconds: float,
    gpu: str = "H100",
    *,
    seq: int = 4096,
    mfu: float | None = None,
) -> Table:
    """Devices that finish the run within ``seconds``: at the typical rate, and to be safe.

    Compute alone: what the model needs in memory may ask for more (``napkin.solve``).

    >>> from napkin.models import from_config
    >>> gpt2 = from_config({"model_type": "gpt2"})
    >>> devices_for_deadline(gpt2, 10e9, 3600, "H100", seq=1024, mfu=0.4).value("gpus")
    6
    """
    model = model_of(model)
    positive(seconds, "seconds", "the deadline in seconds: 30 days are 2592000")
    device = accelerator(gpu)
    flops = float(training_flops(model, tokens, seq).value("total"))
    one = training_seconds(flops, device, 1, mfu)
    rows = [
        Row("flops", "Compute", flops, "FLOP"),
        Row("gpu_hours", "Device-hours, typical", one.typical / 3600, "GPU-hours"),
    ]
    for key, label, value in (
        ("gpus_low", "Devices, if it runs fast", one.low),
        ("gpus", "Devices, typical", one.typical),
        ("gpus_high", "Devices, to be safe", one.high),
    ):
        count = -int(-value // seconds)
        rows.append(
            Row(key, label, count, "devices",
                f"{format_number(value / 3600)} device-hours ÷ {format_seconds(seconds)}")
        )  # fmt: skip
    return Table(
        f"Devices to train {model.name} in {format_seconds(seconds)} on {device.name}", tuple(rows)
    )
