"""What the code of an `output` question prints: found by running it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from sitekit.decks import Question
from sitekit.kept import kept
from sitekit.paths import PYSRC
from sitekit.sections import SiteError

SECONDS = 20
# More than that nobody can be asked to predict.
MOST_LINES = 8
MOST_CHARACTERS = 300


def printed(question: Question) -> str:
    """The printed text. Raises SiteError where the code fails, or prints nothing or too much."""
    text: str = kept("output", _run, question, question.code)
    start = f"{question.where}: the code of {question.id!r}"
    if not text.strip():
        raise SiteError(f"{start} prints nothing, so there is nothing to predict")
    if len(text.splitlines()) > MOST_LINES or len(text) > MOST_CHARACTERS:
        raise SiteError(
            f"{start} prints more than {MOST_LINES} lines or {MOST_CHARACTERS} characters; "
            "ask for less"
        )
    for mistake in question.mistakes:
        if trimmed(mistake.value) == trimmed(text):
            raise SiteError(f"{start} prints {mistake.value!r}, which is listed as a mistake")
    return text


def trimmed(text: str) -> str:
    """Without the blanks around lines, and the empty lines around the text."""
    return "\n".join(line.strip() for line in text.strip().splitlines())


def _run(question: Question) -> str:
    """What the code prints, from another process that knows `napkin`."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            ran = subprocess.run(
                [sys.executable, "-c", question.code],
                capture_output=True, text=True, cwd=folder, timeout=SECONDS, check=False,
                env={**os.environ, "PYTHONPATH": str(PYSRC), "PYTHONHASHSEED": "0"},
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise SiteError(
                f"{question.where}: the code of {question.id!r} runs for more than {SECONDS} s"
            ) from error
    if ran.returncode:
        last = ran.stderr.strip().splitlines()[-1:] or ["it was ended"]
        raise SiteError(f"{question.where}: the code of {question.id!r} fails: {last[0]}")
    return ran.stdout
