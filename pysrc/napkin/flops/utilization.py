"""Model and hardware FLOPs utilization: what share of the peak a run achieves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from napkin.collectives import whole
from napkin.flops.conventions import Convention, convention_named
from napkin.flops.passes import flops_per_token
from napkin.inputs import LARGEST
from napkin.printing import format_flops, format_number, format_rate
from napkin.table import Row, Table

if TYPE_CHECKING:
    from napkin.models import Model

__all__ = ["mfu"]


def mfu(
    tokens_per_s: float,
    peak_flops: float,
    model: Model | None = None,
    *,
    seq: int = 4096,
    devices: int = 1,
    convention: str | Convention = "counter",
    recompute: Literal["none", "selective", "full"] = "none",
    per_token: float | None = None,
) -> Table:
    """Model FLOPs utilization (MFU) from measured tokens per second of the whole run.

    MFU = FLOP per token × tokens/s ÷ (devices × dense peak of one device, FLOP/s).  HFU counts
    recomputed FLOP too.  Give a ``model`` with ``seq``, or ``per_token``.  Which FLOP per token is
    a matter of ``convention``; llm-foundry's tables are ``llm_foundry``.

    Source: Chowdhery et al. 2022, appendix B.

    >>> table = mfu(1007, 989e12, per_token=6 * 64862437376 + 12 * 80 * 8192 * 2048)
    >>> round(table.value("mfu"), 2)
    41.27
    """
    for name, value in (("tokens_per_s", tokens_per_s), ("peak_flops", peak_flops)):
        good = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not good or not 0 < value <= LARGEST:
            raise ValueError(f"{name} is {value!r}: give a rate above 0")
    devices = whole(devices, "devices")
    if (model is None) == (per_token is None):
        raise ValueError("give either a model (with seq) or per_token, the FLOP of one token")
    rule = convention_named(convention)
    hardware: float | None = None
    if model is not None:
        each: float = flops_per_token(model, seq, convention=rule)
        counted = f"{rule.name} at {format_number(seq)} tokens"
        if recompute != "none":
            hardware = flops_per_token(model, seq, convention=rule, recompute=recompute)
    else:
        assert per_token is not None
        good = isinstance(per_token, (int, float)) and not isinstance(per_token, bool)
        if not good or not 0 < per_token <= LARGEST:
            raise ValueError(f"per_token is {per_token!r}: give FLOP above 0, such as 6 * 7e9")
        each, counted = per_token, "as given"
        if recompute == "full":
            hardware = per_token * 4 / 3
    source = "Chowdhery et al. 2022, appendix B"
    rate = tokens_per_s / devices
    rows = [
        Row("flops_per_token", "FLOP per token", each, "FLOP", counted, rule.source),
        Row("tokens_per_s", "Tokens per second and device", rate, "tokens/s",
            f"{format_number(tokens_per_s)} ÷ {format_number(devices)}"),
        Row("achieved", "Achieved per device", each * rate, "FLOP/s",
            f"{format_flops(each)} × {format_number(rate)}/s = {format_rate(each * rate)}"),
        Row("peak", "Dense peak of one device", peak_flops, "FLOP/s"),
        Row("mfu", "Model FLOPs utilization", 100 * each * rate / peak_flops, "%",
            f"{format_rate(each * rate)} ÷ {format_rate(peak_flops)}", source),
    ]  # fmt: skip
    if hardware is not None:
        rows.append(
            Row("hfu", "Hardware FLOPs utilization", 100 * hardware * rate / peak_flops, "%",
                f"{format_rate(hardware * rate)} with what runs twice ({recompute}) ÷ "
                f"{format_rate(peak_flops)}", source)
        )  # fmt: skip
    notes: tuple[str, ...] = ()
    if rows[4].value > 100:
        notes = (
            "above 100%: check that the peak is dense and of this device and format, and that "
            "devices counts all of them",
        )
    title = f"Utilization of {model.name}" if model is not None else "Utilization"
    return Table(title, tuple(rows), notes=notes)
