"""Scaling law: the loss to expect, and the best model and data for a budget."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from napkin.choices import Tokens
from napkin.fields import Amount, Choice
from napkin.forms import Answer, Axis, Chart, Mark, Row, Series, Table
from napkin.printing import format_count, format_flops, format_number
from napkin.scaling import PF_DAY, KaplanFit, ParametricFit, compute_optimal, power_law_loss
from napkin.scaling_fits import fit_named

__all__ = ["scaling_law"]

Fit = Annotated[
    Literal["chinchilla", "chinchilla-as-printed", "kaplan"],
    Choice(
        (
            ("chinchilla", "Chinchilla, fitted again in 2024"),
            ("chinchilla-as-printed", "Chinchilla, as printed in 2022"),
            ("kaplan", "Kaplan et al. 2020"),
        )
    ),
]


def scaling_law(
    parameters: Annotated[
        float, Amount("parameters", 1e3, 1e15, suggestions=("124M", "7B", "70B"))
    ] = 7e9,
    tokens: Tokens = 2e12,
    budget: Annotated[
        float | None, Amount("FLOP", 1e9, 1e32, suggestions=("1e21", "5.76e23", "3.8e25"))
    ] = None,
    fit: Fit = "chinchilla",
) -> Answer:
    """Loss of a model by size and data, and the compute-optimal point of a budget.

    Parameters:
        parameters: Parameters. The size of the model, such as 7B.
        tokens: Training tokens. How much text it reads.
        budget: Compute budget. In FLOP; left empty, what the two above spend (6ND).
        fit: Fit. Which published law.

    >>> answer = scaling_law(70e9, 1.4e12, None, "chinchilla-as-printed")
    >>> round(answer.headline.value, 2)
    1.94
    """
    chosen = fit_named(fit)
    assert isinstance(chosen, (ParametricFit, KaplanFit))
    spent = 6 * parameters * tokens
    flops = budget or spent
    loss = chosen.loss(parameters, tokens)
    best, best_tokens = chosen.optimum(flops)
    lowest = chosen.loss(best, best_tokens)
    ratio = tokens / parameters
    sentence = (
        f"{format_count(parameters)} parameters on {format_count(tokens)} tokens should reach a "
        f"loss of {loss:.3f} nats per token for {format_flops(spent)}. The best use of "
        f"{'that compute' if budget is None else format_flops(flops)} is "
        f"{format_count(best)} parameters on {format_count(best_tokens)} tokens, for a loss of "
        f"{lowest:.3f}."
    )
    rows = _parts(chosen, parameters, tokens, loss)
    optimum = compute_optimal(flops, fit)
    best_rows = tuple(
        Row(f"best_{row.key}", row.label, row.value, row.unit, row.working, row.source)
        for row in optimum.rows
    )
    return Answer(
        Row("loss", "Loss to expect", loss, "nats/token", _perplexity(loss)),
        sentence,
        (
            rows,
            Table("Your run", (
                Row("flops", "Compute", spent, "FLOP",
                    f"6 × {format_count(parameters)} × {format_count(tokens)}", "C = 6ND"),
                Row("ratio", "Tokens per parameter", ratio, "",
                    f"{format_count(tokens)} ÷ {format_count(parameters)}; about 20 is "
                    "compute-optimal, more makes a small model good and cheap to run"),
            )),
            Table(f"The best for {format_flops(flops)}", best_rows, notes=optimum.notes),
        ),
        (
            _valley(chosen, flops, parameters, loss if budget is None else None, best, lowest),
            _power_law(chosen, spent, loss),
        ),
        notes=(chosen.source, "loss in nats per token on the text that the law was fitted to: "
               "compare runs by it, not models of other text"),
    )  # fmt: skip


def _perplexity(loss: float) -> str:
    """e^loss in words; a law that is stretched too far promises worse than guessing."""
    if loss > math.log(1e6):
        return "worse than a guess among a million tokens: far outside what the law was fitted to"
    return f"perplexity {math.exp(loss):.3g}"


def _parts(fit: ParametricFit | KaplanFit, n: float, d: float, value: float) -> Table:
    if isinstance(fit, KaplanFit):
        working = f"((N_c/N)^(α_N/α_D) + D_c/D)^α_D = {value:.3f}"
        row = Row("kaplan", "Loss", value, "nats/token", working, fit.source)
        return Table("The loss", (row,), notes=("N counts parameters without embeddings",))
    model, data = fit.A / n**fit.alpha, fit.B / d**fit.beta
    return Table.of("The loss, part by part", (
        Row("irreducible", "What no model can foresee", fit.E, "nats/token", "E", fit.source),
        Row("too_small", "Because the model is finite", model, "nats/token",
            f"{fit.A:g} / {format_count(n)}^{fit.alpha:g} = {model:.4f}", fit.source),
        Row("too_little", "Because the data are finite", data, "nats/token",
            f"{fit.B:g} / {format_count(d)}^{fit.beta:g} = {data:.4f}", fit.source),
    ), total="Loss", key="total")  # fmt: skip


def _valley(
    fit: ParametricFit | KaplanFit, flops: float, n: float, loss: float | None, best: float,
    lowest: float,
) -> Chart:  # fmt: skip
    """Loss over model size with the compute held fixed."""
    wide = max(30.0, 3 * best / n, 3 * n / best) if loss is not None else 30.0
    sizes = [best * wide ** (step / 12) for step in range(-12, 13)]
    points = tuple((size, fit.loss(size, flops / 6 / size)) for size in sizes)
    marks = [Mark("best", best, lowest)]
    if loss is not None:
        marks.append(Mark("your run", n, loss))
    return Chart(
        "valley", f"Same compute, other sizes: {format_flops(flops)}", "line",
        Axis("Parameters", "parameters", log=True), Axis("Loss", "nats/token"),
        (Series("Loss", points),),
        f"The loss is lowest, {lowest:.3f}, at {format_count(best)} parameters; models "
        f"{format_number(round(wide))} times smaller or larger lose "
        f"{points[0][1] - lowest:.2f} and {points[-1][1] - lowest:.2f}.",
        tuple(marks),
    )  # fmt: skip


def _power_law(fit: ParametricFit | KaplanFit, spent: float, loss: float) -> Chart:
    """Best loss over many orders of compute: nearly a straight line on two log axes."""
    budgets = [10.0**power for power in range(15, 28)]
    best = tuple((c, fit.loss(*fit.optimum(c))) for c in budgets)
    kaplan = tuple((c, power_law_loss("flops", c)) for c in budgets if c >= 1e-8 * PF_DAY)
    return Chart(
        "power_law", "Loss against compute, twelve orders of magnitude", "line",
        Axis("Training compute", "FLOP", log=True), Axis("Loss", "nats/token", log=True),
        (Series(f"Best by {fit.name}", best), Series("Kaplan's power law of compute", kaplan)),
        f"Each tenfold of compute lowers Kaplan's loss by "
        f"{1 - kaplan[1][1] / kaplan[0][1]:.0%}; by this fit the best loss falls from "
        f"{best[0][1]:.2f} at 1e15 FLOP to {best[-1][1]:.2f} at 1e27.",
        (Mark("your run", spent, loss),) if 1e13 < spent < 1e30 else (),
    )  # fmt: skip
