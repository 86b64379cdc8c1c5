"""Reference pages that the package writes about itself: formulas, hardware, models, API."""

from __future__ import annotations

from pathlib import Path

from sitekit.paths import DOCS

GENERATED = "<!-- Written by `python -m sitekit reference`: edit the package, not this. -->\n\n"
# Their tables need the room of the table of contents.
WIDE = "---\nhide:\n  - toc\n---\n\n"


def files() -> dict[Path, str]:
    """Path and content of each page."""
    from sitekit.reference import api_page, formulas_page, hardware_page, models_page

    folder = DOCS / "reference"
    return {
        folder / "formulas.md": GENERATED + formulas_page.page(),
        folder / "hardware.md": WIDE + GENERATED + hardware_page.page(),
        folder / "models.md": WIDE + GENERATED + models_page.page(),
        folder / "api.md": GENERATED + api_page.page(),
    }


def main(arguments: list[str]) -> int:
    """Write the reference pages, or with ``--check`` say whether they are current."""
    status = 0
    for path, text in files().items():
        current = path.read_text("utf-8") if path.exists() else ""
        if current == text:
            continue
        if "--check" in arguments:
            print(f"{path} is out of date: run python -m sitekit reference")
            status = 1
        else:
            path.write_text(text, "utf-8")
            print(f"wrote {path}")
    return status
