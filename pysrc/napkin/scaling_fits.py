"""The published fits behind the scaling laws, each with its constants and source.

Chinchilla (Hoffmann et al. 2022) fits ``L(N, D) = E + A/N^α + B/D^β``; with C = 6ND fixed, the
optimum is ``N = G·(C/6)^(β/(α+β))``, ``D = (C/6)^(α/(α+β)) / G`` with
``G = (αA/βB)^(1/(α+β))``.  The constants as printed do not reproduce the paper's own figures;
Besiroglu et al. (2024) fitted its data again, and their constants agree with approaches 1 and 2
(about 20 tokens per parameter).  Kaplan et al. (2020) came earlier, counted parameters without
embeddings, and put far more of a budget into N.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from napkin.inputs import positive
from napkin.table import nearest_name

__all__ = [
    "APPROACH_1",
    "APPROACH_2",
    "CHINCHILLA",
    "CHINCHILLA_AS_PRINTED",
    "FITS",
    "FLOPS_PER_PARAMETER_TOKEN",
    "KAPLAN",
    "PF_DAY",
    "TWENTY",
    "Fit",
    "KaplanFit",
    "ParametricFit",
    "PowerLaw",
    "Rule",
    "fit_named",
]

FLOPS_PER_PARAMETER_TOKEN = 6
PF_DAY = 1e15 * 86_400
"""A petaFLOP/s for a day, in FLOP."""


@dataclass(frozen=True)
class ParametricFit:
    """``L(N, D) = E + A/N^α + B/D^β``, in nats per token."""

    name: str
    E: float
    A: float
    B: float
    alpha: float
    beta: float
    source: str

    def loss(self, parameters: float, tokens: float) -> float:
        """Loss in nats per token."""
        n = positive(parameters, "parameters")
        d = positive(tokens, "tokens")
        return self.E + self.A / math.pow(n, self.alpha) + self.B / math.pow(d, self.beta)

    def optimum(self, flops: float) -> tuple[float, float]:
        """The N and D = C/6N with the lowest loss, in closed form."""
        product = positive(flops, "flops") / FLOPS_PER_PARAMETER_TOKEN
        both = self.alpha + self.beta
        ratio = (self.alpha * self.A / (self.beta * self.B)) ** (1 / both)
        parameters = ratio * product ** (self.beta / both)
        return parameters, product / parameters


CHINCHILLA_AS_PRINTED = ParametricFit(
    "chinchilla-as-printed", 1.69, 406.4, 410.7, 0.34, 0.28,
    "Hoffmann et al. 2022, approach 3, equation 10",
)  # fmt: skip
CHINCHILLA = ParametricFit(
    "chinchilla", 1.8172, 482.01, 2085.43, 0.3478, 0.3658,
    "Besiroglu et al. 2024 (Chinchilla scaling: a replication attempt)",
)  # fmt: skip


@dataclass(frozen=True)
class PowerLaw:
    """``N = parameters_at · (C / flops_at)^exponent``, and D from C = 6ND."""

    name: str
    parameters_at: float
    flops_at: float
    exponent: float
    source: str

    def optimum(self, flops: float) -> tuple[float, float]:
        """Best N, and the D that spends the rest."""
        flops = positive(flops, "flops")
        parameters = self.parameters_at * (flops / self.flops_at) ** self.exponent
        return parameters, flops / (FLOPS_PER_PARAMETER_TOKEN * parameters)


# Both approaches give 67B parameters at Gopher's budget (Hoffmann et al. 2022, table 3: 1.5T).
APPROACH_1 = PowerLaw("chinchilla-approach-1", 67e9, 5.76e23, 0.50,
                      "Hoffmann et al. 2022, approach 1 (a = 0.50, tables 2 and 3)")  # fmt: skip
APPROACH_2 = PowerLaw("chinchilla-approach-2", 63e9, 5.76e23, 0.49,
                      "Hoffmann et al. 2022, approach 2 (a = 0.49, tables 2 and A3)")  # fmt: skip


@dataclass(frozen=True)
class KaplanFit:
    """Kaplan et al. 2020: ``L = ((N_c/N)^(α_N/α_D) + D_c/D)^α_D``, N without embeddings.

    The constants are those of the joint fit (table 2).  The best model for a budget of C_min
    PF-days has ``N = 1.3e9 · C_min^0.73`` parameters (table 6).
    """

    name: str = "kaplan"
    n_c: float = 6.4e13
    d_c: float = 1.8e13
    alpha_n: float = 0.076
    alpha_d: float = 0.103
    optimal_n: float = 1.3e9
    exponent: float = 0.73
    source: str = "Kaplan et al. 2020, equation 1.5, tables 2 and 6"

    def loss(self, parameters: float, tokens: float) -> float:
        """Loss in nats per token (WebText2)."""
        n = positive(parameters, "parameters")
        d = positive(tokens, "tokens")
        inner = math.pow(self.n_c / n, self.alpha_n / self.alpha_d) + self.d_c / d
        return math.pow(inner, self.alpha_d)

    def optimum(self, flops: float) -> tuple[float, float]:
        """Best N for the budget, and the D = C/6N that spends it."""
        flops = positive(flops, "flops")
        parameters = self.optimal_n * (flops / PF_DAY) ** self.exponent
        return parameters, flops / (FLOPS_PER_PARAMETER_TOKEN * parameters)


KAPLAN = KaplanFit()


@dataclass(frozen=True)
class Rule:
    """A fixed number of tokens per parameter: ``N = √(C / 6r)``, ``D = r·N``."""

    name: str
    ratio: float
    source: str

    def optimum(self, flops: float) -> tuple[float, float]:
        """N and D of that ratio."""
        parameters = math.sqrt(positive(flops, "flops") / (FLOPS_PER_PARAMETER_TOKEN * self.ratio))
        return parameters, self.ratio * parameters


TWENTY = Rule("20-tokens-per-parameter", 20, "rule of thumb from Hoffmann et al. 2022")

Fit = ParametricFit | PowerLaw | KaplanFit | Rule
FITS: dict[str, Fit] = {
    fit.name: fit
    for fit in (CHINCHILLA, CHINCHILLA_AS_PRINTED, APPROACH_1, APPROACH_2, KAPLAN, TWENTY)
}


def fit_named(name: str) -> Fit:
    """The fit of that name; see ``FITS``."""
    if isinstance(name, str) and name in FITS:
        return FITS[name]
    close = nearest_name(str(name), list(FITS))
    hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(FITS)}"
    raise ValueError(f"{name!r} is not a scaling fit: {hint}")
