"""A lesson's script as a notebook, for Colab: made by `sitekit record`, committed beside it.

Colab opens notebooks by their address in a repository, so the file has to stand there. It holds
the code without outputs: they are what the reader is about to make.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from sitekit.paths import LESSONS
from sitekit.sections import Section, load_sections

INSTALL = (
    "# The course's own package, from the repository that this notebook was opened from.\n"
    '%pip install -q "napkin @ git+https://github.com/napkin-course/napkin"'
)


def notebook_path(slug: str, folder: Path = LESSONS) -> Path:
    """Where the notebook of the lesson `slug` stands."""
    return folder / f"{slug.replace('-', '_')}.ipynb"


def notebook_text(slug: str, folder: Path = LESSONS) -> str:
    """The notebook of the lesson `slug`, the same bytes for the same script."""
    sections = load_sections(slug, folder)
    title = slug.replace("-", " ").capitalize()
    note = f"# {title}\n\nThe cells of Napkin's page of that name, to run from top to bottom."
    cells = [_cell("markdown", "lesson", note)]
    if any(re.search(r"^\s*(from|import)\s+napkin\b", s.code, re.MULTILINE) for s in sections):
        cells.append(_cell("code", "install", INSTALL))
    cells += [_section_cell(section) for section in sections]
    notebook = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _section_cell(section: Section) -> dict[str, object]:
    return _cell("code", section.name.lstrip("_"), section.code)


def _cell(kind: str, name: str, text: str) -> dict[str, object]:
    cell: dict[str, object] = {
        "cell_type": kind,
        "id": name[:64],
        "metadata": {},
        "source": text.splitlines(keepends=True),
    }
    return cell if kind == "markdown" else {**cell, "execution_count": None, "outputs": []}
