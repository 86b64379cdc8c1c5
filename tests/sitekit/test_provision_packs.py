"""Packs: the official files, trimmed and compiled, the same bytes every time."""

import gzip
import hashlib
import io
import json
import marshal
import re
import shutil
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitekit.provision import assets, node, packs, pyodide
from sitekit.provision.packing import COURSE, REST, STDLIB, compiled, is_kept, packed_files
from sitekit.provision.pyodide import PinnedFile
from sitekit.provision.steps import StepFailure
from tests.sitekit.packed import (
    SITE_PACKAGES,
    all_wheels,
    pack_content,
    read_config,
    wheel_files,
)

PYTHON_314_MAGIC = (3627).to_bytes(2, "little") + b"\r\n"


@pytest.fixture(scope="module")
def config(runtime: Path) -> Any:
    return read_config(runtime)


@pytest.fixture(scope="module")
def numpy_files(runtime: Path) -> dict[str, bytes]:
    return pack_content(runtime, "numpy")


@pytest.fixture(scope="module")
def matplotlib_files(runtime: Path) -> dict[str, bytes]:
    return pack_content(runtime, "matplotlib")


# What is published.


def test_every_pack_is_the_file_that_the_config_states(runtime: Path, config: Any) -> None:
    assert set(config["packs"]) == set(config["packages"])
    for package, facts in config["packs"].items():
        data = (runtime / facts["file"]).read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        assert (digest, len(data)) == (facts["sha256"], facts["bytes"]), package
        assert len(gzip.decompress(data)) == facts["unpacked"], package
        assert facts["file"] == f"{package}-{facts['version']}-{digest[:8]}.pack"
        assert facts["imports"] == config["packages"][package]["imports"]
        assert set(facts["depends"]) <= set(config["packages"][package]["depends"])
    for part in (config["stdlib"], config["rest"]):
        data = (runtime / part["file"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == part["sha256"]
        assert len(data) == part["bytes"]
    assert config["packs"]["numpy"]["version"] == "2.4.3"


def test_a_build_for_the_cdn_has_the_same_packs(runtime: Path, config: Any, tmp_path: Path) -> None:
    assets.write("cdn", tmp_path)
    ours = [config["stdlib"], config["rest"], *config["packs"].values()]
    for name in (facts["file"] for facts in ours):
        assert (tmp_path / name).read_bytes() == (runtime / name).read_bytes()


def test_packs_are_the_same_bytes_whenever_and_in_whatever_company_they_are_made(
    runtime: Path, config: Any
) -> None:
    sources = packs.sources(list(all_wheels().values()))
    facts_of = {**config["packs"], STDLIB: config["stdlib"], REST: config["rest"]}
    facts_of[COURSE] = config["archive"]
    for jobs in (["cycler", "numpy"], [STDLIB], [REST], [COURSE]):
        for job, data in packs.made({job: sources[job] for job in jobs}).items():
            facts = facts_of[job]
            assert hashlib.sha256(data).hexdigest() == facts["sha256"], (job, jobs)


def test_a_pack_says_nothing_of_when_or_where_it_was_made(runtime: Path, config: Any) -> None:
    data = (runtime / config["packs"]["six"]["file"]).read_bytes()
    assert data[3:8] == bytes(5)  # gzip: no name, no date
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(data))) as archive:
        entries = archive.getmembers()
    names = [entry.name for entry in entries]
    assert names == sorted(names)
    for entry in entries:
        assert (entry.mtime, entry.uid, entry.gid, entry.uname) == (0, 0, 0, "")
        assert entry.isreg() and not entry.pax_headers


# What is in them.


def test_every_module_is_compiled_by_python_3_14_where_its_source_was(
    numpy_files: dict[str, bytes],
) -> None:
    assert not [name for name in numpy_files if name.endswith(".py") or "__pycache__" in name]
    sources = [name for name in wheel_files("numpy") if is_kept(name, "numpy")]
    expected = {f"{name}c" for name in sources if name.endswith(".py")}
    there = {name for name in numpy_files if name.endswith(".pyc")}
    assert there == expected | {"numpy/f2py/__init__.pyc"}
    for name in there:
        assert numpy_files[name][:4] == PYTHON_314_MAGIC
        assert numpy_files[name][4:8] == b"\1\0\0\0", "hash-based, unchecked"


def test_extension_modules_are_the_official_ones(numpy_files: dict[str, bytes]) -> None:
    data = pyodide.wheel_bytes(all_wheels()["numpy"])
    wheel = zipfile.ZipFile(io.BytesIO(data))
    official = [name for name in wheel.namelist() if name.endswith(".so")]
    assert len(official) == 13
    for name in official:
        assert numpy_files[name] == wheel.read(name)


