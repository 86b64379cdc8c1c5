"""One layer of a model: what mixes tokens, what follows it, and their exact parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from napkin.models.counts import Counts

__all__ = ["Attention", "Experts", "Layer", "Mlp", "Recurrent", "Relative", "Stack"]

AttentionKind = Literal["full", "sliding", "chunked", "mla", "compressed"]
QkNorm = Literal["none", "head", "full"]


@dataclass(frozen=True, slots=True)
class Relative:
    """Positions that are attended to as content is (DeBERTa): 2 × ``span`` of them.

    ``kinds`` is how many products of queries (or keys) with them are added to the scores;
    ``weights`` multiply each position, ``own`` of them nothing else.  ``clipped``: no more
    positions than there are tokens on each side.
    """

    span: int
    kinds: int
    weights: int
    own: int
    clipped: bool = False

    def positions(self, tokens: int) -> int:
        """Relative positions of a sequence of that length."""
        return 2 * (min(self.span, tokens) if self.clipped else self.span)


@dataclass(frozen=True, slots=True)
class Attention:
    """Softmax attention of one layer.

    ``head_dim`` is the width of a query or key head, ``value_dim`` of a value head (they differ in
    multi-head latent attention).  ``window`` is the number of positions a sliding or chunked layer
    keeps.  ``kv_rank`` + ``rope_dim`` elements per token are what ``mla`` caches.  ``compression``
    is how many tokens share one cache entry (1 everywhere but in ``compressed`` layers).
    ``stores_kv`` is False where a layer reads the cache of an earlier one; ``keys_are_values`` is
    True where one cached tensor serves as both.  ``rounds`` is how often a layer attends, with the
    same queries and keys and other values (twice in DiffLlama).  An indexer ``index_width`` wide,
    all heads together, scores all keys first where only ``index_topk`` of them are attended to
    (DeepSeek-V3.2).
    """

    kind: AttentionKind
    heads: int
    kv_heads: int
    head_dim: int
    value_dim: int
    window: int | None = None
    causal: bool = True
    bias: bool = False
    out_bias: bool = False
    qk_norm: QkNorm = "none"
    q_rank: int | None = None
    kv_rank: int | None = None
    rope_dim: int | None = None
    compression: int = 1
    stores_kv: bool = True
    keys_are_values: bool = False
    rounds: int = 1
    index_width: int = 0
    index_topk: int | None = None
    relative: Relative | None = None

    @property
    def q_width(self) -> int:
        """Columns of the query projection: heads × head_dim."""
        return self.heads * self.head_dim

    @property
    def k_width(self) -> int:
        """Columns of the key projection: kv_heads × head_dim."""
        return self.kv_heads * self.head_dim

    @property
    def v_width(self) -> int:
        """Columns of the value projection: kv_heads × value_dim."""
        return self.kv_heads * self.value_dim

    @property
    def out_width(self) -> int:
        """Rows of the output projection: heads × value_dim."""
        return self.heads * self.value_dim

    @property
    def cache_elements(self) -> int:
        """Numbers kept per token (or per group of ``compression`` tokens) for later queries.

        >>> Attention("full", 32, 8, 128, 128).cache_elements
        2048
        >>> Attention("mla", 128, 128, 192, 128, kv_rank=512, rope_dim=64).cache_elements
        576
        """
        if not self.stores_kv:
            return 0
        if self.kind == "mla":
            return (self.kv_rank or 0) + (self.rope_dim or 0)
        if self.keys_are_values:
            return self.k_width
        return self.k_width + self.v_width


@dataclass(frozen=True, slots=True)
class Recurrent:
    """A mixer whose memory of the past has a fixed size: SSM, linear attention, RG-LRU.

    ``state_elements`` is the recurrent state of one sequence, which implementations keep in fp32;
    ``conv_elements`` the short convolution's window, kept in the model's own format.
    """

    kind: str
    width: int
    heads: int
    key_dim: int
    value_dim: int
    conv_kernel: int
    state_elements: int
    conv_elements: int


@dataclass(frozen=True, slots=True)
class Mlp:
    """A dense feed-forward block: ``gated`` has three matrices, ``plain`` two."""

    kind: Literal["gated", "plain"]
    width: int
    activation: str = "silu"
    bias: bool = False


@dataclass(frozen=True, slots=True)
class Experts:
    """A mixture of experts: ``top_k`` of ``total`` run for each token, and all ``shared`` ones.

    ``per_expert`` counts every parameter of one routed expert, biases included;
    ``per_expert_matmul`` its weight matrices alone.  ``width`` is the expert's hidden width,
    ``shared_width`` that of all shared experts together.
    """

    total: int
    top_k: int
    width: int
    per_expert: int
    per_expert_matmul: int
    kind: Literal["gated", "plain"] = "gated"
    activation: str = "silu"
    shared: int = 0
    shared_width: int = 0

    @property
    def idle(self) -> int:
        """Parameters of the routed experts that one token does not use."""
        return (self.total - self.top_k) * self.per_expert

    @property
    def idle_matmul(self) -> int:
        """Weight-matrix entries of the routed experts that one token does not use."""
        return (self.total - self.top_k) * self.per_expert_matmul


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer.  ``counts`` is what it adds to the model; ``borrowed`` are weights of an earlier
    layer that it uses again (ALBERT, Zamba), or its own used twice: they multiply tokens but are
    stored once.  ``mixing`` is how many multiply-adds per token mix activations with one another
    outside attention (several residual streams).

    ``norms`` is the number of hidden-size-wide norms; ``parallel`` is True where attention and MLP
    read the same input.
    """

    attention: Attention | None = None
    cross_attention: Attention | None = None
    recurrent: Recurrent | None = None
    mlp: Mlp | None = None
    experts: Experts | None = None
    norm: Literal["rms", "layer", "none"] = "rms"
    norms: int = 2
    parallel: bool = False
    counts: Counts = field(default_factory=Counts)
    borrowed: Counts = field(default_factory=Counts)
    mixing: int = 0

    @property
    def matmul(self) -> int:
        """Weights that multiply a token in this layer, all experts included."""
        return self.counts.matmul + self.borrowed.matmul

    @property
    def matmul_active(self) -> int:
        """The same with the ``top_k`` chosen experts only."""
        return self.matmul - (self.experts.idle_matmul if self.experts else 0)


