"""docs/assets/runtime: what config.js says is what lies there."""

import hashlib
import io
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sitekit.provision import assets, packs, pyodide
from sitekit.provision.archive import archive_bytes
from sitekit.provision.packing import COURSE
from sitekit.provision.paths import SOURCE
from sitekit.provision.steps import StepFailure


def read_config(folder: Path) -> Any:
    text = (folder / "config.js").read_text()
    return json.loads(text.removeprefix("export default ").removesuffix(";\n"))


def ours(config: Any) -> dict[str, Any]:
    """The files that lie beside config.js in both modes, by name."""
    published = [config["archive"], config["stdlib"], config["rest"], *config["packs"].values()]
    return {facts["file"]: facts for facts in published}


def names(folder: Path) -> set[str]:
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture(scope="module")
def self_hosted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runtime")
    assets.write("self-hosted", folder)
    return folder


def test_every_file_has_the_size_and_hash_that_the_config_states(self_hosted: Path) -> None:
    config = read_config(self_hosted)
    listed = {config["base"] + name: facts for name, facts in config["core"].items()}
    listed |= {config["base"] + facts["file"]: facts for facts in config["packages"].values()}
    listed |= ours(config)
    assert names(self_hosted) == {*listed, "config.js"}
    for name, facts in listed.items():
        data = (self_hosted / name).read_bytes()
        assert len(data) == facts["bytes"], name
        assert hashlib.sha256(data).hexdigest() == facts["sha256"], name


def test_the_trimmed_lock_lists_exactly_the_wheels_that_are_there(self_hosted: Path) -> None:
    lock = json.loads((self_hosted / "pyodide/pyodide-lock.json").read_text())
    there = {file.name for file in (self_hosted / "pyodide").glob("*.whl")}
    assert {entry["file_name"] for entry in lock["packages"].values()} == there
    official = pyodide.official_lock()
    assert lock["info"] == official["info"]
    for name, entry in lock["packages"].items():
        assert entry == official["packages"][name]


def test_cdn_mode_publishes_no_pyodide_and_names_the_official_lock(tmp_path: Path) -> None:
    assets.write("self-hosted", tmp_path)
    assert assets.write("cdn", tmp_path)
    config = read_config(tmp_path)
    assert names(tmp_path) == {"config.js", *ours(config)}
    assert not (tmp_path / "pyodide").exists()
    assert config["base"] == pyodide.cdn()
    official = pyodide.core_bytes(
        next(pin for pin in pyodide.core_files() if pin.name == pyodide.LOCK_NAME)
    )
    facts = config["core"]["pyodide-lock.json"]
    assert facts["sha256"] == hashlib.sha256(official).hexdigest()


def test_both_modes_load_the_same_bytes(self_hosted: Path, tmp_path: Path) -> None:
    assets.write("cdn", tmp_path)
    here, cdn = read_config(self_hosted), read_config(tmp_path)
    for config in (here, cdn):
        del config["base"], config["core"]["pyodide-lock.json"]
    assert here == cdn


def test_nothing_is_written_when_all_is_current(tmp_path: Path) -> None:
    assert assets.write("self-hosted", tmp_path)
    before = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")}
    assert not assets.write("self-hosted", tmp_path)
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")} == before


def test_a_damaged_or_stale_published_file_is_put_right(tmp_path: Path) -> None:
    assets.write("self-hosted", tmp_path)
    good = names(tmp_path)
    (tmp_path / "pyodide/pyodide.mjs").write_text("damaged")
    (tmp_path / "napkin-00000000.zip").write_text("of an earlier day")
    (tmp_path / "old").mkdir()
    (tmp_path / "old/file").write_text("of an earlier version")
    assert assets.write("self-hosted", tmp_path)
    assert names(tmp_path) == good
    assert not (tmp_path / "old").exists()
    assert (tmp_path / "pyodide/pyodide.mjs").stat().st_size == pyodide.core_files()[0].bytes


def test_a_damaged_cache_is_refused_by_name_and_nothing_is_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    shutil.copytree(pyodide.cache_folder(), cache)
    (damaged,) = cache.glob("numpy-*.whl")
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"?")
    monkeypatch.setattr(pyodide, "cache_folder", lambda: cache)
    with pytest.raises(pyodide.Mismatch, match=damaged.name):
        assets.write("self-hosted", tmp_path / "runtime")
    assert not (tmp_path / "runtime").exists()


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="self-hosted, cdn, not 'local'"):
        assets.files("local")


def test_the_archive_holds_the_readers_packages_compiled_and_nothing_else(
    self_hosted: Path,
) -> None:
    with zipfile.ZipFile(self_hosted / read_config(self_hosted)["archive"]["file"]) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(io.BytesIO(archive_bytes())) as archive:
        sources = archive.namelist()
    assert {name.split("/")[0] for name in files} == {"napkin", "cellrunner", "tinytorch"}
    assert {"cellrunner/runner.py", "napkin/accelerators.json"} <= set(sources)
    assert set(files) == {f"{name}c" if name.endswith(".py") else name for name in sources}
    assert not [name for name in files if "__pycache__" in name]
    presets = "napkin/models/presets.json"
    assert files[presets] == (SOURCE / presets).read_bytes()
    named = b"/lib/course.zip/cellrunner/runner.py"
    assert named in files["cellrunner/runner.pyc"], "tracebacks would name another file"


def test_python_of_ours_that_does_not_compile_stops_the_build_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "napkin").mkdir()
    (tmp_path / "napkin/broken.py").write_text("def f(:\n")
    monkeypatch.setattr(packs, "archive_bytes", lambda: archive_bytes(tmp_path))
    with pytest.raises(StepFailure, match=r'"/lib/course\.zip/napkin/broken\.py", line 1'):
        packs.made({COURSE: packs.course_sources()})


def test_the_archive_depends_on_content_alone(tmp_path: Path) -> None:
    for copy, text in (("one", "x = 1\n"), ("two", "x = 1\n"), ("three", "x = 2\n")):
        for package in ("napkin", "cellrunner"):
            (tmp_path / copy / package / "__pycache__").mkdir(parents=True)
            (tmp_path / copy / package / "__init__.py").write_text(text)
            (tmp_path / copy / package / "__pycache__" / f"{copy}.pyc").write_text(copy)
    (tmp_path / "two/napkin/__init__.py").chmod(0o700)
    one, two, three = (archive_bytes(tmp_path / copy) for copy in ("one", "two", "three"))
    assert one == two
    assert one != three
