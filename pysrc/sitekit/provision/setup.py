"""`sitekit setup`: all that the site and its tests need besides Python packages."""

import argparse
import sys
import time

from sitekit import items
from sitekit.provision import assets, bundles, chromium, node, pyodide
from sitekit.provision.steps import StepFailure, exclusive, say


def main(arguments: list[str]) -> int:
    """`sitekit setup`: browser libraries, Pyodide, a Chromium; only what is not there yet."""
    parser = argparse.ArgumentParser(prog="sitekit setup", description=main.__doc__)
    parser.add_argument(
        "--chromium",
        choices=("needed", "wanted"),
        default="needed",
        help="wanted: go on without one, with a warning (default: needed)",
    )
    options = parser.parse_args(arguments)
    started = time.monotonic()
    with exclusive("setup"):
        node.install_packages()
        bundles.build()
        pyodide.provide()
    assets.write("self-hosted")
    items.write()
    try:
        with exclusive("setup"):
            chromium.provide()
    except StepFailure as failure:
        if options.chromium == "needed":
            raise
        print(f"\n{failure}\n  Going on without: only the tests need it.\n", file=sys.stderr)
    say(f"Set-up is complete ({time.monotonic() - started:.1f} s).")
    return 0
