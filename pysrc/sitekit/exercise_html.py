"""An exercise as HTML: task, starter, hints and solution, readable without scripts."""

from __future__ import annotations

import html
from pathlib import Path

from sitekit.cells import third_party_imports
from sitekit.deck_text import inline_html, text_html
from sitekit.exercises import EXERCISES, Exercise, load_exercise
from sitekit.sections import Section
from sitekit.words import code_html, plain_text


def exercise_html(reference: str, folder: Path = EXERCISES) -> str:
    """The element of the exercise `<slug>/<name>`, in a `<div>` as all of ours.

    Raises SiteError with the nearest name when there is no such exercise.
    """
    exercise = load_exercise(reference, folder)
    title = plain_text(exercise.title)
    packages = third_party_imports(
        [Section("code", exercise.solution, 1), Section("check", exercise.checks, 1)]
    )
    count = len(exercise.hints)
    hints = "".join(
        f'<details data-part="hint"><summary>Hint {number} of {count}</summary>'
        f"{text_html(hint)}</details>"
        for number, hint in enumerate(exercise.hints, 1)
    )
    return (
        '<div class="napkin-block"><napkin-exercise class="napkin-cell napkin-exercise"'
        f' id="exercise-{exercise.name}" ref="{html.escape(exercise.reference)}"'
        f' data-title="{html.escape(title)}" data-names="{html.escape(" ".join(exercise.names))}"'
        f' data-packages="{html.escape(" ".join(packages))}" data-state="todo">'
        f'<p data-part="title"><span data-part="mark" aria-hidden="true"></span>'
        f"Exercise: {inline_html(exercise.title)}</p>"
        f'<div data-part="task">{text_html(exercise.task)}{_expected(exercise)}</div>'
        f"{code_html(exercise.starter, 'code', f'Your code: {title}')}"
        f'<div data-part="help">{hints}'
        f'<details data-part="solution"><summary>Solution</summary>'
        f"{code_html(exercise.solution, 'answer', f'Solution: {title}')}"
        f"{text_html(exercise.why)}</details></div>"
        f'<template data-part="checks">{html.escape(exercise.checks)}</template>'
        "</napkin-exercise></div>"
    )


def _expected(exercise: Exercise) -> str:
    return text_html(f"**Expected:** {exercise.expected}")
