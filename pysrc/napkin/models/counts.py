"""Parameters by part: what every piece of a model adds to the total."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LABELS", "PARTS", "Counts"]


@dataclass(frozen=True, slots=True)
class Counts:
    """Exact numbers of parameters, each counted in one field only.

    Weights of linear layers (and of convolutions that cut the input into tokens) multiply every
    token; the rest is looked up, added or scaled.  Biases of linear layers are in ``bias``, biases
    of norms in ``norm_bias``.

    >>> Counts(mlp=6) + Counts(mlp=2, bias=1) == Counts(mlp=8, bias=1)
    True
    >>> (Counts(mlp=6, bias=1) * 3).total
    21
    """

    token_embedding: int = 0
    position_embedding: int = 0
    segment_embedding: int = 0
    layer_embedding: int = 0
    attention: int = 0
    recurrent: int = 0
    scan: int = 0
    mlp: int = 0
    experts: int = 0
    shared_experts: int = 0
    router: int = 0
    norm_weight: int = 0
    norm_bias: int = 0
    bias: int = 0
    head: int = 0
    pooler: int = 0
    projector: int = 0
    other: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*map(int.__add__, self._values(), other._values()))

    def __mul__(self, times: int) -> Counts:
        return Counts(*[value * times for value in self._values()])

    def _values(self) -> tuple[int, ...]:
        return (
            self.token_embedding,
            self.position_embedding,
            self.segment_embedding,
            self.layer_embedding,
            self.attention,
            self.recurrent,
            self.scan,
            self.mlp,
            self.experts,
            self.shared_experts,
            self.router,
            self.norm_weight,
            self.norm_bias,
            self.bias,
            self.head,
            self.pooler,
            self.projector,
            self.other,
        )

    @property
    def total(self) -> int:
        """All parameters."""
        return sum(self._values())

    @property
    def matmul(self) -> int:
        """Weights that multiply every token (the pooler, which sees one token, is left out)."""
        return (
            self.attention
            + self.recurrent
            + self.mlp
            + self.experts
            + self.shared_experts
            + self.router
            + self.head
            + self.projector
        )

    @property
    def norms(self) -> int:
        """Scales and shifts of all norms."""
        return self.norm_weight + self.norm_bias


LABELS = {
    "token_embedding": "Token embedding",
    "position_embedding": "Position embedding",
    "segment_embedding": "Segment embedding",
    "layer_embedding": "Per-layer token embeddings",
    "attention": "Attention weights",
    "recurrent": "Recurrent mixers: linear weights",
    "scan": "Recurrent mixers: convolutions, decays",
    "mlp": "MLP weights",
    "experts": "Routed experts",
    "shared_experts": "Shared experts",
    "router": "Router",
    "norm_weight": "Norm scales",
    "norm_bias": "Norm shifts",
    "bias": "Biases of linear layers",
    "head": "Output head",
    "pooler": "Pooler (one token per sequence)",
    "projector": "Patch, frame and projector weights",
    "other": "Other (sinks, scalars, tables)",
}
"""What each part is called in a table, in order."""

PARTS = tuple(LABELS)
