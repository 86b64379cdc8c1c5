"""What tests of packs need to look into wheels and packs, and to run Pyodide with them."""

import gzip
import io
import json
import subprocess
import tarfile
import zipfile
from pathlib import Path
from typing import Any

from sitekit.provision import node, pyodide
from sitekit.provision.paths import ROOT
from sitekit.provision.pyodide import Wheel

SITE_PACKAGES = "/lib/python3.14/site-packages"
INTERPRETER = Path(__file__).with_name("interpreter.mjs")


def all_wheels() -> dict[str, Wheel]:
    """The official wheels by package."""
    return {wheel.package: wheel for wheel in pyodide.wheels(pyodide.official_lock())}


def wheel_files(package: str) -> list[str]:
    """The paths in a package's wheel."""
    data = pyodide.wheel_bytes(all_wheels()[package])
    return zipfile.ZipFile(io.BytesIO(data)).namelist()


def read_config(runtime: Path) -> Any:
    """What the config.js of a runtime folder says."""
    text = (runtime / "config.js").read_text()
    return json.loads(text.removeprefix("export default ").removesuffix(";\n"))


def pack_content(runtime: Path, package: str) -> dict[str, bytes]:
    """The files in a package's pack, by path."""
    name = read_config(runtime)["packs"][package]["file"]
    data = gzip.decompress((runtime / name).read_bytes())
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        return {
            entry.name: file.read()
            for entry in archive.getmembers()
            if (file := archive.extractfile(entry))
        }


def run_in_pyodide(runtime: Path, program: Path, *packages: str) -> str:
    """What a Python program prints in Pyodide with the packs of packages, and its last value."""
    done = subprocess.run(
        [node.find_node().node, INTERPRETER, runtime, program, *packages],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
