"""Packs: Pyodide's packages trimmed and compiled once, so that a page unpacks and imports them
in less time than it takes the wheel; and its standard library and our own Python, compiled.

`packing.py` makes them from the official files, inside the pinned Pyodide. They are kept under
.cache by what they were made from, and published with the site in both modes: no CDN has them.
"""

import hashlib
import json
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sitekit.provision import node, pyodide
from sitekit.provision.archive import archive_bytes
from sitekit.provision.packing import COURSE, COURSE_PLACE, JOBS, REST, STDLIB
from sitekit.provision.paths import CACHE, ROOT, shown
from sitekit.provision.pyodide import PinnedFile, Wheel
from sitekit.provision.steps import StepFailure, fingerprint, run, say, write_atomically

FOLDER = CACHE / "packs"
SCRIPT = Path(__file__).with_name("packing.mjs")
PROGRAM = Path(__file__).with_name("packing.py")
TIMEOUT = 600.0  # seconds for all packs; they take about 20
STDLIB_SOURCE = "python_stdlib.zip"
# What Matplotlib's metadata asks for and no figure on a page does: they serve PDF files and
# time zones. An import in a cell still brings them.
UNNEEDED = {"matplotlib": {"fonttools", "pytz"}}
# What imports nothing of the rest of the standard library when it is imported itself.
CONTENT_WITH_FIRST = {"numpy"}


@dataclass(frozen=True)
class Sources(PinnedFile):
    """Our own Python as it is now, in a zip."""

    content: bytes


@dataclass(frozen=True)
class Pack(PinnedFile):
    """A package's pack: the file, and what a page must know to unpack it."""

    package: str
    version: str
    unpacked: int  # bytes of the archive in it
    imports: tuple[str, ...]
    depends: tuple[str, ...]
    rest: bool  # whether it wants the rest of the standard library

    def facts(self) -> dict[str, Any]:
        """The pack's entry in config.js."""
        facts = asdict(self)
        del facts["package"]
        return {"file": facts.pop("name"), **facts}


def pack_of(wheel: Wheel, data: bytes) -> Pack:
    """What is known of a wheel's pack, from its bytes."""
    digest = hashlib.sha256(data).hexdigest()
    version = wheel.name.split("-")[1]
    unneeded = UNNEEDED.get(wheel.package, set())
    return Pack(
        name=f"{wheel.package}-{version}-{digest[:8]}.pack",
        sha256=digest,
        bytes=len(data),
        package=wheel.package,
        version=version,
        unpacked=int.from_bytes(data[-4:], "little"),  # gzip ends with it
        imports=wheel.imports,
        depends=tuple(name for name in wheel.depends if name not in unneeded),
        rest=wheel.package not in CONTENT_WITH_FIRST,
    )


def sources(wheels: list[Wheel]) -> dict[str, PinnedFile]:
    """What packs are made from, by job: the wheels, the standard library's zip and our sources."""
    (stdlib,) = (pin for pin in pyodide.core_files() if pin.name == STDLIB_SOURCE)
    others = {STDLIB: stdlib, REST: stdlib, COURSE: course_sources()}
    return {**{wheel.package: wheel for wheel in wheels}, **others}


def course_sources() -> Sources:
    """Our own Python, which is read anew each time."""
    content = archive_bytes()
    digest = hashlib.sha256(content).hexdigest()
    return Sources(f"{COURSE}.zip", digest, len(content), content)


def key(job: str, source: PinnedFile) -> str:
    """What a pack depends on, as the sha256 of it all."""
    return fingerprint([job, source.sha256, pyodide.version(), PROGRAM, SCRIPT])


def source_bytes(source: PinnedFile) -> bytes:
    """The bytes that a pack is made from, checked."""
    if isinstance(source, Sources):
        return source.content
    return pyodide.wheel_bytes(source) if isinstance(source, Wheel) else pyodide.core_bytes(source)


def cached(job: str, source: PinnedFile, folder: Path) -> bytes | None:
    """The pack's bytes from the cache; None when it must be made, which is said if it is damaged.

    A cached file begins with the sha256 of the rest.
    """
    try:
        digest, _, data = (folder / key(job, source)).read_bytes().partition(b"\n")
    except FileNotFoundError:
        return None
    if hashlib.sha256(data).hexdigest().encode() == digest:
        return data
    say(f"The pack of {job} in {shown(folder)} is damaged.")
    return None


def made(jobs: Mapping[str, PinnedFile]) -> dict[str, bytes]:
    """The packs by job, made in Pyodide; a StepFailure when that fails."""
    what = f"pack {', '.join(jobs)} for the browser"
    remedy = (
        f"Correct the file of pysrc that is named above ({COURSE_PLACE} holds what lies there); "
        f"if none is, remove {shown(pyodide.CORE_FOLDER.parent)} and run `make setup`."
    )
    for pin in pyodide.core_files():
        pyodide.core_bytes(pin)  # only the released interpreter makes packs
    pyodide.fetch_wheels(source for source in jobs.values() if isinstance(source, Wheel))
    with tempfile.TemporaryDirectory(dir=CACHE) as temporary:
        work = Path(temporary)
        for source in jobs.values():
            (work / source.name).write_bytes(source_bytes(source))
        (work / JOBS).write_text(json.dumps({job: source.name for job, source in jobs.items()}))
        run(
            [node.find_node().node, SCRIPT, pyodide.CORE_FOLDER, work],
            what=what,
            remedy=remedy,
            cwd=ROOT,
            timeout=TIMEOUT,
        )
        try:
            return {job: (work / f"{job}.pack").read_bytes() for job in jobs}
        except FileNotFoundError as error:
            raise StepFailure(what, f"It ended without {error.filename}.", remedy) from error


def provide(jobs: Mapping[str, PinnedFile], folder: Path = FOLDER) -> dict[str, bytes]:
    """Every pack's bytes by job, from the cache or made now."""
    found = {job: data for job, source in jobs.items() if (data := cached(job, source, folder))}
    missing = {job: source for job, source in jobs.items() if job not in found}
    if missing:
        say(f"Packing {', '.join(missing)} for the browser ...")
        for job, data in made(missing).items():
            digest = hashlib.sha256(data).hexdigest()
            write_atomically(folder / key(job, jobs[job]), f"{digest}\n".encode() + data)
            found[job] = data
    forget(folder, {key(job, source) for job, source in jobs.items()})
    return found


def forget(folder: Path, keys: set[str]) -> None:
    """Drop the packs of other sources and of earlier programs."""
    for file in folder.iterdir():
        if file.name not in keys:
            file.unlink()
