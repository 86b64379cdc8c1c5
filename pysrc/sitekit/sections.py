"""A lesson's script, cut into named sections by lines such as `# %% timer [volatile]`."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sitekit.paths import LESSONS

HEADER = re.compile(r"^# %%(?P<rest>.*)$")
NAME = re.compile(r"^_?[a-z0-9]+(-[a-z0-9]+)*$")
OPTIONS = {
    "volatile": "timings differ on every run: they are masked when outputs are compared",
    "record-only": "too heavy for a browser: shown with its recorded output, not runnable",
}


class SiteError(ValueError):
    """A mistake in the site's sources, told with file and line."""


@dataclass(frozen=True)
class Section:
    """One section: `line` is that of its header in the script, 1-based."""

    name: str
    code: str
    line: int
    options: frozenset[str] = frozenset()

    @property
    def hidden(self) -> bool:
        """Whether the section runs without being shown (its name starts with `_`)."""
        return self.name.startswith("_")

    @property
    def volatile(self) -> bool:
        return "volatile" in self.options

    @property
    def record_only(self) -> bool:
        return "record-only" in self.options


def parse_header(line: str, where: str) -> tuple[str, frozenset[str]] | None:
    """Name and options of a section header; None where `line` is not one.

    >>> name, options = parse_header("# %% timer [volatile]", "lesson.py:7")
    >>> name, sorted(options)
    ('timer', ['volatile'])
    """
    header = HEADER.match(line)
    if header is None:
        return None
    words = header["rest"].strip()
    name, bracket, rest = words.partition("[")
    name = name.strip()
    if not NAME.match(name):
        raise SiteError(
            f"{where}: section name {name!r} is not in kebab-case; "
            "write for example `# %% count-flops` or `# %% _setup`"
        )
    options = frozenset(word.strip() for word in rest.rstrip("] ").split(",") if word.strip())
    if bracket and not words.endswith("]"):
        raise SiteError(f"{where}: the options of section {name!r} need a closing `]`")
    for option in sorted(options - OPTIONS.keys()):
        raise SiteError(
            f"{where}: section {name!r} has the unknown option {option!r}"
            + nearest(option, OPTIONS, "option")
        )
    return name, options


def parse_sections(text: str, where: str) -> list[Section]:
    """The sections of a script's `text`; `where` names the file in error messages.

    What stands before the first header may only be a docstring and comments, since nobody
    would see it run.
    """
    headers: list[tuple[int, str, frozenset[str]]] = []
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        header = parse_header(line, f"{where}:{number}")
        if header is not None:
            headers.append((number, *header))
    if not headers:
        raise SiteError(f"{where}:1: no section; start one with a line `# %% name`")
    preamble = ast.parse("\n".join(lines[: headers[0][0] - 1]))
    if any(not _is_docstring(node) for node in preamble.body):
        raise SiteError(
            f"{where}:{preamble.body[-1].lineno}: code before the first section never reaches "
            "the page; move it below a header such as `# %% _setup`"
        )
    sections: dict[str, Section] = {}
    ends = [number for number, _, _ in headers[1:]] + [len(lines) + 1]
    for (number, name, options), end in zip(headers, ends, strict=True):
        if name in sections:
            raise SiteError(
                f"{where}:{number}: section {name!r} is already at line "
                f"{sections[name].line}; give one of them another name"
            )
        code = "\n".join(lines[number : end - 1]).strip("\n")
        if not code.strip():
            raise SiteError(f"{where}:{number}: section {name!r} is empty")
        sections[name] = Section(name, code, number, options)
    return list(sections.values())


def lesson_slugs(folder: Path = LESSONS) -> list[str]:
    """The slugs of all lessons that have a script, as pages spell them."""
    scripts = (path.stem for path in folder.glob("*.py"))
    return sorted(stem.replace("_", "-") for stem in scripts if not stem.startswith("_"))


def script_path(slug: str, folder: Path = LESSONS) -> Path:
    """The script of the lesson `slug`."""
    return folder / f"{slug.replace('-', '_')}.py"


def load_sections(slug: str, folder: Path = LESSONS) -> list[Section]:
    """The sections of the lesson `slug`.

    Raises SiteError naming the nearest slug when there is no such lesson.
    """
    path = script_path(slug, folder)
    slugs = lesson_slugs(folder)
    if slug not in slugs:
        raise SiteError(f"there is no lesson {slug!r}" + nearest(slug, slugs, "lesson"))
    return parse_sections(path.read_text("utf-8"), f"pysrc/lessons/{path.name}")


def nearest(word: str, known: Iterable[str], noun: str) -> str:
    """The end of a message about an unknown name: the nearest known one, or all of them.

    >>> nearest("timr", ["timer", "doubling"], "section")
    '; did you mean the section `timer`?'
    """
    known = sorted(known)
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    if close:
        return f"; did you mean the {noun} `{close[0]}`?"
    return f"; known {noun}s: {', '.join(known) or 'none'}"


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
