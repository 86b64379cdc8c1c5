"""Packs: the official files, trimmed, compiled, and as good to a program as the wheels."""

import gzip
import hashlib
import io
import json
import marshal
import os
import re
import subprocess
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sitekit.provision import assets, node, packs, pyodide
from sitekit.provision.packing import STDLIB, compiled, is_kept, packed_files, tar_bytes
from sitekit.provision.paths import ROOT
from sitekit.provision.pyodide import PinnedFile, Wheel
from sitekit.provision.steps import StepFailure

HERE = Path(__file__).parent
SITE_PACKAGES = "/lib/python3.14/site-packages"
PYTHON_314_MAGIC = (3627).to_bytes(2, "little") + b"\r\n"
EXTENSION = ".cpython-314-wasm32-emscripten.so"


def all_wheels() -> dict[str, Wheel]:
    return {wheel.package: wheel for wheel in pyodide.wheels(pyodide.official_lock())}


def wheel_files(package: str) -> list[str]:
    data = pyodide.wheel_bytes(all_wheels()[package])
    return zipfile.ZipFile(io.BytesIO(data)).namelist()


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runtime")
    assets.write("self-hosted", folder)
    return folder


@pytest.fixture(scope="module")
def config(runtime: Path) -> Any:
    text = (runtime / "config.js").read_text()
    return json.loads(text.removeprefix("export default ").removesuffix(";\n"))


def pack_content(runtime: Path, config: Any, package: str) -> dict[str, bytes]:
    data = gzip.decompress((runtime / config["packs"][package]["file"]).read_bytes())
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        return {
            entry.name: file.read()
            for entry in archive.getmembers()
            if (file := archive.extractfile(entry))
        }


@pytest.fixture(scope="module")
def numpy_files(runtime: Path, config: Any) -> dict[str, bytes]:
    return pack_content(runtime, config, "numpy")


@pytest.fixture(scope="module")
def matplotlib_files(runtime: Path, config: Any) -> dict[str, bytes]:
    return pack_content(runtime, config, "matplotlib")


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
    stdlib = (runtime / config["stdlib"]["file"]).read_bytes()
    assert hashlib.sha256(stdlib).hexdigest() == config["stdlib"]["sha256"]
    assert len(stdlib) == config["stdlib"]["bytes"]
    assert config["packs"]["numpy"]["version"] == "2.4.3"


def test_a_build_for_the_cdn_has_the_same_packs(runtime: Path, config: Any, tmp_path: Path) -> None:
    assets.write("cdn", tmp_path)
    ours = [config["stdlib"], *config["packs"].values()]
    for name in (facts["file"] for facts in ours):
        assert (tmp_path / name).read_bytes() == (runtime / name).read_bytes()


def test_packs_are_the_same_bytes_whenever_and_in_whatever_company_they_are_made(
    runtime: Path, config: Any
) -> None:
    sources = packs.sources(list(all_wheels().values()))
    for jobs in (["cycler", "numpy"], ["numpy"], [STDLIB, "six"]):
        for job, data in packs.made({job: sources[job] for job in jobs}).items():
            facts = config["stdlib"] if job == STDLIB else config["packs"][job]
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
    assert len(official) == 14
    for name in official:
        assert numpy_files[name] == wheel.read(name)


def test_numpy_comes_without_what_only_builders_need(numpy_files: dict[str, bytes]) -> None:
    unneeded = re.compile(
        r"(^|/)(tests|test|include|distutils|_examples|_pyinstaller)/|conftest"
        r"|\.(py|pyi|pxd|pyx|h|c|a|pc|ini|cfg|build|template|typed)$|RECORD$"
    )
    assert [name for name in numpy_files if unneeded.search(name)] == []
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
    sans = [font for font in fonts["ttflist"] if font["name"] == "DejaVu Sans"]
    assert {(font["style"], font["weight"]) for font in sans} == {
        (style, weight) for style in ("normal", "oblique") for weight in (400, "bold", 700)
    } & {(font["style"], font["weight"]) for font in sans}
    assert len(sans) == 4


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


def test_the_standard_library_is_the_official_one_and_complete(runtime: Path, config: Any) -> None:
    official = zipfile.ZipFile(pyodide.CORE_FOLDER / packs.STDLIB_SOURCE)
    ours = zipfile.ZipFile(runtime / config["stdlib"]["file"])
    there = {name.removesuffix("c") if name.endswith(".pyc") else name for name in ours.namelist()}
    assert there == set(official.namelist())
    for name in ours.namelist():
        if not name.endswith(".pyc"):
            assert ours.read(name) == official.read(name), name
    compiled_modules = [name for name in ours.namelist() if name.endswith(".pyc")]
    assert {"json/decoder.pyc", "asyncio/events.pyc", "unittest/case.pyc"} <= {*compiled_modules}


# What a program finds.

