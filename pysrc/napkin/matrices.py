"""The weight matrices of a model, one by one: what low-rank adapters and factored states go by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from napkin.models import Attention, Layer, Model, Stack

__all__ = ["Matrix", "weight_matrices"]


@dataclass(frozen=True, slots=True)
class Matrix:
    """``times`` matrices of ``inputs`` × ``outputs``; ``part`` is the key of the model's counts."""

    name: str
    part: str
    inputs: int
    outputs: int
    times: int

    @property
    def weights(self) -> int:
        """Entries of all of them."""
        return self.inputs * self.outputs * self.times


def weight_matrices(model: Model) -> list[Matrix]:
    """Every weight matrix inside the layers, then embedding and head.

    Names are ``q k v o`` (cross-attention alike; ``q_a q_b kv_a kv_b o`` in latent attention),
    ``gate up down``, ``expert_gate expert_up expert_down`` and ``router``.  Matrices that the
    description does not name one by one come as ``other``, hidden size × the rest.

    >>> from napkin.models import from_config
    >>> sorted({m.name for m in weight_matrices(from_config({"model_type": "gpt2"}))})
    ['down', 'embedding', 'k', 'o', 'q', 'up', 'v']
    """
    found = []
    for stack in model.stacks:
        source = next((s.hidden_size for s in model.stacks if s is not stack), stack.hidden_size)
        for layer, times in stack.groups():
            named = list(_layer_matrices(stack, layer, times, source))
            found += named
            found += _leftovers(stack, layer, times, named)
        around = stack.around
        for name, entries in (("embedding", around.token_embedding), ("head", around.head)):
            if entries:
                found.append(
                    Matrix(name, "token_embedding" if name == "embedding" else "head",
                           *_sides(entries, stack.hidden_size), 1)
                )  # fmt: skip
    return found


def _sides(entries: int, hidden: int) -> tuple[int, int]:
    return (entries // hidden, hidden) if entries % hidden == 0 else (entries, 1)


def _layer_matrices(stack: Stack, layer: Layer, times: int, source: int) -> Iterator[Matrix]:
    hidden = stack.hidden_size
    if layer.attention:
        yield from _attention(layer.attention, hidden, hidden, times)
    if layer.cross_attention:
        yield from _attention(layer.cross_attention, hidden, source, times)
    if layer.mlp:
        yield from _feed_forward("", "mlp", layer.mlp.kind, hidden, layer.mlp.width, times)
    if layer.experts:
        experts = layer.experts
        yield from _feed_forward("expert_", "experts", experts.kind, hidden, experts.width,
                                 times * experts.total)  # fmt: skip
        if experts.shared_width:
            yield from _feed_forward("", "shared_experts", experts.kind, hidden,
                                     experts.shared_width, times)  # fmt: skip
        yield Matrix("router", "router", hidden, experts.total, times)


def _attention(attention: Attention, hidden: int, source: int, times: int) -> Iterator[Matrix]:
    if attention.kind == "mla":
        rope, rank = attention.rope_dim or 0, attention.kv_rank or 0
        nope = attention.head_dim - rope
        if attention.q_rank:
            yield Matrix("q_a", "attention", hidden, attention.q_rank, times)
            yield Matrix("q_b", "attention", attention.q_rank, attention.q_width, times)
        else:
            yield Matrix("q", "attention", hidden, attention.q_width, times)
        yield Matrix("kv_a", "attention", hidden, rank + rope, times)
        up = attention.heads * (nope + attention.value_dim)
        yield Matrix("kv_b", "attention", rank, up, times)
    elif attention.kind != "compressed":
        yield Matrix("q", "attention", hidden, attention.q_width, times)
        yield Matrix("k", "attention", source, attention.k_width, times)
        yield Matrix("v", "attention", source, attention.v_width, times)
    else:
        return
    yield Matrix("o", "attention", attention.out_width, hidden, times)


def _feed_forward(
    prefix: str, part: str, kind: str, hidden: int, width: int, times: int
) -> Iterator[Matrix]:
    if kind == "gated":
        yield Matrix(f"{prefix}gate", part, hidden, width, times)
    yield Matrix(f"{prefix}up", part, hidden, width, times)
    yield Matrix(f"{prefix}down", part, width, hidden, times)


def _leftovers(stack: Stack, layer: Layer, times: int, named: list[Matrix]) -> list[Matrix]:
    """What the counts hold beyond the named matrices (gates, mixers, up-projections)."""
    extra = []
    for part in ("attention", "recurrent", "mlp", "experts", "shared_experts"):
        have = getattr(layer.counts, part) * times
        rest = have - sum(m.weights for m in named if m.part == part)
        if rest > 0 and rest % (times * stack.hidden_size) == 0:
            width = rest // (times * stack.hidden_size)
            extra.append(Matrix("other", part, stack.hidden_size, width, times))
        elif rest > 0 and rest % times == 0:
            extra.append(Matrix("other", part, rest // times, 1, times))
    return extra
