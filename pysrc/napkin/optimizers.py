"""Bytes per parameter that optimisers keep between steps, beside weights and gradients."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from napkin.matrices import weight_matrices
from napkin.table import Row, Table, nearest_name

if TYPE_CHECKING:
    from napkin.models import Model

__all__ = ["OPTIMIZERS", "PRECISIONS", "Optimizer", "Precision", "optimizer_named",
           "precision_named", "recipe_bytes", "state_share"]  # fmt: skip


T = TypeVar("T")


@dataclass(frozen=True)
class Optimizer:
    """``matrix`` and ``other`` are bytes of state per parameter: for the matrices inside layers,
    and for embeddings, head, norms and biases.  ``wide`` states are fp32 and take half under pure
    16-bit training.  ``factored`` keeps row and column sums in place of the second moment."""

    name: str
    meaning: str
    matrix: Fraction
    other: Fraction
    wide: bool = True
    factored: bool = False
    source: str = ""


_EIGHT_BIT = Fraction(1) + Fraction(4, 256)

OPTIMIZERS: dict[str, Optimizer] = {
    o.name: o
    for o in (
        Optimizer("adamw", "two fp32 moments", Fraction(8), Fraction(8),
                  source="Loshchilov and Hutter 2019"),
        Optimizer("adamw_8bit", "two moments of 1 byte, one fp32 scale per 256",
                  2 * _EIGHT_BIT, 2 * _EIGHT_BIT, wide=False, source="Dettmers et al. 2022"),
        Optimizer("adafactor", "row and column sums of each matrix in fp32, no momentum",
                  Fraction(0), Fraction(4), wide=False, factored=True,
                  source="Shazeer and Stern 2018"),
        Optimizer("lion", "one fp32 momentum", Fraction(4), Fraction(4),
                  source="Chen et al. 2023"),
        Optimizer("lion_8bit", "one momentum of 1 byte, one fp32 scale per 256", _EIGHT_BIT,
                  _EIGHT_BIT, wide=False, source="Dettmers et al. 2022"),
        Optimizer("muon", "one fp32 momentum for matrices in layers, AdamW for the rest",
                  Fraction(4), Fraction(8), source="Jordan et al. 2024"),
        Optimizer("sgd_momentum", "one fp32 momentum", Fraction(4), Fraction(4),
                  source="Sutskever et al. 2013"),
        Optimizer("adagrad", "one fp32 sum of squares", Fraction(4), Fraction(4),
                  source="Duchi et al. 2011"),
        Optimizer("sgd", "no state", Fraction(0), Fraction(0), source="Robbins and Monro 1951"),
    )
}  # fmt: skip
"""Optimisers by name."""


@dataclass(frozen=True)
class Precision:
    """Bytes per parameter of weights, gradients, the fp32 master copy and cached 16-bit copies."""

    name: str
    meaning: str
    weights: int
    gradients: int
    master: int
    copies: int = 0
    half_states: bool = False


PRECISIONS: dict[str, Precision] = {
    p.name: p
    for p in (
        Precision("mixed", "16-bit weights and gradients, fp32 master copy", 2, 2, 4),
        Precision("mixed_fp32_gradients", "16-bit weights, gradients added up in fp32, fp32 master",
                  2, 4, 4),
        Precision("bf16", "everything in bf16, states too, no master copy", 2, 2, 0,
                  half_states=True),
        Precision("fp32", "everything in fp32", 4, 4, 0),
        Precision("autocast", "fp32 weights and gradients, 16-bit copies while a step runs", 4, 4,
                  0, copies=2),
    )
}  # fmt: skip
"""What is kept in which format.  AdamW: mixed 16 bytes per parameter, with fp32 gradients 18,
bf16 8, fp32 16."""


def optimizer_named(name: str) -> Optimizer:
    """The optimiser of that name.

    >>> optimizer_named("AdamW-8bit").name
    'adamw_8bit'
    """
    return _named(name, OPTIMIZERS, "optimizer")


def precision_named(name: str) -> Precision:
    """The precision recipe of that name."""
    return _named(name, PRECISIONS, "precision")


def _named(name: str, table: Mapping[str, T], what: str) -> T:
    folded = str(name).strip().lower().replace("-", "_")
    if folded not in table:
        close = nearest_name(folded, list(table), 1)
        hint = f"did you mean {close[0]!r}?" if close else f"use one of {', '.join(table)}"
        raise ValueError(f"{what} {name!r} is not known: {hint}")
    return table[folded]


def state_share(model: Model, optimizer: Optimizer, precision: Precision) -> dict[str, Fraction]:
    """Bytes of state per parameter of each part of the counts, as an exact share.

    >>> from napkin.models import from_config
    >>> gpt2 = from_config({"model_type": "gpt2"})
    >>> shares = state_share(gpt2, OPTIMIZERS["muon"], PRECISIONS["mixed"])
    >>> int(shares["mlp"]), int(shares["token_embedding"])
    (4, 8)
    """
    half = Fraction(1, 2) if precision.half_states and optimizer.wide else Fraction(1)
    inside = ("attention", "recurrent", "mlp", "experts", "shared_experts")
    shares = dict.fromkeys(inside, optimizer.matrix * half)
    shares["rest"] = optimizer.other * half
    if optimizer.factored:
        sums: dict[str, int] = {}
        entries: dict[str, int] = {}
        for m in weight_matrices(model):
            sums[m.part] = sums.get(m.part, 0) + 4 * (m.inputs + m.outputs) * m.times
            entries[m.part] = entries.get(m.part, 0) + m.weights
        for part, total in sums.items():
            shares[part] = Fraction(total, entries[part])
    for part in ("token_embedding", "head"):
        shares.setdefault(part, shares["rest"])
    return shares


def recipe_bytes(optimizer: str = "adamw", precision: str = "mixed") -> Table:
    """Bytes per parameter of a recipe, before activations (matrices inside layers).

    Source: Rajbhandari et al. 2020, section 3.1: 2 + 2 + 12 = 16.

    >>> [recipe_bytes(precision=p).value("total") for p in ("mixed", "bf16")]
    [16, 8]
    """
    chosen, kept = optimizer_named(optimizer), precision_named(precision)
    half = Fraction(1, 2) if kept.half_states and chosen.wide else Fraction(1)
    state = chosen.matrix * half
    rows = [
        Row("weights", "Weights", kept.weights, "B per parameter"),
        Row("gradients", "Gradients", kept.gradients, "B per parameter"),
        Row("master", "Master copy, fp32", kept.master, "B per parameter"),
        Row("copies", "Cached 16-bit copies", kept.copies, "B per parameter"),
        Row("states", f"Optimiser: {chosen.meaning}",
            int(state) if state.denominator == 1 else float(state), "B per parameter", "",
            chosen.source),
    ]  # fmt: skip
    rows = [row for row in rows if row.value or row.key in ("weights", "states")]
    notes = ("factored states are a few bytes per row and column: nearly nothing",)
    return Table.of(f"{chosen.name}, {kept.name}: bytes per parameter", rows,
                    notes=notes if chosen.factored else ())  # fmt: skip