PROGRAM = """
import importlib, importlib.metadata, io, json, sys, warnings
warnings.simplefilter("ignore")
said = sys.stdout = io.StringIO()
import numpy as np
found = {"version": importlib.metadata.version("numpy"), "failed": {}}
rng = np.random.default_rng(0)
a = rng.normal(size=(40, 40))
found["inverse"] = float(abs(a @ np.linalg.inv(a) - np.eye(40)).max())
found["fft"] = float(abs(np.fft.ifft(np.fft.fft(a[0])).real - a[0]).max())
found["matmul"] = bool(np.allclose((a @ a)[3, 5], sum(a[3, k] * a[k, 5] for k in range(40))))
np.testing.assert_allclose(a, a)
names = {}
exec("from numpy import *", names)
found["star"] = "linspace" in names
found["doc"] = "dot product" in (np.dot.__doc__ or "")
try:
    np.linalg.inv(np.zeros((2, 2)))
except np.linalg.LinAlgError as error:
    frame = error.__traceback__
    while frame.tb_next:
        frame = frame.tb_next
    found["frame"] = frame.tb_frame.f_code.co_filename
import matplotlib.pyplot as plt
found["backend"] = plt.get_backend()
found["without"] = [name for name in ("fontTools", "pytz") if name in sys.modules]
log = io.StringIO()
import logging
logging.getLogger("matplotlib").addHandler(logging.StreamHandler(log))
figure, axes = plt.subplots()
axes.loglog([1, 10, 100], [1, 100, 10000], label=r"$x^2 \\leq \\alpha$")
axes.set_title("$\\\\mathrm{FLOP/s}$ and bytes")
axes.legend(prop={"family": "monospace"})
svg, png = io.StringIO(), io.BytesIO()
figure.savefig(svg, format="svg")
figure.savefig(png, format="png")
found["svg"] = svg.getvalue().count("<path")
found["png"] = png.getvalue()[:4] == b"\\x89PNG"
found["log"] = log.getvalue()
import pyodide_js
await pyodide_js.loadPackage("matplotlib", messageCallback=lambda text: None)
found["loaded"] = pyodide_js.loadedPackages.to_py()
found["sources"] = sorted(
    module.__file__ for module in list(sys.modules.values())
    if (getattr(module, "__file__", None) or "").startswith("/lib/python314.zip/")
    and module.__file__.endswith(".py") and module.__spec__.origin != "frozen"
)
for name in NAMES:
    try:
        importlib.import_module(name)
    except BaseException as error:
        found["failed"][name] = f"{type(error).__name__}: {error}"
sys.stdout = sys.__stdout__
json.dumps(found)
"""
# Modules that do not import from the wheels either: they want what Pyodide does not have.
NEEDS_MORE = {
    "PIL.FpxImagePlugin": "olefile",
    "PIL.MicImagePlugin": "olefile",
    "dateutil.tz.win": "winreg",
    "dateutil.tzwin": "winreg",
    "numpy._core.cversions": "code_generators",
    "fontTools.misc.symfont": "sympy",
    "fontTools.pens.freetypePen": "freetype",
    "fontTools.pens.quartzPen": "Quartz",
    "fontTools.pens.reportLabPen": "reportlab",
    "fontTools.ttLib.removeOverlaps": "pathops",
    "fontTools.varLib.interpolatablePlot": "cairo",
}


def module_names(package: str) -> list[str]:
    """Every module of a wheel that its pack claims to have."""
    files = [name for name in wheel_files(package) if is_kept(name, package)]
    modules = [name for name in files if name.endswith((".py", EXTENSION))]
    dotted = [
        name.removesuffix(EXTENSION).removesuffix(".py").replace("/", ".") for name in modules
    ]
    return [name.removesuffix(".__init__") for name in dotted if not name.endswith("__main__")]


