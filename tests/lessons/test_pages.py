"""Every lesson page is in the course, and has the parts of a lesson in their order."""

import re
from pathlib import Path

import pytest

from sitekit.course import Lesson, lesson, lessons
from sitekit.course_html import lesson_html
from sitekit.page_order import order_problems
from sitekit.paths import DOCS
from sitekit.sections import SiteError


@pytest.mark.parametrize("each", lessons(), ids=lambda each: each.slug)
def test_the_page_keeps_the_order(each: Lesson) -> None:
    assert order_problems(each, (DOCS / each.path).read_text("utf-8")) == []


def test_the_nav_is_the_course() -> None:
    on_disk = {path.stem for path in (DOCS / "lessons").glob("*.md")}
    assert {each.slug for each in lessons()} == on_disk
    assert [each.number for each in lessons()] == list(range(1, len(on_disk) + 1))


def test_a_page_out_of_order_is_told(tmp_path: Path) -> None:
    each = lessons()[0]
    text = (DOCS / each.path).read_text("utf-8")
    (tmp_path / "lessons").mkdir()
    config = tmp_path / "mkdocs.yml"
    config.write_text(f"nav:\n  - Lessons:\n      - X: {each.path}\n", "utf-8")

    def told(changed: str) -> str:
        (tmp_path / each.path).write_text(changed, "utf-8")
        return "\n".join(order_problems(lesson(each.slug, tmp_path, config), changed))

    assert told(text) == ""
    assert "see Recap" in told(text.replace("## Recap", "## In short"))
    assert "key ideas" in told(text.replace('??? note "Show more"', '??? note "More"'))
    assert "0 `quiz` fences" in told(text.replace("```quiz", "```quizz"))
    assert "start with `lesson`" in told(re.sub("```lesson.*?```", "", text, flags=re.DOTALL))


def test_an_unknown_lesson_names_the_nearest() -> None:
    with pytest.raises(SiteError, match="did you mean the lesson `counting-operations`"):
        lesson_html("counting-operation")
