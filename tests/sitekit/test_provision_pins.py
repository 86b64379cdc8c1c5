"""Each version is pinned once; where a second file must name it too, the two agree."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from sitekit.provision import pins, pyodide
from sitekit.provision.node import FALLBACK_LOCK
from sitekit.provision.paths import ROOT

LOCK = ROOT / "requirements.lock"
ADDRESS = re.compile(r"https?://|file:|\bgit\+|--(extra-)?index-url|--find-links")


def read_json(name: str) -> Any:
    return json.loads((ROOT / name).read_text())


def group(name: str) -> list[str]:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    found = []
    for entry in groups[name]:
        found += [entry] if isinstance(entry, str) else group(entry["include-group"])
    return found


@pytest.mark.parametrize(("name", "lock"), [("dev", LOCK), ("node", FALLBACK_LOCK)])
def test_the_lock_holds_every_pin_of_its_group(name: str, lock: Any) -> None:
    locked = {line.split()[0].lower() for line in lock.read_text().splitlines() if "==" in line}
    for pin in group(name):
        assert re.fullmatch(r"[\w-]+==[\w.]+", pin), f"{pin} is not an exact pin"
        assert pin.lower().replace("_", "-") in locked, f"{pin} is not in {lock}: run make lock"


@pytest.mark.parametrize("lock", [LOCK, FALLBACK_LOCK])
def test_the_lock_names_no_address_and_every_package_has_hashes(lock: Any) -> None:
    text = lock.read_text()
    assert not ADDRESS.search(text)
    for entry in re.split(r"\n(?=\S)", text.strip()):
        assert "--hash=sha256:" in entry, entry.splitlines()[0]


def test_npm_pins_are_exact_and_the_lock_has_hashes_but_no_addresses() -> None:
    package, lock = read_json("package.json"), read_json("package-lock.json")
    wanted = {**package["dependencies"], **package["devDependencies"]}
    for name, version in wanted.items():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version), f"{name}: {version} is not exact"
        assert lock["packages"][f"node_modules/{name}"]["version"] == version
    for path, entry in lock["packages"].items():
        assert "resolved" not in entry, path
        assert path == "" or entry["integrity"].startswith("sha512-"), path


def test_pyodide_is_one_version_everywhere() -> None:
    assert read_json("package.json")["dependencies"]["pyodide"] == pyodide.version()
    assert read_json("node_modules/pyodide/package.json")["version"] == pyodide.version()
    assert pyodide.version() in pyodide.cdn()


def test_pinning_anew_gives_the_committed_pins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed = pyodide.MANIFEST.read_text()
    stale = json.loads(committed)
    stale["version"] = "314.0.0"
    stale["core"]["pyodide.mjs"] = {"sha256": "0" * 64, "bytes": 1}
    stale["wheels"]["numpy"] = 1
    (tmp_path / "pyodide.json").write_text(json.dumps(stale))
    monkeypatch.setattr(pyodide, "MANIFEST", tmp_path / "pyodide.json")
    pyodide.manifest.cache_clear()
    try:
        assert pins.main([]) == 0
        assert (tmp_path / "pyodide.json").read_text() == committed
    finally:
        pyodide.manifest.cache_clear()


def test_the_tests_run_on_the_numpy_that_pyodide_has() -> None:
    (pin,) = (pin for pin in group("dev") if pin.startswith("numpy=="))
    assert pyodide.official_lock()["packages"]["numpy"]["version"] == pin.removeprefix("numpy==")
