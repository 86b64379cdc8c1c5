"""Speculative decoding: a small draft model guesses tokens, the large one checks them at once.

Checking k + 1 tokens reads the large model's weights once, so as long as decoding is bound by
memory it costs little more than one step.  With acceptance rate a per guessed token, a round of k
guesses yields (1 - a^(k+1)) ÷ (1 - a) tokens on average.

Source: Leviathan, Kalman and Matias, "Fast inference from transformers via speculative decoding"
(2023), equations 1 and theorem 3.8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from napkin.collectives import whole
from napkin.lookup import model_of
from napkin.quantities import format_number, format_seconds
from napkin.roofline import positive
from napkin.speed import Setup, decode_seconds, verify_seconds
from napkin.table import Row, Table

if TYPE_CHECKING:
    from napkin.models import Model

__all__ = ["best_draft_length", "speculative", "speculative_speedup", "tokens_per_round"]

SOURCE = "Leviathan et al. 2023, theorem 3.8"
LONGEST_DRAFT = 32


def _acceptance(rate: float) -> float:
    if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not 0 <= rate <= 1:
        raise ValueError(f"acceptance must be a share from 0 to 1, got {rate!r}: write e.g. 0.8")
    return float(rate)


def tokens_per_round(acceptance: float, draft: int) -> float:
    """Tokens that one round of ``draft`` guesses yields on average, between 1 and draft + 1.

    >>> round(tokens_per_round(0.8, 5), 2), tokens_per_round(1.0, 5), tokens_per_round(0.0, 5)
    (3.69, 6.0, 1.0)
    """
    rate, draft = _acceptance(acceptance), whole(draft, "draft", 0, "5")
    if rate == 1:
        return float(draft + 1)
    return (1 - rate ** (draft + 1)) / (1 - rate)


def speculative_speedup(
    acceptance: float, draft: int, draft_cost: float, verify_cost: float = 1.0
) -> float:
    """How many times faster than plain decoding.

    ``draft_cost`` is the time of one draft step, ``verify_cost`` that of one check, both divided
    by the time of one plain step of the large model.

    >>> round(speculative_speedup(0.8, 5, draft_cost=0.05), 2)
    2.95
    """
    positive(draft_cost, "draft_cost", "time of a draft step ÷ time of a large step", zero=True)
    positive(verify_cost, "verify_cost", "time of a check ÷ time of a large step")
    return tokens_per_round(acceptance, draft) / (draft * draft_cost + verify_cost)


def best_draft_length(acceptance: float, draft_cost: float) -> int:
    """Number of guesses per round that is fastest, 0 where guessing does not pay.

    >>> best_draft_length(0.8, 0.05), best_draft_length(0.3, 0.5)
    (8, 0)
    """
    lengths = range(LONGEST_DRAFT + 1)
    return max(lengths, key=lambda n: (speculative_speedup(acceptance, n, draft_cost), -n))


def speculative(
    model: Model | str,
    draft_model: Model | str,
    gpu: str,
    *,
    draft: int = 5,
    acceptance: float = 0.8,
    weights: str = "bf16",
    draft_weights: str = "bf16",
    context: int = 1024,
    batch: int = 1,
    gpus: int = 1,
    engine: str = "auto",
) -> Table:
    """Typical speed of speculative decoding against plain decoding on one machine."""
    model = model_of(model)
    draft_model = model_of(draft_model)
    setup = Setup.of(gpu, gpus, engine, weights)
    small = Setup.of(gpu, gpus, engine, draft_weights)
    draft = whole(draft, "draft", 0, "5")
    plain = decode_seconds(model, setup, context=context, batch=batch).typical
    guess = decode_seconds(draft_model, small, context=context, batch=batch).typical
    check = verify_seconds(model, setup, context=context, batch=batch, tokens=draft + 1).typical
    tokens = tokens_per_round(acceptance, draft)
    round_seconds = draft * guess + check
    speed = tokens / round_seconds
    rows = (
        Row("tokens", "Tokens per round", tokens, "tokens",
            f"(1 - {acceptance:g}^{draft + 1}) ÷ (1 - {acceptance:g})", SOURCE),
        Row("guess", "One draft step", guess, "s"),
        Row("check", f"Check of {draft + 1} tokens", check, "s",
            f"against {format_seconds(plain)} for one"),
        Row("round", "One round", round_seconds, "s",
            f"{draft} × {format_seconds(guess)} + {format_seconds(check)}"),
        Row("tokens_per_s", "Tokens per second and user", speed, "tokens/s",
            f"{format_number(tokens)} ÷ {format_seconds(round_seconds)}"),
        Row("plain", "Without speculation", 1 / plain, "tokens/s"),
        Row("speedup", "Speed-up", speed * plain, "×",
            f"{format_number(speed)} ÷ {format_number(1 / plain)}"),
    )  # fmt: skip
    return Table(f"Speculative decoding of {model.name} with {draft_model.name}", rows,
                 notes=("typical rates; acceptance depends on the text",))  # fmt: skip
