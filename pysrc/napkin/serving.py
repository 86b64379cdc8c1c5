"""Speed of serving as tables: tokens per second, time to first token, batch and context sweeps.

Every speed is a range with its reason; the working shows the bytes and the FLOP behind it.
"""

from __future__ import annotations

from collections.abc import Iterable

from napkin.achieved import Range
from napkin.capacity import Load, serving_bytes
from napkin.collectives import whole
from napkin.lookup import model_of
from napkin.models import Model
from napkin.passes import Pass, decode_pass, prefill_pass
from napkin.quantities import format_bytes, format_flops, format_number, format_rate, format_seconds
from napkin.roofline import bound
from napkin.speed import Setup, decode_seconds, pass_seconds, peak_share, prefill_workers
from napkin.table import Row, Table

__all__ = [
    "batch_sweep",
    "context_sweep",
    "decode_rate",
    "decode_speed",
    "prefill_speed",
    "request_speed",
]


def _rates(seconds: Range, count: float) -> Range:
    return Range(count / seconds.high, count / seconds.typical, count / seconds.low)


def decode_rate(
    model: Model,
    setup: Setup,
    *,
    context: int = 1024,
    batch: int = 1,
    cache: str = "bf16",
) -> Range:
    """Tokens per second of the whole batch while decoding.

    >>> from napkin.models import from_config
    >>> llama = from_config({"model_type": "llama"})  # the defaults are Llama 2 7B
    >>> measured = 54.67  # RTX 3090, F16, llama.cpp of 2023
    >>> rate = decode_rate(llama, Setup.of("rtx 3090", weights="fp16"), context=64)
    >>> measured in rate, rate.width < 2.5
    (True, True)
    """
    return _rates(decode_seconds(model, setup, context=context, batch=batch, cache=cache), batch)


def _speed_rows(rate: Range, unit: str, what: str) -> list[Row]:
    spread = f"{format_number(rate.low)} to {format_number(rate.high)}"
    return [
        Row("tokens_per_s_low", f"{what}, slow end", rate.low, unit),
        Row("tokens_per_s", f"{what}, typical", rate.typical, unit, spread),
        Row("tokens_per_s_high", f"{what}, fast end", rate.high, unit),
    ]


def _devices(setup: Setup) -> str:
    return f"{setup.gpus} × {setup.gpu.name}" if setup.gpus > 1 else setup.gpu.name


def _cost_rows(work: Pass, setup: Setup, workers: float) -> list[Row]:
    bandwidth, peak = setup.gpu.bandwidth * workers, setup.peak * workers
    read, flops = work.weights + work.cache, work.linear + work.attention
    form = setup.compute_format
    return [
        Row("weights", "Weights read", work.weights, "B", f"as {setup.weights}"),
        Row("cache", "Cache read", work.cache, "B"),
        Row("memory", "Reading at the nominal bandwidth", read / bandwidth, "s",
            f"{format_bytes(read)} ÷ {format_rate(bandwidth, 'B/s')}"),
        Row("compute", "Arithmetic at the peak", flops / peak, "s",
            f"{format_flops(flops)} ÷ {format_rate(peak)} ({form})"),
    ]  # fmt: skip


def _notes(work: Pass, setup: Setup) -> tuple[str, ...]:
    limit = bound(work.linear + work.attention, work.weights + work.cache, setup.peak,
                  setup.gpu.bandwidth)  # fmt: skip
    if limit == "memory":
        notes = ["bound by memory", setup.rates.reason]
    else:
        share = peak_share(setup)
        notes = [
            "bound by arithmetic",
            f"engines of this kind reach {share.low:.0%} to {share.high:.0%} of the dense "
            f"{setup.compute_format} peak",
        ]
    if setup.gpus > 1 and setup.split == "layers":
        notes.append("layers are split over the devices: more memory, no more speed for one user")
    return tuple(notes)


def _too_big(model: Model, setup: Setup, load: Load) -> tuple[str, ...]:
    need = serving_bytes(model, load, setup.gpus)
    if need <= setup.gpu.memory:
        return ()
    return (
        f"does not fit: {format_bytes(need)} needed on each device, "
        f"{format_bytes(setup.gpu.memory)} usable; the speed is what it would be",
    )


