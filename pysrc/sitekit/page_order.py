"""The order that every lesson page keeps, so that readers know where they are."""

from __future__ import annotations

import re

from sitekit.course import FENCED, Lesson, prose_words
from sitekit.fence_blocks import fences

FIRST = ("What you will be able to do", "Key ideas")
LAST = (
    "Worked examples",
    "Pitfalls",
    "Recap",
    "Exercises",
    "Quiz",
    "Flashcards",
    "Your first guess again",
    "Where this shows up later",
    "Watch and read",
)
FEWEST_OWN = 3
FEWEST = {"exercise": 2, "estimate": 2, "estimate-answer": 1, "quiz": 1, "cards": 1, "lesson": 1}
MOST_CALCULATORS = 2
FEWEST_WORDS = 1_000


def order_problems(lesson: Lesson, text: str) -> list[str]:
    """What a lesson's page lacks or has in another place than all others."""
    page = f"docs/{lesson.path}"
    own = lesson.sections[len(FIRST) : -len(LAST)]
    found = []
    if lesson.sections[: len(FIRST)] != FIRST:
        found.append(f"{page}: the first sections are {' and '.join(FIRST)}")
    if lesson.sections[-len(LAST) :] != LAST:
        missing = [name for name in LAST if name not in lesson.sections] or ["their order"]
        found.append(f"{page}: the last sections are {', '.join(LAST)}; see {', '.join(missing)}")
    if len(own) < FEWEST_OWN:
        found.append(f"{page}: {len(own)} sections of its own between them, of {FEWEST_OWN}")
    for kind, fewest in FEWEST.items():
        if lesson.fences.get(kind, 0) < fewest:
            found.append(f"{page}: {lesson.fences.get(kind, 0)} `{kind}` fences, of {fewest}")
    if lesson.fences.get("calculator", 0) > MOST_CALCULATORS:
        found.append(f"{page}: more than {MOST_CALCULATORS} calculators")
    if not lesson.question.endswith("?"):
        found.append(f"{page}: below the title stands the page's question, bold, on its own")
    first = [(kind, body.strip()) for _, kind, body in fences(text)][:2]
    if first[:1] != [("lesson", lesson.slug)] or [kind for kind, _ in first[1:]] != ["estimate"]:
        found.append(f"{page}: its fences start with `lesson`, then an `estimate`")
    ideas = section(text, "Key ideas")
    if not re.search(r"^3\. .*^\?\?\? note \"Show more\"\n\n    4\. ", ideas, re.M | re.S):
        found.append(f"{page}: key ideas 1. to 3. are open, 4. on is in `??? note \"Show more\"`")
    if "**Suggested path.**" not in ideas:
        found.append(f"{page}: `**Suggested path.**` ends the key ideas")
    if "(../practice/flashcards.md)" not in section(text, "Flashcards"):
        found.append(f"{page}: the flashcards end in a link to ../practice/flashcards.md")
    if prose_words(text) < FEWEST_WORDS:
        found.append(f"{page}: {prose_words(text)} words, of {FEWEST_WORDS:,}")
    return found


def section(text: str, heading: str) -> str:
    """The text below a heading of the second level, up to the next; "" where there is none."""
    plain = FENCED.sub("", text)
    found = re.search(rf"^## {re.escape(heading)}\s*$(.*?)(?=^## |\Z)", plain, re.M | re.S)
    return found[1] if found else ""
