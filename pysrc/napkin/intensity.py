"""Where a model's own passes stand on the roofline: decoding, prefill, training.

Decoding reads every weight for one token per sequence, so its intensity is about the batch (in 16
bits); prefill and training reuse each weight for thousands of tokens.  The cache is read by one
sequence only: batching does not raise its intensity.
"""

from __future__ import annotations

from typing import Literal

from napkin.lookup import model_of
from napkin.models import Model
from napkin.passes import Pass, decode_pass, prefill_pass
from napkin.printing import format_bytes, format_flops, format_number, format_rate
from napkin.roofline import attainable, ridge
from napkin.speed import Setup
from napkin.table import Row, Table

__all__ = ["critical_batch", "model_roofline", "roofline_series"]

Phase = Literal["decode", "prefill"]
MOST = 2**20


def _pass(model: Model, phase: Phase, weights: str, cache: str, batch: int, context: int) -> Pass:
    if phase == "decode":
        return decode_pass(model, weights, cache, context, batch)
    if phase == "prefill":
        return prefill_pass(model, weights, max(1, context), batch)
    raise ValueError(f"phase {phase!r} is not known: use 'decode' or 'prefill'")


def _intensity(work: Pass) -> float:
    return (work.linear + work.attention) / (work.weights + work.cache)


def critical_batch(
    model: Model | str,
    gpu: str,
    *,
    weights: str = "bf16",
    cache: str = "bf16",
    context: int = 0,
) -> int | None:
    """Smallest batch from which decoding is bound by arithmetic; None where no batch is.

    Without context it is the ridge × bytes per weight ÷ 2.  Every sequence reads its own cache, so
    with a long context there is none.

    >>> critical_batch("llama-3.1-8b", "h100"), critical_batch("llama-3.1-8b", "h100", context=8192)
    (296, None)
    """
    model = model_of(model)
    setup = Setup.of(gpu, 1, "compiled", weights)
    corner = ridge(setup.peak, setup.gpu.bandwidth)

    def enough(batch: int) -> bool:
        return _intensity(decode_pass(model, weights, cache, context, batch)) >= corner

    if not enough(MOST):
        return None
    low, high = 0, MOST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def model_roofline(
    model: Model | str = "llama-3.1-8b",
    gpu: str = "h100",
    *,
    phase: Phase = "decode",
    weights: str = "bf16",
    batch: int = 1,
    context: int = 1024,
    cache: str = "bf16",
) -> Table:
    """Intensity of one pass, the ridge of the chip, and the most FLOP/s that the pass can reach.

    ``context`` is the length of each sequence (the prompt, for prefill).  Nominal bandwidth and
    dense peak: what engines get of them is in ``napkin.serving``.

    >>> table = model_roofline("llama-2-7b", "h100", context=0)
    >>> round(table.value("intensity"), 2), round(table.value("ridge")), table.notes[0]
    (1.0, 295, 'bound by memory: 295 times below the ridge')
    """
    model = model_of(model)
    setup = Setup.of(gpu, 1, "compiled", weights)
    work = _pass(model, phase, weights, cache, batch, context)
    peak, bandwidth = setup.peak, setup.gpu.bandwidth
    flops, size = work.linear + work.attention, work.weights + work.cache
    own, corner = _intensity(work), ridge(peak, bandwidth)
    reach = attainable(own, peak, bandwidth)
    rows = [
        Row("flops", "Operations", flops, "FLOP",
            f"{format_flops(work.linear)} in matrices + {format_flops(work.attention)} in scores"),
        Row("bytes", "Bytes read", size, "B",
            f"{format_bytes(work.weights)} weights + {format_bytes(work.cache)} cache"),
        Row("intensity", "Arithmetic intensity", own, "FLOP/B",
            f"{format_flops(flops)} ÷ {format_bytes(size)}"),
        Row("ridge", f"Ridge of {setup.gpu.name}", corner, "FLOP/B",
            f"{format_rate(peak)} ({setup.compute_format}) ÷ {format_rate(bandwidth, 'B/s')}"),
        Row("attainable", "Most that it can reach", reach, "FLOP/s",
            f"smaller of {format_rate(peak)} and {format_number(own)} FLOP/B × "
            f"{format_rate(bandwidth, 'B/s')}"),
        Row("share", "Share of the peak", 100 * reach / peak, "%"),
        Row("tokens_per_s", "Tokens per second at most", reach / flops * work.tokens, "tokens/s",
            f"{format_rate(reach)} ÷ {format_flops(flops / work.tokens)} per token"),
    ]  # fmt: skip
    if phase == "decode":
        most = critical_batch(model, gpu, weights=weights, cache=cache, context=context)
        if most is not None:
            rows.append(Row("critical_batch", "Bound by arithmetic from batch", most, "sequences"))
    note = (
        f"bound by memory: {format_number(round(corner / own, 1 if corner < 10 * own else 0))} "
        "times below the ridge"
        if own < corner
        else "bound by arithmetic: above the ridge"
    )
    title = f"{'Decoding' if phase == 'decode' else 'Prefill of'} {model.name} on {setup.gpu.name}"
    return Table(title, tuple(rows), notes=(note,))


def roofline_series(
    model: Model | str,
    gpu: str,
    batches: tuple[int, ...] = (1, 4, 16, 64, 256, 1024),
    *,
    weights: str = "bf16",
    context: int = 1024,
    cache: str = "bf16",
) -> list[tuple[int, float, float]]:
    """(batch, intensity, attainable FLOP/s) of decoding, to plot on the roof.

    >>> [(b, round(i)) for b, i, _ in roofline_series("llama-3.1-8b", "h100", (1, 64), context=0)]
    [(1, 1), (64, 64)]
    """
    model = model_of(model)
    setup = Setup.of(gpu, 1, "compiled", weights)
    found = []
    for batch in batches:
        own = _intensity(decode_pass(model, weights, cache, context, batch))
        found.append((batch, own, attainable(own, setup.peak, setup.gpu.bandwidth)))
    return found
