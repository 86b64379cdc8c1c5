"""Outputs of a lesson as a reader's browser prints them: for timings, the only honest record."""

from __future__ import annotations

import os
import platform
from datetime import date

from playwright.sync_api import sync_playwright

from sitekit.paths import ROOT
from sitekit.provision.chromium import find_chromium
from sitekit.sections import SiteError
from sitekit.static_server import serving

SITE = ROOT / "build" / "site"
RUN_SECONDS = 180


def live_outputs(slug: str) -> tuple[dict[str, str], str]:
    """Run all cells of a lesson's built page in Chromium; outputs by section, and where they ran.

    Raises SiteError when the site is not built or a cell fails.
    """
    if not (SITE / "index.html").exists():
        raise SiteError("the site is not built: run `make build RUNTIME=self-hosted`")
    outputs = {}
    with serving(SITE) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(find_chromium()))
        page = browser.new_page()
        page.goto(url if slug == "home" else f"{url}lessons/{slug}/")
        for cell in page.locator("napkin-cell").all():
            name = (cell.get_attribute("ref") or "").partition("/")[2]
            cell.locator("button[data-action=run]").click()
            ended = cell.and_(page.locator("[data-state=done], [data-state=error]"))
            ended.wait_for(timeout=RUN_SECONDS * 1000)
            output = cell.locator("[data-part=output]").text_content() or ""
            if cell.get_attribute("data-state") != "done":
                raise SiteError(f"section {name!r} failed in the browser:\n{output}")
            outputs[name] = output
        where = f"in Chromium {browser.version.split('.')[0]}, {platform.system()}, "
        browser.close()
    return outputs, where + f"{os.cpu_count()} cores, {date.today()}"
