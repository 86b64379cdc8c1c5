"""How many pairs of query and key attention compares.

Pairs are counted twice over (``2 × pairs``), so that half of an odd square stays an integer; the
factor 2 is also the FLOP of one multiply-add.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from napkin.flops.conventions import Convention

if TYPE_CHECKING:
    from napkin.models import Attention

__all__ = ["score_flops", "twice_pairs"]


def twice_pairs(attention: Attention, queries: int, past: int, convention: Convention) -> int:
    """2 × the pairs that ``queries`` new tokens make with ``past`` earlier ones and themselves.

    Causal, no window, nothing cached: 2S² (``square``), S² (``half``), S(S+1) (``triangle``).

    >>> from napkin.flops.conventions import CONVENTIONS
    >>> from napkin.models import Attention
    >>> sliding = Attention("sliding", 8, 2, 64, 64, window=128)
    >>> [twice_pairs(sliding, 1024, 0, CONVENTIONS[c]) for c in ("counter", "kernel")]
    [2097152, 245888]
    """
    if convention.scores == "none":
        return 0
    if attention.kind == "compressed":
        return _compressed(attention, queries, past, convention)
    window = attention.window if convention.windows else None
    if convention.windows and attention.index_topk:
        # As many pairs as with a window: each query reads at most so many keys.
        window = attention.index_topk
    if not attention.causal:
        keys = past + queries
        if window is None or window >= 2 * keys:
            return 2 * queries * keys
        half = window // 2  # positions seen on each side
        return (
            2 * (queries * (2 * half + 1) - half * (half + 1))
            if half < keys
            else (2 * queries * keys)
        )
    if window is not None and attention.kind == "chunked":
        return _chunked(queries, past, window, convention)
    return _causal(queries, past, window, convention)


def _causal(queries: int, past: int, window: int | None, convention: Convention) -> int:
    """The sum over i = 1 … queries of min(past + i, window), doubled."""
    if convention.scores == "square":
        keys = past + queries
        return 2 * queries * (keys if window is None else min(window, keys))
    growing = queries if window is None else max(0, min(queries, window - past))
    twice = 2 * growing * past + growing * (growing + 1)
    if window is not None:
        twice += 2 * (queries - growing) * window
    # "half" counts a square's half, without the half diagonal that the mask keeps.
    return twice - growing if convention.scores == "half" else twice


def _chunked(queries: int, past: int, chunk: int, convention: Convention) -> int:
    """Each token sees the earlier ones of its own chunk."""
    total = 0
    first = min(queries, -past % chunk) if past % chunk else 0
    if first:
        total += _causal(first, past % chunk, None, convention)
        queries -= first
    whole_chunks, rest = divmod(queries, chunk)
    return (
        total
        + whole_chunks * _causal(chunk, 0, None, convention)
        + (_causal(rest, 0, None, convention) if rest else 0)
    )


def _compressed(attention: Attention, queries: int, past: int, convention: Convention) -> int:
    """One key stands for ``compression`` tokens; a window of plain tokens may come on top."""
    if not convention.windows:
        # Every token, masked outside the window, beside every compressed one.
        keys = past + queries
        both = keys + keys // attention.compression
        return _causal(queries, past, None, convention) * both // keys
    plain = _causal(queries, past, None, convention)
    compressed = plain // attention.compression
    if attention.index_topk:
        chosen = attention.index_topk * attention.compression
        compressed = _causal(queries, past, chosen, convention) // attention.compression
    window = _causal(queries, past, attention.window, convention) if attention.window else 0
    return min(compressed + window, plain) if attention.compression > 1 else compressed + window


def score_flops(
    attention: Attention, queries: int, past: int, hidden: int, convention: Convention,
    absorbed: bool = False,
) -> int:  # fmt: skip
    """FLOP of QKᵀ and of the weighted sum of values, in one layer.

    2 × pairs × heads × (head_dim + value_dim).  ``absorbed``: latent attention that scores against
    the compressed cache itself, heads × (2·kv_rank + rope_dim) wide.  An indexer scores every key,
    or every compressed one.
    """
    twice = twice_pairs(attention, queries, past, convention)
    if convention.score_width == "hidden":
        return attention.rounds * twice * 2 * hidden
    indexed = 0
    if attention.index_width and convention.scores != "none":
        indexed = _causal(queries, past, None, convention) * attention.index_width
        if attention.compression > 1:
            keys = past + queries
            indexed = indexed * (keys // attention.compression) // keys
    if absorbed and attention.kind == "mla":
        width = 2 * (attention.kv_rank or 0) + (attention.rope_dim or 0)
        return twice * attention.heads * width + indexed
    width = attention.heads * (attention.head_dim + attention.value_dim)
    return attention.rounds * twice * width + indexed
