"""What one layer, and what surrounds the layers, keeps for the backward pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from napkin.activation_traits import ACTIVATIONS, FUSED_NORMS, NORMS, NormCost, Traits, traits_of

if TYPE_CHECKING:
    from napkin.models import Attention, Experts, Layer, Mlp, Model, Recurrent, Stack

_GELU_NEW = ("t5", "mt5", "umt5", "longt5", "switch_transformers")

__all__ = ["Kept", "checkpointed_ops", "layer_kept", "stack_kept"]


@dataclass(slots=True)
class Kept:
    """Bytes of one kind: ``hidden`` and ``inner`` per token (of the hidden size, and inside
    attention or MLP, where tensor parallelism divides), ``per_position`` once for the whole batch
    and ``fixed`` once."""

    key: str
    label: str
    hidden: float = 0
    inner: float = 0
    per_position: float = 0
    fixed: float = 0


def layer_kept(
    model: Model, stack: Stack, layer: Layer, tokens: int, batch: int, keys: int,
    implementation: str, drop_scores: bool,
) -> list[Kept]:  # fmt: skip
    """What ``layer`` keeps when ``tokens`` per sequence pass it (``keys`` from an encoder)."""
    traits = traits_of(model.family)
    fused = implementation == "fused"
    hidden = stack.hidden_size
    norm = norm_cost(layer, traits, fused)
    # Parallel layers read one input: two norms of it keep it once, one norm feeds both blocks.
    shared = layer.parallel and layer.norms == 1
    columns = norm.column * (1 if layer.parallel and norm.column == 2 else layer.norms)
    kept = []
    if layer.norms:
        kept.append(
            Kept("norms", "Norms", columns * hidden + norm.row * layer.norms,
                 fixed=norm.fixed * hidden * layer.norms + traits.layer_fixed)
        )  # fmt: skip
    if traits.dropout_noise:
        blocks = sum(1 for x in (layer.attention, layer.cross_attention, layer.mlp) if x)
        kept.append(Kept("dropout", "Dropout noise", blocks * traits.dropout_noise * hidden))
    attention = layer.attention
    if attention:
        kept += _attention(attention, hidden, tokens, batch, traits, norm, implementation,
                           drop_scores)  # fmt: skip
    if layer.cross_attention:
        kept.append(_cross(layer.cross_attention, hidden, keys, tokens, implementation, traits))
    if layer.recurrent:
        kept.append(Kept("recurrent", "Recurrent mixers", 2 * hidden, _recurrent(layer.recurrent)))
    if layer.mlp:
        kept.append(
            Kept("mlp", "MLP", 0 if shared and attention else 2 * hidden,
                 _mlp_bytes(layer.mlp, model.family, fused) * layer.mlp.width)
        )  # fmt: skip
    if layer.experts:
        kept.append(_experts(layer.experts, hidden, fused, bool(layer.mlp), traits))
    return kept


def norm_cost(layer: Layer, traits: Traits, fused: bool = False) -> NormCost:
    """What one hidden-wide norm of the layer keeps."""
    kind = "layer" if layer.norm == "layer" else "rms"
    if fused:
        return FUSED_NORMS[kind]
    if layer.norm == "none" and not traits.norm:
        return NORMS["layer"]
    return NORMS[traits.norm] if traits.norm else NORMS["layer" if kind == "layer" else "rms"]


def _attention(
    attention: Attention, hidden: int, tokens: int, batch: int, traits: Traits, norm: NormCost,
    implementation: str, drop_scores: bool,
) -> list[Kept]:  # fmt: skip
    q, k, v, out = (
        attention.q_width, attention.k_width, attention.v_width, attention.out_width,
    )  # fmt: skip
    heads = attention.heads
    fused = implementation == "fused"
    eager = implementation == "eager" or (traits.no_kernel and not fused)
    inner = 0.0
    rotary = traits.rotary * attention.head_dim if traits.rotary <= 1 else traits.rotary
    per_position = traits.rope_layer * rotary
    grouped = attention.kv_heads < heads
    if attention.kind == "mla":
        q_rank, kv_rank = attention.q_rank or 0, attention.kv_rank or 0
        # Low-rank norms and the inputs of the projections up; the cache's rotary part.
        inner += (norm.column + 2) * (q_rank + kv_rank) + norm.row * ((q_rank > 0) + 1)
        k = q
        v = out
        inner += 2 * heads * (attention.head_dim - (attention.rope_dim or 0))  # view of both
    elif traits.expands and grouped and attention.kv_heads > 1:
        k, v = q, out
    wide = 4 if traits.wide_qk and eager else 2
    if eager:
        # One sequence and one key head: the repeated keys are a view of the stored ones.
        repeat = grouped and not (attention.kv_heads == 1 and batch == 1)
        key_columns, value_columns = (q, out) if repeat else (k, v)
        inner += wide * (q + key_columns) + 2 * (value_columns + out)
        kept_view = traits.fused_qkv and batch == 1 and not repeat
    else:
        inner += 2 * (q + k + v + 2 * out) + 4 * heads
        kept_view = traits.fused_qkv and not fused
    if kept_view:
        inner += 2 * (q + k)
    elif traits.fused_qkv and attention.qk_norm != "none" and not fused:
        inner += 2 * (q + k + v)  # the norms keep it, the values are a copy
    inner += _qk_norm(attention, traits, norm, implementation)
    fixed = 0
    if attention.qk_norm == "head" and traits.qk_norm and not fused:
        fixed = 2 * NORMS[traits.qk_norm].fixed * attention.head_dim
    kept = [Kept("attention", "Attention", 2 * hidden, inner, per_position, fixed)]
    if eager and not drop_scores:
        kept.append(
            Kept("scores", "Score matrices", inner=traits.scores * heads * tokens)
        )  # fmt: skip
    return kept


def _qk_norm(attention: Attention, traits: Traits, norm: NormCost, implementation: str) -> float:
    if attention.qk_norm == "none":
        return 0
    cost = NORMS[traits.qk_norm] if traits.qk_norm and implementation != "fused" else norm
    columns = attention.q_width + attention.k_width
    rows = attention.heads + attention.kv_heads if attention.qk_norm == "head" else 2
    # A view of the fused product is kept already.
    column = 0 if traits.fused_qkv and cost.column == 2 else cost.column
    return column * columns + cost.row * rows


def _cross(
    cross: Attention, hidden: int, keys: int, tokens: int, implementation: str, traits: Traits
) -> Kept:
    q, out = cross.q_width, cross.out_width
    eager = implementation == "eager"
    inner = 2 * (q + out) + (0 if eager else 2 * out + 4 * cross.heads)
    if eager:
        inner += traits.scores * cross.heads * keys
    # Keys and values of the encoder's tokens, spread over this stack's tokens.
    inner_keys = 2 * (cross.k_width + cross.v_width) * keys / max(1, tokens)
    return Kept("cross_attention", "Cross-attention", 2 * hidden, inner + inner_keys)


def _recurrent(mixer: Recurrent) -> int:
    """With a fused scan: the convolution's input and output, gates, scan inputs and output."""
    columns = mixer.conv_elements // max(1, mixer.conv_kernel)
    if not mixer.state_elements:
        return 12 * columns  # a gated short convolution (LFM2)
    return 16 * mixer.width + 4 * mixer.heads * mixer.key_dim + 4 * columns


