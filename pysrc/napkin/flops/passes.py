"""Forward, backward and training FLOP of a model, under a named convention."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from napkin.collectives import whole
from napkin.flops.conventions import Convention, convention_named
from napkin.flops.parts import OUTSIDE_LAYERS, forward_parts
from napkin.flops.work import Part, Pass
from napkin.inputs import LARGEST
from napkin.lookup import model_of
from napkin.printing import format_count, format_flops, format_number
from napkin.table import Row, Table

if TYPE_CHECKING:
    from napkin.models import Model

__all__ = [
    "backward_flops",
    "flops_per_token",
    "forward_flops",
    "recomputation_flops",
    "training_flops",
]

Recompute = Literal["none", "selective", "full"]
_RECOMPUTE = ("none", "selective", "full")


def forward_flops(
    model: Model | str,
    seq: int = 1024,
    batch: int = 1,
    *,
    convention: str | Convention = "counter",
    encoder_tokens: int | None = None,
    images: int | None = None,
    logits: Literal["all", "last"] = "all",
) -> Table:
    """FLOP of one forward pass over ``batch`` sequences of ``seq`` tokens.

    Under ``counter``: 2·T·(weights that multiply) + 2·S²·a·(d_qk + d_v) per attention layer.
    Encoder-decoders read ``encoder_tokens`` (default ``seq``); vision stacks run once per image.
    Norms, activations, softmax and embeddings, under 1%, are not counted.

    Source: PyTorch's FlopCounterMode on 82 models agrees within 0.013%, and on invented
    configurations of 127 families within 0.02%.

    >>> from napkin.models import from_config
    >>> forward_flops(from_config({"model_type": "gpt2"}), 1024).value("total")
    291648307200
    """
    model = model_of(model)
    rule = convention_named(convention)
    run = Pass(whole(seq, "seq", 1, "1024"), 0, whole(batch, "batch"), encoder_tokens, images,
               logits=logits)  # fmt: skip
    rows = [part_row(part) for part in forward_parts(model, run, rule)]
    if not rows:
        raise ValueError(f"{model.name} has no weights that convention {rule.name!r} counts")
    return Table.of(
        f"Forward FLOP of {model.name}, {format_number(batch)} × {format_number(seq)} tokens",
        rows,
        notes=pass_notes(model, rule),
    )


def backward_flops(
    model: Model | str,
    seq: int = 1024,
    batch: int = 1,
    *,
    convention: str | Convention = "counter",
    encoder_tokens: int | None = None,
    images: int | None = None,
) -> Table:
    """FLOP of the backward pass: each product of the forward pass costs two.

    One gives the gradient of the input, one that of the weight (for scores: one per operand).  The
    weights that read raw pixels need no gradient of their input, so they cost one.

    >>> from napkin.models import from_config
    >>> gpt2 = from_config({"model_type": "gpt2"})
    >>> backward_flops(gpt2).value("total") / forward_flops(gpt2).value("total")
    2.0
    """
    model = model_of(model)
    rule = convention_named(convention)
    run = Pass(whole(seq, "seq", 1, "1024"), 0, whole(batch, "batch"), encoder_tokens, images)
    rows = [
        part_row(part, _backward_times(model, part)) for part in forward_parts(model, run, rule)
    ]
    return Table.of(
        f"Backward FLOP of {model.name}, {format_number(batch)} × {format_number(seq)} tokens",
        rows,
        notes=pass_notes(model, rule),
    )


def recomputation_flops(
    model: Model,
    seq: int = 1024,
    batch: int = 1,
    *,
    recompute: Recompute = "full",
    convention: str | Convention = "counter",
    encoder_tokens: int | None = None,
    images: int | None = None,
) -> Table:
    """FLOP that activation checkpointing runs a second time.

    ``full``: every layer once more (not the output head).  ``selective``: the attention scores
    alone (Korthikanti et al. 2022).
    """
    if recompute not in _RECOMPUTE:
        raise ValueError(f"recompute is {recompute!r}: use one of {', '.join(_RECOMPUTE)}")
    rule = convention_named(convention)
    run = Pass(whole(seq, "seq", 1, "1024"), 0, whole(batch, "batch"), encoder_tokens, images)
    rows = [
        part_row(part) for part in forward_parts(model, run, rule) if _runs_again(part, recompute)
    ]
    title = f"Recomputed FLOP of {model.name}, {recompute}"
    return Table.of(title, rows or [Row("nothing", "Nothing run again", 0, "FLOP")])


def training_flops(
    model: Model | str,
    tokens: float,
    seq: int = 4096,
    *,
    convention: str | Convention = "counter",
    recompute: Recompute = "none",
    adapter_parameters: int = 0,
    extra_predictions: int = 0,
    encoder_tokens: int | None = None,
    images: int | None = None,
) -> Table:
    """FLOP of training on ``tokens`` tokens in sequences of ``seq``: forward, backward, repeats.

    ``adapter_parameters``: LoRA. The frozen weights still pass gradients on (once forward, once
    backward); only the adapters cost the usual three.  ``extra_predictions``: modules that predict
    further tokens, such as the one of DeepSeek-V3.

    >>> from napkin.models import from_config
    >>> table = training_flops(from_config({"model_type": "gpt2"}), 10e9, 1024)
    >>> f"{table.value('total'):.3g}"
    '8.54e+18'
    """
    model = model_of(model)
    if isinstance(tokens, bool) or not isinstance(tokens, (int, float)) or not tokens > 0:
        raise ValueError(f"tokens is {tokens!r}: training needs more than 0, such as 10e9")
    if tokens > LARGEST:
        raise ValueError("tokens is infinite or nearly: give the number trained on, such as 10e9")
    adapters = whole(adapter_parameters, "adapter_parameters", 0, "20_000_000")
    if recompute not in _RECOMPUTE:
        raise ValueError(f"recompute is {recompute!r}: use one of {', '.join(_RECOMPUTE)}")
    rule = convention_named(convention)
    seq = whole(seq, "seq", 1, "4096")
    extra = whole(extra_predictions, "extra_predictions", 0, "1")
    run = Pass(seq, 0, 1, encoder_tokens, images, extra_predictions=extra)
    parts = forward_parts(model, run, rule)
    forward = sum(part.flops for part in parts)
    backward = sum(
        part.flops * (1 if adapters and part.kind != "scores" else _backward_times(model, part))
        for part in parts
    )
    again = sum(part.flops for part in parts if _runs_again(part, recompute))
    count = format_count(tokens)

    def row(key: str, label: str, per_sequence: int, factor: str) -> Row:
        each = Fraction(per_sequence, seq)
        value = _number(each * Fraction(tokens))
        working = (
            f"{count} tokens × {format_flops(float(each))} per token{factor} = "
            f"{format_flops(value)}"
        )
        return Row(key, label, value, "FLOP", working, rule.source)

    rows = [row("forward", "Forward", forward, ""), row("backward", "Backward", backward, "")]
    if recompute != "none":
        rows.append(row("recompute", f"Run again ({recompute} checkpointing)", again, ""))
    if adapters:
        rows.append(row("adapters", "Adapters", 6 * adapters * seq, " (6 per parameter)"))
    return Table.of(
        f"Training FLOP of {model.name} on {count} tokens", rows, notes=pass_notes(model, rule)
    )


def flops_per_token(
    model: Model | str,
    seq: int = 4096,
    *,
    convention: str | Convention = "counter",
    recompute: Recompute = "none",
    training: bool = True,
    extra_predictions: int = 0,
) -> float | int:
    """FLOP per token of training (or of a forward pass) at this sequence length.

    >>> from napkin.models import from_config
    >>> flops_per_token(from_config({"model_type": "gpt2"}), 1024, convention="nanogpt")
    855166464
    """
    model = model_of(model)
    if recompute not in _RECOMPUTE:
        raise ValueError(f"recompute is {recompute!r}: use one of {', '.join(_RECOMPUTE)}")
    seq = whole(seq, "seq", 1, "4096")
    run = Pass(seq, extra_predictions=extra_predictions)
    total = 0
    for part in forward_parts(model, run, convention_named(convention)):
        times = 1
        if training:
            times += _backward_times(model, part) + _runs_again(part, recompute)
        total += times * part.flops
    return _number(Fraction(total, seq))


def _runs_again(part: Part, recompute: Recompute) -> bool:
    """Whether checkpointing computes the part a second time."""
    if recompute == "full":
        return part.kind not in OUTSIDE_LAYERS
    return recompute == "selective" and part.kind == "scores"


def _backward_times(model: Model, part: Part) -> int:
    reads_raw = part.kind == "projector" and model.main.role in ("vision", "audio")
    return 1 if reads_raw or part.key.startswith(("vision_projector", "audio_projector")) else 2


def part_row(part: Part, times: int = 1) -> Row:
    """A row for ``times`` × the part."""
    flops = part.flops * times
    more = f"{times} × (" if times > 1 else ""
    close = ")" if times > 1 else ""
    return Row(part.key, part.label, flops, "FLOP",
               f"{more}{part.working}{close} = {format_flops(flops)}")  # fmt: skip


def _number(value: Fraction) -> float | int:
    return int(value) if value.denominator == 1 else float(value)


def pass_notes(model: Model, rule: Convention) -> tuple[str, ...]:
    """What was counted, and what of it is an estimate."""
    notes = [f"counted as {rule.name!r}: {rule.meaning}"]
    layers = {id(layer): layer for stack in model.stacks for layer in stack.layers}.values()
    if any(layer.recurrent for layer in layers):
        notes.append(
            "recurrent mixers: the weights are exact, the scan is estimated. By PyTorch's counter "
            "on real widths and 1,024 tokens the plain code of transformers does 0.2% less (Mamba) "
            "to 3.6% more (Mamba-2, Bamba, Falcon-H1); other mixers were not measured"
        )
    compressed = any(x.attention and x.attention.kind == "compressed" for x in layers)
    if compressed and rule.windows:
        notes.append("compressed attention: the number of keys is estimated")
    if model.family == "llama4_text" and any(layer.experts for layer in layers):
        notes.append(
            "experts: the chosen ones only; the plain code of transformers multiplies every token "
            "with every expert of Llama 4"
        )
    if any(stack.strides for stack in model.stacks):
        notes.append("convolutions over sound: the shortest sound that gives so many frames")
    idle = [
        stack.role
        for stack in model.stacks
        if stack is not model.main and stack.role in ("vision", "audio")
    ]
    reads = any(layer.cross_attention for layer in model.layers)
    if idle and not reads and (model.generates or model.tied or model.main.around.head):
        notes.append(
            f"the {' and '.join(idle)} stack counts only for the images that are given, each as "
            "one square of the tower's own size"
        )
    if model.estimate:
        notes.append(model.estimate)
    return tuple(notes)