def decode_speed(
    model: Model | str,
    gpu: str,
    *,
    weights: str = "bf16",
    context: int = 1024,
    batch: int = 1,
    gpus: int = 1,
    engine: str = "auto",
    cache: str = "bf16",
    split: str = "auto",
) -> Table:
    """Tokens per second while generating, for one user and for the batch.

    ``context`` is the length of each sequence while its next token is made; ``weights`` any weight
    format (``bf16``, ``fp8``, ``awq``, ``Q4_K_M`` …); ``engine`` ``auto``, ``vllm``, ``llama.cpp``,
    ``transformers`` or a kind (``compiled``).
    """
    model = model_of(model)
    setup = Setup.of(gpu, gpus, engine, weights, split)
    work = decode_pass(model, weights, cache, context, batch)
    step = pass_seconds(work, setup, setup.workers)
    limit = setup.gpu.bandwidth * setup.workers / (work.weights + work.cache)
    rows = _cost_rows(work, setup, setup.workers)
    rows += [
        Row("limit", "Limit for one user", limit, "tokens/s",
            f"{format_rate(setup.gpu.bandwidth * setup.workers, 'B/s')} ÷ "
            f"{format_bytes(work.weights + work.cache)}"),
        Row("step", "One step, typical", step.typical, "s",
            f"{format_seconds(step.low)} to {format_seconds(step.high)}"),
        *_speed_rows(_rates(step, 1), "tokens/s", "One user"),
    ]  # fmt: skip
    if batch > 1:
        total = _rates(step, batch)
        rows.append(
            Row("total_tokens_per_s", f"All {batch} sequences, typical", total.typical, "tokens/s",
                f"{format_number(total.low)} to {format_number(total.high)}")
        )  # fmt: skip
    notes = _notes(work, setup) + _too_big(model, setup, Load(weights, context, batch, cache))
    return Table(f"Decoding {model.name} on {_devices(setup)}", tuple(rows), notes=notes)


def prefill_speed(
    model: Model | str,
    gpu: str,
    *,
    weights: str = "bf16",
    prompt: int = 1024,
    batch: int = 1,
    gpus: int = 1,
    engine: str = "auto",
    split: str = "auto",
) -> Table:
    """Prompt tokens per second and the time to first token with nobody else in the queue."""
    model = model_of(model)
    setup = Setup.of(gpu, gpus, engine, weights, split)
    work = prefill_pass(model, weights, prompt, batch)
    seconds = pass_seconds(work, setup, prefill_workers(setup))
    rows = _cost_rows(work, setup, setup.workers)
    rows += [
        Row("first_token", "Time to first token, typical", seconds.typical, "s",
            f"{format_seconds(seconds.low)} to {format_seconds(seconds.high)}"),
        *_speed_rows(_rates(seconds, work.tokens), "tokens/s", "Prompt"),
    ]  # fmt: skip
    return Table(f"Prefill of {model.name} on {_devices(setup)}", tuple(rows),
                 notes=_notes(work, setup))  # fmt: skip


def request_speed(
    model: Model | str,
    gpu: str,
    *,
    prompt: int = 1024,
    generated: int = 256,
    weights: str = "bf16",
    batch: int = 1,
    gpus: int = 1,
    engine: str = "auto",
    cache: str = "bf16",
    split: str = "auto",
) -> Table:
    """A whole request: first token, the rest, and generated tokens per second over both.

    This is what benchmarks of fixed input and output lengths report.
    """
    model = model_of(model)
    setup = Setup.of(gpu, gpus, engine, weights, split)
    filling = prefill_pass(model, weights, prompt, batch)
    first = pass_seconds(filling, setup, prefill_workers(setup))
    generated = whole(generated, "generated", example="256")
    context = prompt + generated // 2
    work = decode_pass(model, weights, cache, context, batch)
    step = pass_seconds(work, setup, setup.workers)
    total = Range(*(a + generated * b for a, b in zip(
        (first.low, first.typical, first.high), (step.low, step.typical, step.high),
        strict=True)))  # fmt: skip
    rows = [
        Row("first_token", "Time to first token, typical", first.typical, "s",
            f"{format_seconds(first.low)} to {format_seconds(first.high)}"),
        Row("step", "Each token after it, typical", step.typical, "s",
            f"{format_seconds(step.low)} to {format_seconds(step.high)} at context {context:,}"),
        Row("request", "Whole request, typical", total.typical, "s",
            f"{format_seconds(first.typical)} + {generated:,} × {format_seconds(step.typical)}"),
        *_speed_rows(_rates(total, batch * generated), "tokens/s", "Generated"),
    ]  # fmt: skip
    title = f"{batch} × ({prompt:,} + {generated:,}) tokens of {model.name} on {_devices(setup)}"
    load = Load(weights, prompt + generated, batch, cache)
    return Table(title, tuple(rows), notes=_notes(work, setup) + _too_big(model, setup, load))


def batch_sweep(
    model: Model,
    setup: Setup,
    batches: Iterable[int] = (1, 2, 4, 8, 16, 32, 64, 128, 256),
    *,
    context: int = 1024,
    cache: str = "bf16",
) -> list[tuple[int, Range, Range]]:
    """(batch, tokens/s of one user, tokens/s of all) for a plot."""
    found = []
    for batch in batches:
        step = decode_seconds(model, setup, context=context, batch=batch, cache=cache)
        found.append((batch, _rates(step, 1), _rates(step, batch)))
    return found


def context_sweep(
    model: Model,
    setup: Setup,
    contexts: Iterable[int] = (0, 1024, 4096, 16384, 65536, 131072),
    *,
    batch: int = 1,
    cache: str = "bf16",
) -> list[tuple[int, Range]]:
    """(context, tokens/s of one user) for a plot."""
    return [
        (
            context,
            _rates(decode_seconds(model, setup, context=context, batch=batch, cache=cache), 1),
        )
        for context in contexts
    ]
