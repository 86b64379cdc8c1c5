"""A Chromium for the browser tests: the system's, else Playwright's, else Debian's package."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from sitekit.provision import debian
from sitekit.provision.paths import CACHE
from sitekit.provision.steps import StepFailure, run, say, write_atomically

NAMES = ("chromium", "google-chrome-stable", "google-chrome", "chromium-browser", "chrome")
APPLICATIONS = (  # macOS keeps them off PATH
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
CHOSEN = CACHE / "stamps" / "chromium"
DRIVER_LIBRARY = "libatomic1"
START_TIMEOUT = 30.0  # seconds
DOWNLOAD_TIMEOUT = 600.0  # seconds
WHAT = "find or install a Chromium for the browser tests"


def starts(program: str) -> bool:
    """True when it runs and says that it is a Chromium; Ubuntu's stub for a snap does not."""
    try:
        told = subprocess.run(
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=START_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return told.returncode == 0 and "Chrom" in told.stdout


def system_candidates() -> Iterator[str]:
    """Programs on PATH, and where macOS keeps them, that may be a Chromium."""
    for name in NAMES:
        if path := shutil.which(name):
            yield path
    yield from (path for path in APPLICATIONS if os.access(path, os.X_OK))


def playwright_candidates() -> Iterator[str]:
    """The Chromium that the pinned Playwright downloaded, if it did."""
    # In a process of its own, since this one may be in the middle of using Playwright.
    script = (
        "from playwright.sync_api import sync_playwright\n"
        "with sync_playwright() as playwright: print(playwright.chromium.executable_path)"
    )
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    if told.returncode == 0 and os.access(path := told.stdout.strip(), os.X_OK):
        yield path


def installed() -> str | None:
    """The first Chromium that starts, or None; what was chosen last time is asked first."""
    try:
        path, _, modified = CHOSEN.read_text().rpartition("\n")
        if os.access(path, os.X_OK) and str(Path(path).stat().st_mtime_ns) == modified:
            return path
    except OSError:
        pass
    for candidates in (system_candidates, playwright_candidates):
        for path in candidates():
            if starts(path):
                remember(path)
                return path
    return None


def remember(path: str) -> None:
    """Keep the choice, so that the next look costs nothing."""
    write_atomically(CHOSEN, f"{path}\n{Path(path).stat().st_mtime_ns}".encode())


def find_chromium() -> Path:
    """The Chromium to test with; a StepFailure says how to get one."""
    found = installed()
    if found is None:
        raise StepFailure(WHAT, "None is installed.", "Run `make setup`.")
    return Path(found)


def provide() -> Path:
    """The Chromium to test with, installed when there is none."""
    if CHOSEN.exists() and (found := installed()):
        return Path(found)
    provide_driver()
    reasons = []
    for install in (None, install_with_playwright, install_with_apt):
        try:
            if install is not None:
                install()
        except StepFailure as failure:
            reasons.append(str(failure))
            continue
        if found := installed():
            return Path(found)
        if install is not None:
            reasons.append("What was installed does not start.")
    remedy = f"{debian.advice('chromium')}, then run the same command again."
    raise StepFailure(WHAT, "\n".join(reasons), remedy)


def provide_driver() -> None:
    """See that Playwright's own program starts; a bare Debian lacks a library that it needs."""
    check = [sys.executable, "-m", "playwright", "--version"]
    what = "start Playwright, which drives the browser tests"
    remedy = f"{debian.advice(DRIVER_LIBRARY)}, then run the same command again."
    try:
        run(check, what=what, remedy=remedy)
    except StepFailure as failure:
        if DRIVER_LIBRARY[:-1] not in failure.why:
            raise
        debian.install(DRIVER_LIBRARY)
        run(check, what=what, remedy=remedy)


def install_with_playwright() -> None:
    """Playwright's own download."""
    say("No Chromium on this system: asking Playwright to download one ...")
    run(
        [sys.executable, "-m", "playwright", "install", "chromium"],
        what="download a Chromium with Playwright",
        remedy="Check the network.",
        timeout=DOWNLOAD_TIMEOUT,
    )


def install_with_apt() -> None:
    """Debian's package (Ubuntu's is a stub for a snap, which `starts` refuses)."""
    debian.install("chromium")
