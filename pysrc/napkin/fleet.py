"""One load against every accelerator at once: what fits, how much more would, how fast.

What a device needs does not depend on the device, so it is worked out once for a few sizes and
read off for each: bytes grow in straight lines between the sizes at which a window or a step is
full.  Single answers are in ``napkin.solve`` and ``napkin.training_fit``; tests hold both together.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from napkin.achieved import Range
from napkin.capacity import CEILING, COUNTS_OF_DEVICES, FAR, Load, Server
from napkin.flops import flops_per_token
from napkin.hardware import Accelerator, accelerators
from napkin.models import Model
from napkin.passes import decode_pass
from napkin.speed import Setup, pass_seconds
from napkin.training_fit import MOST_SEQUENCES, Method, training_table
from napkin.training_time import training_mfu

__all__ = ["Curve", "Fitting", "serving_fleet", "training_fleet"]


@dataclass(frozen=True)
class Curve:
    """Bytes needed for n of something, exact at its knots, straight between and after them.

    >>> Curve(((1, 10), (3, 30), (4, 130))).largest(80, 1000)
    3
    >>> Curve(((1, 10), (3, 30))).largest(105, 1000)
    10
    """

    knots: tuple[tuple[int, int], ...]

    @classmethod
    def through(cls, need: Callable[[int], int], sizes: set[int]) -> Curve:
        """The curve of ``need`` with knots at ``sizes``."""
        return cls(tuple((n, need(n)) for n in sorted(sizes)))

    def largest(self, memory: int, ceiling: int) -> int:
        """Most that fit in ``memory``, at most ``ceiling``; 0 when not even the first knot fits."""
        place = bisect_right([need for _, need in self.knots], memory)
        if not place:
            return 0
        (n, low), (m, high) = self.knots[place - 1], self.knots[min(place, len(self.knots) - 1)]
        if place == len(self.knots):
            (m, high), (n, low) = self.knots[-2], self.knots[-1]
        slope = (high - low) / (m - n)
        if slope <= 0:
            return ceiling
        return min(ceiling, n + int((memory - low) / slope * (1 + 1e-12)))


@dataclass(frozen=True)
class Room:
    """What one size of memory holds: many devices share a size."""

    fewest: int | None
    most: int
    longest: int


@dataclass(frozen=True)
class Fitting:
    """How a load fits on ``gpus`` of one accelerator; ``fewest`` hold it (None: not even eight)."""

    gpu: Accelerator
    need: int
    fewest: int | None
    most: int
    longest: int
    speed: Range | None

    @property
    def fits(self) -> bool:
        """Whether it fits on the number asked about."""
        return self.need <= self.gpu.memory


def _rooms(
    needs: dict[int, int], by_count: Curve, by_length: Curve, most: int, longest: int
) -> dict[int, Room]:
    """What fits in each size of memory that a device has."""
    return {
        memory: Room(
            next((count for count, need in needs.items() if need <= memory), None),
            by_count.largest(memory, most),
            by_length.largest(memory, longest),
        )
        for memory in {gpu.memory for gpu in accelerators()}
    }


@lru_cache(maxsize=32)
def _setups(gpus: int, weights: str) -> tuple[Setup, ...]:
    """Every accelerator's setup: the same for whatever is asked of it next."""
    return tuple(Setup.of(gpu, gpus, "auto", weights) for gpu in accelerators())


def serving_fleet(model: Model, load: Load, gpus: int = 1) -> list[Fitting]:
    """Every accelerator, serving ``load`` with ``gpus`` of them.

    >>> from napkin.models import preset
    >>> fleet = serving_fleet(preset("llama-3.1-8b"), Load("Q4_K_M", 8192))
    >>> next(f for f in fleet if f.gpu.name == "RTX 3060 12GB").fits
    True
    """
    context, users = max(1, load.context), max(1, load.users)

    servers = {
        n: Server(model, accelerators()[0], n, load.weights, load.cache)
        for n in {*COUNTS_OF_DEVICES, gpus}
    }
    need = servers[gpus].need  # sizes the weights once
    needs = {n: servers[n].need(load.context, load.users) for n in COUNTS_OF_DEVICES}
    step = -(-512 // context)
    by_users = Curve.through(lambda n: need(context, n), {1, max(1, step - 1), step, 1024, 2048})
    step = -(-512 // users)
    windows = {
        layer.attention.window
        for layer, _ in model.main.groups()
        if layer.attention and layer.attention.window
    }
    kinks = {1, max(1, step - 1), step, FAR, 2 * FAR, *windows}
    by_context = Curve.through(lambda n: need(n, users), kinks)
    work = (
        decode_pass(model, load.weights, load.cache, load.context, users)
        if model.generates
        else None
    )
    exact = needs.get(gpus) or need(load.context, load.users)
    rooms = _rooms(needs, by_users, by_context, CEILING, model.max_context or CEILING)
    found = []
    for setup in _setups(gpus, load.weights):
        gpu, speed = setup.gpu, None
        if work and exact <= gpu.memory:
            one = pass_seconds(work, setup, setup.workers)
            speed = Range(users / one.high, users / one.typical, users / one.low)
        room = rooms[gpu.memory]
        found.append(Fitting(gpu, exact, room.fewest, room.most, room.longest, speed))
    return found


def training_fleet(
    model: Model, method: Method, seq: int, batch: int, gpus: int = 1
) -> list[Fitting]:
    """Every accelerator, training with full checkpointing and ``gpus`` of them under ZeRO-3.

    Speed is in tokens per second: the utilisation of whole published runs over the FLOP of one
    token, two thirds of them where only adapters are trained.

    >>> from napkin.models import preset
    >>> fleet = training_fleet(preset("llama-3.1-8b"), "qlora", 2048, 1)
    >>> next(f for f in fleet if f.gpu.name == "RTX 3060 12GB").fits
    True
    """

    def need(length: int, sequences: int, count: int = gpus) -> int:
        table = training_table(model, method=method, seq=length, batch=sequences, gpus=count,
                               checkpointing="full")  # fmt: skip
        return int(table.value("total"))

    needs = {n: need(seq, batch, n) for n in COUNTS_OF_DEVICES}
    by_batch = Curve.through(lambda n: need(seq, n), {1, 2, 1024})
    by_seq = Curve.through(lambda n: need(n, batch), {1, 512, 8192, 2**17, 2**20})
    each = flops_per_token(model, seq) * (1 if method == "full" else 2 / 3)
    exact = needs.get(gpus) or need(seq, batch)
    rooms = _rooms(needs, by_batch, by_seq, MOST_SEQUENCES, model.max_context or CEILING)
    found = []
    for gpu in accelerators():
        speed = None
        if exact <= gpu.memory:
            share = training_mfu(gpu).scaled(gpus * gpu.peak_16bit / each)
            speed = Range(share.low, share.typical, share.high)
        room = rooms[gpu.memory]
        found.append(Fitting(gpu, exact, room.fewest, room.most, room.longest, speed))
    return found
