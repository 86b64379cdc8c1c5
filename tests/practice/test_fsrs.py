"""The page's scheduler against py-fsrs, and against the figures that all implementations share."""

from __future__ import annotations

import json
import random
import subprocess
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from fsrs import Card, Rating, Scheduler

from sitekit.provision import node

HERE = Path(__file__).parent
VECTORS = HERE.parent / "vectors" / "fsrs_conformance.json"
START = datetime(2026, 3, 2, 12, tzinfo=UTC)
DAY_ZERO = datetime(1970, 1, 1, tzinfo=UTC)
PHASES = {"Learning": "learning", "Review": "review", "Relearning": "relearning"}
STEPS = {1: 1, 2: 5.5, 3: 10}  # minutes: ts-fsrs rounds Hard's 5.5 up

History = list[tuple[int, datetime]]


def scheduled(
    histories: list[tuple[float, History]], intervals: list[tuple[float, float]] | None = None
) -> Any:
    """What the page's own module makes of the histories (wanted retention, graded moments)."""
    asked = {
        "histories": [
            {
                "retention": retention,
                "answers": [
                    {
                        "grade": grade,
                        "ms": int(at.timestamp() * 1000),
                        "day": (at - DAY_ZERO).days,
                    }
                    for grade, at in history
                ],
            }
            for retention, history in histories
        ],
        "intervals": [{"S": S, "retention": r} for S, r in intervals or []],
    }
    done = subprocess.run(
        [node.find_node().node, HERE / "schedules.mjs"],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def by_py_fsrs(retention: float, history: History) -> list[Card]:
    scheduler = Scheduler(desired_retention=retention, enable_fuzzing=False)
    card, cards = Card(), []
    for grade, at in history:
        card, _ = scheduler.review_card(card, Rating(grade), at)
        cards.append(card)
    return cards


@pytest.mark.parametrize("case", json.loads(VECTORS.read_text()), ids=lambda case: case["name"])
def test_recorded_vectors(case: dict[str, Any]) -> None:
    """Stability, difficulty, phase and due date after every step, as py-fsrs 6.3.2 gave them."""
    at, history = START, []
    for grade, minutes, *_ in case["steps"]:
        at += timedelta(minutes=minutes)
        history.append((grade, at))
    (memories,) = scheduled([(case["dr"], history)])["memories"]
    for memory, (_, _, state, S, D, due_minutes), (_, when) in zip(
        memories, case["steps"], history, strict=True
    ):
        assert memory["phase"] == PHASES[state]
        assert memory["S"] == pytest.approx(S, rel=1e-6, abs=5e-7)  # printed to six decimals
        assert memory["D"] == pytest.approx(D, rel=1e-6, abs=5e-7)
        if state == "Review":
            days = memory["dueDay"] - (when - DAY_ZERO).days
            assert days == pytest.approx(due_minutes / 1440, abs=1)  # the order of the grades
        else:
            wait = (memory["dueMs"] - when.timestamp() * 1000) / 60_000
            assert wait == pytest.approx(due_minutes, abs=0.5)


def random_history(rng: random.Random) -> History:
    """Up to 12 answers, some on the same day, some late, some early; rising times of day."""
    at, history = START, []
    for _ in range(rng.randint(1, 12)):
        days = rng.choice([0, 0, 1, 1, 2, 3, 7, 20, 60, 200, rng.randint(0, 900)])
        at += timedelta(days=days, minutes=rng.choice([1, 3, 11]))
        history.append((rng.choice([1, 2, 3, 3, 3, 4]), at))
    return history


def test_two_thousand_random_histories_agree_with_py_fsrs() -> None:
    rng = random.Random(20261129)
    histories = [(rng.choice([0.7, 0.8, 0.9, 0.97]), random_history(rng)) for _ in range(2000)]
    answered = 0
    for (retention, history), memories in zip(
        histories, scheduled(histories)["memories"], strict=True
    ):
        for memory, card in zip(memories, by_py_fsrs(retention, history), strict=True):
            assert memory["S"] == pytest.approx(card.stability, rel=1e-6)
            assert memory["D"] == pytest.approx(card.difficulty, rel=1e-6)
            assert memory["phase"] == card.state.name.lower()
            answered += 1
    assert answered > 10_000


def test_the_series_that_all_implementations_share() -> None:
    """Six times Good, two times Again, five times Good, each exactly on the due date."""
    at, history, intervals = datetime(2022, 11, 29, 12, 30, tzinfo=UTC), [], []
    for grade in [3, 3, 3, 3, 3, 3, 1, 1, 3, 3, 3, 3, 3]:
        history.append((grade, at))
        memory = scheduled([(0.9, history)])["memories"][0][-1]
        days = memory["dueDay"] - (at - DAY_ZERO).days
        intervals.append(days)
        at += timedelta(days=days) if memory["phase"] == "review" else timedelta(minutes=10)
    assert intervals == [0, 2, 11, 46, 163, 498, 0, 0, 2, 4, 7, 12, 21]


def test_the_interval_for_a_stability_of_one_day() -> None:
    """fsrs-rs, `inference.rs`: S = 1 at a wanted retention of 0.5 to 0.9."""
    given = [(1.0, retention) for retention in (0.5, 0.6, 0.7, 0.8, 0.9)]
    assert scheduled([], given)["intervals"] == [90, 27, 9, 3, 1]


def test_a_higher_wanted_retention_never_gives_a_longer_interval() -> None:
    given = [(S, r / 100) for S in (0.5, 3.2, 40, 900) for r in range(70, 98)]
    intervals = scheduled([], given)["intervals"]
    for (before, shorter), (one, other) in zip(pairwise(intervals), pairwise(given), strict=True):
        assert one[0] != other[0] or shorter <= before
