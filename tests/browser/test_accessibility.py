"""axe finds nothing to complain about, in light and dark, before and after a run."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from sitekit.paths import ROOT

from .conftest import LESSON, Site, Visitor, cell, run

AXE = ROOT / "node_modules/axe-core/axe.min.js"
PAGES = ["", LESSON, "reference/api/", "reference/glossary/", "practice/quiz/", "changes/"]


def violations(page: Page, within: str = "article") -> list[str]:
    """What axe finds in the parts that are ours, a line each."""
    page.add_script_tag(path=AXE)
    found = page.evaluate("part => axe.run(part, {resultTypes: ['violations']})", within)
    return [
        f"{v['id']}: {v['help']} ({node['target']})"
        for v in found["violations"]
        for node in v["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(
    open_window: Callable[..., Visitor], site: Site, path: str, scheme: str
) -> None:
    page = open_window(color_scheme=scheme).page
    page.goto(site.url + path)
    if page.locator("napkin-cell").count():
        cell(page).locator(".cm-content").wait_for()
        run(cell(page))
    assert violations(page) == []
