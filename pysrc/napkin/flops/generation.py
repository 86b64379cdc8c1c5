"""FLOP of reading a prompt and of writing tokens one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from napkin.collectives import whole
from napkin.flops.conventions import Convention, convention_named
from napkin.flops.parts import forward_parts
from napkin.flops.passes import part_row, pass_notes
from napkin.flops.work import Pass
from napkin.lookup import model_of
from napkin.printing import format_flops, format_number
from napkin.table import Row, Table

if TYPE_CHECKING:
    from napkin.models import Model

__all__ = ["decode_flops", "generation_flops", "prefill_flops"]


def prefill_flops(
    model: Model | str,
    prompt: int,
    batch: int = 1,
    *,
    convention: str | Convention = "kernel",
    encoder_tokens: int | None = None,
    images: int | None = None,
    logits: Literal["all", "last"] = "last",
) -> Table:
    """FLOP of one pass over ``batch`` prompts; engines compute only the last token's logits.

    >>> from napkin.models import from_config
    >>> table = prefill_flops(from_config({"model_type": "gpt2"}), 512)
    >>> f"{table.value('total'):.4g}"
    '9.189e+10'
    """
    model = model_of(model)
    rule = convention_named(convention)
    run = Pass(whole(prompt, "prompt", 1, "512"), 0, whole(batch, "batch"), encoder_tokens,
               images, logits=logits)  # fmt: skip
    rows = [part_row(part) for part in forward_parts(model, run, rule)]
    title = f"Prefill FLOP of {model.name}, {format_number(batch)} × {format_number(prompt)} tokens"
    return Table.of(title, rows, notes=pass_notes(model, rule))


def decode_flops(
    model: Model | str,
    context: int,
    batch: int = 1,
    tokens: int = 1,
    *,
    convention: str | Convention = "kernel",
    encoder_tokens: int | None = None,
) -> Table:
    """FLOP of writing ``tokens`` more tokens after ``context`` cached ones, one at a time.

    2 × (weights that multiply) per token, plus 2·a·(d_qk + d_v) for each cached token in reach.
    Latent attention (MLA) scores against its compressed cache, as serving engines do.

    >>> from napkin.models import from_config
    >>> table = decode_flops(from_config({"model_type": "gpt2"}), 1024)
    >>> round(table.value("total") / (2 * 124_439_808), 3)  # 2N is close to it
    1.145
    """
    model = model_of(model)
    rule = convention_named(convention)
    run = Pass(
        whole(tokens, "tokens", 1, "1"),
        whole(context, "context", 0, "1024"),
        whole(batch, "batch"),
        encoder_tokens or max(1, context),
        images=0,
        run_encoder=False,
        absorbed=True,
    )
    rows = [part_row(part) for part in forward_parts(model, run, rule)]
    title = f"Decode FLOP of {model.name}, {format_number(batch)} × {format_number(tokens)} tokens"
    return Table.of(title, rows, notes=pass_notes(model, rule))


def generation_flops(
    model: Model | str,
    prompt: int,
    new_tokens: int,
    batch: int = 1,
    *,
    convention: str | Convention = "kernel",
    encoder_tokens: int | None = None,
    images: int | None = None,
) -> Table:
    """FLOP of answering: the prompt at once, then ``new_tokens`` - 1 single steps.

    The prompt's own pass yields the first new token.

    >>> from napkin.models import from_config
    >>> generation_flops(from_config({"model_type": "gpt2"}), 512, 128)["decode"].label
    'Decode 127 tokens'
    """
    model = model_of(model)
    new = whole(new_tokens, "new_tokens", 1, "128")
    before = prefill_flops(model, prompt, batch, convention=convention,
                           encoder_tokens=encoder_tokens, images=images)  # fmt: skip
    prefill = before.value("total")
    rows = [
        Row("prefill", f"Prefill {format_number(prompt)} tokens", prefill, "FLOP",
            f"{format_flops(prefill)} in one pass, logits of the last token only")
    ]  # fmt: skip
    if new > 1:
        after = decode_flops(
            model, prompt, batch, new - 1, convention=convention,
            encoder_tokens=encoder_tokens or prompt,
        )  # fmt: skip
        decode = after.value("total")
        each = format_flops(decode / (new - 1) / batch)
        rows.append(
            Row("decode", f"Decode {format_number(new - 1)} tokens", decode, "FLOP",
                f"{format_number(batch)} × {format_number(new - 1)} × {each} on average = "
                f"{format_flops(decode)}")
        )  # fmt: skip
    return Table.of(f"Generation FLOP of {model.name}", rows, notes=before.notes)
