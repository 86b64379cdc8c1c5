"""Mixers whose memory has a fixed size: Mamba, Mamba-2, gated delta rule, lightning, RG-LRU."""

from __future__ import annotations

from napkin.models.config import Config
from napkin.models.counts import Counts
from napkin.models.layers import Recurrent
from napkin.models.pieces import linear, norm

__all__ = [
    "Mixed",
    "gated_delta",
    "kimi_delta",
    "lightning",
    "mamba",
    "mamba2",
    "mamba2_heads",
    "rank_or_sixteenth",
    "rg_lru",
    "short_convolution",
]

Mixed = tuple[Recurrent, Counts]


def rank_or_sixteenth(config: Config, key: str, hidden: int) -> int:
    """A rank as given, or for ``"auto"`` the hidden size ÷ 16, rounded up."""
    if config.raw(key) in ("auto", None):
        config.assumed.pop(f"{config.where}{key}", None)
        return -(-hidden // 16)
    return config.whole(key)


def mamba(
    hidden: int,
    inner: int,
    *,
    state: int,
    rank: int,
    kernel: int,
    bias: bool,
    conv_bias: bool,
    inner_norms: bool = False,
) -> Mixed:
    """Mamba: a state of ``inner`` × ``state`` numbers; step sizes through ``rank`` columns."""
    counts = linear("recurrent", hidden, 2 * inner, bias)
    counts += linear("recurrent", inner, rank + 2 * state)
    counts += linear("recurrent", rank, inner, True)
    counts += linear("recurrent", inner, hidden, bias)
    counts += Counts(scan=inner * kernel + inner * state + inner, bias=inner if conv_bias else 0)
    if inner_norms:
        counts += norm("rms", rank + 2 * state)
    described = Recurrent("mamba", inner, 1, state, inner, kernel, inner * state, inner * kernel)
    return described, counts


def mamba2(
    hidden: int,
    inner: int,
    *,
    heads: int,
    state: int,
    groups: int,
    kernel: int,
    in_bias: bool = False,
    out_bias: bool = False,
    conv_bias: bool = True,
    gated_norm: bool = True,
) -> Mixed:
    """Mamba-2: heads that share one decay each; a convolution over values, keys and queries."""
    convolved = inner + 2 * groups * state
    counts = linear("recurrent", hidden, inner + convolved + heads, in_bias)
    counts += linear("recurrent", inner, hidden, out_bias)
    counts += Counts(
        scan=convolved * kernel + 2 * heads, bias=heads + (convolved if conv_bias else 0)
    )
    if gated_norm:
        counts += norm("rms", inner)
    described = Recurrent(
        "mamba2", inner, heads, state, inner // heads, kernel, inner * state, convolved * kernel
    )
    return described, counts


def mamba2_heads(
    config: Config, inner: int, heads_key: str, width_key: str, default: int | None = None
) -> int:
    """Heads of Mamba-2, which with their width must make up the inner width.

    The width that the configuration states changes no count; one that contradicts the rest tells of
    a slip, or of a size left out.
    """
    heads, width = config.whole(heads_key), config.raw(width_key)
    if width in (None, "auto"):
        width = default
    if inner % heads or width not in (None, inner // heads):
        stated = "" if width is None else f" of {width_key} {width!r}"
        raise ValueError(
            f"{config.where}{heads_key} is {heads}: that many heads{stated} do not make up the "
            f"{inner} columns of a Mamba-2 layer; change one of them"
        )
    return heads


def gated_delta(config: Config, hidden: int) -> Mixed:
    """Gated delta rule (Qwen3-Next, Qwen3.5): a key × value matrix per value head."""
    key_heads, value_heads = (
        config.whole("linear_num_key_heads"),
        config.whole("linear_num_value_heads"),
    )
    key, value = config.whole("linear_key_head_dim"), config.whole("linear_value_head_dim")
    kernel = config.whole("linear_conv_kernel_dim")
    keys, values = key_heads * key, value_heads * value
    convolved = 2 * keys + values
    counts = linear("recurrent", hidden, convolved + values + 2 * value_heads)
    counts += linear("recurrent", values, hidden) + norm("rms", value)
    counts += Counts(scan=convolved * kernel + value_heads, bias=value_heads)
    described = Recurrent(
        "gated_delta",
        values,
        value_heads,
        key,
        value,
        kernel,
        value_heads * key * value,
        convolved * kernel,
    )
    return described, counts


def kimi_delta(hidden: int, heads: int, width: int, kernel: int) -> Mixed:
    """Kimi's delta attention: a decay for each column, through a waist of one head's width."""
    inner = heads * width
    counts = linear("recurrent", hidden, 3 * inner) + linear("recurrent", inner, hidden)
    gates = linear("recurrent", hidden, width) + linear("recurrent", width, inner)
    counts += gates * 2 + linear("recurrent", hidden, heads) + norm("rms", width)
    counts += Counts(scan=3 * inner * kernel + heads, bias=inner)
    described = Recurrent(
        "kimi_delta", inner, heads, width, width, kernel, inner * width, 3 * inner * kernel
    )
    return described, counts


def lightning(config: Config, hidden: int, width: int) -> Mixed:
    """Lightning attention (MiniMax): linear attention with a fixed decay per head."""
    heads = config.whole("num_attention_heads")
    inner = heads * width
    counts = linear("recurrent", hidden, 4 * inner) + linear("recurrent", inner, hidden)
    counts += norm("rms", inner)
    return Recurrent("lightning", inner, heads, width, width, 0, inner * width, 0), counts


def rg_lru(config: Config, hidden: int) -> Mixed:
    """Real-gated linear recurrent unit (RecurrentGemma): one number of state per column."""
    inner = config.maybe("lru_width") or hidden
    heads, kernel = config.whole("num_attention_heads"), config.whole("conv1d_width")
    block = inner // heads
    counts = linear("recurrent", hidden, 2 * inner) + linear("recurrent", inner, hidden)
    counts += Counts(recurrent=2 * heads * block * block, bias=3 * inner + hidden)
    counts += Counts(scan=inner * kernel + inner, bias=2 * heads * block)
    described = Recurrent("rg_lru", inner, heads, 1, block, kernel, inner, inner * (kernel - 1))
    return described, counts


def short_convolution(config: Config, hidden: int) -> Mixed:
    """Gated short convolution (LFM2): no state but the convolution's window."""
    kernel, bias = config.whole("conv_L_cache"), config.flag("conv_bias")
    counts = linear("recurrent", hidden, 3 * hidden, bias) + linear(
        "recurrent", hidden, hidden, bias
    )
    counts += Counts(scan=hidden * kernel, bias=hidden if bias else 0)
    return Recurrent("short_convolution", hidden, 1, 1, hidden, kernel, 0, hidden * kernel), counts
