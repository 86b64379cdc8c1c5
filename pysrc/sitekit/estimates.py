"""Boxes that ask for an estimate first and keep it: fences `estimate` and `estimate-answer`.

The body is YAML. The answer is Python, evaluated at build over what `uses` imports; it stands in
the box itself (with `working`), or in the `estimate-answer` of the same id further down the page.
"""

from __future__ import annotations

import html
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from sitekit.deck_text import inline_html, text_html
from sitekit.fence_blocks import fences
from sitekit.paths import DOCS
from sitekit.sections import SiteError, nearest
from sitekit.words import plain_text

REFERENCE = re.compile(r"^[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*$")
NEEDED = ("id", "question", "unit", "answer")
KNOWN = (*NEEDED, "uses", "working")


@dataclass(frozen=True)
class Estimate:
    """A question with a number for an answer; `question` and `working` are Markdown."""

    reference: str
    question: str
    unit: str
    answer: float
    working: str = ""

    @property
    def name(self) -> str:
        return self.reference.partition("/")[2]


def parse_estimate(body: str) -> Estimate:
    """The estimate that a fence's body describes; SiteError says what is wrong with it."""
    facts = _facts(body, KNOWN, NEEDED)
    reference = _reference(facts)
    scope: dict[str, Any] = {}
    try:
        exec(str(facts.get("uses") or ""), scope)
        answer = float(eval(str(facts["answer"]), scope))
    except Exception as error:
        raise SiteError(
            f"the answer of estimate {reference!r} cannot be evaluated: "
            f"{type(error).__name__}: {error}"
        ) from error
    if not math.isfinite(answer) or answer <= 0:
        raise SiteError(f"the answer of estimate {reference!r} is {answer}: it must be above zero")
    return Estimate(
        reference,
        str(facts["question"]),
        str(facts["unit"] or ""),
        answer,
        str(facts.get("working") or ""),
    )


def estimate_html(body: str) -> str:
    """The box that asks; without scripts the question, and the answer to be opened."""
    estimate = parse_estimate(body)
    if estimate.working:
        more = (
            '<details data-part="reveal"><summary>Answer</summary>'
            f"{_answer(estimate)}{text_html(estimate.working)}</details>"
        )
    else:
        more = (
            f'<p data-part="later"><a href="#answer-{estimate.name}">'
            "The answer is at the end of this page.</a></p>"
        )
    return (
        '<div class="napkin-block"><napkin-estimate class="napkin-estimate"'
        f' id="estimate-{estimate.name}" {_attributes(estimate)} data-state="open">'
        f'<p data-part="question"><strong>Estimate first.</strong> '
        f"{inline_html(estimate.question)}</p>{more}</napkin-estimate></div>"
    )


def estimate_answer_html(body: str, docs: Path = DOCS) -> str:
    """The answer to an estimate asked further up, with the question again."""
    facts = _facts(body, ("id", "working"), ("id", "working"))
    reference = _reference(facts)
    estimate = find_estimate(reference, docs)
    return (
        '<div class="napkin-block"><napkin-estimate-answer class="napkin-estimate"'
        f' id="answer-{estimate.name}" {_attributes(estimate)}>'
        f'<p data-part="question"><strong>Your estimate.</strong> '
        f"{inline_html(estimate.question)}</p>"
        f"{_answer(estimate)}{text_html(str(facts['working']))}"
        f'<p data-part="later"><a href="#estimate-{estimate.name}">Back to the question</a></p>'
        "</napkin-estimate-answer></div>"
    )


def find_estimate(reference: str, docs: Path = DOCS) -> Estimate:
    """The estimate of that id on the pages of its lesson."""
    ids = []
    for path in sorted(docs.rglob("*.md")):
        for _, language, body in fences(path.read_text("utf-8")):
            if language == "estimate":
                ids.append(_id(body))
                if ids[-1] == reference:
                    return parse_estimate(body)
    raise SiteError(f"there is no estimate {reference!r}" + nearest(reference, ids, "estimate"))


