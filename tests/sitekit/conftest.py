"""Fixtures that several tests of the build side share."""

from pathlib import Path

import pytest

from sitekit.provision import assets


@pytest.fixture(scope="session")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-hosted runtime folder as `sitekit assets` writes it; not to be written to."""
    folder = tmp_path_factory.mktemp("runtime")
    assets.write("self-hosted", folder)
    return folder
