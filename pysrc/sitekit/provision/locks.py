"""`sitekit lock`: resolve the pins of pyproject.toml into requirements.lock, hashes included."""

import argparse
import sys
import tempfile
from pathlib import Path

from sitekit.provision.node import FALLBACK_LOCK
from sitekit.provision.paths import ROOT, shown
from sitekit.provision.steps import run, say

RESOLVER = "uv==0.13.9"
OLDEST_PYTHON = "3.11"
GROUPS = {ROOT / "requirements.lock": "dev", FALLBACK_LOCK: "node"}


def main(arguments: list[str]) -> int:
    """`sitekit lock`: write the lock files for every Python from 3.11 on and every platform."""
    argparse.ArgumentParser(prog="sitekit lock", description=main.__doc__).parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        tools = Path(temporary)
        what, remedy = f"install the resolver {RESOLVER}", "Check the network and try again."
        run([sys.executable, "-m", "venv", tools], what=what, remedy=remedy)
        run([tools / "bin/pip", "install", "--quiet", RESOLVER], what=what, remedy=remedy)
        for lock, group in GROUPS.items():
            run(
                [
                    *(tools / "bin/uv", "pip", "compile", "--no-config", "--quiet", "--universal"),
                    *("--generate-hashes", "--python-version", OLDEST_PYTHON),
                    *("--no-header", "--no-annotate", "--no-emit-index-url"),
                    *("--group", group, "--output-file", lock),
                ],
                what=f"resolve the dependency group {group} of pyproject.toml",
                remedy="Loosen the pin that it names.",
                cwd=ROOT,
            )
            say(f"{shown(lock)}: written")
    return 0
