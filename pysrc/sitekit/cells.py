"""A lesson's section as HTML: code and recorded output, readable without scripts."""

from __future__ import annotations

import ast
import html
import sys
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from sitekit.paths import LESSONS
from sitekit.record import Recorded, read_record
from sitekit.sections import Section, SiteError, load_sections, nearest


def cell_html(reference: str, folder: Path = LESSONS) -> str:
    """The HTML of the cell `<slug>/<section>`.

    Raises SiteError with the nearest name when there is no such lesson or section, and when a
    section has no recorded output yet.
    """
    slug, slash, name = reference.partition("/")
    if not slash or not slug or not name:
        raise SiteError(f"{reference!r} does not name a cell; write `<lesson>/<section>`")
    sections = load_sections(slug, folder)
    shown = [section for section in sections if not section.hidden]
    section = next((section for section in shown if section.name == name), None)
    if section is None:
        hidden = any(section.name == name for section in sections)
        reason = (
            f"the section {name!r} of lesson {slug!r} is hidden (its name starts with `_`)"
            if hidden
            else f"lesson {slug!r} has no section {name!r}"
        )
        raise SiteError(reason + nearest(name, [section.name for section in shown], "section"))
    record = read_record(slug, folder).get(name)
    if record is None:
        raise SiteError(
            f"section {name!r} of lesson {slug!r} has no recorded output; "
            f"run `python -m sitekit record {slug}`"
        )
    return _render(slug, section, _hidden_before(sections, section), record)


def _hidden_before(sections: list[Section], section: Section) -> list[Section]:
    """The hidden sections that run just before `section`."""
    end = sections.index(section)
    start = end
    while start > 0 and sections[start - 1].hidden:
        start -= 1
    return sections[start:end]


def _render(slug: str, section: Section, hidden: list[Section], record: Recorded) -> str:
    """The element in a `<div>`: at the root of a fence, Markdown would wrap it in a `<p>`."""
    reference = f"{slug}/{section.name}"
    title = section.name.replace("-", " ")
    code = highlight(section.code, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True))
    setup = "\n\n".join(part.code for part in hidden)
    packages = " ".join(third_party_imports([*hidden, section]))
    caption = "Recorded output"
    if section.volatile:
        caption += f" ({record.where or 'timings differ on every machine'})"
    tag = "div" if section.record_only else "napkin-cell"
    state = "" if section.record_only else ' data-state="idle" data-output="recorded"'
    note = (
        '<p data-part="note">Too heavy for a browser tab: shown with its recorded output.</p>'
        if section.record_only
        else ""
    )
    return (
        f'<div class="napkin-block"><{tag} class="napkin-cell" id="cell-{section.name}"'
        f' ref="{html.escape(reference)}" data-title="{html.escape(title)}"'
        f' data-packages="{html.escape(packages)}"{state}>'
        f'<pre data-part="code" class="highlight" tabindex="0"'
        f' aria-label="Python code: {html.escape(title)}">{code.rstrip()}\n</pre>'
        + (f'<template data-part="setup">{html.escape(setup)}</template>' if setup else "")
        + f'{note}<p data-part="caption">{html.escape(caption)}</p>'
        f'<pre data-part="output" tabindex="0" aria-label="Output: {html.escape(title)}">'
        # The parser drops one newline right after <pre>: an extra one keeps the output's own.
        f"\n{html.escape(record.text)}</pre>"
        f"</{tag}></div>"
    )


def third_party_imports(sections: list[Section]) -> list[str]:
    """Top-level names that `sections` import from outside the standard library and this site.

    What they name can be fetched while the interpreter starts.
    """
    names: set[str] = set()
    for section in sections:
        for node in ast.walk(ast.parse(section.code)):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.split(".")[0])
    if "tinytorch" in names:
        names.add("numpy")  # which it is built on
    return sorted(names - sys.stdlib_module_names - {"napkin", "cellrunner", "tinytorch"})
