"""Packs in Pyodide: as good to a program as the wheels, and unpacked right however they arrive."""

import io
import json
import os
import re
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from sitekit.provision import node, pyodide
from sitekit.provision.packing import is_kept, tar_bytes
from sitekit.provision.paths import ROOT
from tests.sitekit.packed import (
    SITE_PACKAGES,
    pack_content,
    read_config,
    run_in_pyodide,
    wheel_files,
)

HERE = Path(__file__).parent
EXTENSION = ".cpython-314-wasm32-emscripten.so"


# What a program finds.

PROGRAM = """
import importlib, importlib.metadata, io, json, sys, warnings
LIBRARY = ("/lib/python314.zip/", "/lib/stdlib-rest.zip/")
warnings.simplefilter("ignore")
said = sys.stdout = io.StringIO()
import numpy as np
found = {"failed": {}}
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
    np.linalg.inv(np.zeros(3))
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
found["sources"] = sorted(
    module.__file__ for module in list(sys.modules.values())
    if (getattr(module, "__file__", None) or "").startswith(LIBRARY)
    and module.__file__.endswith(".py") and "zipimport" in str(type(module.__loader__))
)
found["version"] = importlib.metadata.version("numpy")
import pyodide_js
await pyodide_js.loadPackage("matplotlib", messageCallback=lambda text: None)
found["loaded"] = pyodide_js.loadedPackages.to_py()
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


@pytest.fixture(scope="module")
def found(runtime: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the program above finds with only the packs that matplotlib says it needs, in place."""
    config = read_config(runtime)
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


def test_a_pdf_can_be_saved_once_fonttools_is_there(runtime: Path, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import io, json\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\n"
        "b = io.BytesIO()\nplt.savefig(b, format='pdf')\nb.getvalue()[:5].decode()\n"
    )
    told = run_in_pyodide(runtime, program, "matplotlib", "fonttools")
    assert told.splitlines()[-1] == "%PDF-"


# What a first run needs of the standard library is in the part that it waits for.

FIRST_RUNS = """
import importlib, js, json, pkgutil, sys, types
from cellrunner.calling import answer
from cellrunner.runner import Runner

checked, early = [], []
def told(what):
    checked.append(what)
    if js.isRestFetched() and not early:
        early.append(what)

runner = Runner(lambda stream, text: None)
for code in (
    "print('x')\\n1 + 1", "1 / 0", "nam", "x = = 1", "import sklearn", "await 1",
    "import numpy as np\\nnp.random.default_rng(0).normal(size=3) @ np.linalg.inv(np.eye(3))",
    "import collections, dataclasses, functools, itertools, math, random, statistics, time",
    "import json, re, string, struct, sys, textwrap, timeit, typing, datetime, pathlib, os",
):
    await runner.run(code, "cell")
    told(code)
runner.completions("import math\\nmath.s", 2, 6)
runner.documentation("import math\\nmath.sin", 2, 6)
told("help")
import napkin
for module in pkgutil.walk_packages(napkin.__path__, "napkin."):
    if module.name not in ("napkin.__main__", "napkin.cli"):
        importlib.import_module(module.name)
        told(module.name)
await answer("napkin.flops:matmul_flops", "[2, 3, 4]")
told("a call")
code = "from napkin.quantities import parse_bytes\\nparse_bytes('80 GX')"
wrong = await runner.run(code, "wrong")
told("an error of napkin's own")
import wave, xml.dom, email.mime.text, unittest.mock
json.dumps({"early": early, "checked": len(checked),
    "then": bool(js.isRestFetched()), "wave": wave.__file__,
    "error": wrong.error.text, "line": wrong.error.line,
    "files": [module.__file__ for name, module in sys.modules.items()
        if name.split(".")[0] in ("napkin", "cellrunner")],
    "numpy": "numpy" in sys.modules, "text": email.mime.text.__file__})
"""


def test_first_runs_do_not_wait_for_the_rest_of_the_library(runtime: Path, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(FIRST_RUNS)
    found = json.loads(run_in_pyodide(runtime, program, "numpy").splitlines()[-1])
    assert found["early"] == []
    assert found["checked"] > 30 and found["numpy"]
    assert found["then"]
    assert found["wave"] == "/lib/stdlib-rest.zip/wave.py"
    assert found["text"].startswith("/lib/stdlib-rest.zip/email/mime/text.py")
    assert {Path(file).suffix for file in found["files"]} == {".pyc"}
    # An error of ours starts at the reader's line, names our file and ends with its message.
    assert found["line"] == 2 and "parse_bytes('80 GX')" in found["error"]
    assert 'File "/lib/course.zip/napkin/quantities.py", line' in found["error"]
    assert "ValueError: " in found["error"].splitlines()[-1]


# What the browser does with them.


def tar_of(path: str, content: bytes = b"", kind: bytes = tarfile.REGTYPE) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        entry = tarfile.TarInfo(path)
        entry.size, entry.type = len(content), kind
        archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def test_the_browsers_unpacker(runtime: Path, tmp_path: Path) -> None:
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
    config = read_config(runtime)
    content = pack_content(runtime, "numpy")
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
