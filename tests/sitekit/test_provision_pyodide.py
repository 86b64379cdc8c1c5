"""Pyodide's files: what is not byte for byte the released file is refused by name."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sitekit.provision import cdn, pyodide
from sitekit.provision.pyodide import Mismatch, Wheel
from sitekit.provision.steps import StepFailure


def wheel(name: str, data: bytes) -> Wheel:
    digest = hashlib.sha256(data).hexdigest()
    return Wheel(f"{name}-1-any.whl", digest, len(data), name, (name,), ())


def source(files: dict[str, bytes], asked: list[str]) -> pyodide.Source:
    def give(missing: list[Wheel]) -> Iterator[tuple[Wheel, bytes]]:
        for wanted in missing:
            asked.append(wanted.package)
            if wanted.package in files:
                yield wanted, files[wanted.package]

    return give


def test_the_pinned_core_files_are_those_of_the_npm_package() -> None:
    for pin in pyodide.core_files():
        assert len(pyodide.core_bytes(pin)) == pin.bytes


def test_the_cached_wheels_are_those_of_the_official_lock() -> None:
    wheels = pyodide.wheels(pyodide.official_lock())
    assert {"numpy", "matplotlib"} <= {wheel.package for wheel in wheels}
    for wanted in wheels:
        assert len(pyodide.wheel_bytes(wanted)) == wanted.bytes


def test_an_altered_core_file_is_refused_by_name(tmp_path: Path) -> None:
    pin = pyodide.core_files()[0]
    (tmp_path / pin.name).write_bytes(pyodide.core_bytes(pin) + b"\n")
    with pytest.raises(Mismatch) as caught:
        pyodide.core_bytes(pin, tmp_path)
    message = str(caught.value)
    assert pin.name in message
    assert pin.sha256 in message
    assert hashlib.sha256((tmp_path / pin.name).read_bytes()).hexdigest() in message
    assert "make setup" in message


def test_an_altered_cached_wheel_is_refused_by_name(tmp_path: Path) -> None:
    wanted = wheel("numpy", b"good")
    (tmp_path / wanted.name).write_bytes(b"bad!")
    with pytest.raises(Mismatch, match=wanted.name):
        pyodide.wheel_bytes(wanted, tmp_path)


def test_a_wheel_that_arrives_altered_never_enters_the_cache(tmp_path: Path) -> None:
    wanted = wheel("numpy", b"good")
    with pytest.raises(Mismatch, match=r"numpy-1-any\.whl"):
        pyodide.fetch_wheels([wanted], [source({"numpy": b"bad!"}, [])], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_next_source_is_asked_only_for_what_the_first_lacks(tmp_path: Path) -> None:
    files = {"one": b"1", "two": b"2"}
    wanted = [wheel(name, data) for name, data in files.items()]
    first: list[str] = []
    second: list[str] = []
    sources = [source({"one": b"1"}, first), source(files, second)]
    pyodide.fetch_wheels(wanted, sources, tmp_path)
    assert (first, second) == (["one", "two"], ["two"])
    pyodide.fetch_wheels(wanted, sources, tmp_path)
    assert (first, second) == (["one", "two"], ["two"]), "a full cache asks nobody"


def test_a_wheel_that_no_source_has_is_named(tmp_path: Path) -> None:
    with pytest.raises(StepFailure, match=r"two-1-any\.whl"):
        pyodide.fetch_wheels([wheel("two", b"2")], [source({}, [])], tmp_path)


def test_a_dependency_that_is_not_wanted_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyodide, "manifest", lambda: {"version": "0", "wheels": {"cycler": 1}})
    lock: dict[str, Any] = {
        "packages": {
            "cycler": {"file_name": "c.whl", "sha256": "", "depends": ["six"], "imports": []}
        }
    }
    with pytest.raises(StepFailure, match="depends on six"):
        pyodide.wheels(lock)


def test_a_cdn_that_serves_other_bytes_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(pyodide, "cdn", lambda: f"{tmp_path.as_uri()}/")
    pins = [*pyodide.core_files(), *pyodide.wheels(pyodide.official_lock())]
    for pin in pins:
        data = pyodide.wheel_bytes(pin) if isinstance(pin, Wheel) else pyodide.core_bytes(pin)
        (tmp_path / pin.name).write_bytes(data)
    cdn.compare()
    (tmp_path / pins[-1].name).write_bytes(b"other")
    with pytest.raises(Mismatch, match=pins[-1].name):
        cdn.compare()
    (tmp_path / pins[-1].name).unlink()
    with pytest.raises(StepFailure, match=pins[-1].name):
        cdn.compare()
