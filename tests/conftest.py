"""What all tests share."""

import pytest
from hypothesis import settings

# A busy machine is no failure, and the same commit gives the same verdict.
settings.register_profile("napkin", deadline=None, derandomize=True)
settings.load_profile("napkin")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests last: while Playwright drives one, no other event loop can run here."""
    items.sort(key=lambda item: "browser" in item.path.parts)
