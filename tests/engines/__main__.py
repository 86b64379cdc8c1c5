"""`make test-engines`: try the built site in this machine's own Firefox and WebKitGTK.

`python -m tests.engines firefox|webkit [CHECK ...]` tries one of them, or a few checks only.
"""

from __future__ import annotations

import shutil
import subprocess
import sys

from sitekit.paths import ROOT
from sitekit.provision import debian
from sitekit.provision.node import find_node
from sitekit.provision.steps import StepFailure

SITE = ROOT / "build" / "site"
# The programs that each engine needs: the names of one of them, and the package that brings it.
NEEDS: dict[str, list[tuple[tuple[str, ...], str]]] = {
    "firefox": [(("firefox", "firefox-esr"), "firefox-esr")],
    "webkit": [(("WebKitWebDriver",), "webkit2gtk-driver"), (("xvfb-run",), "xvfb")],
}


def programs(engine: str) -> list[str]:
    """Where the programs of an engine are; a StepFailure says what to install."""
    found, missing = [], []
    for names, package in NEEDS[engine]:
        path = next(filter(None, map(shutil.which, names)), None)
        found.append(path or "")
        if path is None:
            missing.append((" or ".join(names), package))
    if missing:
        raise StepFailure(
            f"try the site in {engine}",
            "\n".join(f"There is no {names} on PATH." for names, _ in missing),
            f"{debian.advice(*(package for _, package in missing))}, then run the same again "
            "(Ubuntu has firefox for firefox-esr).",
        )
    return found


def verdict(engine: str, checks: list[str]) -> tuple[bool, str]:
    """Whether all checks passed in an engine, and the line in which its trial says so."""
    try:
        browser, *display = programs(engine)
    except StepFailure as failure:
        print(f"\n{failure}\n", file=sys.stderr)
        return False, f"{engine}: not tried"
    shown = [*display, "-a"] if display else []
    script = ROOT / "tests/engines" / f"{engine}.mjs"
    command = [*shown, find_node().node, str(script), browser, str(SITE), *checks]
    last = f"{engine}: did not start"
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as trial:
        assert trial.stdout is not None
        for line in trial.stdout:
            print(line, end="", flush=True)
            last = line.rstrip()
    return trial.returncode == 0, last


def main(arguments: list[str]) -> int:
    """Try the engines one after the other, whatever comes of the first; 0 when all passed."""
    engines = [name for name in NEEDS if name in arguments] or list(NEEDS)
    checks = [argument for argument in arguments if argument not in NEEDS]
    verdicts = [verdict(engine, checks) for engine in engines]
    print("\n" + "\n".join(line for _, line in verdicts))
    return 0 if all(passed for passed, _ in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
