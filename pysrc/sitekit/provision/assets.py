"""docs/assets/runtime: what a page's worker loads, with the sha256 and size of every file.

`config.js` tells the page where Pyodide lies (`base`): in the folder `pyodide/` beside it when the
site is self-hosted, on Pyodide's CDN otherwise. The bytes are the same in both modes.
"""

import argparse
import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sitekit.provision import packs, pyodide
from sitekit.provision.packing import COURSE, REST, STDLIB
from sitekit.provision.packs import Pack
from sitekit.provision.paths import RUNTIME, shown
from sitekit.provision.pyodide import PinnedFile, Wheel
from sitekit.provision.steps import exclusive, say, write_atomically

MODES = ("self-hosted", "cdn")
MODE_VARIABLE = "NAPKIN_RUNTIME"
LOCAL_BASE = "pyodide/"


def pinned(name: str, data: bytes) -> PinnedFile:
    """What a file is, from its bytes."""
    return PinnedFile(name, hashlib.sha256(data).hexdigest(), len(data))


def named(stem: str, data: bytes) -> PinnedFile:
    """A zip of ours, with the start of its sha256 in its name: browsers may keep it for ever."""
    return pinned(f"{stem}-{hashlib.sha256(data).hexdigest()[:8]}.zip", data)


def config(
    mode: str,
    core: Iterable[PinnedFile],
    stdlib: PinnedFile,
    rest: PinnedFile,
    wheels: Iterable[Wheel],
    packed: Iterable[Pack],
    archive: PinnedFile,
) -> bytes:
    """config.js: a module whose default export says what there is to load."""
    facts: dict[str, Any] = {
        "version": pyodide.version(),
        "base": LOCAL_BASE if mode == "self-hosted" else pyodide.cdn(),
        "core": {pin.name: {"sha256": pin.sha256, "bytes": pin.bytes} for pin in core},
        "packages": {
            wheel.package: {
                "file": wheel.name,
                "sha256": wheel.sha256,
                "bytes": wheel.bytes,
                "imports": wheel.imports,
                "depends": wheel.depends,
            }
            for wheel in wheels
        },
        "stdlib": named_facts(stdlib),
        "rest": named_facts(rest),
        "packs": {pack.package: pack.facts() for pack in packed},
        "archive": named_facts(archive),
    }
    return f"export default {json.dumps(facts, indent=2)};\n".encode()


def named_facts(pin: PinnedFile) -> dict[str, Any]:
    """A file's entry in config.js."""
    return {"file": pin.name, "sha256": pin.sha256, "bytes": pin.bytes}


def files(mode: str) -> dict[str, bytes]:
    """Every file of the runtime folder by its path in it, checked against its pin."""
    if mode not in MODES:
        raise ValueError(f"runtime must be one of {', '.join(MODES)}, not {mode!r}")
    lock = pyodide.official_lock()
    wheels = pyodide.wheels(lock)
    core = pyodide.core_files()
    content: dict[str, bytes] = {}
    if mode == "self-hosted":
        trimmed = pyodide.trimmed_lock(lock, wheels)
        core = [pinned(pin.name, trimmed) if pin.name == pyodide.LOCK_NAME else pin for pin in core]
        for pin in core:
            data = trimmed if pin.name == pyodide.LOCK_NAME else pyodide.core_bytes(pin)
            content[LOCAL_BASE + pin.name] = data
        for wheel in wheels:
            content[LOCAL_BASE + wheel.name] = pyodide.wheel_bytes(wheel)
    packed = packs.provide(packs.sources(wheels))  # in both modes: no CDN has them
    described = [packs.pack_of(wheel, packed[wheel.package]) for wheel in wheels]
    for pack in described:
        content[pack.name] = packed[pack.package]
    stdlib = named("stdlib", packed[STDLIB])
    content[stdlib.name] = packed[STDLIB]
    rest = named("stdlib-rest", packed[REST])
    content[rest.name] = packed[REST]
    archive = named("napkin", packed[COURSE])
    content[archive.name] = packed[COURSE]
    content["config.js"] = config(  # last: it names the others
        mode, core, stdlib, rest, wheels, described, archive
    )
    return content


def write(mode: str, folder: Path = RUNTIME) -> bool:
    """Make the folder hold exactly the mode's files; True when anything had to change."""
    with exclusive("runtime"):
        content = files(mode)
        changed = False
        for name, data in content.items():
            file = folder / name
            if not file.is_file() or file.read_bytes() != data:
                write_atomically(file, data)
                changed = True
        return remove_stale(folder, set(content)) or changed


def remove_stale(folder: Path, names: set[str]) -> bool:
    """Remove what the mode does not have; True when there was any."""
    removed = False
    for path in sorted(folder.rglob("*"), reverse=True):  # a folder comes after what is in it
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path.relative_to(folder).as_posix() not in names:
            path.unlink()
            removed = True
    return removed


def default_mode() -> str:
    """The mode named by the environment, else self-hosted."""
    return os.environ.get(MODE_VARIABLE) or "self-hosted"


def add_mode(parser: argparse.ArgumentParser) -> None:
    """The option --runtime, shared by the commands that write the runtime folder."""
    parser.add_argument(
        "--runtime",
        choices=MODES,
        default=default_mode(),
        help=f"where pages load Pyodide from (default: ${MODE_VARIABLE} or self-hosted)",
    )


def main(arguments: list[str]) -> int:
    """`sitekit assets`: write docs/assets/runtime."""
    parser = argparse.ArgumentParser(prog="sitekit assets", description=main.__doc__)
    add_mode(parser)
    mode = parser.parse_args(arguments).runtime
    if mode == "self-hosted":
        pyodide.provide()
    state = "written" if write(mode) else "current"
    say(f"{shown(RUNTIME)}: {state} ({mode})")
    return 0
