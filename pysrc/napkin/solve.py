"""The questions people ask backwards: what fits, how many devices, how large may it be.

Every solver searches the exact size functions of ``napkin.capacity``, so its answer is the last
that fits and the next one does not.  Questions about money are in ``napkin.cheapest``, about
deadlines in ``napkin.training_time``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from napkin.capacity import Load, Server, comparison, serving_bytes, serving_memory
from napkin.collectives import whole
from napkin.hardware import Accelerator, accelerator, accelerators
from napkin.lookup import model_of
from napkin.memory_inference import OVERHEADS
from napkin.printing import format_bytes, format_number
from napkin.table import Row, Table

if TYPE_CHECKING:
    from napkin.models import Model

__all__ = ["devices_that_fit", "fit", "largest_context", "largest_model", "most_users"]

COUNTS = (1, 2, 4, 8, 16, 32, 64)
PROCESS = OVERHEADS["process"][0]


def _server(model: Model, gpu: Accelerator | str, gpus: int, weights: str, cache: str) -> Server:
    return Server(model, accelerator(gpu), whole(gpus, "gpus"), weights, cache)


def largest_context(
    model: Model | str,
    gpu: Accelerator | str,
    *,
    gpus: int = 1,
    weights: str = "bf16",
    users: int = 1,
    cache: str = "bf16",
) -> int:
    """Most tokens per sequence that fit, at most what the model was made for.

    Raises ValueError when the weights alone do not fit.

    >>> from napkin.models import from_config
    >>> largest_context(from_config({"model_type": "llama"}), "rtx-4090", users=4)  # Llama 2 7B
    2048
    >>> largest_context(from_config({"model_type": "llama"}), "rtx-4090", users=16)
    1336
    """
    model = model_of(model)
    users = whole(users, "users", 1, "8")
    return _server(model, gpu, gpus, weights, cache).largest_context(users)


def most_users(
    model: Model | str,
    gpu: Accelerator | str,
    *,
    gpus: int = 1,
    weights: str = "bf16",
    context: int = 4096,
    cache: str = "bf16",
) -> int:
    """Most sequences of ``context`` tokens at the same time; 0 when not even one fits.

    Raises ValueError when the weights alone do not fit.

    >>> from napkin.models import from_config
    >>> most_users(from_config({"model_type": "llama"}), "rtx-4090", context=2048)  # Llama 2 7B
    10
    """
    model = model_of(model)
    context = whole(context, "context", 1, "4096")
    return _server(model, gpu, gpus, weights, cache).most_users(context)


def largest_model(
    gpu: Accelerator | str,
    *,
    gpus: int = 1,
    weights: str = "bf16",
    cache_share: float = 0.1,
) -> Table:
    """Most parameters that fit when ``cache_share`` of the memory is kept for the cache.

    >>> table = largest_model("rtx-4090", weights="Q4_K")
    >>> round(table.value("parameters") / 1e9, 1)
    39.6
    """
    from napkin.weight_formats import bits_per_weight

    device, gpus = accelerator(gpu), whole(gpus, "gpus")
    good = isinstance(cache_share, (int, float)) and not isinstance(cache_share, bool)
    if not good or not 0 <= cache_share < 1:
        raise ValueError(f"cache_share is a share from 0 to below 1, got {cache_share!r}: e.g. 0.1")
    bits = bits_per_weight(weights)
    have = gpus * (device.memory - PROCESS)
    room = int(have * (1 - cache_share))
    rows = (
        Row("memory", "Memory beside the overhead", have, "B",
            f"{gpus} × ({format_bytes(device.memory)} - {format_bytes(PROCESS)})"),
        Row("room", "Room for weights", room, "B", f"{1 - cache_share:.0%} of it"),
        Row("parameters", "Largest model", int(room * 8 / bits), "parameters",
            f"{format_bytes(room)} ÷ {bits / 8:.4g} B ({weights})"),
    )  # fmt: skip
    return Table(f"Largest model on {gpus} × {device.name}", rows)


def devices_that_fit(
    model: Model | str,
    *,
    weights: str = "bf16",
    context: int = 4096,
    users: int = 1,
    cache: str = "bf16",
    most: int = 8,
) -> list[tuple[Accelerator, int]]:
    """Every accelerator with the fewest of them (1, 2, 4, 8 …) that hold the model.

    Sorted by the memory that is bought: devices × memory, then by name.
    """
    model = model_of(model)
    load, most = Load(weights, context, users, cache), whole(most, "most")
    needs = {count: serving_bytes(model, load, count) for count in COUNTS if count <= most}
    found = []
    for device in accelerators():
        enough = [count for count, need in needs.items() if need <= device.memory]
        if enough:
            found.append((device, enough[0]))
    return sorted(found, key=lambda pair: (pair[0].memory * pair[1], pair[0].name))


def fit(
    model: Model | str,
    gpu: Accelerator | str,
    *,
    gpus: int = 1,
    weights: str = "bf16",
    context: int = 4096,
    users: int = 1,
    cache: str = "bf16",
) -> Table:
    """Does it fit, with how much to spare; and the largest context and most users that do.

    ``fits`` is 1 or 0.

    >>> from napkin.models import from_config
    >>> table = fit(from_config({"model_type": "llama"}), "rtx-4090")  # Llama 2 7B in bf16
    >>> table.value("fits"), table.value("most_users")
    (1, 5)
    """
    model = model_of(model)
    server = _server(model, gpu, gpus, weights, cache)
    device, gpus = server.device, server.gpus
    load = Load(weights, context, users, cache)
    parts = serving_memory(model, weights=weights, context=context, users=users, cache=cache,
                           gpus=gpus)  # fmt: skip
    fits = parts.value("total") <= device.memory
    summed = " + ".join(format_bytes(row.value) for row in parts.rows)
    rows, verdict = comparison(parts, device, summed)
    notes = [verdict]
    try:
        longest = server.largest_context(max(1, load.users))
    except ValueError as error:
        notes.append(str(error))
    else:
        limit = model.max_context
        rows.append(
            Row("largest_context", "Largest context", longest, "tokens",
                f"{longest:,} tokens for each of {max(1, load.users):,}"
                + ("; what the model was made for" if longest == limit else ""))
        )  # fmt: skip
        if load.context:
            many = server.most_users(load.context)
            rows.append(
                Row("most_users", "Most sequences at once", many, "sequences",
                    f"of {load.context:,} tokens")
            )  # fmt: skip
    if model.max_context and load.context > model.max_context:
        notes.append(f"{model.name} was made for {model.max_context:,} tokens, less than "
                     f"{load.context:,}")  # fmt: skip
    if not fits:
        notes += _ways_out(model, device, load, gpus)
    title = f"{model.name} on {gpus} × {device.name}, {load.users:,} × {load.context:,} tokens"
    return Table(title, tuple(rows), notes=tuple(notes))


def _ways_out(model: Model, device: Accelerator, load: Load, gpus: int) -> list[str]:
    """What would make it fit: a smaller format, more of the same, another device."""
    ways = []
    for form in ("fp8", "awq", "Q4_K_M", "Q2_K"):
        try:
            need = serving_bytes(model, Load(form, load.context, load.users, load.cache), gpus)
        except ValueError:
            continue
        if need <= device.memory:
            ways.append(f"as {form} it fits: {format_bytes(need)}")
            break
    for count in COUNTS:
        if count > gpus and serving_bytes(model, load, count) <= device.memory:
            ways.append(f"{count} × {device.name} hold it")
            break
    single = [
        other.name
        for other, count in devices_that_fit(
            model, weights=load.weights, context=load.context, users=load.users,
            cache=load.cache, most=1)
        if count == 1
    ][:3]  # fmt: skip
    if single:
        ways.append(f"one of these holds it: {', '.join(single)}")
    return ways or [f"nothing near: {format_number(gpus)} devices are far too few"]
