"""`sitekit build`: the finished site, self-hosted or loading Pyodide from its CDN."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from sitekit import items, modules
from sitekit.provision import assets, pyodide
from sitekit.provision.paths import ROOT, SITE, shown
from sitekit.provision.steps import StepFailure, say

MKDOCS = (sys.executable, "-m", "mkdocs")


def environment() -> dict[str, str]:
    """The variables that MkDocs runs with: the theme's notice about MkDocs 2 is left out."""
    return {**os.environ, "NO_MKDOCS_2_WARNING": "1"}


def build(mode: str, out: Path, *, quiet: bool) -> None:
    """Write the runtime folder and then the whole site; every warning stops it."""
    if mode == "self-hosted":
        pyodide.provide()
    assets.write(mode)
    items.write()
    modules.write()
    command = [*MKDOCS, "build", "--strict", "--clean", "--site-dir", str(out.resolve())]
    # Not MkDocs' own --quiet: it silences warnings before --strict has counted them.
    run = subprocess.run(
        command, cwd=ROOT, env=environment(), check=False, capture_output=quiet, text=True
    )
    if status := run.returncode:
        if quiet:
            print(run.stderr, file=sys.stderr)
        raise StepFailure(
            "build the site",
            f"mkdocs build --strict ended with exit status {status}; its messages are above.",
            "Correct what they name: a warning counts as an error.",
        )
    say(f"{shown(out)}: built ({mode})")


def main(arguments: list[str]) -> int:
    """`sitekit build`: write the finished site."""
    parser = argparse.ArgumentParser(prog="sitekit build", description=main.__doc__)
    assets.add_mode(parser)
    parser.add_argument("--out", type=Path, default=SITE, help="folder (default: build/site)")
    parser.add_argument("--quiet", action="store_true", help="say only what is wrong")
    options = parser.parse_args(arguments)
    build(options.runtime, options.out, quiet=options.quiet)
    return 0