@dataclass(frozen=True)
class Stack:
    """Layers that share one stream of tokens, and the weights around them.

    ``role`` is ``decoder`` (text, causal), ``encoder`` (text or speech, bidirectional), ``vision``
    or ``audio``.  ``positions`` is the longest sequence the stack takes (for vision: patches and
    class token of one image), None where nothing sets it.

    ``front`` lists what stands before the layers (and after them, before another stack) and does
    not run once per position: (weights, times per input).  The first reads the raw input.
    ``strides`` does the same for convolutions over raw sound, first to last: (weights, kernel,
    stride).  All of these weights are among ``around.projector``.
    """

    role: Literal["decoder", "encoder", "vision", "audio"]
    hidden_size: int
    layers: tuple[Layer, ...]
    around: Counts
    positions: int | None = None
    final_norm: bool = True
    front: tuple[tuple[int, int], ...] = ()
    strides: tuple[tuple[int, int, int], ...] = ()

    def front_runs(self, tokens: int) -> list[tuple[int, int]]:
        """(weights, times) of all projector weights around the layers, for one input.

        Convolutions over sound: for the shortest sound that gives ``tokens`` frames.

        >>> sound = Stack("audio", 8, (), Counts(projector=60), strides=((10, 10, 5), (48, 3, 2)))
        >>> sound.front_runs(4)
        [(10, 9), (48, 4), (2, 4)]
        """
        found = list(self.front)
        frames, cut = tokens, []
        for weights, kernel, stride in reversed(self.strides):
            cut.append((weights, frames))
            frames = (frames - 1) * stride + kernel
        found += reversed(cut)
        rest = self.around.projector - sum(weights for weights, _ in found)
        return [*found, (rest, tokens)] if rest else found

    def groups(self, first: int = 0, last: int | None = None) -> list[tuple[Layer, int]]:
        """Each distinct layer with how often it occurs, in order of first appearance.

        ``first`` and ``last`` choose a run of layers, as a slice does.
        """
        if first == 0 and last in (None, len(self.layers)):
            return list(self._groups)
        return _grouped(self.layers[first:last])

    @cached_property
    def _groups(self) -> list[tuple[Layer, int]]:
        return _grouped(self.layers)

    @cached_property
    def counts(self) -> Counts:
        """Parameters of the stack."""
        counts = self.around
        for layer, times in self.groups():
            counts = counts + layer.counts * times
        return counts

    @property
    def matmul_active(self) -> int:
        """Weights that multiply one token of this stack (a tied head is the model's to add)."""
        return self.around.matmul + sum(
            layer.matmul_active * times for layer, times in self.groups()
        )


def _grouped(layers: tuple[Layer, ...]) -> list[tuple[Layer, int]]:
    number: dict[int, int] = {}
    found: dict[int, Layer] = {}
    for layer in layers:
        key = id(layer)
        number[key] = number.get(key, 0) + 1
        found[key] = layer
    return [(found[key], times) for key, times in number.items()]
