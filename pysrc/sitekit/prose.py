"""Checks of what pages say: sums in inline code are evaluated, cells must exist and be used."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from sitekit import values
from sitekit.cells import cell_html
from sitekit.deck_checks import deck_problems
from sitekit.deck_ids import append_new
from sitekit.decks import SUFFIX, load_decks
from sitekit.fence_blocks import fences
from sitekit.links import link_problems
from sitekit.paths import DOCS
from sitekit.sections import SiteError, lesson_slugs, load_sections
from sitekit.sums import SUM, check_sum

SPAN = re.compile(r"(?<!`)`(?!`)(?P<text>[^`\n]+)`(?!`)")


def sums(text: str) -> Iterator[tuple[int, str]]:
    """Line and text of each inline code span of a page that states a sum."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*(```|~~~)", line):
            inside = not inside
        if inside:
            continue
        for span in SPAN.finditer(line):
            if SUM.match(span["text"].strip()):
                yield number, span["text"]


def problems(docs: Path = DOCS) -> list[str]:
    """What is wrong with the pages under `docs`, a message with file and line each."""
    found = []
    used: dict[str, list[str]] = {}
    for path in sorted(docs.rglob("*.md")):
        page = path.relative_to(docs.parent).as_posix()
        text = path.read_text("utf-8")
        for number, span in sums(text):
            wrong = check_sum(span)
            if wrong:
                found.append(f"{page}:{number}: {wrong}")
        for number, language, body in fences(text):
            if language != "cell":
                continue
            try:
                cell_html(body.strip())
            except SiteError as error:
                found.append(f"{page}:{number}: {error}")
                continue
            slug, _, name = body.strip().partition("/")
            used.setdefault(slug, []).append(name)
    for path in sorted(docs.rglob(f"*{SUFFIX}")):
        deck = path.relative_to(docs.parent).as_posix()
        for number, span in sums(path.read_text("utf-8-sig")):
            wrong = check_sum(span)
            if wrong:
                found.append(f"{deck}:{number}: {wrong}")
    for slug in lesson_slugs():
        file = f"pysrc/lessons/{slug.replace('-', '_')}.py"
        shown = [section for section in load_sections(slug) if not section.hidden]
        on_page = used.get(slug, [])
        missing = [section for section in shown if section.name not in on_page]
        for section in missing:
            found.append(f"{file}:{section.line}: no page shows section {section.name!r}")
        # Cells share their variables from top to bottom, as the script ran when it was recorded.
        for section, name in zip(shown, on_page, strict=False):
            if not missing and section.name != name:
                found.append(
                    f"{file}:{section.line}: the page shows {name!r} where the script has "
                    f"{section.name!r}: bring both into one order"
                )
                break
    return found


def main(arguments: list[str]) -> int:
    """`sitekit check`: all that is wrong with the pages and decks, at once."""
    parser = argparse.ArgumentParser(prog="sitekit check", description=main.__doc__)
    parser.add_argument("--lock", action="store_true", help="lock new card and question ids first")
    parser.add_argument("--fix", action="store_true", help="rewrite stale sums and marked values")
    options = parser.parse_args(arguments)
    if options.fix:
        print("\n".join(values.fix()))
    if options.lock:
        for name in append_new(load_decks()):
            print(f"locked: {name}")
    from sitekit.exercise_checks import problems as exercise_problems  # it needs this module

    found = [
        *problems(),
        *values.value_problems(),
        *deck_problems(),
        *exercise_problems(),
        *link_problems(),
    ]
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0