def test_numpy_comes_without_what_only_builders_need(numpy_files: dict[str, bytes]) -> None:
    unneeded = re.compile(
        r"(^|/)(tests|test|include|distutils|_examples|_pyinstaller)/|conftest"
        r"|\.(py|pyi|pxd|pyx|h|c|a|pc|ini|cfg|build|template|typed)$"
    )
    library = [name for name in numpy_files if name.startswith("numpy/")]
    assert [name for name in library if unneeded.search(name)] == []
    assert "numpy-2.4.3.dist-info/RECORD" not in numpy_files, "it lists what is not there"
    f2py = [name for name in numpy_files if "f2py" in name]
    assert f2py == ["numpy/f2py/__init__.pyc"], "only the stand-in that `import *` asks for"
    assert "numpy/testing/__init__.pyc" in numpy_files
    assert "numpy-2.4.3.dist-info/METADATA" in numpy_files
    assert "numpy-2.4.3.dist-info/licenses/LICENSE.txt" in numpy_files


def test_matplotlib_comes_without_windows_and_sample_data(
    matplotlib_files: dict[str, bytes],
) -> None:
    unneeded = re.compile(
        r"sample_data|mpl-data/images|(^|/)tests?/|matplotlib/testing|sphinxext|web_backend"
        r"|backend_?.*(gtk|qt|wx|tk|macosx|cairo|nbagg|webagg|pyodide)|\.(pyi|afm)$"
    )
    assert [name for name in matplotlib_files if unneeded.search(name)] == []
    for backend in ("agg", "svg", "pdf", "ps", "mixed", "template"):
        assert f"matplotlib/backends/backend_{backend}.pyc" in matplotlib_files


def test_matplotlib_lists_the_fonts_that_are_there_and_no_others(
    matplotlib_files: dict[str, bytes],
) -> None:
    fonts = json.loads(matplotlib_files["matplotlib/fontlist.json"])
    listed = {font["fname"] for kind in ("ttflist", "afmlist") for font in fonts[kind]}
    there = {
        name.removeprefix("matplotlib/mpl-data/")
        for name in matplotlib_files
        if name.endswith((".ttf", ".afm"))
    }
    assert listed == there
    families = {font["name"] for font in fonts["ttflist"]}
    assert {"DejaVu Sans", "DejaVu Sans Mono", "STIXGeneral", "cmr10"} <= families
    sans = {
        font["fname"].split("/")[-1] for font in fonts["ttflist"] if font["name"] == "DejaVu Sans"
    }
    assert sans == {f"DejaVuSans{style}.ttf" for style in ("", "-Bold", "-Oblique", "-BoldOblique")}


@pytest.mark.parametrize(
    ("path", "package", "kept"),
    [
        ("numpy/linalg/_linalg.py", "numpy", True),
        ("numpy/random/_pcg64.cpython-314-wasm32-emscripten.so", "numpy", True),
        ("numpy/linalg/tests/test_linalg.py", "numpy", False),
        ("numpy/f2py/rules.py", "numpy", False),
        ("numpy/__init__.pyi", "numpy", False),
        ("numpy-2.4.3.dist-info/METADATA", "numpy", True),
        ("numpy-2.4.3.dist-info/RECORD", "numpy", False),
        ("matplotlib/mpl-data/fonts/ttf/DejaVuSans.ttf", "matplotlib", True),
        ("matplotlib/mpl-data/fonts/ttf/DejaVuSerif.ttf", "matplotlib", False),
        ("matplotlib/mpl-data/stylelib/ggplot.mplstyle", "matplotlib", True),
        ("matplotlib/backends/backend_qtagg.py", "matplotlib", False),
    ],
)
def test_what_is_kept(path: str, package: str, kept: bool) -> None:
    assert is_kept(path, package) is kept


def test_docstrings_and_asserts_stay_and_names_are_those_of_the_page() -> None:
    pyc = compiled(b'def f():\n    "Says so."\n    assert False\n', "/lib/m.py")
    code = marshal.loads(pyc[16:])
    assert code.co_filename == "/lib/m.py"
    namespace: dict[str, Any] = {}
    exec(code, namespace)
    assert namespace["f"].__doc__ == "Says so."
    with pytest.raises(AssertionError):
        namespace["f"]()


