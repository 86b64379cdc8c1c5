"""`sitekit pins`: write pyodide.json anew for the Pyodide that package.json names.

To move to another version: change it in package.json, run `npm install`, then this, and read the
difference before it is committed. The npm lock vouches for the core files, the lock for the wheels.
"""

import argparse
import hashlib
import json
from typing import Any

from sitekit.provision import pyodide
from sitekit.provision.paths import ROOT, shown
from sitekit.provision.steps import say, write_atomically


def write(facts: dict[str, Any]) -> None:
    """Write the manifest; what was read of the former one is forgotten."""
    write_atomically(pyodide.MANIFEST, f"{json.dumps(facts, indent=2)}\n".encode())
    pyodide.manifest.cache_clear()


def pin_core() -> None:
    """Pin the version that package.json names and the core files that npm installed."""
    old = pyodide.manifest()
    version = json.loads((ROOT / "package.json").read_text())["dependencies"]["pyodide"]
    core = {}
    for name in old["core"]:
        data = (pyodide.CORE_FOLDER / name).read_bytes()
        core[name] = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    write({**old, "version": version, "core": core})


def pin_wheels() -> None:
    """Pin the sizes of the wheels: the lock states their digests only."""
    wheels = pyodide.wheels(pyodide.official_lock())
    pyodide.fetch_wheels(wheels)
    sizes = {wheel.package: len(pyodide.wheel_bytes(wheel)) for wheel in wheels}
    write({**pyodide.manifest(), "wheels": sizes})


def main(arguments: list[str]) -> int:
    """`sitekit pins`: write pysrc/sitekit/provision/pyodide.json from what npm installed."""
    parser = argparse.ArgumentParser(prog="sitekit pins", description=main.__doc__)
    parser.parse_args(arguments)
    pin_core()
    pin_wheels()
    say(f"{shown(pyodide.MANIFEST)}: written")
    return 0
