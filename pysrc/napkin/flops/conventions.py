"""What people leave in and out when they count the FLOP of a model.

Counts of one and the same model differ by a third between papers and tools.  A ``Convention``
says which parameters are multiplied with each token, how the score matrix of attention is counted,
and whether windows shorten it.  Derive your own with ``dataclasses.replace``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from napkin.table import nearest_name

__all__ = ["CONVENTIONS", "Convention", "convention_named"]

Weights = Literal[
    "matmul",
    "total",
    "active",
    "non_embedding",
    "without_input_embedding",
    "without_positions",
]
Scores = Literal["square", "half", "triangle", "none"]


@dataclass(frozen=True)
class Convention:
    """One way to count.

    ``weights``: which parameters multiply a token.  ``matmul`` counts the weight matrices that
    do, the chosen experts only, and is itemised; the rest are single numbers N of the model:
    ``total`` (all experts too), ``active`` (embeddings and head in, chosen experts),
    ``non_embedding`` (embeddings and head out), ``without_input_embedding`` (head in) and
    ``without_positions`` (position table out).
    ``scores``: pairs of query and key under a causal mask. ``square`` S², as a kernel without
    mask support computes; ``half`` S²/2; ``triangle`` S(S+1)/2, what the mask leaves; ``none``
    leaves attention scores out.
    ``windows``: whether sliding and chunked layers are shorter.
    ``head``: whether the output head is counted (``matmul`` only).
    ``score_width``: width of a score, heads × head_dim or the hidden size.
    """

    name: str
    meaning: str
    weights: Weights = "matmul"
    scores: Scores = "square"
    windows: bool = False
    head: bool = True
    score_width: Literal["heads", "hidden"] = "heads"
    source: str = ""

    def __post_init__(self) -> None:
        for field, value, choices in (
            ("weights", self.weights, Weights.__args__),  # type: ignore[attr-defined]
            ("scores", self.scores, Scores.__args__),  # type: ignore[attr-defined]
            ("score_width", self.score_width, ("heads", "hidden")),
        ):
            if value not in choices:
                raise ValueError(
                    f"{field} is {value!r} in convention {self.name!r}: use one of "
                    f"{', '.join(choices)}"
                )


CONVENTIONS: dict[str, Convention] = {
    c.name: c
    for c in (
        Convention(
            "counter",
            "every matrix product that eager attention runs: the full score matrix, windows only "
            "masked",
            source="PyTorch FlopCounterMode on transformers 5.24.0, eager attention",
        ),
        Convention(
            "kernel",
            "what a causal kernel with window support has to compute",
            scores="triangle",
            windows=True,
            source="Dao et al. 2022, FlashAttention",
        ),
        Convention(
            "megatron",
            "matrices and half of the score matrix; windows shorten it",
            scores="half",
            windows=True,
            source="NVIDIA Megatron-Bridge, num_floating_point_operations",
        ),
        Convention(
            "korthikanti",
            "matrices and the full score matrix of width h",
            score_width="hidden",
            source="Korthikanti et al. 2022, appendix A; Narayanan et al. 2021, appendix",
        ),
        Convention(
            "kaplan",
            "2N, with N without embeddings and head, nothing for scores",
            weights="non_embedding",
            scores="none",
            source="Kaplan et al. 2020, section 2.1",
        ),
        Convention(
            "kaplan_context",
            "Kaplan's 2N plus the context term 2·L·s·d_attn: half of the score matrix",
            weights="non_embedding",
            scores="half",
            source="Kaplan et al. 2020, table 1",
        ),
        Convention(
            "six_n",
            "2N with every parameter that a token uses, embeddings and head included",
            weights="active",
            scores="none",
            source="Hoffmann et al. 2022: C = 6ND",
        ),
        Convention(
            "palm",
            "2N with every active parameter, plus the full score matrix",
            weights="active",
            source="Chowdhery et al. 2022, appendix B: 6N + 12·L·H·Q·T",
        ),
        Convention(
            "nanogpt",
            "PaLM's count with the position table left out",
            weights="without_positions",
            source="karpathy/nanoGPT model.py, estimate_mfu",
        ),
        Convention(
            "torchtitan",
            "PaLM's count with the input embedding left out",
            weights="without_input_embedding",
            source="pytorch/torchtitan, get_num_flop_per_token",
        ),
        Convention(
            "llm_foundry",
            "2N with all parameters, plus the full score matrix of width h",
            weights="total",
            score_width="hidden",
            source="mosaicml/llm-foundry, scripts/train/benchmarking/README.md",
        ),
    )
}
"""Named conventions; each says whose it is."""


def convention_named(convention: str | Convention) -> Convention:
    """The convention of that name, or the one given.

    >>> convention_named("megatron").scores
    'half'
    """
    if isinstance(convention, Convention):
        return convention
    found = CONVENTIONS.get(str(convention).strip().lower().replace("-", "_"))
    if found is None:
        close = nearest_name(str(convention), list(CONVENTIONS))
        hint = f"did you mean {close[0]!r}?" if close else f"use one of {', '.join(CONVENTIONS)}"
        raise ValueError(f"convention {convention!r} is not known: {hint}")
    return found