def test_the_standard_library_is_the_official_one_in_two_parts(runtime: Path, config: Any) -> None:
    official = zipfile.ZipFile(pyodide.CORE_FOLDER / packs.STDLIB_SOURCE)
    first = zipfile.ZipFile(runtime / config["stdlib"]["file"])
    rest = zipfile.ZipFile(runtime / config["rest"]["file"])
    compiled_modules: set[str] = set()
    there: list[str] = []
    for ours in (first, rest):
        for name in ours.namelist():
            if name.endswith(".pyc"):
                compiled_modules.add(name)
                there.append(name.removesuffix("c"))
            elif name != "rest.txt":
                there.append(name)
                assert ours.read(name) == official.read(name), name
    assert sorted(there) == sorted(official.namelist())
    assert {"json/decoder.pyc", "asyncio/events.pyc"} <= {*first.namelist()}
    assert {"unittest/case.pyc", "wave.py"} <= {*rest.namelist()}
    listed = set(first.read("rest.txt").decode().split())
    assert {"unittest", "unittest.case", "wave", "email.mime.text"} <= listed
    assert not {"json", "email", "os"} & listed
    # The point of it: what a first run waits for is less than the official zip.
    assert config["stdlib"]["bytes"] < 0.75 * sum(i.compress_size for i in official.infolist())


# The cache.


@pytest.fixture
def six() -> dict[str, PinnedFile]:
    return {"six": all_wheels()["six"]}


@pytest.fixture
def cache(runtime: Path, six: dict[str, PinnedFile], tmp_path: Path) -> Path:
    """A cache that holds one pack, made when the runtime was."""
    folder = tmp_path / "packs"
    folder.mkdir()
    shutil.copy(packs.FOLDER / packs.key("six", six["six"]), folder)
    return folder


def test_a_pack_is_made_once(
    six: dict[str, PinnedFile], cache: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packs, "made", lambda jobs: pytest.fail("made again"))
    (file,) = runtime.glob("six-*.pack")
    assert packs.provide(six, cache) == {"six": file.read_bytes()}


@pytest.mark.parametrize(
    "damage", [lambda good: b"", lambda good: b"short", lambda good: good[:-9]]
)
def test_a_damaged_cached_pack_is_refused(
    six: dict[str, PinnedFile], cache: Path, damage: Callable[[bytes], bytes]
) -> None:
    (file,) = cache.iterdir()
    assert packs.cached("six", six["six"], cache) is not None
    file.write_bytes(damage(file.read_bytes()))
    assert packs.cached("six", six["six"], cache) is None


def test_a_damaged_cached_pack_is_made_again(
    six: dict[str, PinnedFile], cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (file,) = cache.iterdir()
    good = file.read_bytes()
    file.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    assert packs.provide(six, cache) == {"six": good.partition(b"\n")[2]}
    assert file.read_bytes() == good
    assert "The pack of six" in capsys.readouterr().out


def test_another_wheel_or_program_makes_another_pack(
    six: dict[str, PinnedFile], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheels = all_wheels()
    keys = {packs.key("six", wheels["six"]), packs.key("cycler", wheels["cycler"])}
    program = tmp_path / "packing.py"
    program.write_text("another")
    monkeypatch.setattr(packs, "PROGRAM", program)
    keys.add(packs.key("six", wheels["six"]))
    assert len(keys) == 3


def test_packs_of_other_days_are_dropped(six: dict[str, PinnedFile], cache: Path) -> None:
    (cache / ("0" * 64)).write_bytes(b"of an earlier program")
    packs.provide(six, cache)
    assert [file.name for file in cache.iterdir()] == [packs.key("six", six["six"])]


def test_a_wheel_that_is_not_the_official_one_is_never_packed(
    six: dict[str, PinnedFile], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / six["six"].name).write_bytes(b"another wheel")
    monkeypatch.setattr(pyodide, "cache_folder", lambda: tmp_path)
    with pytest.raises(pyodide.Mismatch, match=six["six"].name):
        packs.provide(six, tmp_path / "packs")


def test_a_failure_in_pyodide_says_what_and_why_and_what_to_do(
    six: dict[str, PinnedFile], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packs, "source_bytes", lambda source: b"no zip")
    with pytest.raises(StepFailure) as caught:
        packs.provide(six, tmp_path)
    message = str(caught.value)
    assert "pack six for the browser" in message
    assert "BadZipFile" in message
    assert "make setup" in message
    assert list(tmp_path.iterdir()) == []


def test_a_node_that_does_nothing_is_a_failure_too(
    six: dict[str, PinnedFile], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node, "find_node", lambda: node.Node("/bin/true", ()))
    with pytest.raises(StepFailure, match=r"It ended without .*six\.pack"):
        packs.provide(six, tmp_path)


def test_a_python_source_that_does_not_compile_stops_the_packing() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("package/template.py", "print 'of Python 2'")
    with pytest.raises(SyntaxError, match=r"template\.py"):
        packed_files(buffer.getvalue(), "package", SITE_PACKAGES)
