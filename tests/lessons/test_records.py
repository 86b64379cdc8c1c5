"""Each lesson's sections run, and its reviewed record says what they print now."""

import pytest

from sitekit.record import stale_sections
from sitekit.sections import lesson_slugs, load_sections


@pytest.mark.parametrize("slug", lesson_slugs())
def test_the_record_is_current(slug: str) -> None:
    assert stale_sections(slug) == []


@pytest.mark.parametrize("slug", lesson_slugs())
def test_cells_fit_a_desktop_without_scrolling(slug: str) -> None:
    long = [line for section in load_sections(slug) for line in section.code.splitlines()]
    assert [line for line in long if len(line) > 78] == []
