"""Rules of thumb from plain numbers, for a model of which only the sizes are known."""

from __future__ import annotations

from fractions import Fraction

from napkin.collectives import whole
from napkin.inputs import LARGEST
from napkin.kv_engines import cache_bytes_per_number
from napkin.optimizers import optimizer_named, precision_named
from napkin.printing import format_bytes, format_count, format_number
from napkin.table import Row, Table

__all__ = ["classic_activations", "kv_cache_rule", "training_state"]


def training_state(
    parameters: float,
    *,
    optimizer: str = "adamw",
    precision: str = "mixed",
    zero: int = 0,
    devices: int = 1,
) -> Table:
    """Bytes per device of weights, gradients, master copy and optimiser state: 16 per parameter.

    ZeRO over ``devices`` divides the optimiser state and the master copy (stage 1), gradients too
    (2), weights too (3).  Source: Rajbhandari et al. 2020, figure 1.

    >>> training_state(7e9).value("total")
    112000000000
    >>> round(training_state(7.5e9, zero=2, devices=64).value("total") / 1e9, 1)
    16.6
    """
    good = isinstance(parameters, (int, float)) and not isinstance(parameters, bool)
    if not good or not 0 < parameters <= LARGEST:
        raise ValueError(f"parameters is {parameters!r}: give a number above 0, such as 7e9")
    zero, devices = whole(zero, "zero", 0, "3"), whole(devices, "devices")
    if zero > 3:
        raise ValueError(f"zero is {zero}: use a ZeRO stage 0, 1, 2 or 3")
    chosen, kept = optimizer_named(optimizer), precision_named(precision)
    half = Fraction(1, 2) if kept.half_states and chosen.wide else Fraction(1)
    rows = []
    for key, label, each, stage, source in (
        ("weights", "Weights", Fraction(kept.weights), 3, ""),
        ("gradients", "Gradients", Fraction(kept.gradients), 2, ""),
        ("master", "Master copy, fp32", Fraction(kept.master), 1, ""),
        ("copies", "Cached 16-bit copies", Fraction(kept.copies), 3, ""),
        ("optimizer", f"Optimiser: {chosen.name}", chosen.matrix * half, 1, chosen.source),
    ):
        if not each and key not in ("weights", "optimizer"):
            continue
        share = devices if zero >= stage else 1
        exact = Fraction(parameters) * each / share
        size = -(-exact.numerator // exact.denominator)
        split = f" ÷ {devices}" if share > 1 else ""
        rows.append(
            Row(key, label, size, "B",
                f"{format_count(parameters)} × {float(each):.4g} B{split} = {format_bytes(size)}",
                source or "Rajbhandari et al. 2020")
        )  # fmt: skip
    notes = ("factored states depend on the shapes and are nearly nothing: counted as 0",)
    return Table.of(
        f"Training state of {format_count(parameters)} parameters"
        + (f" on one of {devices} devices, ZeRO-{zero}" if devices > 1 else ""),
        rows,
        notes=notes if chosen.factored else (),
    )


def kv_cache_rule(
    layers: int,
    kv_heads: int,
    head_dim: int,
    tokens: int,
    sequences: int = 1,
    dtype: str = "bf16",
) -> Table:
    """2 × layers × kv_heads × head_dim × tokens × bytes × sequences.

    >>> kv_cache_rule(32, 32, 64, 4096).value("total")
    1073741824
    """
    size = cache_bytes_per_number(dtype)
    numbers = [
        whole(value, name, 1, example)
        for name, value, example in (
            ("layers", layers, "32"), ("kv_heads", kv_heads, "8"), ("head_dim", head_dim, "128"),
            ("tokens", tokens, "4096"), ("sequences", sequences, "1"),
        )
    ]  # fmt: skip
    product = 1
    for number in numbers:
        product *= number
    rows = []
    for key, label in (("keys", "Keys"), ("values", "Values")):
        exact = product * size
        value = -(-exact.numerator // exact.denominator)
        rows.append(
            Row(key, label, value, "B",
                " × ".join(f"{number:,}" for number in numbers)
                + f" × {float(size):.4g} B = {format_bytes(value)}", "Vaswani et al. 2017")
        )  # fmt: skip
    return Table.of(
        "Cache of keys and values", rows,
        working="2 × layers × kv_heads × head_dim × tokens × sequences × bytes",
    )  # fmt: skip


def classic_activations(
    layers: int, hidden: int, heads: int, seq: int, batch: int = 1, *, scores: bool = True
) -> Table:
    """The textbook estimate: 34·s·b·h per layer, and 5·a·s²·b for the score matrix.

    It describes GPT-3's layer (GELU, LayerNorm, dropout) in 16 bits; for today's gated models it
    is 29 to 58% too low.  Source: Korthikanti et al. 2022, section 4.1.

    >>> table = classic_activations(96, 12288, 96, 2048)
    >>> table.value("scores") / table.value("linear") * 34
    80.0
    """
    sizes = [
        whole(value, name, 1, example)
        for name, value, example in (
            ("layers", layers, "32"), ("hidden", hidden, "4096"), ("heads", heads, "32"),
            ("seq", seq, "2048"), ("batch", batch, "1"),
        )
    ]  # fmt: skip
    layers, hidden, heads, seq, batch = sizes
    linear = 34 * layers * seq * batch * hidden
    source = "Korthikanti et al. 2022, equation 1"
    rows = [
        Row("linear", "Everything but scores", linear, "B",
            f"{layers} × 34 × {format_number(seq)} × {batch} × {format_number(hidden)} = "
            f"{format_bytes(linear)}", source)
    ]  # fmt: skip
    if scores:
        size = 5 * layers * heads * seq * seq * batch
        rows.append(
            Row("scores", "Score matrix", size, "B",
                f"{layers} × 5 × {heads} × {format_number(seq)}² × {batch} = "
                f"{format_bytes(size)}", source)
        )  # fmt: skip
    return Table.of("Activations by the textbook formula", rows)
