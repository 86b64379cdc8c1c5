"""The course's frame as HTML: a lesson's place in the course, and the path through all of it."""

from __future__ import annotations

import html

from sitekit.course import Lesson, lesson, lessons
from sitekit.deck_text import inline_html
from sitekit.sections import SiteError


def lesson_html(slug: str) -> str:
    """The line below a lesson's question; the page's script adds how far the reader has come."""
    this = lesson(slug)
    return (
        '<div class="napkin-block"><napkin-progress class="napkin-progress"'
        f" {_facts(this)}>"
        f'<p data-part="facts">Module {this.number} of {this.of} · '
        f"{_time(this)}</p></napkin-progress></div>"
    )


def path_html(body: str) -> str:
    """The list of all lessons with their questions; the page's script adds what has been done."""
    if body != "lessons":
        raise SiteError(f"a `path` fence lists `lessons`, not {body!r}")
    every = lessons()
    items = "".join(
        f'<li {_facts(each)}><a href="lessons/{each.slug}/">{inline_html(each.title)}</a>'
        f'<span data-part="question">{inline_html(each.question)}</span>'
        f'<span data-part="facts">{_time(each)}</span></li>'
        for each in every
    )
    return (
        '<div class="napkin-block"><napkin-path class="napkin-path">'
        f'<p data-part="next"><a href="lessons/{every[0].slug}/">'
        f"Begin with “{inline_html(every[0].title)}”</a></p>"
        f"<ol>{items}</ol></napkin-path></div>"
    )


def _time(this: Lesson) -> str:
    return f"{this.reading_minutes} min to read, {this.working_minutes} with its exercises"


def _facts(this: Lesson) -> str:
    exercises = html.escape(" ".join(this.exercises))
    return (
        f'ref="{this.slug}" data-title="{html.escape(this.title)}"'
        f' data-sections="{len(this.sections)}" data-exercises="{exercises}"'
    )
