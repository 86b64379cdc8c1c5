"""Bytes of what a model remembers of a sequence: keys and values, latents, recurrent states.

Per token, in every layer: ``2 × kv_heads × head_dim`` numbers (GQA and MQA store fewer heads than
they query with), or ``kv_rank + rope_dim`` in latent attention (MLA).  Sliding layers stop at their
window, recurrent layers keep a state of fixed size, cross-attention keeps the encoder's tokens.
Engines differ in what they round up and which windows they honour, so each is named.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from napkin.collectives import whole
from napkin.kv_engines import ENGINES, Engine, cache_bytes_per_number, engine_named
from napkin.lookup import model_of
from napkin.printing import format_bytes, format_number
from napkin.table import Row, Table

if TYPE_CHECKING:
    from napkin.models import Attention, Layer, Model

__all__ = ["ENGINES", "Engine", "cache_bytes_per_number", "kv_cache", "kv_cache_bytes"]


def kv_cache(
    model: Model | str,
    tokens: int,
    sequences: int = 1,
    *,
    dtype: str = "bf16",
    value_dtype: str | None = None,
    engine: str = "contiguous",
    block: int | None = None,
    encoder_tokens: int | None = None,
) -> Table:
    """Cache of ``sequences`` sequences of ``tokens`` tokens each, in bytes.

    ``dtype`` stores keys and latents, ``value_dtype`` values (default: the same).  ``block``
    overrides the engine's block of tokens.  ``encoder_tokens`` is what cross-attention keeps
    (default: a speech encoder's own length, else ``tokens``).

    Sources: Ainslie et al. 2023 (GQA); DeepSeek-AI 2024 (MLA); transformers' own caches agree to
    the byte under ``engine="transformers"``.

    >>> from napkin.models import from_config
    >>> gpt2 = from_config({"model_type": "gpt2"})
    >>> print(kv_cache(gpt2, 1024)["full_attention"].text())
    Full attention: 37.7 MB   12 layers × 1 × 1,024 tokens × 1,536 × 2 B = 37.7 MB
    """
    model = model_of(model)
    tokens = whole(tokens, "tokens", 0, "4096")
    sequences = whole(sequences, "sequences", 0, "8")
    layout = engine_named(engine)
    step = layout.block if block is None else whole(block, "block", 1, "16")
    key_size = cache_bytes_per_number(dtype)
    value_size = key_size if value_dtype is None else cache_bytes_per_number(value_dtype)
    notes = [f"engine {layout.name!r}: {layout.meaning}"]
    without = ENGINES["transformers"].cacheless
    if model.family in without and layout.name != "transformers":
        notes.append(f"transformers itself keeps no cache for {model.family}")
    limit = model.main.positions
    if limit and tokens > limit:
        notes.append(f"the model has {limit:,} positions: {limit:,} of {tokens:,} tokens counted")
        tokens = limit
    found: dict[str, _Sum] = {}

    def add(key: str, label: str, times: int, kept: int, elements: int, size: Fraction,
            padding: int = 0) -> None:  # fmt: skip
        if times * elements:
            found.setdefault(key, _Sum(key, label)).add(times, kept, padding, elements, size)

    for layer, times in () if model.family in layout.cacheless else model.main.groups():
        _add_layer(model, layer, times, tokens, step, layout, key_size, value_size, add)
        if layer.cross_attention and layer.cross_attention.cache_elements:
            kept = _encoder_tokens(model, tokens, encoder_tokens)
            cross = layer.cross_attention
            _add_keys(add, "cross_attention", "Cross-attention", times, kept,
                      _padding(kept, step), cross, key_size, value_size)  # fmt: skip
    rows = [row for part in found.values() for row in part.rows(sequences)]
    if not rows:
        why = f"transformers has no cache for {model.family}: every token is read again"
        if model.family not in layout.cacheless:
            why = "the model keeps no tokens"
        rows = [Row("nothing", "Nothing cached", 0, "B", why)]
    source = layout.source or "Ainslie et al. 2023"
    rows = [Row(r.key, r.label, r.value, r.unit, r.working, source) for r in rows]
    if "recurrent_state" in found:
        notes.append("the recurrent state does not grow with the context")
    return Table.of(
        f"Cache of {model.name}: {format_number(sequences)} × {format_number(tokens)} tokens "
        f"in {dtype}" + (f"/{value_dtype}" if value_dtype else ""),
        rows,
        notes=tuple(notes),
    )


def kv_cache_bytes(model: Model | str, tokens: int, sequences: int = 1, **options: object) -> int:
    """The total of ``kv_cache``, with the same options.

    >>> from napkin.models import from_config
    >>> kv_cache_bytes(from_config({"model_type": "gpt2"}), 1000, engine="paged")
    37158912
    """
    return int(kv_cache(model, tokens, sequences, **options).value("total"))  # type: ignore[arg-type]


class _Sum:
    """Layers of one kind; they may differ in width or window."""

    def __init__(self, key: str, label: str) -> None:
        self.key, self.label = key, label
        self.parts: dict[tuple[int, int, int, Fraction], int] = {}

    def add(self, times: int, kept: int, padding: int, elements: int, size: Fraction) -> None:
        part = (kept, padding, elements, size)
        self.parts[part] = self.parts.get(part, 0) + times

    def rows(self, sequences: int) -> list[Row]:
        value = padding = Fraction(0)
        workings = []
        for (kept, pad, elements, size), times in self.parts.items():
            value += times * kept * elements * size
            padding += times * pad * elements * size
            what = f"{kept:,} tokens × " if self.key not in _CONSTANT else ""
            workings.append(
                f"{times} layers × {sequences:,} × {what}{elements:,} × {float(size):.4g} B"
            )
        size_all = _up(value * sequences)
        text = " + ".join(workings[:2]) + (" + …" if len(workings) > 2 else "")
        rows = [Row(self.key, self.label, size_all, "B", f"{text} = {format_bytes(size_all)}")]
        if padding:
            total = _up((value + padding) * sequences)
            rows.append(
                Row(f"{self.key}_padding", f"{self.label}: unused slots", total - size_all, "B",
                    f"last blocks filled up to {format_bytes(total)}")
            )  # fmt: skip
        return rows


class _Add(Protocol):
    def __call__(
        self, key: str, label: str, times: int, kept: int, elements: int, size: Fraction,
        padding: int = 0,
    ) -> None: ...  # fmt: skip


_CONSTANT = ("recurrent_state", "convolution_state", "counters")
_LABELS = {
    "full": ("full_attention", "Full attention"),
    "sliding": ("sliding_attention", "Sliding attention"),
    "chunked": ("chunked_attention", "Chunked attention"),
    "mla": ("latent_attention", "Latent attention (MLA)"),
    "compressed": ("compressed_attention", "Compressed attention"),
}


def _add_layer(
    model: Model, layer: Layer, times: int, tokens: int, step: int, layout: Engine,
    key_size: Fraction, value_size: Fraction, add: _Add,
) -> None:  # fmt: skip
    if layer.recurrent:
        state = layer.recurrent
        add("recurrent_state", "Recurrent state, fp32", times, 1, state.state_elements, Fraction(4))
        add("convolution_state", "Convolution window", times, 1, state.conv_elements, Fraction(2))
    attention = layer.attention
    if attention is None or not attention.causal or not attention.cache_elements:
        return
    kind, label = _LABELS[attention.kind]
    if attention.kind == "compressed":
        kept = tokens // max(1, attention.compression)
        _add_keys(add, kind, label, times, kept, _padding(kept, step), attention, key_size,
                  value_size)  # fmt: skip
        if attention.window:
            window = min(tokens, attention.window)
            _add_keys(add, "window", "Window beside it", times, window, 0, attention, key_size,
                      value_size)  # fmt: skip
        return
    kept, padding = tokens, _padding(tokens, step)
    windows = layout.windows and model.family not in layout.full_length
    if attention.window is not None and windows:
        if step > 1:
            most = -(-attention.window // step) + layout.spare
            blocks = min(-(-tokens // step), most)
            kept = min(tokens, attention.window)
            padding = blocks * step - kept
        else:
            kept = min(tokens, attention.window + layout.spare)
            padding = 0
        if layout.counters:
            add("counters", "Position counters", times, 1, 1, Fraction(layout.counters))
    expand = 1
    if layout.expands_falcon and model.family == "falcon" and attention.kv_heads > 1:
        expand = attention.heads // attention.kv_heads
    _add_keys(add, kind, label, times, kept, padding, attention, key_size, value_size, expand)


def _add_keys(
    add: _Add, key: str, label: str, times: int, kept: int, padding: int, attention: Attention,
    key_size: Fraction, value_size: Fraction, expand: int = 1,
) -> None:  # fmt: skip
    elements = attention.cache_elements * expand
    if key_size == value_size or attention.kind in ("mla", "compressed"):
        add(key, label, times, kept, elements, key_size, padding)
        return
    keys = min(attention.k_width * expand, elements)
    add(f"{key}_keys", f"{label}: keys", times, kept, keys, key_size, padding)
    add(f"{key}_values", f"{label}: values", times, kept, elements - keys, value_size, padding)


def _encoder_tokens(model: Model, tokens: int, given: int | None) -> int:
    if given is not None:
        return whole(given, "encoder_tokens", 0, "1500")
    audio = model.stack("audio") or model.stack("vision")
    return (audio.positions or tokens) if audio else tokens


def _padding(kept: int, step: int) -> int:
    return -kept % step


def _up(value: Fraction) -> int:
    return -(-value.numerator // value.denominator)
