"""The course as `mkdocs.yml` orders it: its lessons, and what each takes to read.

Modules are counted in the order of `nav`; nothing else numbers them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from sitekit.deck_text import CODE
from sitekit.fence_blocks import fences
from sitekit.paths import DOCS, ROOT
from sitekit.sections import SiteError, nearest

WORDS_A_MINUTE = 200
# Minutes that readers spend on what they do, beside reading.
MINUTES = {"cell": 0.5, "exercise": 3.0, "estimate": 0.5, "calculator": 2.0, "quiz": 4.0}
FENCED = re.compile(r"^\s*(`{3,}|~{3,})[^\n]*\n.*?^\s*\1\s*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Lesson:
    """One module: its `number` of `of`, what it is called and asks, and its size."""

    slug: str
    title: str
    question: str
    number: int
    of: int
    words: int
    fences: dict[str, int]
    sections: tuple[str, ...]
    exercises: tuple[str, ...]

    @property
    def path(self) -> str:
        return f"lessons/{self.slug}.md"

    @property
    def reading_minutes(self) -> int:
        """Minutes to read the page, at 200 words a minute."""
        return max(1, round(self.words / WORDS_A_MINUTE))

    @property
    def working_minutes(self) -> int:
        """Minutes with what there is to run, write and answer, to the next five."""
        work = sum(MINUTES.get(kind, 0) * count for kind, count in self.fences.items())
        return 5 * round((self.words / WORDS_A_MINUTE + work) / 5 + 0.49)


def lessons(docs: Path = DOCS, config: Path = ROOT / "mkdocs.yml") -> list[Lesson]:
    """The lessons in course order."""
    nav = yaml.load(config.read_text("utf-8"), _Lenient)["nav"]
    paths = [path for path in _paths(nav) if path.startswith("lessons/")]
    return [
        _lesson(docs / path, number, len(paths)) for number, path in enumerate(paths, 1)
    ]


def lesson(slug: str, docs: Path = DOCS, config: Path = ROOT / "mkdocs.yml") -> Lesson:
    """The lesson of that slug; SiteError names the nearest one."""
    found = {each.slug: each for each in lessons(docs, config)}
    if slug not in found:
        raise SiteError(
            f"there is no lesson {slug!r} in the nav of mkdocs.yml" + nearest(slug, found, "lesson")
        )
    return found[slug]


def prose_words(text: str) -> int:
    """The words that a reader reads: without fences, footnotes' addresses and headings' marks.

    >>> prose_words("# One\\n\\ntwo [three](four.md) `5 * 6`\\n```cell\\nx/y\\n```\\n")
    4
    """
    plain = CODE.sub(" x ", FENCED.sub("", text))
    plain = re.sub(r"\]\([^)]*\)|\{[^}]*\}", " ", plain)
    return len(re.findall(r"[^\W_][\w'’-]*", plain))


def _lesson(path: Path, number: int, of: int) -> Lesson:
    text = path.read_text("utf-8-sig")
    plain = FENCED.sub("", text)
    title = re.search(r"^# +(.+?)\s*$", plain, re.MULTILINE)
    question = re.search(r"^\*\*(.+?)\*\*\s*$", plain, re.MULTILINE | re.DOTALL)
    blocks = fences(text)
    counts: dict[str, int] = {}
    for _, language, _ in blocks:
        counts[language] = counts.get(language, 0) + 1
    return Lesson(
        slug=path.stem,
        title=title[1] if title else path.stem,
        question=" ".join(question[1].split()) if question else "",
        number=number,
        of=of,
        words=prose_words(text),
        fences=counts,
        sections=tuple(re.findall(r"^## +(.+?)\s*$", plain, re.MULTILINE)),
        exercises=tuple(body.strip() for _, language, body in blocks if language == "exercise"),
    )


def _paths(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, dict):
        for value in nav.values():
            yield from _paths(value)
    else:
        for item in nav:
            yield from _paths(item)


class _Lenient(yaml.SafeLoader):
    """Reads `mkdocs.yml`, whose tags name Python objects that are of no use here."""


_Lenient.add_multi_constructor("", lambda loader, suffix, node: None)
