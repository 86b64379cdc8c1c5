"""Checks of the exercises and estimates: what they say holds, and each is on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sitekit.estimates import estimate_problems
from sitekit.exercises import (
    EXERCISES,
    Exercise,
    exercise_slugs,
    load_exercise,
    load_exercises,
    proof_problems,
)
from sitekit.fence_blocks import fences
from sitekit.paths import DOCS
from sitekit.sections import SiteError
from sitekit.spans import span_problems


def problems(docs: Path = DOCS, folder: Path = EXERCISES) -> list[str]:
    """All that is wrong with exercises and estimates, a message with file and line each."""
    return [*page_problems(docs, folder), *script_problems(folder)]


def page_problems(docs: Path = DOCS, folder: Path = EXERCISES) -> list[str]:
    """What is wrong with the fences of the pages, and which exercises no page shows."""
    found = []
    placed: dict[str, str] = {}
    for path in sorted(docs.rglob("*.md")):
        page = path.relative_to(docs.parent).as_posix()
        text = path.read_text("utf-8-sig")
        found += estimate_problems(page, text)
        for number, language, body in fences(text):
            where, reference = f"{page}:{number}", body.strip()
            if language in ("estimate", "estimate-answer"):
                found += [f"{where}: {wrong}" for wrong in span_problems(body, {})]
            if language != "exercise":
                continue
            try:
                load_exercise(reference, folder)
            except SiteError as error:
                found.append(f"{where}: {error}")
            if reference in placed:
                found.append(f"{where}: {reference} stands at {placed[reference]} already")
            placed[reference] = where
    for exercise in _all(folder, []):
        if exercise.reference not in placed:
            at = f"{exercise.file}:{exercise.line}"
            found.append(f"{at}: no page shows exercise {exercise.name!r}")
    return found


def script_problems(folder: Path = EXERCISES) -> list[str]:
    """What is wrong with the exercises' scripts: unreadable, unproved, or saying what is not so."""
    found: list[str] = []
    for exercise in _all(folder, found):
        found += exercise_problems(exercise)
    return found


def exercise_problems(exercise: Exercise) -> list[str]:
    """What is wrong with one exercise: its proof, and the values that its words state."""
    namespace: dict[str, Any] = {}
    found = proof_problems(exercise)
    exec(exercise.solution, namespace)
    for text in (exercise.task, exercise.expected, *exercise.hints, exercise.why):
        at = f"{exercise.file}:{exercise.line}: exercise {exercise.name!r}"
        found += [f"{at}: {wrong}" for wrong in span_problems(text, namespace)]
    return found


def _all(folder: Path, unreadable: list[str]) -> list[Exercise]:
    """All exercises; a message for each script that cannot be read goes to `unreadable`."""
    exercises: list[Exercise] = []
    for slug in exercise_slugs(folder):
        try:
            exercises += load_exercises(slug, folder)
        except SiteError as error:
            unreadable.append(str(error))
    return exercises