def _mlp_bytes(mlp: Mlp, model_type: str, fused: bool) -> int:
    """Per column of the wide side; gated: the gate's activation, up, and their product."""
    name = mlp.activation
    if model_type in _GELU_NEW and mlp.kind == "gated" and name == "gelu":
        name = "gelu_new"  # what "gated-gelu" stands for there
    activation = ACTIVATIONS.get(name, 4)
    if mlp.kind == "plain":
        return 4 if fused and activation > 4 else activation
    return 6 if fused else activation + 4


def _experts(
    experts: Experts, hidden: int, fused: bool, dense_beside: bool, traits: Traits
) -> Kept:
    activation = ACTIVATIONS.get(experts.activation, 4)
    column = (6 if fused else activation + 4) if experts.kind == "gated" else activation
    column = traits.expert_columns if traits.expert_columns and not fused else column
    # Each chosen expert keeps its gathered input and its output, which the router's weight scales.
    chosen = experts.top_k * (column * experts.width + 4 * hidden)
    shared = column * experts.shared_width + (2 * hidden if traits.shared_gate else 0)
    # Probabilities in fp32, and integers that say which token goes where.
    router = 4 * experts.total + 36 * experts.top_k + 8
    own = 2 * hidden if not dense_beside else 0
    fixed = 4 * hidden * experts.total if traits.fp32_router else 0
    return Kept("experts", "Experts", own + (4 * hidden if traits.fp32_router else 0),
                chosen + shared + router, fixed=fixed)  # fmt: skip


