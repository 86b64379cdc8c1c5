"""Roofline and decode speed: what bounds a model that writes, and what batching buys."""

from __future__ import annotations

from typing import Annotated, Literal

from napkin.capacity import Load, serving_bytes
from napkin.choices import (
    Cache,
    Context,
    Gpu,
    ModelText,
    Users,
    Weights,
    assumptions,
    blaming,
    devices,
    keyed,
)
from napkin.fields import Choice
from napkin.forms import Answer, Axis, Chart, Mark, Row, Series, Table
from napkin.intensity import model_roofline
from napkin.models.typed import typed_model
from napkin.passes import Pass, decode_pass, prefill_pass, require_decoder
from napkin.printing import format_bytes, format_number, format_rate
from napkin.roofline import attainable, roofline_points
from napkin.speed import Setup, pass_seconds, prefill_workers

__all__ = ["roofline"]

Engine = Annotated[
    Literal["auto", "compiled", "llama.cpp", "transformers"],
    Choice(
        (
            ("auto", "Usual for this GPU"),
            ("compiled", "vLLM, SGLang"),
            ("llama.cpp", "llama.cpp, Ollama"),
            ("transformers", "transformers"),
        )
    ),
]
BATCHES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


def roofline(
    model: ModelText = "llama-3.1-8b",
    gpu: Gpu = "H100",
    weights: Weights = "bf16",
    batch: Users = 1,
    context: Context = 1000,
    cache: Cache = "bf16",
    engine: Engine = "auto",
) -> Answer:
    """Tokens per second that a model can write, and whether memory or arithmetic limits it.

    Parameters:
        model: Model. A name such as llama-3.1-8b, a size such as 7B, or a config.json.
        gpu: GPU. The device that runs it.
        weights: Weights. Fewer bits are fewer bytes to read for each token.
        batch: Batch. Conversations that write at the same time.
        context: Context. Tokens that each conversation already holds.
        cache: Cache format. How keys and values are stored.
        engine: Engine. The program that serves; it decides what is reached of the limit.

    >>> answer = roofline("llama-2-7b", "H100", context=1)
    >>> round(answer.tables[0].value("limit")), answer.tables[0].notes[0][:15]
    (253, 'bound by memory')
    """
    described = typed_model(model)
    with blaming("model"):
        require_decoder(described)
    with blaming("weights"):
        setup = Setup.of(gpu, 1, engine, weights)
        work = decode_pass(described, weights, cache, context, batch)
        roof = model_roofline(described, setup.gpu.name, weights=weights, batch=batch,
                              context=context, cache=cache)  # fmt: skip
    step = pass_seconds(work, setup, 1)
    read = work.weights + work.cache
    bandwidth = setup.gpu.bandwidth
    one, low, high = 1 / step.typical, 1 / step.high, 1 / step.low
    limit = float(roof.value("tokens_per_s")) / batch
    memory_bound = roof.value("intensity") < roof.value("ridge")
    each = "one conversation" if batch == 1 else f"each of {batch:,} conversations"
    sentence = (
        f"On {devices(1, setup.gpu.name)}, {each} gets {format_number(_two(low))} to "
        f"{format_number(_two(high))} tokens per second from {described.name} in {weights}; the "
        f"limit is {format_number(round(limit))}. "
        + (
            f"It is bound by memory: every step reads {format_bytes(read)}, and a chip with more "
            "FLOP/s but the same bandwidth would be no faster."
            if memory_bound
            else "It is bound by arithmetic: more bandwidth would not help."
        )
    )
    sweep = [(n, decode_pass(described, weights, cache, context, n)) for n in BATCHES]
    first = pass_seconds(prefill_pass(described, weights, max(1, context), batch), setup,
                         prefill_workers(setup))  # fmt: skip
    speed = Table("Speed", (
        Row("limit", "Limit for each conversation", limit, "tokens/s",
            f"{format_rate(bandwidth, 'B/s')} ÷ {format_bytes(read)}" if memory_bound else
            f"{format_rate(setup.peak)} ÷ operations of one token"),
        Row("typical", "Typical for each conversation", one, "tokens/s",
            f"{format_number(_two(low))} to {format_number(_two(high))}"),
        Row("all", "All conversations together", batch * one, "tokens/s",
            f"{batch:,} × {format_number(one)}"),
        Row("first", "Until the first token comes", first.typical, "s",
            f"reading a prompt of {context:,} tokens, nobody else waiting"),
    ), notes=(("bound by memory" if memory_bound else "bound by arithmetic"),
              setup.rates.reason))  # fmt: skip
    need = serving_bytes(described, Load(weights, context, batch, cache))
    fits = () if need <= setup.gpu.memory else (
        f"does not fit: {format_bytes(need)} needed, {format_bytes(setup.gpu.memory)} usable; the "
        "speed is what it would be",)  # fmt: skip
    return Answer(
        Row("typical", "Tokens per second" if batch == 1 else "Tokens per second, each",
            one, "tokens/s", f"{format_number(_two(low))} to {format_number(_two(high))}"),
        sentence,
        (speed, keyed(roof, "roof", "On the roofline")),
        (_roof(described.name, setup, sweep, batch, roof), _batches(setup, sweep, batch, one)),
        notes=(*fits, *assumptions(described, context)),
    )  # fmt: skip


