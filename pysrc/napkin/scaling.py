"""Scaling laws: the loss to expect from N parameters and D tokens, and the best N and D to buy.

``C ≈ 6·N·D``.  The fits, their formulas and sources are in ``napkin.scaling_fits``; the default is
Chinchilla's form with the constants of Besiroglu et al. (2024).
"""

from __future__ import annotations

import math
from typing import Literal

from napkin.inputs import positive
from napkin.printing import format_count, format_number
from napkin.scaling_fits import (
    CHINCHILLA,
    CHINCHILLA_AS_PRINTED,
    FITS,
    KAPLAN,
    PF_DAY,
    Fit,
    KaplanFit,
    ParametricFit,
    Rule,
    fit_named,
)
from napkin.table import Row, Table

__all__ = [
    "CHINCHILLA",
    "CHINCHILLA_AS_PRINTED",
    "FITS",
    "KAPLAN",
    "PF_DAY",
    "KaplanFit",
    "ParametricFit",
    "compute_optimal",
    "kaplan_loss",
    "loss",
    "optimal_allocation",
    "power_law_loss",
    "tokens_per_parameter",
]

FitName = Literal[
    "chinchilla",
    "chinchilla-as-printed",
    "chinchilla-approach-1",
    "chinchilla-approach-2",
    "kaplan",
    "20-tokens-per-parameter",
]
LossFit = Literal["chinchilla", "chinchilla-as-printed", "kaplan"]


def loss(parameters: float, tokens: float, fit: LossFit = "chinchilla") -> Table:
    """Predicted loss in nats per token, by part.

    >>> round(loss(70e9, 1.4e12, "chinchilla-as-printed").value("loss"), 2)
    1.94
    """
    chosen = fit_named(fit)
    if isinstance(chosen, KaplanFit):
        value = chosen.loss(parameters, tokens)
        inner = "((N_c/N)^(α_N/α_D) + D_c/D)^α_D"
        row = Row("loss", "Loss", value, "nats/token", f"{inner} = {value:.3f}", chosen.source)
        return Table("Predicted loss (Kaplan)", (row,), notes=("N without embeddings.",))
    if not isinstance(chosen, ParametricFit):
        raise ValueError(f"{fit!r} says which N and D are best, not the loss: use chinchilla")
    n, d = positive(parameters, "parameters"), positive(tokens, "tokens")
    model, data = chosen.A / n**chosen.alpha, chosen.B / d**chosen.beta
    rows = [
        Row("irreducible", "Irreducible", chosen.E, "nats/token", "E, the entropy of text",
            chosen.source),
        Row("model", "Too few parameters", model, "nats/token",
            f"{chosen.A:g} / {format_count(n)}^{chosen.alpha:g} = {model:.4f}", chosen.source),
        Row("data", "Too few tokens", data, "nats/token",
            f"{chosen.B:g} / {format_count(d)}^{chosen.beta:g} = {data:.4f}", chosen.source),
    ]  # fmt: skip
    return Table.of("Predicted loss", rows, total="Loss", key="loss")


def kaplan_loss(parameters: float, tokens: float) -> float:
    """Kaplan's loss in nats per token, N without embeddings.

    >>> round(kaplan_loss(1.5e9, 23e9), 2)
    2.31
    """
    return KAPLAN.loss(parameters, tokens)


SINGLE_LAWS = {
    "parameters": (8.8e13, 0.076),
    "tokens": (5.4e13, 0.095),
    "flops": (3.1e8 * PF_DAY, 0.050),
}


def power_law_loss(quantity: Literal["parameters", "tokens", "flops"], amount: float) -> float:
    """Loss in nats per token when one thing is scarce and the others are not.

    ``(x_c / x)^α`` with (8.8e13, 0.076) for parameters without embeddings, (5.4e13, 0.095) for
    tokens and (3.1e8 PF-days, 0.050) for compute.  Source: Kaplan et al. 2020, equations 1.1–1.3.

    >>> round(power_law_loss("parameters", 1e9), 2), round(power_law_loss("parameters", 1e10), 2)
    (2.38, 1.99)
    """
    if quantity not in SINGLE_LAWS:
        raise ValueError(f"{quantity!r} has no power law: use parameters, tokens or flops")
    scale, exponent = SINGLE_LAWS[quantity]
    return math.pow(scale / positive(amount, quantity), exponent)


def optimal_allocation(flops: float, fit: str = "chinchilla") -> tuple[float, float]:
    """N and D that a fit calls best for a budget of ``flops``.

    >>> n, d = optimal_allocation(5.76e23, "20-tokens-per-parameter")
    >>> f"{n:.2e} {d:.2e}"
    '6.93e+10 1.39e+12'
    """
    return fit_named(fit).optimum(flops)


def compute_optimal(flops: float, fit: str = "chinchilla") -> Table:
    """The parameters and tokens that a budget buys best, with the loss to expect.

    >>> round(compute_optimal(5.76e23).value("tokens_per_parameter"))
    18
    """
    chosen = fit_named(fit)
    parameters, tokens = chosen.optimum(flops)
    rows = [
        Row("parameters", "Parameters", parameters, "parameters", _working(chosen, flops),
            chosen.source),
        Row("tokens", "Tokens", tokens, "tokens",
            f"{format_number(flops)} / (6 × {format_count(parameters)}) = {format_count(tokens)}",
            "C = 6ND"),
        Row("tokens_per_parameter", "Tokens per parameter", tokens / parameters, "",
            f"{format_count(tokens)} / {format_count(parameters)}", "D / N"),
    ]  # fmt: skip
    notes = []
    if isinstance(chosen, (ParametricFit, KaplanFit)):
        value = chosen.loss(parameters, tokens)
        rows.append(Row("loss", "Loss", value, "nats/token", f"L(N, D) = {value:.3f}",
                        chosen.source))  # fmt: skip
    if isinstance(chosen, KaplanFit):
        notes.append(
            "N counts parameters without embeddings; the paper's own D is "
            f"{format_count(2e10 * (flops / PF_DAY) ** 0.27)} (2e10 × PF-days^0.27)."
        )
    return Table(f"Compute-optimal for {format_number(flops)} FLOP ({chosen.name})", tuple(rows),
                 notes=tuple(notes))  # fmt: skip


def tokens_per_parameter(parameters: float, tokens: float) -> float:
    """D / N: about 20 is compute-optimal; models meant for much inference go far beyond.

    >>> round(tokens_per_parameter(8.03e9, 15e12))
    1868
    """
    return positive(tokens, "tokens") / positive(parameters, "parameters")


def _working(fit: Fit, flops: float) -> str:
    if isinstance(fit, ParametricFit):
        power = fit.beta / (fit.alpha + fit.beta)
        ratio = (fit.alpha * fit.A / (fit.beta * fit.B)) ** (1 / (fit.alpha + fit.beta))
        return f"{ratio:.4g} × ({format_number(flops)}/6)^{power:.3f}"
    if isinstance(fit, KaplanFit):
        return f"1.3e9 × ({flops / PF_DAY:.4g} PF-days)^{fit.exponent:g}"
    if isinstance(fit, Rule):
        return f"√({format_number(flops)} / (6 × {fit.ratio:g}))"
    return (
        f"{format_count(fit.parameters_at)} × "
        f"({format_number(flops)}/{format_number(fit.flops_at)})^{fit.exponent:g}"
    )
