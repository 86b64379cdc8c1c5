"""Size of a gguf file: every tensor at the format that llama.cpp's quantizer gives it.

``size = Σ weights × block bytes ÷ block length + vocabulary and metadata``.  Norms, biases, router
and state-space tensors stay in fp32; matrices follow ``napkin.gguf_mix``.  Vision and audio
encoders live in a file of their own and are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache

from napkin.gguf_history import day_made, older_format
from napkin.gguf_mix import Place, Role, mix_named, more_bits, tensor_format
from napkin.lookup import model_of
from napkin.models.layers import Attention, Layer, Stack
from napkin.models.model import Model
from napkin.printing import format_bytes, format_count
from napkin.table import Row, Table
from napkin.weight_formats import GGML_FORMATS

__all__ = ["gguf_bits_per_weight", "gguf_bytes", "gguf_size"]

SOURCE = "llama.cpp src/llama-quant.cpp (007dbbf) and ggml-common.h"

# Architectures whose gguf keeps query, key and value in one tensor.
FUSED_QKV = {"falcon", "RefinedWeb", "RefinedWebModel", "gpt2", "gpt_bigcode", "gpt_neox", "bloom",
             "mpt", "phi3", "dbrx", "chatglm", "qwen"}  # fmt: skip
NEEDS_IMATRIX = {"IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S", "Q2_K_S", "IQ3_XXS"}

# Token text, score and type, bytes per vocabulary entry: 23.6 to 24.9 in six files.  Byte-pair
# vocabularies list their merges as well: 39 (Qwen) to 61 (Llama 3).
BYTES_PER_TOKEN, BYTES_WITH_MERGES = 24, 45


@dataclass(frozen=True)
class _Tensor:
    part: str
    role: Role
    weights: int
    columns: int
    expert: bool = False


def _attention_tensors(model: Model, attention: Attention, hidden: int) -> list[_Tensor]:
    def tensor(role: Role, rows: int, columns: int) -> _Tensor:
        return _Tensor("attention", role, rows * columns, columns)

    if attention.kind == "mla":
        rank, rope = attention.kv_rank or 0, attention.rope_dim or 0
        nope = attention.head_dim - rope
        q_rank = attention.q_rank
        query = (
            [tensor("q", attention.q_width, hidden)]
            if q_rank is None
            else [tensor("other", q_rank, hidden), tensor("other", attention.q_width, q_rank)]
        )
        tensors = [
            *query,
            tensor("other", rank + rope, hidden),
            tensor("other", attention.heads * rank, nope),
            tensor("other", attention.heads * attention.value_dim, rank),
            tensor("attention_out", hidden, attention.out_width),
        ]
    elif model.family in FUSED_QKV:
        width = attention.q_width + attention.k_width + attention.v_width
        tensors = [
            tensor("qkv", width, hidden),
            tensor("attention_out", hidden, attention.out_width),
        ]
    else:
        tensors = [
            tensor("q", attention.q_width, hidden),
            tensor("k", attention.k_width, hidden),
            tensor("v", attention.v_width, hidden),
            tensor("attention_out", hidden, attention.out_width),
        ]
    return tensors


def _ffn_tensors(part: str, kind: str, copies: int, width: int, hidden: int) -> list[_Tensor]:
    expert, each = part == "experts", copies * width * hidden
    tensors = [
        _Tensor(part, "up", each, hidden, expert),
        _Tensor(part, "down", each, width, expert),
    ]
    return [_Tensor(part, "gate", each, hidden, expert), *tensors] if kind == "gated" else tensors


def _layer_tensors(model: Model, layer: Layer, hidden: int) -> list[_Tensor]:
    """Matrices of a layer; what the fields do not name is kept at the mix's default format."""
    tensors: list[_Tensor] = []
    for attention in (layer.attention, layer.cross_attention):
        if attention is not None:
            tensors += _attention_tensors(model, attention, hidden)
    if layer.mlp is not None:
        tensors += _ffn_tensors("mlp", layer.mlp.kind, 1, layer.mlp.width, hidden)
    experts = layer.experts
    if experts is not None:
        tensors += _ffn_tensors("experts", experts.kind, experts.total, experts.width, hidden)
        if experts.shared_width:
            tensors += _ffn_tensors("shared_experts", experts.kind, 1, experts.shared_width, hidden)
    counts = layer.counts
    for part in ("attention", "mlp", "experts", "shared_experts", "recurrent"):
        named = sum(tensor.weights for tensor in tensors if tensor.part == part)
        exact: int = getattr(counts, part)
        if exact < named:  # shared with another layer, or of a shape not known here
            tensors = [tensor for tensor in tensors if tensor.part != part]
            named = 0
        if exact > named:
            tensors.append(_Tensor(part, "other", exact - named, hidden))
    return tensors


