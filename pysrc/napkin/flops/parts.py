"""The FLOP of one forward pass, part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from napkin.flops.conventions import Convention
from napkin.flops.scores import score_flops, twice_pairs
from napkin.flops.work import Part, Pass
from napkin.printing import format_count, format_flops, format_number

if TYPE_CHECKING:
    from napkin.models import Attention, Layer, Model, Stack

__all__ = ["OUTSIDE_LAYERS", "forward_parts"]

_LABELS = {
    "attention": "Attention weights",
    "recurrent": "Recurrent mixers: weights",
    "mlp": "MLP weights",
    "experts": "Routed experts, chosen ones",
    "shared_experts": "Shared experts",
    "router": "Router",
    "projector": "Patches, frames, projector",
    "scores": "Attention scores",
    "scan": "Recurrent state and convolution",
    "relative": "Relative positions",
    "mixing": "Residual streams, mixed",
    "bridge": "Convolutions and projector",
    "head": "Output head",
    "pooler": "Pooler",
}
_WEIGHTS = ("attention", "recurrent", "mlp", "experts", "shared_experts", "router", "projector")
OUTSIDE_LAYERS = ("head", "pooler", "projector", "bridge")
"""Parts that checkpointing of layers does not run again."""


def forward_parts(model: Model, run: Pass, convention: Convention) -> list[Part]:
    """Every part of a forward pass that costs something, for the whole batch."""
    parts: list[Part] = []
    main_tokens = run.main_tokens(model)
    cross_keys = 0
    for stack in model.stacks:
        if stack is model.main:
            continue
        tokens = run.side_tokens(model, stack)
        if stack.role in ("encoder", "audio") or any(x.cross_attention for x in model.layers):
            cross_keys = tokens
        if tokens and run.run_encoder:
            parts += _stack_parts(model, stack, tokens, 0, run, convention)
    source = next((s for s in model.stacks if s is not model.main), None)
    if source is None and any(layer.cross_attention for layer in model.layers):
        # A decoder that reads an encoder which is another model, as wide as itself.
        cross_keys, source = run.encoder_tokens or run.queries, model.main
    if convention.weights == "matmul":
        parts += _stack_parts(
            model, model.main, main_tokens, cross_keys, run, convention,
            source.hidden_size if source else 0,
        )  # fmt: skip
        if run.extra_predictions:
            parts.append(_prediction_part(model, main_tokens, run, convention))
        return parts
    number = _parameters(model, convention)
    tokens = main_tokens * run.batch
    rule = Part(
        "parameters",
        "parameters",
        f"Parameters, {convention.weights.replace('_', ' ')}",
        2 * tokens * number,
        f"2 × {format_number(tokens)} tokens × {format_count(number)}",
    )
    scores = [p for p in parts if p.kind == "scores"]
    scores += [
        p
        for p in _stack_parts(model, model.main, main_tokens, cross_keys, run, convention)
        if p.kind == "scores"
    ]
    return [rule, *scores]


def _parameters(model: Model, convention: Convention) -> int:
    """N as the convention counts it."""
    if convention.weights == "total":
        return model.total
    if convention.weights == "non_embedding":
        return model.active_non_embedding
    if convention.weights == "without_input_embedding":
        return model.active_without_input_embedding
    if convention.weights == "without_positions":
        return model.active - model.counts.position_embedding
    return model.active


def _stack_parts(
    model: Model, stack: Stack, tokens: int, cross_keys: int, run: Pass, convention: Convention,
    source_hidden: int = 0,
) -> list[Part]:  # fmt: skip
    main = stack is model.main
    past = run.past if main else 0
    prefix, where = ("", "") if main else (f"{stack.role}_", f"{stack.role.capitalize()}: ")
    weights = dict.fromkeys(_WEIGHTS, 0)
    scores = scan = mixing = relative = cross_weights = 0
    groups = stack.groups()
    if not cross_keys:  # layers that read images only are passed over where there is none
        groups = [(layer, n) for layer, n in groups if layer.attention or not layer.cross_attention]
    for layer, times in groups:
        counts = layer.counts if not layer.borrowed.total else layer.counts + layer.borrowed
        for kind in _WEIGHTS:
            weights[kind] += times * getattr(counts, kind)
        if layer.experts:
            weights["experts"] -= times * layer.experts.idle_matmul
        scores += times * _layer_scores(layer, tokens, past, cross_keys, stack, run, convention)
        if layer.cross_attention and source_hidden:
            cross = layer.cross_attention
            cross_weights += times * source_hidden * (cross.k_width + cross.v_width)
        scan += times * _scan_flops(layer) * tokens
        mixing += times * layer.mixing
        if layer.attention and layer.attention.relative:
            weights["attention"] -= times * layer.attention.relative.own
            relative += times * _relative_flops(layer.attention, tokens, run.batch, convention)
    front = stack.front_runs(tokens)
    if len(front) == 1 and front[0][1] == tokens:
        weights["projector"] += front.pop()[0]
    weights["attention"] -= cross_weights
    batch_tokens = tokens * run.batch
    if convention.weights != "matmul":  # one number stands for all weights
        weights, cross_weights, scan, mixing, relative, front = {}, 0, 0, 0, 0, []
    parts = [
        _weights_part(prefix, where, kind, weights[kind], batch_tokens)
        for kind in _WEIGHTS
        if weights.get(kind)
    ]
    if front:
        parts += _front_parts(prefix, where, front, run.batch)
    if relative:
        positions = max(
            layer.attention.relative.positions(tokens)
            for layer, _ in groups
            if layer.attention and layer.attention.relative
        )
        parts.append(
            Part(f"{prefix}relative", "relative", where + _LABELS["relative"], relative,
                 f"{format_number(positions)} positions, projected in each layer and multiplied "
                 f"with {format_number(batch_tokens)} tokens")
        )  # fmt: skip
    if mixing:
        parts.append(_weights_part(prefix, where, "mixing", mixing, batch_tokens))
    if cross_weights and run.run_encoder:
        keys = cross_keys * run.batch
        parts.append(
            Part(f"{prefix}cross_keys", "attention", f"{where}Cross-attention keys and values",
                 2 * keys * cross_weights,
                 f"2 × {format_number(keys)} encoder tokens × {format_count(cross_weights)}")
        )  # fmt: skip
    if scores:
        parts.append(
            Part(f"{prefix}scores", "scores", where + _LABELS["scores"], scores * run.batch,
                 _scores_working(stack, groups, tokens, past, run, convention))
        )  # fmt: skip
    if scan:
        parts.append(
            Part(f"{prefix}scan", "scan", where + _LABELS["scan"], scan * run.batch,
                 f"{format_number(batch_tokens)} tokens × {format_flops(scan // tokens)}: 6 per "
                 "element of the state, 2 per weight of the convolution")
        )  # fmt: skip
    if convention.weights == "matmul":
        parts += _outer_parts(model, stack, main, prefix, where, tokens, run, convention)
    return parts


def _front_parts(prefix: str, where: str, front: list[tuple[int, int]], batch: int) -> list[Part]:
    """What reads the raw input, and what else does not run once per position."""
    found = []
    for kind, runs in (("projector", front[:1]), ("bridge", front[1:])):
        if runs:
            terms = " + ".join(
                f"{format_number(times * batch)} × {format_count(weights)}"
                for weights, times in runs[:3]
            ) + (" + …" if len(runs) > 3 else "")
            flops = 2 * batch * sum(weights * times for weights, times in runs)
            label = where + _LABELS[kind]
            found.append(Part(prefix + kind, kind, label, flops, f"2 × ({terms})"))
    return found


def _prediction_part(model: Model, tokens: int, run: Pass, convention: Convention) -> Part:
    """Modules that predict the token after the next: the last layer, a projection, the head."""
    stack, layer = model.main, model.layers[-1]
    hidden = stack.hidden_size
    head = (stack.around.head + model.tied_head) if convention.head else 0
    weights = layer.matmul_active + 2 * hidden * hidden + head
    scores = _layer_scores(layer, tokens, 0, 0, stack, run, convention)
    times, batch_tokens = run.extra_predictions, tokens * run.batch
    return Part(
        "extra_predictions",
        "extra_predictions",
        "Multi-token prediction",
        times * run.batch * (2 * tokens * weights + scores),
        f"{times} × (2 × {format_number(batch_tokens)} tokens × {format_count(weights)} + scores "
        f"{format_flops(scores * run.batch)})",
    )


def _outer_parts(
    model: Model, stack: Stack, main: bool, prefix: str, where: str, tokens: int, run: Pass,
    convention: Convention,
) -> list[Part]:  # fmt: skip
    found = []
    head = stack.around.head + (model.tied_head if main else 0)
    if head and convention.head:
        rows = run.batch * (tokens if run.logits == "all" else 1)
        found.append(_weights_part(prefix, where, "head", head, rows))
    if stack.around.pooler:
        # The classifier of a decoder scores every token, and one is picked afterwards.
        every = stack.role == "decoder" and not model.stack("encoder") and run.logits == "all"
        rows = run.batch * (tokens if every else 1)
        found.append(_weights_part(prefix, where, "pooler", stack.around.pooler, rows))
    return found


def _weights_part(prefix: str, where: str, kind: str, weights: int, tokens: int) -> Part:
    return Part(
        prefix + kind,
        kind,
        where + _LABELS[kind],
        2 * tokens * weights,
        f"2 × {format_number(tokens)} tokens × {format_count(weights)}",
    )


def _layer_scores(
    layer: Layer, tokens: int, past: int, cross_keys: int, stack: Stack, run: Pass,
    convention: Convention,
) -> int:  # fmt: skip
    total = 0
    if layer.attention:
        total += score_flops(
            layer.attention, tokens, past, stack.hidden_size, convention, run.absorbed
        )
    if layer.cross_attention and cross_keys and convention.scores != "none":
        cross = layer.cross_attention
        width = cross.heads * (cross.head_dim + cross.value_dim)
        if convention.score_width == "hidden":
            width = 2 * stack.hidden_size
        total += 2 * tokens * cross_keys * width
    return total


def _relative_flops(attention: Attention, tokens: int, batch: int, convention: Convention) -> int:
    """Positions are projected once for the whole batch, then multiplied with every token."""
    relative = attention.relative
    if relative is None:
        return 0
    positions = relative.positions(tokens)
    pairs = 0 if convention.scores == "none" else batch * tokens * attention.q_width
    return 2 * positions * (relative.weights + relative.kinds * pairs)


def _scan_flops(layer: Layer) -> int:
    """Decay, outer product, sum and read-out of a recurrent state: about 6 per element."""
    if not layer.recurrent:
        return 0
    return 6 * layer.recurrent.state_elements + 2 * layer.recurrent.conv_elements


def _scores_working(
    stack: Stack, groups: list[tuple[Layer, int]], tokens: int, past: int, run: Pass,
    convention: Convention,
) -> str:  # fmt: skip
    kinds = {layer.attention for layer, _ in groups if layer.attention}
    layers = sum(times for layer, times in groups if layer.attention)
    if len(kinds) != 1:
        return f"{layers} layers of {len(kinds)} kinds, each with its own keys"
    attention = kinds.pop()
    twice = twice_pairs(attention, tokens, past, convention)
    width = (
        f"2 × {stack.hidden_size}"
        if convention.score_width == "hidden"
        else f"{attention.heads} heads × ({attention.head_dim} + {attention.value_dim})"
    )
    if run.absorbed and attention.kind == "mla":
        width = f"{attention.heads} heads × (2 × {attention.kv_rank} + {attention.rope_dim})"
    if attention.rounds > 1:
        width = f"{attention.rounds} rounds × {width}"
    if attention.index_width:
        width += f" + indexer, {attention.index_width} wide"
    pairs = f"{twice // 2:,}" if twice % 2 == 0 else f"{twice / 2:,.1f}"
    return f"{run.batch} × {layers} layers × 2 × {pairs} pairs × {width}"
