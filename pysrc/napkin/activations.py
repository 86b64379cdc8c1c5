"""Bytes of activations kept from the forward pass for the backward pass.

Every operation keeps what its gradient needs: a linear layer its input, a norm its input and what
it divided by, attention its queries, keys, values and output.  How much that is depends on the
implementation as much as on the shapes, so it is named: ``eager`` writes the score matrix to
memory, ``memory_efficient`` (FlashAttention, SDPA) does not, ``fused`` also has norms and gated
activations in one kernel each.  Values are in 16 bits; dropout is off.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from napkin.activation_layers import Kept, checkpointed_ops, layer_kept, stack_kept
from napkin.activation_traits import traits_of
from napkin.collectives import whole
from napkin.lookup import model_of
from napkin.printing import format_bytes, format_number
from napkin.table import Row, Table

if TYPE_CHECKING:
    from napkin.models import Layer, Model

__all__ = [
    "Checkpointing",
    "Implementation",
    "peak_layer_activations",
    "saved_activations",
]

Implementation = Literal["eager", "memory_efficient", "fused"]
Checkpointing = Literal["none", "selective", "selective_ops", "full"]
HOW_SURE = "of 22 such families half came within 15% of what autograd kept, the worst was 55% low"
"""Measured with eager attention on small models, transformers 5.24.0 on a CPU."""

_SOURCE = "what autograd saves, transformers 5.24.0"


@dataclass(frozen=True, slots=True)
class Share:
    """What part of the activations one device of a split run holds.

    ``tensor`` devices divide what lies inside attention and MLP; with ``sequence_parallel`` they
    divide the rest as well.  Layers ``first`` to ``last`` of the main stack are kept, for
    ``in_flight`` batches; ``begins`` and ``ends`` say whether embedding and head are there too.
    """

    tensor: int = 1
    sequence_parallel: bool = False
    first: int = 0
    last: int | None = None
    in_flight: float = 1
    begins: bool = True
    ends: bool = True

    def bytes_of(self, kept: Kept, tokens: int, batch: int) -> float:
        """Bytes of one kind of activation on one device."""
        hidden, inner = kept.hidden, kept.inner
        rest = self.tensor if self.sequence_parallel else 1
        return (
            tokens * batch * (hidden / rest + inner / self.tensor)
            + tokens * kept.per_position / rest
            + kept.fixed
        )


WHOLE = Share()


def saved_activations(
    model: Model | str,
    seq: int = 1024,
    batch: int = 1,
    *,
    implementation: Implementation = "memory_efficient",
    checkpointing: Checkpointing = "none",
    labels: bool = False,
    encoder_tokens: int | None = None,
) -> Table:
    """Activations saved by a forward pass over ``batch`` sequences of ``seq`` tokens, in bytes.

    Llama, memory-efficient: L·(16h + 8·ff + 4·kv·d + 6·a·d + 4a + 8) + 8h + 12 per token, and 4·d
    per position for the rotary cosines and sines.  ``checkpointing``: ``full`` keeps the input of
    every layer (the layer being run again needs ``peak_layer_activations`` on top), ``selective``
    drops the scores of eager attention (Korthikanti et al.), ``selective_ops`` keeps a layer's
    input, attention's output and every second matrix product (torchtitan).  ``labels`` adds what
    the cross-entropy loss keeps, 4 bytes per vocabulary entry and 8 for the label.

    Exact for families whose recordings are in ``activation_traits``; a note says where not.
    Source: PyTorch's saved-tensor hooks; Korthikanti et al. 2022 for the idea.

    >>> from napkin.models import from_config
    >>> saved_activations(from_config({"model_type": "gpt2"}), 1024).value("total")
    551313408
    """
    model = model_of(model)
    rows = activation_rows(
        model, seq, batch, implementation=implementation, checkpointing=checkpointing,
        labels=labels, encoder_tokens=encoder_tokens,
    )  # fmt: skip
    return Table.of(
        f"Activations of {model.name}, {batch} × {seq:,} tokens, {implementation}",
        rows,
        notes=activation_notes(model, implementation, checkpointing),
    )


def activation_notes(model: Model, implementation: str, checkpointing: str) -> tuple[str, ...]:
    """What to know of the figures: how exact, and what comes on top."""
    notes = []
    if implementation == "fused":
        notes.append("fused kernels: by design, not recorded; expect ±5%")
    elif not traits_of(model.family).exact or model.estimate:
        notes.append(
            f"{model.family}: what it keeps is not recorded but taken as Llama's or its nearest "
            f"kin's; {HOW_SURE}"
        )
    elif any(layer.experts for layer in _kinds(model)):
        notes.append("experts: recorded within 1%; tokens are taken to reach all chosen experts")
    if any(layer.recurrent for layer in _kinds(model)):
        notes.append(
            "recurrent mixers: an estimate for fused scan kernels; PyTorch's own slow path keeps "
            "many times as much"
        )
    if implementation == "memory_efficient" and traits_of(model.family).no_kernel:
        notes.append(f"transformers has only eager attention for {model.model_type}: counted so")
    if traits_of(model.family).dropout_noise or model.model_type == "t5":
        notes.append("dropout that stays on is counted, 2 bytes of noise per value (1 on CUDA)")
    if checkpointing in ("full", "selective_ops"):
        notes.append("the layer that runs again needs its own activations for a moment")
    return tuple(notes)


def _kinds(model: Model) -> list[Layer]:
    return [layer for stack in model.stacks for layer, _ in stack.groups()]


def activation_rows(
    model: Model,
    seq: int,
    batch: int,
    *,
    implementation: str = "memory_efficient",
    checkpointing: str = "none",
    labels: bool = False,
    encoder_tokens: int | None = None,
    share: Share = WHOLE,
) -> list[Row]:
    """The rows of ``saved_activations``, for one device of a split run."""
    seq, batch = whole(seq, "seq", 1, "1024"), whole(batch, "batch", 1, "1")
    for name, value, choices in (
        ("implementation", implementation, ("eager", "memory_efficient", "fused")),
        ("checkpointing", checkpointing, ("none", "selective", "selective_ops", "full")),
    ):
        if value not in choices:
            raise ValueError(f"{name} is {value!r}: use one of {', '.join(choices)}")
    if encoder_tokens is not None:
        encoder_tokens = whole(encoder_tokens, "encoder_tokens", 1, "1024")
    totals: dict[str, tuple[str, float, list[str]]] = {}

    def add(key: str, label: str, size: float, working: str) -> None:
        if size:
            known = totals.setdefault(key, (label, 0.0, []))
            if working not in known[2]:
                known[2].append(working)
            totals[key] = (label, known[1] + size, known[2])

    main = model.main
    main_tokens = main.positions if main.role in ("vision", "audio") and main.positions else seq
    for stack in model.stacks:
        is_main = stack is main
        cross = any(layer.cross_attention for layer in main.layers)
        if not is_main and not (stack.role in ("encoder", "audio") and cross and share.begins):
            continue
        tokens = main_tokens if is_main else (
            encoder_tokens or (stack.positions if stack.role == "audio" else None) or seq
        )  # fmt: skip
        keys = tokens if not is_main or not cross else (
            encoder_tokens or _audio_tokens(model) or seq
        )  # fmt: skip
        prefix = "" if is_main else f"{stack.role}_"
        where = "" if is_main else f"{stack.role.capitalize()}: "
        part = share if is_main else WHOLE
        for layer, times in stack.groups(part.first, part.last):
            if checkpointing in ("full", "selective_ops"):
                kept = Kept("layer_inputs", "Input of every layer", 2 * stack.hidden_size)
                if checkpointing == "selective_ops":
                    kept = checkpointed_ops(layer, stack.hidden_size)
                size = share.bytes_of(kept, tokens, batch)
                add(
                    prefix + kept.key,
                    where + kept.label,
                    times * size * share.in_flight,
                    f"{times} layers × {_per_layer(kept, tokens, batch, size)}",
                )
                continue
            for kept in layer_kept(model, stack, layer, tokens, batch, keys, implementation,
                                   checkpointing == "selective"):  # fmt: skip
                size = share.bytes_of(kept, tokens, batch)
                add(
                    prefix + kept.key,
                    where + kept.label,
                    times * size * share.in_flight,
                    f"{times} layers × {_per_layer(kept, tokens, batch, size)}",
                )
        # Under full checkpointing the angles are an argument of every layer, saved by none.
        angles = checkpointing != "full"
        for kept in stack_kept(model, stack, is_main, tokens, batch, implementation, angles):
            if is_main and not (share.begins if kept.key == "embedding" else share.ends):
                continue
            add(
                prefix + kept.key,
                where + kept.label,
                share.bytes_of(kept, tokens, batch),
                _per_layer(kept, tokens, batch, share.bytes_of(kept, tokens, batch)),
            )
    if labels:
        size = (4 * model.vocab_size + 8) * main_tokens * batch + 12
        add(
            "loss",
            "Loss: log-probabilities in fp32",
            size / share.tensor,
            f"{batch} × {main_tokens:,} tokens × 4 B × {model.vocab_size:,} entries",
        )
    return [
        Row(key, label, round(size), "B",
            " + ".join(working[:3]) + (" + …" if len(working) > 3 else "")
            + f" = {format_bytes(round(size))}", _SOURCE)
        for key, (label, size, working) in totals.items()
    ]  # fmt: skip


def peak_layer_activations(
    model: Model,
    seq: int,
    batch: int = 1,
    *,
    implementation: Implementation = "memory_efficient",
    encoder_tokens: int | None = None,
    share: Share = WHOLE,
) -> int:
    """Activations of the layer that keeps most: what full checkpointing recomputes at a time.

    >>> from napkin.models import from_config
    >>> peak_layer_activations(from_config({"model_type": "gpt2"}), 1024)
    45678592
    """
    seq, batch = whole(seq, "seq", 1, "1024"), whole(batch, "batch", 1, "1")
    best = 0.0
    stack = model.main
    tokens = stack.positions if stack.role == "vision" and stack.positions else seq
    for layer, _ in stack.groups():
        kept = layer_kept(model, stack, layer, tokens, batch, encoder_tokens or tokens,
                          implementation, False)  # fmt: skip
        best = max(best, sum(share.bytes_of(k, tokens, batch) for k in kept))
    return round(best)


def _per_layer(kept: Kept, tokens: int, batch: int, size: float) -> str:
    if kept.hidden + kept.inner and not kept.fixed:
        return f"{batch} × {tokens:,} tokens × {format_number(kept.hidden + kept.inner)} B"
    return format_bytes(size)


def _audio_tokens(model: Model) -> int | None:
    audio = model.stack("audio")
    return audio.positions if audio else None