def _text_stacks(model: Model) -> list[Stack]:
    stacks = [stack for stack in model.stacks if stack.role in ("decoder", "encoder")]
    if not stacks:
        raise ValueError(
            f"{model.name} has no text model: llama.cpp keeps vision and audio encoders in a "
            "separate file of 16-bit weights"
        )
    if any(layer.cross_attention for stack in stacks for layer in stack.layers) and model.stack(
        "audio"
    ):
        raise ValueError(f"{model.name} is a speech model: llama.cpp makes no gguf file of it")
    return stacks


def _tensor_groups(
    model: Model, mix: str, imatrix: bool, made: date | None
) -> Iterator[tuple[str, str, int]]:
    """Part, format and number of weights, over the whole file."""
    for stack in _text_stacks(model):
        attention = next((x.attention for x in stack.layers if x.attention is not None), None)
        sharing = attention.heads / attention.kv_heads if attention else 1.0
        experts = max((x.experts.total for x in stack.layers if x.experts), default=0)
        layers = len(stack.layers)
        mixers = sum(x.attention is not None and x.attention.kind != "mla" for x in stack.layers)
        large_80 = model.family in ("llama", "qwen2") and layers == 80 and sharing > 1
        falcon = model.family in ("falcon", "RefinedWeb", "RefinedWebModel")

        start = Place(0, layers, sharing, experts, falcon, large_80, model.tied, imatrix)
        # Layers of one shape in places that the rule treats alike get the same formats.
        alike: dict[tuple[object, ...], tuple[Layer, int, int, int]] = {}
        mixer = 0
        for number, layer in enumerate(stack.layers):
            key = (id(layer), _treatment(number, layers), _treatment(mixer, mixers))
            times = alike[key][3] if key in alike else 0
            alike[key] = (layer, number, mixer, times + 1)
            mixer += layer.attention is not None and layer.attention.kind != "mla"
        tensors: dict[int, list[_Tensor]] = {}
        for layer, number, mixer, times in alike.values():
            if id(layer) not in tensors:
                tensors[id(layer)] = _layer_tensors(model, layer, stack.hidden_size)
            here = replace(start, number=number)
            mixing = replace(start, number=mixer, layers=mixers)
            for t in tensors[id(layer)]:
                place = mixing if t.part == "attention" else here
                form = made and older_format(mix, t.role, place, t.columns, t.expert, made)
                form = form or tensor_format(mix, t.role, place, t.columns, t.expert)
                yield t.part, form, t.weights * times
        yield from _around(stack, mix, start)


@lru_cache(maxsize=4096)
def _treatment(number: int, layers: int) -> tuple[bool, ...]:
    """All that ``tensor_format`` asks about a tensor's place among the layers."""
    return (
        number < 2,
        number < 4,
        number < layers // 16,
        number < layers // 8,
        number >= 7 * layers // 8,
        more_bits(number, layers),
    )


def _around(stack: Stack, mix: str, place: Place) -> Iterator[tuple[str, str, int]]:
    hidden, counts = stack.hidden_size, stack.counts
    for part, role in (("token_embedding", "token_embedding"), ("head", "head"),
                       ("layer_embedding", "token_embedding"), ("pooler", "other"),
                       ("projector", "other")):  # fmt: skip
        weights: int = getattr(counts, part)
        if weights:
            yield part, tensor_format(mix, role, place, hidden), weights  # type: ignore[arg-type]
    for part in ("position_embedding", "segment_embedding", "scan", "router", "norm_weight",
                 "norm_bias", "bias", "other"):  # fmt: skip
        weights = getattr(counts, part)
        if weights:
            yield "fp32", "F32", weights


