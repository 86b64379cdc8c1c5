"""The KV cache: what a model keeps of every token it has read."""

from __future__ import annotations

from napkin.capacity import Load, Server
from napkin.choices import (
    Cache,
    Context,
    Gpu,
    ModelText,
    Users,
    Weights,
    assumptions,
    blaming,
    times_or_percent,
)
from napkin.forms import Answer, Axis, Chart, Mark, Row, Series, Table
from napkin.hardware import Accelerator, accelerator
from napkin.kv import cache_bytes_per_number, kv_cache_bytes
from napkin.kv import kv_cache as cache_table
from napkin.models import Model
from napkin.models.typed import typed_model
from napkin.printing import format_bytes, format_count
from napkin.weights import weights_bytes

__all__ = ["kv_cache"]


def kv_cache(
    model: ModelText = "llama-3.1-8b",
    context: Context = 32_000,
    users: Users = 1,
    cache: Cache = "bf16",
    gpu: Gpu = "RTX 4090",
    weights: Weights = "bf16",
) -> Answer:
    """Memory that keys and values take, and how many tokens fit beside the weights.

    Parameters:
        model: Model. A name such as llama-3.1-8b, a size such as 7B, or a config.json.
        context: Context. Tokens that each conversation holds.
        users: Users at once. Conversations kept at the same time.
        cache: Cache format. How each number in the cache is stored.
        gpu: GPU. The device that holds weights and cache.
        weights: Weights. The format of the weights on that device.

    >>> kv_cache("llama-3.1-8b", 32_000).headline.text()[:17]
    'KV cache: 4.19 GB'
    """
    described = typed_model(model)
    table = cache_table(described, context, users, dtype=cache)
    total = int(table.value("total"))
    with blaming("weights"):
        weight_bytes = weights_bytes(described, weights)
    each = kv_cache_bytes(described, context + 1, dtype=cache) - kv_cache_bytes(
        described, context, dtype=cache
    )
    return Answer(
        Row("cache", "KV cache", total, "B", table["total"].working),
        _sentence(described, context, users, total, each, weight_bytes, weights),
        (
            Table(table.title, table.rows, table.total, table.notes[1:]),
            _ratios(described, context, cache, total / users, each, weight_bytes, weights),
            _room(
                described, accelerator(gpu), Load(weights, context, users, cache), total, each > 0
            ),
        ),
        _growth(described, context, users, cache, total, weight_bytes, weights),
        notes=assumptions(described, context),
    )


def _sentence(
    model: Model, context: int, users: int, total: int, each: int, weight_bytes: int, weights: str
) -> str:
    if not total:
        return f"{model.name} reads all its tokens at once and keeps none: it needs no cache."
    whose = (
        f"One conversation of {context:,} tokens takes"
        if users == 1
        else f"{users:,} conversations of {context:,} tokens each take"
    )
    return (
        f"{whose} {format_bytes(total)} in {model.name}'s cache, "
        f"{times_or_percent(total / weight_bytes)} its {weights} weights "
        f"({format_bytes(weight_bytes)})."
        + (f" Every further token adds {format_bytes(each)}." if each else "")
    )


def _every_head(model: Model, cache: str) -> float:
    """Bytes per token if every query head kept its own keys and values, over all tokens."""
    numbers = sum(
        times * layer.attention.heads * (layer.attention.head_dim + layer.attention.value_dim)
        for layer, times in model.main.groups()
        if layer.attention and layer.attention.causal
    )
    return float(numbers * cache_bytes_per_number(cache))


def _ratios(
    model: Model, context: int, cache: str, total: float, each: int, weight_bytes: int, weights: str
) -> Table:
    plain = _every_head(model, cache)
    whole = format_bytes(plain * context)
    rows = []
    if each:
        equal = weight_bytes / each
        rows += [
            Row("per_token", "One more token", each, "B",
                f"cache of {context + 1:,} tokens - cache of {context:,}"),
            Row("as_weights", "Tokens that weigh as much as the weights", equal, "tokens",
                f"{format_bytes(weight_bytes)} in {weights} ÷ {format_bytes(each)}"),
        ]  # fmt: skip
    if total and plain:
        rows += [
            Row("every_head", "One conversation, were every head to keep its own", plain * context,
                "B", f"{context:,} × {format_bytes(plain)}: no GQA, MLA or windows"),
            Row("saved", "Smaller by a factor of", plain * context / total, "",
                f"{whole} ÷ {format_bytes(total)}"),
        ]  # fmt: skip
    return Table("For scale", tuple(rows))


def _room(model: Model, device: Accelerator, load: Load, cache_bytes: int, grows: bool) -> Table:
    """What fits beside the weights, activations and engine counted."""
    server = Server(model, device, 1, load.weights, load.cache)
    title = f"What fits on one {device.name}"
    empty = int(server.empty.value("total"))
    room = device.memory - empty
    working = (
        f"{format_bytes(device.memory)} usable - {format_bytes(empty)} of weights "
        f"({load.weights}), engine and current step"
    )
    rows = [Row("room", "Left for the cache", max(room, 0), "B", working)]
    if room <= 0:
        return Table(title, tuple(rows), notes=(
            f"{model.name} as {load.weights} does not fit on one {device.name}: choose a smaller "
            "weight format or another GPU",))  # fmt: skip
    if cache_bytes:
        rows.append(
            Row("users_fit", f"Conversations of {load.context:,} tokens",
                server.most_users(load.context), "sequences",
                f"{format_bytes(room)} ÷ {format_bytes(cache_bytes / load.users)} each")
        )  # fmt: skip
    if grows:
        longest = server.largest_context(load.users)
        limit = "; what the model was made for" if longest == model.max_context else ""
        crowd = f" of {load.users:,} at once" if load.users > 1 else ""
        rows.append(
            Row("tokens_fit", f"Longest context{crowd}", longest, "tokens",
                f"{longest:,} tokens{limit}")
        )  # fmt: skip
    return Table(title, tuple(rows))


def _growth(
    model: Model, context: int, users: int, cache: str, total: int, weight_bytes: int, weights: str
) -> tuple[Chart, ...]:
    if not total:
        return ()
    last = max(context, model.max_context or 131_072)
    lengths = sorted({2**power for power in range(9, last.bit_length()) if 2**power <= last}
                     | {min(512, last), last, context})  # fmt: skip
    plain = _every_head(model, cache)
    own = [(n, kv_cache_bytes(model, n, users, dtype=cache)) for n in lengths]
    series = [Series(f"{model.name}", tuple((n, y) for n, y in own if y))]
    if plain and plain * context * users > total * 1.001:
        series.append(Series("Every head for itself",
                             tuple((n, plain * n * users) for n in lengths)))  # fmt: skip
    series.append(Series(f"Weights, {weights}", tuple((n, weight_bytes) for n in lengths)))
    crowd = f"{users:,} conversations" if users > 1 else "one conversation"
    chart = Chart(
        "growth",
        f"Cache of {crowd} as it gets longer",
        "line",
        Axis("Context", "tokens", log=True),
        Axis("Memory", "B", log=True),
        tuple(series),
        f"The cache of {crowd} reaches {format_bytes(total)} at {format_count(context)} tokens and "
        f"{format_bytes(own[-1][1])} at {format_count(last)}; the weights stay at "
        f"{format_bytes(weight_bytes)}.",
        (Mark("your context", context, total),),
    )
    return (chart,)
