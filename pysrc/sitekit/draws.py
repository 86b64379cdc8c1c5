"""The numbers of a `number` question: every draw that readers may get, worked out and checked.

A browser only picks one of these draws and puts its texts into the page, so text and key always
come from the same draw, and no formula is written twice.
"""

from __future__ import annotations

import html
import itertools
import math
import random
import re
from dataclasses import dataclass
from typing import Any

from napkin.printing import format_bytes, format_quantity
from sitekit.decks import Question
from sitekit.kept import kept
from sitekit.sections import SiteError, nearest

MOST = 40
PLACE = re.compile(r"\{(?P<name>[A-Za-z_]\w*)\}")
CODE = re.compile(r"(<code\b.*?</code>)", re.DOTALL)
# Whole numbers below this are shown in full where the question asks for the base unit.
IN_FULL = 10_000_000
ROUNDING = 1e-15
ATOMS = (
    *("", "B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB", "bits", "FLOP", "MFLOP"),
    *("GFLOP", "TFLOP", "PFLOP", "ns", "µs", "ms", "s", "min", "h", "days", "years", "$", "%"),
    *("J", "Wh", "kWh", "W", "kW", "GPUs", "GPU-hours"),
)
NOUN = re.compile(r"(?:[kMBT] )?[a-z]{3,}(?:-[a-z]+)*")


@dataclass(frozen=True)
class Draw:
    """Values as texts show them, the answer, the answer with its unit, the known mistakes."""

    values: dict[str, str]
    answer: float
    shown: str
    mistakes: tuple[float, ...]

    def facts(self) -> dict[str, Any]:
        """The draw as JSON."""
        return {
            "values": self.values,
            "answer": self.answer,
            "shown": self.shown,
            "mistakes": list(self.mistakes),
        }


def draws(question: Question) -> list[Draw]:
    """All draws of a `number` question, or 40 of them, the same ones at every build.

    Raises SiteError where one is not sane: an answer that is no number, a mistake that counts as
    right, two mistakes that cannot be told apart.
    """
    _check_unit(question)
    _check_places(question)
    made = [
        Draw(values, answer, shown_answer(answer, question), tuple(mistakes))
        for values, answer, mistakes in kept(
            "draws", _worked_out, question, question.hash, question.uses, *question.mistakes
        )
    ]
    for draw in made:
        _check_draw(draw, question)
    return made


def combinations(question: Question) -> list[dict[str, Any]]:
    """The values of each draw; a sample where there are more than 40.

    >>> [len(combinations(Question("q", "", "", "number", "", "", "", values=values)))
    ...  for values in ((), (("n", (3, 7)), ("bits", (4, 8, 16))), (("n", tuple(range(99))),))]
    [1, 6, 40]
    """
    names = [name for name, _ in question.values]
    every = list(itertools.product(*(numbers for _, numbers in question.values)))
    if len(every) > MOST:
        every = random.Random(question.id).sample(every, MOST)
    return [dict(zip(names, numbers, strict=True)) for numbers in every]


def filled(text: str, draw: Draw) -> str:
    """An HTML text with a draw's values for its `{names}`.

    In code they stand as Python reads them, elsewhere with commas.

    >>> filled("{n} is <code>{n} = {answer}</code>", Draw({"n": "4096"}, 4096, "4,096", ()))
    '4,096 is <code>4096 = 4,096</code>'
    """
    parts = CODE.split(text)
    for index, part in enumerate(parts):
        in_code = index % 2 == 1

        def value(place: re.Match[str], in_code: bool = in_code) -> str:
            name = place["name"]
            if name == "answer":
                return html.escape(draw.shown, quote=False)
            if name not in draw.values:
                return place[0]
            raw = draw.values[name]
            return html.escape(raw if in_code else with_commas(raw), quote=False)

        parts[index] = PLACE.sub(value, part)
    return "".join(parts)


def with_commas(number: str) -> str:
    """
    >>> with_commas("4096"), with_commas("0.5"), with_commas("bf16")
    ('4,096', '0.5', 'bf16')
    """
    return f"{int(number):,}" if re.fullmatch(r"\d{4,}", number) else number


def shown_answer(answer: float, question: Question) -> str:
    """The answer with its unit, in what the question asks for."""
    unit = question.unit
    asked = re.search(r"[Hh]ow many (\S+)", question.question)
    word = asked[1].strip("*`.,?") if asked else ""
    if unit == "B" and re.fullmatch(r"[KMGT]iB", word):
        return format_bytes(answer, binary=True)
    plain = word == unit or (unit == "B" and word == "bytes")
    if plain and float(answer).is_integer() and abs(answer) < IN_FULL and unit != "$":
        return f"{int(answer):,} {unit}".strip()
    return format_quantity(answer, unit)


