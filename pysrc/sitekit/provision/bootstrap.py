"""The first step on a bare machine: from any Python 3.11+ to a filled .venv, then `sitekit setup`.

Run by path, with the standard library only: `python3 pysrc/sitekit/provision/bootstrap.py`.
"""

import os
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036  (the message is for those who have an older one)
    sys.exit(
        f"Napkin needs Python 3.11 or newer; this is {sys.version.split()[0]}.\n"
        "  What to do: sudo apt-get install python3 (Debian 12+, Ubuntu 24.04+), "
        "or name one: make PYTHON=/path/to/python3.12"
    )

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from sitekit.provision import debian
from sitekit.provision.paths import ROOT, VENV
from sitekit.provision.steps import Stamp, StepFailure, exclusive, explained, run, say

LOCK = ROOT / "requirements.lock"
PROJECT = ROOT / "pyproject.toml"
NETWORK = "Check the network, then run the same command again; what is done already is kept."
SLOWNESS_WORTH_SAYING = 5.0  # seconds


VENV_PYTHON = VENV / "bin" / "python"
PIP = (VENV_PYTHON, "-m", "pip", "--quiet", "--disable-pip-version-check")


def interpreter() -> list[str]:
    """What tells one Python from another: a .venv fits only the one that it was made by."""
    return [platform.python_version(), os.path.realpath(sys.executable)]


def lacks_ensurepip() -> bool:
    """Debian ships Python without the part of `venv` that brings pip."""
    try:
        import ensurepip  # noqa: F401
    except ImportError:
        return True
    return False


def create_venv() -> None:
    """An empty .venv with pip in it."""
    package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    what = "create the virtual environment .venv"
    if lacks_ensurepip():
        try:
            debian.install(package)
        except StepFailure as failure:
            why = f"This Python has no ensurepip module.\n{failure.why}"
            remedy = f"{debian.advice(package)}, then run make again."
            raise StepFailure(what, why, remedy) from None
    say(f"Creating .venv with Python {sys.version.split()[0]} ...")
    shutil.rmtree(VENV, ignore_errors=True)
    run([sys.executable, "-m", "venv", VENV], what=what, remedy=debian.advice(package))


def install_packages() -> None:
    """The pinned packages, each checked against the hash in requirements.lock."""
    count = sum("==" in line for line in LOCK.read_text().splitlines())
    say(f"Installing {count} pinned Python packages ...")
    run(
        [*PIP, "install", "--only-binary=:all:", "--require-hashes", "-r", LOCK],
        what="install the pinned Python packages of requirements.lock",
        remedy=NETWORK,
        cwd=ROOT,
    )


def install_project() -> None:
    """The project itself, editable: pysrc is importable from everywhere in .venv."""
    run(
        [*PIP, "install", "--no-deps", "--no-build-isolation", "--no-index", "--editable", ROOT],
        what="install the project itself into .venv",
        remedy="Look at pyproject.toml, then run the same command again.",
        cwd=ROOT,
    )


def prepare() -> None:
    """Bring .venv up to date; nothing is done, and no network is used, when it is."""
    marker = VENV / "pyvenv.cfg"
    # A changed lock makes a new environment, so that a dropped package is really gone.
    packages = Stamp("packages", [*interpreter(), LOCK], [marker, VENV_PYTHON])
    if not packages.is_current():
        with packages.renewed():
            create_venv()
            install_packages()
    project = Stamp("project", [packages.key, str(ROOT), PROJECT], [VENV, *installed_marks()])
    if not (project.is_current() and installed_marks()):
        with project.renewed():
            install_project()


def installed_marks() -> list[Path]:
    """The files in .venv that say where the editable project lies (none: not installed)."""
    return sorted(VENV.glob("lib/python*/site-packages/napkin*.dist-info"))


def main(arguments: list[str]) -> int:
    started = time.monotonic()
    try:
        with exclusive("setup"):
            prepare()
    except (StepFailure, OSError) as failure:
        print(f"\n{explained(failure)}", file=sys.stderr)
        return 1
    if (taken := time.monotonic() - started) > SLOWNESS_WORTH_SAYING:
        say(f"The Python side is ready ({taken:.0f} s).")
    sys.stdout.flush()
    return subprocess.call([VENV_PYTHON, "-m", "sitekit", "setup", *arguments])


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
