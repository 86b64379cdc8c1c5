"""The rest of the standard library: fetched when an import asks for a module of it."""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from cellrunner.library import RestOfLibrary, listed_names


class Rest(RestOfLibrary):
    names = frozenset({"rest_alone", "email.rest_part"})


def zipped() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("rest_alone.py", "value = 1")
        archive.writestr("email/rest_part.py", "value = 2")
    return buffer.getvalue()


class Fetch:
    def __init__(self) -> None:
        self.calls = 0
        self.data: bytes | Exception = zipped()

    def __call__(self) -> bytes:
        self.calls += 1
        if isinstance(self.data, Exception):
            raise self.data
        return self.data


@pytest.fixture
def fetch() -> Fetch:
    return Fetch()


@pytest.fixture
def rest(tmp_path: Path, fetch: Fetch) -> Iterator[Rest]:
    finder = Rest(str(tmp_path / "rest.zip"), fetch)
    sys.meta_path.append(finder)
    yield finder
    sys.meta_path.remove(finder)
    for name in Rest.names:
        sys.modules.pop(name, None)


def test_it_is_fetched_once_and_only_when_needed(rest: Rest, fetch: Fetch) -> None:
    with pytest.raises(ModuleNotFoundError):
        __import__("no_such_module")
    assert fetch.calls == 0 and not rest.here
    assert rest.wanted(["math", "rest_alone"]) and not rest.wanted(["math"])
    assert __import__("rest_alone").value == 1
    # A module whose package lies elsewhere.
    assert __import__("email.rest_part").rest_part.value == 2
    assert fetch.calls == 1 and rest.here
    assert not rest.wanted(["rest_alone"])


def test_a_failure_is_an_import_error_that_says_why_and_the_next_try_fetches_anew(
    rest: Rest, fetch: Fetch
) -> None:
    fetch.data = OSError("the server answered 404")
    with pytest.raises(ImportError, match=r"rest_alone is fetched .* the server answered 404"):
        __import__("rest_alone")
    fetch.data = zipped()
    assert __import__("rest_alone").value == 1


def test_an_interpreter_with_its_whole_library_lists_nothing() -> None:
    assert listed_names() == ""