def _worked_out(question: Question) -> list[tuple[dict[str, str], float, list[float]]]:
    """Values, answer and mistakes of each draw, as JSON keeps them."""
    names: dict[str, Any] = {k: v for k, v in vars(math).items() if not k.startswith("_")}
    if question.uses:
        try:
            exec(question.uses, names)
        except Exception as error:
            raise SiteError(
                f"{question.where}: the `uses` of {question.id!r} does not run: {error}"
            ) from error
    found = []
    for values in combinations(question):
        scope = {**names, **values}
        answer = _evaluated(question, "answer", question.answer, scope, values)
        scope["answer"] = answer
        mistakes = [
            _evaluated(question, f"mistake `{mistake.value}`", mistake.value, scope, values)
            for mistake in question.mistakes
        ]
        found.append(({k: str(v) for k, v in values.items()}, answer, mistakes))
    return found


def _evaluated(
    question: Question, what: str, text: str, scope: dict[str, Any], values: dict[str, Any]
) -> float:
    at = f" with {_told(values)}" if values else ""
    try:
        value = eval(compile(text.strip(), f"<{question.id}>", "eval"), dict(scope))
        number = float(value)
    except Exception as error:
        raise SiteError(
            f"{question.where}: the {what} of {question.id!r} cannot be worked out{at}: "
            f"{type(error).__name__}: {error}"
        ) from error
    if isinstance(value, bool) or not math.isfinite(number):
        raise SiteError(f"{question.where}: the {what} of {question.id!r} is {value}{at}")
    return int(value) if number.is_integer() and abs(number) < 2**53 else number


def _check_draw(draw: Draw, question: Question) -> None:
    at = f" with {_told(draw.values)}" if draw.values else ""
    start = f"{question.where}: {question.id!r}{at}"
    if draw.answer == 0 and question.tolerance:
        raise SiteError(
            f"{start}: the answer is 0, of which no share can be tolerated; "
            "choose other values, or `tolerance: 0`"
        )
    for number, value in enumerate(draw.mistakes):
        name = f"the mistake `{question.mistakes[number].value}`"
        if close(value, draw.answer, question.tolerance):
            raise SiteError(
                f"{start}: {name} gives {value:g}, which counts as right ({draw.answer:g}, "
                f"within {question.tolerance:.2g}); choose other values or take it out"
            )
        for other in range(number):
            if close(value, draw.mistakes[other], question.tolerance):
                raise SiteError(
                    f"{start}: {name} gives the same number as "
                    f"`{question.mistakes[other].value}`: {value:g}; choose other values"
                )


def close(value: float, target: float, tolerance: float) -> bool:
    """Whether `value` counts as `target`: within the relative tolerance, ends included.

    >>> close(14.28e9, 14e9, 0.02), close(14.29e9, 14e9, 0.02), close(0, 1.6e-19, 0.02)
    (True, False, False)
    """
    return abs(value - target) <= (tolerance + ROUNDING) * abs(target)


def _check_unit(question: Question) -> None:
    for atom in question.unit.split("/"):
        if atom not in ATOMS and not NOUN.fullmatch(atom):
            raise SiteError(
                f"{question.where}: {question.id!r} has the unknown unit {question.unit!r}"
                + nearest(atom, [each for each in ATOMS if each], "unit")
            )


def _check_places(question: Question) -> None:
    """Every `{name}` in a text must be a value, and every value must be used."""
    texts = [question.question, *question.hints, question.explanation]
    texts += [mistake.reply for mistake in question.mistakes]
    names = [name for name, _ in question.values]
    for text in texts:
        for place in PLACE.finditer(text):
            if place["name"] not in (*names, "answer"):
                raise SiteError(
                    f"{question.where}: {question.id!r} has no value for {place[0]}"
                    + nearest(place["name"], [*names, "answer"], "value")
                )
    for name in names:
        if f"{{{name}}}" not in question.question:
            raise SiteError(
                f"{question.where}: the question {question.id!r} does not say its value "
                f"{{{name}}}, so nobody could work it out"
            )
    if "{answer}" in question.question or any("{answer}" in hint for hint in question.hints):
        raise SiteError(f"{question.where}: {question.id!r} gives its own {{answer}} away")


def _told(values: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items())