def estimate_problems(page: str, text: str) -> list[str]:
    """What is wrong with the estimates of one page: each has one answer, and asks before it."""
    found: list[str] = []
    asked: dict[str, int] = {}
    open_ids: set[str] = set()
    answered: dict[str, int] = {}
    slug = page.rpartition("/")[2].removesuffix(".md")
    for number, language, body in fences(text):
        where = f"{page}:{number}"
        if language not in ("estimate", "estimate-answer"):
            continue
        name = _id(body)
        seen = asked if language == "estimate" else answered
        if name in seen:
            found.append(f"{where}: a second `{language}` {name!r}; the first is at {seen[name]}")
        seen[name] = number
        if language == "estimate":
            try:
                estimate = parse_estimate(body)
            except SiteError as error:
                found.append(f"{where}: {error}")
                continue
            if not estimate.working:
                open_ids.add(name)
            if name.partition("/")[0] != slug:
                found.append(f"{where}: the id {name!r} should start with {slug + '/'!r}")
    for name in sorted(open_ids - answered.keys()):
        found.append(
            f"{page}:{asked[name]}: estimate {name!r} has no `working` and no `estimate-answer`"
        )
    for name in sorted(answered.keys() - open_ids):
        found.append(f"{page}:{answered[name]}: answers {name!r}, which is not left open here")
    return found


def three_digits(value: float) -> str:
    """A number as people read it, to three significant digits.

    >>> [three_digits(v) for v in (412083.3, 7.04, 0.0213, 64, 3.8e25, 2.1e-7)]
    ['412,000', '7.04', '0.0213', '64', '3.8 × 10²⁵', '2.1 × 10⁻⁷']
    """
    if value == 0:
        return "0"
    power = math.floor(math.log10(abs(value)))
    rounded = float(f"{value:.2e}")
    if -4 <= power < 9:
        return f"{rounded:,.{max(0, 2 - power)}f}".rstrip("0").rstrip(".") if power < 2 else (
            f"{rounded:,.0f}"
        )
    mantissa, _, exponent = f"{value:.2e}".partition("e")
    raised = str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{mantissa.rstrip('0').rstrip('.')} × 10{raised}"


def _answer(estimate: Estimate) -> str:
    number, unit = three_digits(estimate.answer), estimate.unit
    shown = f"${number}" if unit == "$" else f"{number} {unit}".strip()
    return f'<p data-part="answer">{html.escape(shown)}</p>'


def _attributes(estimate: Estimate) -> str:
    return (
        f'ref="{html.escape(estimate.reference)}" data-answer="{estimate.answer!r}"'
        f' data-unit="{html.escape(estimate.unit)}"'
        f' data-title="{html.escape(plain_text(estimate.question))}"'
    )


def _facts(body: str, known: tuple[str, ...], needed: tuple[str, ...]) -> dict[str, Any]:
    try:
        facts = yaml.safe_load(body)
    except yaml.YAMLError as error:
        raise SiteError(f"this is not YAML: {error}; put quotes around the question") from error
    if not isinstance(facts, dict):
        raise SiteError(f"write `key: value` lines, at least {', '.join(needed)}")
    for key in facts:
        if key not in known:
            raise SiteError(f"unknown key {key!r}" + nearest(str(key), known, "key"))
    for key in needed:
        if facts.get(key) is None:
            raise SiteError(f"the key {key!r} is missing")
    return facts


def _reference(facts: dict[str, Any]) -> str:
    reference = str(facts["id"])
    if not REFERENCE.match(reference):
        raise SiteError(f"id {reference!r} is not of the form `<lesson>/<name>`")
    return reference


def _id(body: str) -> str:
    found = re.search(r"^id:\s*(\S+)\s*$", body, re.MULTILINE)
    return found[1].strip("\"'") if found else ""
