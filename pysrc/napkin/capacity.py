"""What a device holds: bytes to serve a load, and the largest load that fits beside the weights.

Need on one device = weights + cache + activations of the current step + the engine's process
(``napkin.memory``); it fits when that is no more than the device's usable memory.  Devices share by
tensor parallelism up to eight, and by layers beyond.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from napkin.collectives import whole
from napkin.hardware import Accelerator
from napkin.lookup import model_of
from napkin.memory_inference import inference_memory
from napkin.models import Model
from napkin.printing import format_bytes
from napkin.table import Row, Table

__all__ = ["Load", "Server", "comparison", "largest_that_fits", "serving_bytes", "serving_memory"]

CEILING = 2**40
FAR = 2**21  # tokens at which every window is full
NODE = 8
COUNTS_OF_DEVICES = (1, 2, 4, 8)


@dataclass(frozen=True)
class Load:
    """What is served: weight format, tokens per sequence, sequences at once, cache format."""

    weights: str = "bf16"
    context: int = 4096
    users: int = 1
    cache: str = "bf16"

    def __post_init__(self) -> None:
        for name in ("weights", "cache"):
            form = getattr(self, name)
            if not isinstance(form, str):
                raise ValueError(f"{name} is {form!r}: name a format, such as 'bf16'")
        object.__setattr__(self, "context", whole(self.context, "context", 0, "4096"))
        object.__setattr__(self, "users", whole(self.users, "users", 0, "8"))


def serving_memory(
    model: Model | str,
    *,
    weights: str = "bf16",
    context: int = 4096,
    users: int = 1,
    cache: str = "bf16",
    gpus: int = 1,
) -> Table:
    """Bytes on each of ``gpus`` devices to serve ``users`` sequences of ``context`` tokens.

    The engine's process (driver context, kernels, workspace) is taken as 0.6 GB: with it, each of
    99 combinations of model, format and card of a public table (llama.cpp) that ran is said to
    fit, and each that ran out of memory is not.  vLLM keeps 1 to 3 GB for the activations of its
    largest batch on top.

    >>> table = serving_memory("llama-2-7b", context=4096)
    >>> [(row.key, round(row.value / 1e9, 2)) for row in table.rows]
    [('weights', 13.48), ('cache', 2.15), ('activations', 0.05), ('overhead', 0.6)]
    """
    model = model_of(model)
    load, gpus = Load(weights, context, users, cache), whole(gpus, "gpus")
    tensor = math.gcd(gpus, NODE)
    pipeline = min(gpus // tensor, len(model.layers))
    return inference_memory(
        model, load.context, load.users, weights=load.weights, cache=load.cache, tensor=tensor,
        pipeline=pipeline, overhead="process", encoder_tokens=load.context or None,
    )  # fmt: skip


@lru_cache(maxsize=512)  # a calculator asks again for all that its reader left as it was
def serving_bytes(model: Model, load: Load, gpus: int = 1) -> int:
    """Bytes that each device needs: the total of ``serving_memory``."""
    table = serving_memory(model, weights=load.weights, context=load.context, users=load.users,
                           cache=load.cache, gpus=gpus)  # fmt: skip
    return int(table.value("total"))


@dataclass(frozen=True)
class Server:
    """A model on its devices."""

    model: Model
    device: Accelerator
    gpus: int
    weights: str
    cache: str

    @cached_property
    def empty(self) -> Table:
        """Bytes on each device with no sequence in the cache."""
        return serving_memory(self.model, weights=self.weights, context=0, users=0,
                              cache=self.cache, gpus=self.gpus)  # fmt: skip

    def need(self, context: int, users: int) -> int:
        """Bytes that each device needs."""
        return serving_bytes(self.model, Load(self.weights, context, users, self.cache), self.gpus)

    def fits(self, context: int, users: int) -> bool:
        """Whether that load fits."""
        return self.need(context, users) <= self.device.memory

    def refuse(self) -> None:
        """Raise when the weights alone do not fit."""
        need = int(self.empty.value("total"))
        if need > self.device.memory:
            raise ValueError(
                f"the weights of {self.model.name} as {self.weights} need {format_bytes(need)} on "
                f"each of {self.gpus} × {self.device.name}, which has "
                f"{format_bytes(self.device.memory)}: use a smaller weight format or more devices"
            )

    def largest_context(self, users: int) -> int:
        """Most tokens per sequence, at most what the model was made for."""
        self.refuse()
        ceiling = self.model.max_context or CEILING
        if self.model.max_context and self.fits(ceiling, users):
            return ceiling
        far, farther = self.need(FAR, users), self.need(2 * FAR, users)
        slope = (farther - far) / FAR  # bytes per token once every window is full
        guess = (self.device.memory - far) / slope + FAR if slope else ceiling
        return largest_that_fits(lambda context: self.fits(context, users), ceiling, guess)

    def most_users(self, context: int) -> int:
        """Most sequences of that many tokens; 0 when not even one fits."""
        self.refuse()
        many, more = self.need(context, 1024), self.need(context, 2048)
        slope = (more - many) / 1024
        guess = (self.device.memory - many) / slope + 1024 if slope else CEILING
        return largest_that_fits(lambda users: self.fits(context, users), CEILING, guess)


def comparison(parts: Table, device: Accelerator, working: str) -> tuple[list[Row], str]:
    """The parts, then what is needed, there and left over; and the verdict in a sentence."""
    need, have = int(parts.value("total")), device.memory
    fits = need <= have
    how = (
        "reported by software"
        if device.memory_is_measured
        else f"sold as {device.marketed_gb:g} GB; estimated"
    )
    rows = [
        *parts.rows,
        Row("need", "Needed on each device", need, "B", working),
        Row("have", f"Usable on {device.name}", have, "B", how, device.source),
        Row("spare", "Left over", have - need, "B"),
        Row("fits", "Fits (1 yes, 0 no)", int(fits), ""),
    ]
    words = "fits" if fits else "does not fit"
    return rows, f"{words}: {format_bytes(need)} of {format_bytes(have)}"


def largest_that_fits(fits: Callable[[int], bool], ceiling: int, guess: float) -> int:
    """The largest n from 0 to ``ceiling`` that fits (0 does); few steps when ``guess`` is near.

    >>> [largest_that_fits(lambda n: n <= 70, 1000, guess) for guess in (0, 68.5, 999)]
    [70, 70, 70]
    """
    if guess >= ceiling / 2 and fits(ceiling):
        return ceiling
    low, high, step = 0, ceiling, 1
    near = min(max(int(guess), 0), ceiling - 1)
    while near > 0 and not fits(near):
        high, near, step = near, max(near - step, 0), 4 * step
    low = near
    step = 1
    while low + step < high and fits(low + step):
        low, step = low + step, 4 * step
    high = min(high, low + step)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return ceiling if low == ceiling - 1 and fits(ceiling) else low
