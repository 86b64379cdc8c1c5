"""How a family of plain decoders is described: biases, norms, windows, experts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from napkin.models.config import Config
from napkin.models.counts import Counts
from napkin.models.layers import Attention, QkNorm
from napkin.models.pieces import Norm, kv_heads

__all__ = ["Moe", "Rule", "Switch"]

Switch = bool | str
"""True, False, or the name of the key that decides."""


@dataclass(frozen=True)
class Moe:
    """How a family routes: names of its keys, and which layers are sparse."""

    total: str = "num_local_experts"
    top_k: str | int = "num_experts_per_tok"
    width: str = "intermediate_size"
    sparse: Callable[[Config, int], bool] = lambda config, index: True
    gated: bool = True
    bias: bool = False
    router_bias: bool = False
    correction_bias: bool = False
    shared: Callable[[Config], tuple[int, int]] = lambda config: (0, 0)
    shared_gate: bool = False
    shared_bias: Switch = False


@dataclass(frozen=True)
class Rule:
    """What sets a family of decoders apart.

    ``crosses``: with ``add_cross_attention`` each layer also attends to an encoder.
    ``rounds``: how often a layer attends, each time to other values.
    ``extra`` counts what else a layer holds, from its attention, the hidden size and the MLP's
    width (0 in a layer of experts).
    """

    norm: Norm = "rms"
    norms: int | Callable[[Config], int] = 2
    final_norm: bool = True
    gated: bool = True
    width: str = "intermediate_size"
    four_times: bool = False
    qkv_bias: Switch = False
    out_bias: Switch = False
    mlp_bias: Switch = False
    head_bias: Switch = False
    qk_norm: QkNorm = "none"
    qk_norm_if: str = ""
    qk_norm_kind: Norm = "rms"
    explicit_head_dim: bool = True
    groups: Callable[[Config], int] = kv_heads
    positions: str = ""
    position_offset: int = 0
    embedding_norm: bool = False
    kinds: Callable[[Config, int], list[str]] | None = None
    window: str = "sliding_window"
    sinks: bool = False
    parallel: bool | str = False
    moe: Moe | None = None
    crosses: bool = False
    rounds: int = 1
    extra: Callable[[Attention, int, int], Counts] | None = None
