"""Formats that llama.cpp's mixes gave before 2024: files made then are still about.

Sources: llama.cpp pull requests 1684 (June 2023, the first mixes), 2707 (22 August 2023: the first
layers raised, Q2_K all but 3-bit), 4773 and 4872 (11 January 2024: Q2_K is 2-bit again, and the
rules see the down projections of experts) and 4906 (14 January 2024: their attention output).
That the first Q2_K raised the attention output too, and that mixes of 2023 raised a fixed number
of layers, shows in the sizes: each then agrees within 0.2%.
"""

from __future__ import annotations

from datetime import date

from napkin.gguf_mix import MIXES, Place, Role, fallback

__all__ = ["day_made", "older_format"]

RAISED_LAYERS = date(2023, 8, 22)
EXPERTS_RAISED = date(2024, 1, 11)
EXPERTS_OUTPUT = date(2024, 1, 14)

_FIRST: dict[tuple[str, str], str] = {
    **{("Q2_K", role): "Q4_K" for role in ("v", "attention_out", "down")},
    **{("Q3_K_M", role): "Q4_K" for role in ("v", "attention_out", "down")},
    **{("Q3_K_L", role): "Q5_K" for role in ("v", "attention_out", "down")},
}
_OUTPUT = {"Q2_K": "Q3_K", "Q3_K_M": "Q4_K", "Q3_K_L": "Q5_K"}


def day_made(made: str | date | None) -> date | None:
    """A day, or the first of a month, from ``2023-06-05``, ``2023-06`` or a date.

    >>> day_made("2023-06")
    datetime.date(2023, 6, 1)
    """
    if made is None or isinstance(made, date):
        return made
    text = str(made).strip()
    try:
        return date.fromisoformat(text + "-01" if len(text) == 7 else text)
    except ValueError:
        raise ValueError(
            f"made is {made!r}: give the month or day on which the file was made, as 2023-06 or "
            "2023-06-05"
        ) from None


def older_format(
    mix: str, role: Role, place: Place, columns: int, expert: bool, made: date
) -> str | None:
    """The format that mix gave on that day, or None where today's rule held already.

    >>> older_format("Q4_K_S", "down", Place(0, 32, 1, 0, False, False, False, False), 11008,
    ...              False, date(2023, 6, 5))
    'Q4_K'
    """
    if made >= EXPERTS_OUTPUT or not mix.startswith(("Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K")):
        return None
    if role == "head" or (role == "token_embedding" and place.tied):
        return None
    form: str | None = None
    if place.experts == 8 and role == "attention_out":
        form = _OUTPUT.get(mix, MIXES[mix])
    elif made >= EXPERTS_RAISED:
        pass
    elif expert:
        form = MIXES[mix]
    elif made < RAISED_LAYERS:
        form = _FIRST.get((mix, role), MIXES[mix])
        if mix in ("Q4_K_M", "Q5_K_M") and role in ("v", "down") and place.more_bits:
            form = "Q6_K"
    elif mix == "Q2_K" and role in ("gate", "up"):
        form = "Q3_K"
    elif mix == "Q3_K_M" and role == "down" and not place.falcon:
        form = "Q5_K" if place.number < 2 else "Q4_K"
    elif mix == "Q4_K_S" and role == "down" and not place.falcon:
        form = "Q5_K" if place.number < 4 else "Q4_K"
    return form and fallback(form, columns)