def _two(value: float) -> float:
    """Two digits: a range is no finer than that."""
    return float(f"{value:.2g}")


def _roof(name: str, setup: Setup, sweep: list[tuple[int, Pass]], batch: int, roof: Table) -> Chart:
    """The roof, the batches under it, and the one asked about."""
    peak, bandwidth = setup.peak, setup.gpu.bandwidth
    own = float(roof.value("intensity"))
    points = [
        (n, (work.linear + work.attention) / (work.weights + work.cache)) for n, work in sweep
    ]
    left = min(0.25, own, *(x for _, x in points))
    right = max(4096.0, 4 * peak / bandwidth)
    corner = peak / bandwidth
    line = tuple(roofline_points(peak, bandwidth, [left, corner, right]))
    dots = tuple((x, attainable(x, peak, bandwidth)) for _, x in points)
    shown = [(n, x) for n, x in points if n in (1, 16, 256)]
    return Chart(
        "roofline", f"{name} under the roof of {setup.gpu.name}", "line",
        Axis("Arithmetic intensity", "FLOP/B", log=True), Axis("Reachable", "FLOP/s", log=True),
        (Series(f"Roof, {setup.compute_format}", line), Series("Batch 1 to 1,024", dots)),
        f"The roof rises with the bandwidth until {format_number(round(corner))} FLOP per byte, "
        f"then stays flat at {format_rate(peak)}. Batch {batch:,} stands at "
        f"{format_number(own)} FLOP per byte and can reach "
        f"{format_rate(float(roof.value('attainable')))}.",
        (*(Mark(f"batch {n}", x, attainable(x, peak, bandwidth)) for n, x in shown if n != batch),
         Mark(f"you: batch {batch:,}", own, attainable(own, peak, bandwidth))),
    )  # fmt: skip


def _batches(setup: Setup, sweep: list[tuple[int, Pass]], batch: int, one: float) -> Chart:
    """Tokens per second, of each and of all, as the batch grows."""
    rates = [(n, 1 / pass_seconds(work, setup, 1).typical) for n, work in sweep]
    (_, first), (most, last) = rates[0], rates[-1]
    return Chart(
        "batches", "Tokens per second as the batch grows", "line",
        Axis("Batch", "sequences", log=True), Axis("Tokens per second", "", log=True),
        (
            Series("All together", tuple((n, n * rate) for n, rate in rates)),
            Series("Each conversation", tuple(rates)),
        ),
        f"From batch 1 to {most:,}, all conversations together go from "
        f"{format_number(round(first))} to {format_number(round(most * last))} tokens per second, "
        f"each one from {format_number(round(first))} to {format_number(round(last, 1))}.",
        (Mark("you", batch, batch * one),),
    )  # fmt: skip
