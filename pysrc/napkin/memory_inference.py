"""Bytes that running a model takes on one device: weights, cache, the current step, the engine."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from napkin.collectives import whole
from napkin.kv import kv_cache
from napkin.lookup import model_of
from napkin.printing import format_bytes, format_number
from napkin.table import Row, Table, nearest_name
from napkin.weights import Scope, weights_table

if TYPE_CHECKING:
    from napkin.models import Model

__all__ = ["OVERHEADS", "inference_memory"]

AttentionPath = Literal["kernel", "repeat", "eager"]

OVERHEADS: dict[str, tuple[int, str]] = {
    "none": (0, "nothing: weights, cache and activations alone"),
    "allocator": (33_554_432, "matrix library workspace and small buffers, 32 MiB"),
    "process": (600_000_000, "the same with the driver's context and its kernels, about 0.6 GB"),
}
"""What comes on top, by where one looks: the framework's own count, or the whole process."""


def inference_memory(
    model: Model | str,
    context: int = 4096,
    sequences: int = 1,
    *,
    weights: str = "bf16",
    scope: Scope = "auto",
    rest: str = "bf16",
    cache: str = "bf16",
    value_cache: str | None = None,
    engine: str = "contiguous",
    step_tokens: int = 512,
    attention: AttentionPath = "kernel",
    tensor: int = 1,
    pipeline: int = 1,
    overhead: str | int = "allocator",
    second_head: bool = False,
    encoder_tokens: int | None = None,
) -> Table:
    """Peak bytes on one device with ``sequences`` sequences of ``context`` tokens in the cache.

    ``weights``: any format of ``napkin.weights`` (``scope``, ``rest`` as there).  ``step_tokens``:
    tokens that pass the model at once, a piece of the prompt.  ``attention``: ``kernel`` reads the
    cache in place; ``repeat`` copies one layer's keys and values to every query head first (SDPA
    in transformers); ``eager`` does that and writes the scores to memory.  ``tensor``,
    ``pipeline``: devices that share the model; keys and values of one head are not divided
    further, latents are repeated.  ``overhead``: a key of ``OVERHEADS`` or bytes.
    ``second_head``: a tied head is stored once more, as quantised checkpoints do.

    Within 1.1% of 55 measured peaks of Qwen3 (transformers on an H20).

    >>> from napkin.models import from_config
    >>> llama = from_config({"model_type": "llama"})  # 7B
    >>> table = inference_memory(llama, 4096, weights="nf4")
    >>> [(row.key, round(row.value / 1e9, 2)) for row in table.rows]
    [('weights', 4.17), ('cache', 2.15), ('activations', 0.05), ('overhead', 0.03)]
    """
    model = model_of(model)
    context = whole(context, "context", 0, "4096")
    sequences = whole(sequences, "sequences", 0, "1")
    tensor, pipeline = whole(tensor, "tensor"), whole(pipeline, "pipeline")
    if pipeline > len(model.layers):
        raise ValueError(f"pipeline = {pipeline} is more than the {len(model.layers)} layers")
    sized = weights_table(model, weights, rest, scope)
    size = int(sized.value("total"))
    if second_head and model.tied:
        size += 2 * model.tied_head
    held = -(-size // (tensor * pipeline))
    devices = f" ÷ {tensor * pipeline} devices" if tensor * pipeline > 1 else ""
    terms = [row.working.split(" = ")[0] for row in sized.rows]
    rows = [
        Row("weights", f"Weights in {weights}", held, "B",
            " + ".join(terms[:3]) + (" + …" if len(terms) > 3 else "")
            + (f" + 2 B × {format_number(model.tied_head)}" if second_head and model.tied else "")
            + f"{devices} = {format_bytes(held)}", sized.rows[0].source)
    ]  # fmt: skip
    table = kv_cache(model, context, sequences, dtype=cache, value_dtype=value_cache,
                     engine=engine, encoder_tokens=encoder_tokens)  # fmt: skip
    kept = 0
    for row in table.rows:
        kept += -(-int(row.value) // (_cache_shards(model, row.key, tensor) * pipeline))
    if kept:
        rows.append(
            Row("cache", "Cache", kept, "B",
                (table.rows[0].working if len(table.rows) == 1 and not devices
                 else f"{format_bytes(table.value('total'))} over the devices that share it = "
                 f"{format_bytes(kept)}"), table.rows[0].source)
        )  # fmt: skip
    step = min(whole(step_tokens, "step_tokens", 1, "512"), max(1, context * max(1, sequences)))
    if attention not in ("kernel", "repeat", "eager"):
        raise ValueError(f"attention is {attention!r}: use kernel, repeat or eager")
    active = _step_bytes(model, step, context, attention == "eager", tensor)
    active += _logits(model, sequences, tensor)
    if attention != "kernel":
        active += _repeated(model, context * sequences, tensor)
    rows.append(
        Row("activations", "Activations of the current step", active, "B",
            f"{step:,} tokens through the widest layer, logits of {max(1, sequences):,} = "
            f"{format_bytes(active)}")
    )  # fmt: skip
    extra, meaning = _overhead(overhead)
    if extra:
        rows.append(Row("overhead", "Engine", extra, "B", meaning, "measured"))
    where = f" on one of {tensor * pipeline} devices" if devices else ""
    return Table.of(
        f"Memory to run {model.name}, {format_number(sequences)} × {format_number(context)} tokens"
        + where,
        rows,
        notes=table.notes[:1],
    )


def _overhead(overhead: str | int) -> tuple[int, str]:
    if isinstance(overhead, str):
        if overhead not in OVERHEADS:
            close = nearest_name(overhead, list(OVERHEADS), 1) or list(OVERHEADS)
            raise ValueError(f"overhead {overhead!r} is not known: use {' or '.join(close)}")
        return OVERHEADS[overhead]
    return whole(overhead, "overhead", 0, "600_000_000"), "as given"


def _cache_shards(model: Model, key: str, tensor: int) -> int:
    """Devices that divide this part of the cache under tensor parallelism."""
    if key.startswith(("latent", "compressed", "window", "counters")):
        return 1
    if key.startswith(("recurrent", "convolution")):
        return tensor
    heads = [layer.attention.kv_heads for layer in model.layers if layer.attention]
    return min(tensor, min(heads, default=1))


def _step_bytes(model: Model, tokens: int, context: int, eager: bool, tensor: int) -> int:
    """Largest set of values alive at once: residual, and the widest of attention and MLP."""
    best = Fraction(0)
    stack = model.main
    for layer, _ in stack.groups():
        inner = 0.0
        if layer.attention:
            a = layer.attention
            inner = 2 * (a.q_width + a.k_width + a.v_width + a.out_width)
            if eager:
                inner += 6 * a.heads * max(context, tokens)
        if layer.mlp:
            inner = max(inner, 6 * layer.mlp.width if layer.mlp.kind == "gated"
                        else 4 * layer.mlp.width)  # fmt: skip
        if layer.experts:
            e = layer.experts
            inner = max(inner, 6 * (e.top_k * e.width + e.shared_width)
                        + 2 * e.top_k * stack.hidden_size)  # fmt: skip
        if layer.recurrent:
            inner = max(inner, 12.0 * layer.recurrent.width)
        best = max(best, Fraction(inner) / tensor)
    size = tokens * (6 * stack.hidden_size + best)
    return -(-size.numerator // size.denominator)


def _repeated(model: Model, tokens: int, tensor: int) -> int:
    """Keys and values of one layer, once per query head, where heads share them."""
    widths = [
        x.attention.q_width + x.attention.out_width
        for x, _ in model.main.groups()
        if x.attention and x.attention.kv_heads < x.attention.heads
    ]
    return -(-2 * max(widths, default=0) * tokens // tensor)


def _logits(model: Model, sequences: int, tensor: int) -> int:
    return -(-4 * model.logit_columns * max(1, sequences) // tensor)
