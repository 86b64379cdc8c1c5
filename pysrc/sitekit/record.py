"""Recorded output: what each section of a lesson printed when it last ran, reviewed by a person.

A record is a text file beside the lesson's script, with the same section headers:

    # %% doubling
    8.0 times the work
    # %% timer [volatile] recorded in Chromium 156, Linux, 2 cores, 2026-11-29
    ...
"""

from __future__ import annotations

import argparse
import asyncio
import difflib
import platform
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from cellrunner.runner import Runner
from sitekit.notebooks import notebook_path, notebook_text
from sitekit.paths import LESSONS
from sitekit.sections import Section, SiteError, lesson_slugs, load_sections, parse_header

NUMBER = r"[-−]?\d[\d_,]*(?:\.\d+)?(?:e[+-]?\d+)?"
# What a timing is measured in. `MFLOP` and plain counts are not here: they stay checked.
MEASURED_UNIT = (
    r"(?:ns|µs|us|ms|s|min|hours?|days?|years?|[kMGTPE]?FLOP/s|[kMGTPE]?B/s|tokens/s|%|×|times)"
)
MASK = re.compile(rf"{NUMBER}(?P<gap>\s*){MEASURED_UNIT}(?![\w/])")


@dataclass(frozen=True)
class Recorded:
    """A section's recorded output and, where it is volatile, where it was recorded."""

    text: str
    where: str = ""


def record_path(slug: str, folder: Path = LESSONS) -> Path:
    """The record of the lesson `slug`."""
    return folder / f"{slug.replace('-', '_')}.out"


def masked(text: str) -> str:
    """`text` with every measured quantity replaced, for comparing volatile outputs.

    Only numbers with a unit of time, rate or ratio are masked, and the blanks before them,
    since columns are aligned to the width of the number.

    >>> masked("n =   64   0.52 MFLOP    0.021 ms    25.0 GFLOP/s ± 3 %")
    'n =   64   0.52 MFLOP # # ± #'
    """
    return re.sub(r"[ \t]*" + MASK.pattern, " #", text)


def same_output(a: str, b: str, *, volatile: bool) -> bool:
    """Whether two outputs of a section say the same; blank space at the end does not count."""
    a, b = (_tidy(text) for text in (a, b))
    return masked(a) == masked(b) if volatile else a == b


def run_lesson(slug: str, folder: Path = LESSONS) -> dict[str, str]:
    """Run all sections of a lesson in one namespace; what each one wrote, by name.

    Raises SiteError with file and line when a section fails or a hidden one prints.
    """
    return run_sections(load_sections(slug, folder), f"pysrc/lessons/{slug.replace('-', '_')}.py")


def run_sections(sections: list[Section], where: str) -> dict[str, str]:
    """Run `sections` in one namespace; `where` names their file in messages."""
    written: list[str] = []
    runner = Runner(lambda stream, text: written.append(text))
    outputs: dict[str, str] = {}
    for section in sections:
        written.clear()
        outcome = asyncio.run(runner.run(section.code, section.name))
        text = "".join(written)
        if outcome.error is not None:
            line = section.line + (outcome.error.line or 0)
            raise SiteError(f"{where}:{line}: section {section.name!r} failed:\n{text}")
        if section.hidden and text:
            raise SiteError(f"{where}:{section.line}: hidden section {section.name!r} prints")
        if any(parse_header(line, where) for line in text.splitlines()):
            raise SiteError(
                f"{where}:{section.line}: section {section.name!r} prints a line that starts "
                "with `# %%`, which a record cannot hold; print it differently"
            )
        outputs[section.name] = text
    return outputs


def read_record(slug: str, folder: Path = LESSONS) -> dict[str, Recorded]:
    """The record of a lesson by section name; empty where there is none yet."""
    path = record_path(slug, folder)
    if not path.exists():
        return {}
    records: dict[str, Recorded] = {}
    name, where, lines = "", "", list[str]()
    for number, line in enumerate([*path.read_text("utf-8").splitlines(), "# %% end"], 1):
        stripped, _, recorded = line.partition(" recorded ")
        at = f"pysrc/lessons/{path.name}:{number}"
        header = parse_header(stripped, at) if line.startswith("# %%") else None
        if header is None:
            lines.append(line)
            continue
        if name:
            records[name] = Recorded("\n".join(lines) + "\n" if lines else "", where)
        elif any(text.strip() for text in lines):
            raise SiteError(f"{at}: text before the first section header")
        name, where, lines = header[0], recorded.strip(), []
    return records


