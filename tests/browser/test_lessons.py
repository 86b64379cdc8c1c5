"""Each lesson's cells print live, in the reader's browser, what their records say."""

import pytest
from playwright.sync_api import Page, expect

from sitekit.record import read_record, same_output
from sitekit.sections import lesson_slugs, load_sections

from .conftest import Site, cell, part, run


@pytest.mark.parametrize("slug", lesson_slugs())
def test_live_output_is_the_recorded_one(page: Page, site: Site, slug: str) -> None:
    page.goto(site.url if slug == "home" else f"{site.url}lessons/{slug}/")
    records = read_record(slug)
    shown = [section for section in load_sections(slug) if not section.hidden]
    runnable = [section for section in shown if not section.record_only]
    expect(page.locator("napkin-cell")).to_have_count(len(runnable))
    for index, section in enumerate(runnable):
        element = cell(page, index)
        expect(element).to_have_attribute("ref", f"{slug}/{section.name}")
        before = part(element, "output").text_content() or ""
        assert before == records[section.name].text
        live = run(element, seconds=120)
        assert same_output(before, live, volatile=section.volatile), (
            f"{section.name} printed\n{live}\nin the browser, its record says\n{before}"
        )
        expect(element).to_have_attribute("data-output", "live")
