"""Each exercise is proved: solution passes, starter fails, each known mistake is answered."""

import pytest

from sitekit.exercise_checks import exercise_problems, page_problems
from sitekit.exercises import Exercise, exercise_slugs, load_exercises

ALL = [exercise for slug in exercise_slugs() for exercise in load_exercises(slug)]


@pytest.mark.parametrize("exercise", ALL, ids=lambda exercise: exercise.reference)
def test_the_exercise_is_proved(exercise: Exercise) -> None:
    assert exercise_problems(exercise) == []


def test_each_is_on_one_page_and_estimates_are_answered() -> None:
    assert page_problems() == []