def write_record(slug: str, records: Mapping[str, Recorded], folder: Path = LESSONS) -> str:
    """Write the record of a lesson; what changed in the file, as a unified diff."""
    path = record_path(slug, folder)
    before = path.read_text("utf-8") if path.exists() else ""
    parts = []
    for section in load_sections(slug, folder):
        if section.hidden:
            continue
        record = records[section.name]
        options = f" [{', '.join(sorted(section.options))}]" if section.options else ""
        where = f" recorded {record.where}" if record.where else ""
        text = _tidy(record.text)
        parts.append(f"# %% {section.name}{options}{where}\n" + (f"{text}\n" if text else ""))
    after = "".join(parts)
    if after != before:
        path.write_text(after, "utf-8")
    diff = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), "before", "after"
    )
    return "".join(diff)


def merged(
    sections: list[Section], old: Mapping[str, Recorded], new: Mapping[str, str], where: str
) -> dict[str, Recorded]:
    """New outputs, but the old text where a volatile one says the same.

    So that a re-recording changes only lines that a person has to look at.
    """
    records = {}
    for section in sections:
        if section.hidden:
            continue
        text, before = new[section.name], old.get(section.name)
        if before and section.volatile and same_output(before.text, text, volatile=True):
            records[section.name] = before
        else:
            records[section.name] = Recorded(text, where if section.volatile else "")
    return records


def stale_sections(slug: str, folder: Path = LESSONS) -> list[str]:
    """What is wrong with a lesson's record and notebook, a message each; empty when current."""
    sections = load_sections(slug, folder)
    outputs, records = run_lesson(slug, folder), read_record(slug, folder)
    file = f"pysrc/lessons/{record_path(slug, folder).name}"
    shown = [section for section in sections if not section.hidden]
    fix = f"run `python -m sitekit record {slug}` and review the change"
    problems = [
        f"{file}: holds the section {name!r}, which the lesson no longer has; {fix}"
        for name in records.keys() - {section.name for section in shown}
    ]
    notebook = notebook_path(slug, folder)
    if not notebook.exists() or notebook.read_text("utf-8") != notebook_text(slug, folder):
        problems.append(f"pysrc/lessons/{notebook.name}: is not what the script says now; {fix}")
    for section in shown:
        record = records.get(section.name)
        if record is None:
            problems.append(f"{file}: section {section.name!r} has no record; {fix}")
        elif not same_output(record.text, outputs[section.name], volatile=section.volatile):
            diff = difflib.unified_diff(
                _tidy(record.text).splitlines(),
                _tidy(outputs[section.name]).splitlines(),
                "recorded",
                "now",
                lineterm="",
            )
            problems.append(
                f"{file}: section {section.name!r} now prints something else; {fix}\n"
                + "\n".join(diff)
            )
    return problems


def _tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.rstrip().splitlines())


def main(arguments: list[str]) -> int:
    """`sitekit record`: run lessons and write what they print, or check that it is current."""
    parser = argparse.ArgumentParser(prog="sitekit record", description=main.__doc__)
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="default: all of them")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when stale")
    parser.add_argument(
        "--browser",
        action="store_true",
        help="take [volatile] outputs from a live run in Chromium, as a reader would see them",
    )
    options = parser.parse_args(arguments)
    try:
        for slug in options.lessons or lesson_slugs():
            if options.check:
                problems = stale_sections(slug)
                if problems:
                    print("\n".join(problems), file=sys.stderr)
                    return 1
                print(f"{slug}: record and notebook are current")
                continue
            diff = _record(slug, browser=options.browser)
            print(diff or f"{slug}: unchanged\n", end="")
    except SiteError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _record(slug: str, *, browser: bool) -> str:
    sections = load_sections(slug)
    here = f"with Python {platform.python_version()}, {platform.system()}, {date.today()}"
    records = merged(sections, read_record(slug), run_lesson(slug), here)
    diff = write_record(slug, records)
    notebook_path(slug).write_text(notebook_text(slug), "utf-8")
    if browser:
        # Only now: the page that the browser runs needs a record to be built with.
        from sitekit.browser_record import live_outputs

        live, where = live_outputs(slug)
        for section in sections:
            if section.volatile and section.name in records:
                records[section.name] = Recorded(live[section.name], where)
        diff += write_record(slug, records)
    return diff