LABELS = {
    "token_embedding": "Token embedding",
    "layer_embedding": "Per-layer embeddings",
    "head": "Output head",
    "attention": "Attention",
    "recurrent": "Recurrent mixers",
    "mlp": "Feed-forward",
    "experts": "Experts",
    "shared_experts": "Shared experts",
    "pooler": "Pooler",
    "projector": "Projections",
    "fp32": "Norms, biases, router and other fp32",
}


def gguf_size(
    model: Model | str,
    mix: str = "Q4_K_M",
    imatrix: bool | None = None,
    made: str | date | None = None,
) -> Table:
    """Bytes of the gguf file of ``model`` in that mix, by part.

    ``imatrix`` says that an importance matrix was used; the default is yes for the mixes that
    need one.  ``made``: the month or day of an older file (``"2023-06"``), for the mixes of
    llama.cpp before January 2024; the default is today's rule.  The last row is an estimate of the
    vocabulary (about 24 B per token, 45 with merges); the rest is exact.

    >>> from napkin.models import from_config
    >>> gpt2 = from_config({"model_type": "gpt2"})
    >>> gguf_size(gpt2, "Q8_0").value("mlp") == gpt2.counts.mlp * 34 // 32
    True
    """
    model = model_of(model)
    mix = mix_named(mix)
    if imatrix is None:
        imatrix = mix in NEEDS_IMATRIX
    parts: dict[str, dict[str, int]] = {}
    day = day_made(made)
    for part, form, weights in _tensor_groups(model, mix, imatrix, day):
        group = parts.setdefault(part, {})
        group[form] = group.get(form, 0) + weights
    rows = []
    for part, label in LABELS.items():
        if part in parts:
            size = sum(GGML_FORMATS[form].bytes_for(n) for form, n in parts[part].items())
            terms = " + ".join(
                f"{format_count(n)} × {GGML_FORMATS[form].bits / 8:.4g} B ({form})"
                for form, n in parts[part].items()
            )
            rows.append(Row(part, label, size, "B", f"{terms} = {format_bytes(size)}", SOURCE))
    # SentencePiece: Gemma, and the 32,000 tokens of Llama 2 and Mistral.
    pieces = model.family.startswith("gemma") or model.vocab_size <= 33_000
    each = BYTES_PER_TOKEN if pieces else BYTES_WITH_MERGES
    vocabulary = model.vocab_size * each
    rows.append(
        Row(
            "vocabulary",
            "Vocabulary and metadata (estimate)",
            vocabulary,
            "B",
            f"{model.vocab_size:,} tokens × about {each} B",
            "files of Llama 2 (23 B per token), Qwen2.5 (39 B), Llama 3 (61 B)",
        )
    )
    weights = sum(sum(group.values()) for group in parts.values())
    bits = 8 * sum(row.value for row in rows[:-1]) / weights
    return Table.of(
        f"{model.name} as {mix}",
        rows,
        total="gguf file",
        notes=(f"{bits:.4f} bits per weight over {weights:,} weights",),
    )


def gguf_bytes(
    model: Model | str,
    mix: str = "Q4_K_M",
    imatrix: bool | None = None,
    made: str | date | None = None,
) -> int:
    """Bytes of the gguf file: the total of ``gguf_size``."""
    return int(gguf_size(model, mix, imatrix, made).value("total"))


def gguf_bits_per_weight(
    model: Model | str,
    mix: str = "Q4_K_M",
    imatrix: bool | None = None,
    made: str | date | None = None,
) -> float:
    """Bits per weight as llama.cpp prints them: tensors only, without the vocabulary."""
    model = model_of(model)
    mix = mix_named(mix)
    if imatrix is None:
        imatrix = mix in NEEDS_IMATRIX
    bits = weights = 0.0
    for _, form, count in _tensor_groups(model, mix, imatrix, day_made(made)):
        bits += count * GGML_FORMATS[form].bits
        weights += count
    return bits / weights