def run_in_pyodide(runtime: Path, program: Path, *packages: str) -> str:
    done = subprocess.run(
        [node.find_node().node, HERE / "interpreter.mjs", runtime, program, *packages],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def found(runtime: Path, config: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the program above finds with only the packs that matplotlib says it needs, in place."""
    needed, left = set(), ["matplotlib"]
    while left:
        needed.add(name := left.pop())
        left += set(config["packs"][name]["depends"]) - needed
    names = [name for package in sorted(needed) for name in module_names(package)]
    program = tmp_path_factory.mktemp("program") / "program.py"
    # What serves PDF files alone needs fontTools, which is no part of this.
    pdf = {
        f"matplotlib.backends.{name}" for name in ("_backend_pdf_ps", "backend_pdf", "backend_ps")
    }
    pdf |= {"matplotlib.backends.backend_pgf"}
    wanted = [name for name in names if name not in pdf]
    program.write_text(f"NAMES = {wanted!r}\n{PROGRAM}")
    told = json.loads(run_in_pyodide(runtime, program, "matplotlib").splitlines()[-1])
    told["names"] = wanted
    return told


def test_numpy_computes(found: Any) -> None:
    assert found["version"] == "2.4.3"
    assert found["inverse"] < 1e-10 and found["fft"] < 1e-12
    assert found["matmul"] and found["star"] and found["doc"]


def test_a_traceback_names_numpys_own_file(found: Any) -> None:
    assert found["frame"] == f"{SITE_PACKAGES}/numpy/linalg/_linalg.py"


def test_matplotlib_draws_without_a_word_of_warning(found: Any) -> None:
    assert found["backend"] == "agg"
    assert found["svg"] > 20 and found["png"]
    assert found["log"] == ""
    assert found["without"] == []


def test_pyodide_takes_the_packs_for_loaded_packages(found: Any) -> None:
    loaded = found["loaded"]
    assert loaded["numpy"] == loaded["matplotlib"] == "napkin pack"


def test_every_module_that_a_pack_keeps_can_be_imported(found: Any) -> None:
    assert len(found["names"]) > 400
    unexpected = {
        name: error
        for name, error in found["failed"].items()
        if NEEDS_MORE.get(name, "no such") not in error
    }
    assert unexpected == {}


def test_no_module_that_a_figure_needs_is_compiled_in_the_page(found: Any) -> None:
    assert found["sources"] == []


def test_fonttools_is_whole(runtime: Path, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import io, json\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\n"
        "b = io.BytesIO()\nplt.savefig(b, format='pdf')\nb.getvalue()[:5].decode()\n"
    )
    told = run_in_pyodide(runtime, program, "matplotlib", "fonttools")
    assert told.splitlines()[-1] == "%PDF-"


# The cache.


@pytest.fixture
def six(monkeypatch: pytest.MonkeyPatch) -> dict[str, PinnedFile]:
    return {"six": all_wheels()["six"]}


def test_a_pack_is_made_once(
    six: dict[str, PinnedFile], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = packs.provide(six, tmp_path)
    monkeypatch.setattr(packs, "made", lambda jobs: pytest.fail("made again"))
    assert packs.provide(six, tmp_path) == first


@pytest.mark.parametrize("damage", [b"", b"short", None])
def test_a_damaged_cached_pack_is_made_again(
    six: dict[str, PinnedFile],
    tmp_path: Path,
    damage: bytes | None,
    capsys: pytest.CaptureFixture[str],
) -> None:
    good = packs.provide(six, tmp_path)
    (file,) = tmp_path.iterdir()
    content = file.read_bytes()
    file.write_bytes(content[:-1] + b"?" if damage is None else damage)
    assert packs.provide(six, tmp_path) == good
    assert "The pack of six" in capsys.readouterr().out
    assert file.read_bytes() == content


def test_another_wheel_or_program_makes_another_pack(
    six: dict[str, PinnedFile], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheels = all_wheels()
    keys = {packs.key(wheels["six"]), packs.key(wheels["cycler"])}
    program = tmp_path / "packing.py"
    program.write_text("another")
    monkeypatch.setattr(packs, "PROGRAM", program)
    keys.add(packs.key(wheels["six"]))
    assert len(keys) == 3


def test_packs_of_other_days_are_dropped(six: dict[str, PinnedFile], tmp_path: Path) -> None:
    (tmp_path / "0" * 64).write_bytes(b"of an earlier program")
    packs.provide(six, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == [packs.key(six["six"])]


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


# What the browser does with them.


def tar_of(path: str, content: bytes = b"", kind: bytes = tarfile.REGTYPE) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        entry = tarfile.TarInfo(path)
        entry.size, entry.type = len(content), kind
        archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def test_the_browsers_unpacker(runtime: Path, config: Any, tmp_path: Path) -> None:
    files = {
        "package/one.pyc": b"1",
        "package/empty.txt": b"",
        "package/block.bin": bytes(range(256)) * 2,
        "package/less.bin": b"x" * 511,
        "package/more.bin": b"y" * 513,
        "package/large.bin": bytes(index * index % 251 for index in range(20_000)),
        "n" * 100: b"a name that fills its field",
        f"{'deep/' * 20}{'n' * 100}": b"a path that needs the prefix",
        f"{'p' * 155}/{'n' * 100}": b"the longest path there is",
        "package/grüße.txt": b"beyond ASCII",
        "top.py": b"no folder",
    }
    (tmp_path / "whole.tar").write_bytes(tar_bytes(files))
    (tmp_path / "whole.json").write_text(json.dumps({p: d.hex() for p, d in files.items()}))
    (tmp_path / "bad-outside.tar").write_bytes(tar_of("../escaped", b"!"))
    (tmp_path / "bad-deeper.tar").write_bytes(tar_of("a/../../escaped", b"!"))
    (tmp_path / "bad-link.tar").write_bytes(tar_of("link", kind=tarfile.SYMTYPE))
    content = pack_content(runtime, config, "numpy")
    done = subprocess.run(
        [node.find_node().node, "--test", HERE / "unpack.test.mjs"],
        env={
            **os.environ,
            "PACKS": str(tmp_path),
            "PYODIDE": str(pyodide.CORE_FOLDER),
            "STDLIB": str(runtime / config["stdlib"]["file"]),
            "PACK": str(runtime / config["packs"]["numpy"]["file"]),
            "PACK_CONTENT": str(sum(map(len, content.values()))),
        },
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert int(re.findall(r"pass (\d+)", done.stdout)[-1]) >= 16


def test_a_python_source_that_does_not_compile_stops_the_packing() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("package/template.py", "print 'of Python 2'")
    with pytest.raises(SyntaxError, match=r"template\.py"):
        packed_files(buffer.getvalue(), "package", SITE_PACKAGES)