def checkpointed_ops(layer: Layer, hidden: int) -> Kept:
    """What a policy keeps that saves the layer's input, attention's output and every second matrix
    product: queries, values, gate (or up), down."""
    inner = 0
    if layer.attention:
        a = layer.attention
        inner += 2 * (a.q_width + a.v_width + a.out_width) + 4 * a.heads
    outer = 2 * hidden
    if layer.mlp:
        inner += 2 * layer.mlp.width
        outer += 2 * hidden if layer.mlp.kind == "gated" else 0
    if layer.experts:
        e = layer.experts
        inner += 2 * (e.top_k * (e.width + hidden) + e.shared_width)
    if layer.recurrent:
        inner += 4 * layer.recurrent.width
    return Kept("checkpoints", "Inputs and kept products of every layer", outer, inner)


def stack_kept(
    model: Model, stack: Stack, is_main: bool, tokens: int, batch: int, implementation: str,
    angles: bool = True,
) -> list[Kept]:  # fmt: skip
    """What embeddings, rotary angles, the last norm and the output head keep."""
    traits = traits_of(model.family)
    hidden = stack.hidden_size
    layer = stack.layers[0]
    norm = norm_cost(layer, traits, implementation == "fused")
    embedding = Kept("embedding", "Embedding and positions", traits.ids,
                     per_position=traits.position_ids)  # fmt: skip
    if traits.embedding_norm:
        embedding.hidden += norm.column * hidden + norm.row
    embedding.hidden += traits.dropout_noise * hidden + traits.mask * tokens
    if angles:
        embedding.per_position += traits.rope * _rotary(stack, traits)
    embedding.per_position += traits.bias_table * tokens
    if stack.role == "vision":
        # Patches are cut from the picture itself: 16-bit pixels.
        embedding.fixed += 2 * batch * _pixels(stack, hidden)
    kept = [embedding]
    output = Kept("output", "Last norm and head input")
    if stack.final_norm:
        output.hidden += norm.column * hidden + norm.row
        output.fixed += norm.fixed * hidden
    if is_main:
        if model.tied or stack.around.head:
            output.hidden += traits.head_columns * hidden + traits.head_row
        elif stack.around.pooler:
            # A view of one token keeps the whole last layer's output; tanh keeps its own.
            output.hidden += 2 * hidden
            output.fixed += 2 * hidden * batch if stack.role != "vision" else 0
        output.inner += traits.logit_cap * model.vocab_size
    elif any(layer.cross_attention for layer in model.layers):
        output.hidden += 2 * hidden  # read by every cross-attention
    kept.append(output)
    return kept


def _rotary(stack: Stack, traits: Traits) -> float:
    """Rotated dimensions, once for each kind of attention that has its own angles."""
    widths = {}
    for layer, _ in stack.groups():
        if layer.attention:
            kind = layer.attention.kind
            width = layer.attention.rope_dim or layer.attention.head_dim
            widths[kind] = traits.rotary * width if traits.rotary <= 1 else traits.rotary
    return sum(widths.values()) if traits.rope_per_kind else max(widths.values(), default=0)


def _pixels(stack: Stack, hidden: int) -> int:
    patches = max(0, (stack.positions or 0) - 1)
    return patches * (stack.around.projector // hidden)
