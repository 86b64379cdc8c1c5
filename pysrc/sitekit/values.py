"""Marked values in prose, such as `` `320 KiB`{data-value="kv_bytes"} ``: compared, or rewritten.

The expression is evaluated over the names that the page's lesson has defined when all its cells
have run, and over `napkin` with its modules by their full names.
"""

from __future__ import annotations

import ast
import asyncio
import html
import importlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cellrunner.runner import Runner
from sitekit.paths import DOCS
from sitekit.sections import SiteError, lesson_slugs, load_sections, nearest
from sitekit.sums import VALUE, check_sum, disagreement, rewritten

MARKED = re.compile(r"`(?P<shown>[^`\n]+)`\{(?P<rest>[^}\n]*?)data-value=\"(?P<value>[^\"]+)\"")
FENCE = re.compile(r"\s*(```|~~~)")


@dataclass(frozen=True)
class Marked:
    """A marked value: what the page shows for which expression, and where."""

    line: int
    shown: str
    expression: str


def marked_values(text: str) -> Iterator[Marked]:
    """The marked values of a page.

    >>> list(marked_values('so `14 GB`{data-value="7e9 * 2"} it is'))
    [Marked(line=1, shown='14 GB', expression='7e9 * 2')]
    """
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            inside = not inside
        if not inside:
            for found in MARKED.finditer(line):
                yield Marked(number, found["shown"], html.unescape(found["value"]))


def value_problems(docs: Path = DOCS) -> list[str]:
    """What is wrong with the marked values of all pages, a message with file and line each."""
    found = []
    for path in sorted(docs.rglob("*.md")):
        page = path.relative_to(docs.parent).as_posix()
        for marked in marked_values(path.read_text("utf-8-sig")):
            try:
                value = evaluated(marked.expression, _names_of(path.stem))
            except SiteError as error:
                found.append(f"{page}:{marked.line}: {error}")
                continue
            sign = "≈" if marked.shown.startswith("≈") else "="
            wrong = disagreement(marked.expression, value, sign, marked.shown.lstrip("≈ "))
            if wrong:
                found.append(f"{page}:{marked.line}: {wrong}; `sitekit check --fix` rewrites it")
    return found


def fix(docs: Path = DOCS) -> list[str]:
    """Rewrite stale values and sums in place; what was changed, a line each."""
    changed = []
    for path in sorted(docs.rglob("*.md")):
        page = path.relative_to(docs.parent).as_posix()
        before = path.read_text("utf-8")
        lines = before.splitlines(keepends=True)
        inside = False
        for number, line in enumerate(lines, 1):
            if FENCE.match(line):
                inside = not inside
            if inside:
                continue
            lines[number - 1] = MARKED.sub(_with_value(path.stem), _with_sums(line))
            if lines[number - 1] != line:
                changed.append(f"{page}:{number}: {lines[number - 1].strip()}")
        if "".join(lines) != before:
            path.write_text("".join(lines), "utf-8")
    return changed


def evaluated(expression: str, names: Mapping[str, Any]) -> float:
    """The number that an expression gives. SiteError names what is not known."""
    try:
        tree = ast.parse(expression, mode="eval")
    except SyntaxError as error:
        raise SiteError(f"{expression!r} is not a Python expression") from error
    scope = dict(names)
    for module in re.findall(r"\bnapkin(?:\.\w+)+", expression):
        _import(module)
        scope["napkin"] = importlib.import_module("napkin")
    try:
        return float(eval(compile(tree, "<value>", "eval"), scope))
    except NameError as error:
        known = [name for name in names if not name.startswith("_")]
        raise SiteError(
            f"{expression!r} uses {error.name!r}, which the lesson does not define"
            + nearest(str(error.name), known, "name")
        ) from error
    except Exception as error:
        raise SiteError(f"{expression!r} fails: {type(error).__name__}: {error}") from error


def _import(dotted: str) -> None:
    """Import the longest beginning of a dotted name that is a module."""
    parts = dotted.split(".")
    for end in range(len(parts), 0, -1):
        try:
            importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        return


@cache
def _names_of(slug: str) -> dict[str, Any]:
    """What a lesson's cells define; nothing for a page without cells of its own."""
    if slug not in lesson_slugs():
        return {}
    runner = Runner(lambda stream, text: None)
    for section in load_sections(slug):
        outcome = asyncio.run(runner.run(section.code, section.name))
        if outcome.error is not None:
            raise SiteError(f"section {section.name!r} of {slug!r} fails: {outcome.error.text}")
    return dict(runner.namespace)


def _with_value(slug: str) -> Callable[[re.Match[str]], str]:
    def replaced(found: re.Match[str]) -> str:
        shown = found["shown"]
        bare = shown.lstrip("≈ ")
        value = evaluated(html.unescape(found["value"]), _names_of(slug))
        sign = "≈" if bare != shown else "="
        if VALUE.match(bare) is None or not disagreement("", value, sign, bare):
            return found[0]
        lead = shown[: len(shown) - len(bare)]
        return found[0].replace(f"`{shown}`", f"`{lead}{rewritten(value, bare)}`", 1)

    return replaced


def _with_sums(line: str) -> str:
    def replaced(found: re.Match[str]) -> str:
        text = found[1]
        return f"`{rewritten_sum(text)}`" if check_sum(text) else found[0]

    return re.sub(r"(?<!`)`(?!`)([^`\n]+)`(?!`)", replaced, line)


def rewritten_sum(text: str) -> str:
    """A sum with its right side corrected; unchanged where it cannot be evaluated.

    >>> rewritten_sum("7e9 * 16 = 111 GB")
    '7e9 * 16 = 112 GB'
    """
    from sitekit.sums import SUM, left_value

    span = SUM.match(text.strip())
    value = left_value(text)
    if span is None or value is None or VALUE.match(span["right"].strip()) is None:
        return text
    return f"{span['left']} {span['sign']} {rewritten(value, span['right'].strip())}"
