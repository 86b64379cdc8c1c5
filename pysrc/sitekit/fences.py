"""The Markdown fences of our pages, for `pymdownx.superfences` (see `mkdocs.yml`).

Only `SuperFencesException` stops a build: any other exception raised in a formatter is
swallowed, and the page is published with the literal text of the fence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pymdownx.superfences import SuperFencesException

from sitekit.calculators import calculator_html
from sitekit.cards import cards_html, review_html
from sitekit.cells import cell_html
from sitekit.course_html import lesson_html, path_html
from sitekit.decks import load_decks
from sitekit.estimates import estimate_answer_html, estimate_html
from sitekit.exercise_html import exercise_html
from sitekit.fence_blocks import fences
from sitekit.machines import machine_html
from sitekit.paths import DOCS, ROOT
from sitekit.quiz import quiz_html
from sitekit.sections import SiteError


def validate(
    language: str, inputs: dict[str, str], options: dict[str, Any], attrs: Any, md: Any
) -> bool:
    """Accept a fence header without options.

    A header that is not accepted would silently become inline code, so refuse it loudly.
    """
    if inputs:
        raise SuperFencesException(
            f"a `{language}` fence takes no options, got {', '.join(sorted(inputs))}; "
            "its argument goes into its body"
        )
    return True


def cell(
    source: str, language: str, css_class: str, options: Any, md: Any, **kwargs: Any
) -> str:
    """The formatter of ```` ```cell ````: its body is `<lesson>/<section>`."""
    return _told_where(language, source, cell_html, source.strip())


def calculator(
    source: str, language: str, css_class: str, options: Any, md: Any, **kwargs: Any
) -> str:
    """The formatter of ```` ```calculator ````: its body is `napkin.<module>:<function>`."""
    reference = source.strip()
    # One converter makes one page: it counts the calculators whose ids must differ.
    counts: Counter[str] = vars(md).setdefault("napkin_calculators", Counter())
    counts[reference] += 1
    number = counts[reference]
    return _told_where(language, source, lambda body: calculator_html(body, number), reference)


def cards(
    source: str, language: str, css_class: str, options: Any, md: Any, **kwargs: Any
) -> str:
    """The formatter of ```` ```cards ````: its body names the deck's cards, a line each."""
    return _told_where(language, source, lambda body: cards_html(body, load_decks()), source)


def quiz(
    source: str, language: str, css_class: str, options: Any, md: Any, **kwargs: Any
) -> str:
    """The formatter of ```` ```quiz ````: its body names the deck's questions, a line each."""
    return _told_where(language, source, lambda body: quiz_html(body, load_decks()), source)


def exercise(
    source: str, language: str, css_class: str, options: Any, md: Any, **kwargs: Any
) -> str:
    """The formatter of ```` ```exercise ````: its body is `<lesson>/<exercise>`."""
    return _told_where(language, source, exercise_html, source.strip())


def lesson(
    source: str, language: str, css_class: str, options: Any, md: Any, **kwargs: Any
) -> str:
    """The formatter of ```` ```lesson ````: its body is the page's slug."""
    return _told_where(language, source, lesson_html, source.strip())


def path(
    source: str, language: str, css_class: str, options: Any, md: Any, **kwargs: Any
) -> str:
    """The formatter of ```` ```path ````: its body is `lessons`."""
    return _told_where(language, source, path_html, source.strip())


def machine(
    source: str, language: str, css_class: str, options: Any, md: Any, **kwargs: Any
) -> str:
    """The formatter of ```` ```machine ````: its body is what to measure."""
    return _told_where(language, source, machine_html, source.strip())


def estimate(
    source: str, language: str, css_class: str, options: Any, md: Any, **kwargs: Any
) -> str:
    """The formatter of ```` ```estimate ````: its body is YAML."""
    return _told_where(language, source, estimate_html, source)


def estimate_answer(
    source: str, language: str, css_class: str, options: Any, md: Any, **kwargs: Any
) -> str:
    """The formatter of ```` ```estimate-answer ````: its body is YAML."""
    return _told_where(language, source, estimate_answer_html, source)


def review(
    source: str, language: str, css_class: str, options: Any, md: Any, **kwargs: Any
) -> str:
    """The formatter of ```` ```review ````: its body is `cards`."""
    if source.strip() != "cards":
        raise SuperFencesException(f"{locate(language, source)}: a `review` fence holds `cards`")
    return _told_where(language, source, lambda _: review_html(load_decks()), source)


def _told_where(language: str, source: str, render: Callable[[str], str], body: str) -> str:
    try:
        return render(body)
    except SiteError as error:
        raise SuperFencesException(f"{locate(language, source)}: {error}") from error


def locate(language: str, body: str, docs: Path = DOCS) -> str:
    """`file:line` of the first fence with this language and body; formatters are not told."""
    for path in sorted(docs.rglob("*.md")):
        for number, found, text in fences(path.read_text("utf-8")):
            if found == language and text.strip() == body.strip():
                inside = path.is_relative_to(ROOT)
                return f"{path.relative_to(ROOT) if inside else path}:{number}"
    return f"a `{language}` fence"
