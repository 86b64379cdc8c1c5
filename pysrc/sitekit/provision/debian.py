"""Debian's and Ubuntu's packages, installed when that is possible without asking anybody."""

import os
import shutil
import subprocess

from sitekit.provision.steps import StepFailure, run, say


def privilege() -> list[str] | None:
    """What to put before apt-get: nothing as root, sudo where it asks no password, else None."""
    if shutil.which("apt-get") is None:
        return None
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") is None:
        return None
    asked = subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False)
    return ["sudo", "-n"] if asked.returncode == 0 else None


def advice(*packages: str) -> str:
    """The command that a person with the right to do so would type."""
    if shutil.which("apt-get"):
        return f"sudo apt-get install {' '.join(packages)}"
    return f"install {' or '.join(packages)} with your system's package manager"


def install(*packages: str) -> None:
    """Install packages with apt-get; a StepFailure says what to type where we may not."""
    what = f"install Debian's {' '.join(packages)}"
    command = advice(*packages)
    before = privilege()
    if before is None:
        raise StepFailure(what, "apt-get as root (or sudo without a password) is needed.", command)
    say(f"Installing with apt-get: {' '.join(packages)} ...")
    # Through env, since sudo drops the variables that it was started with.
    apt = [*before, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y"]
    again = f"{command}, then run the same command again."
    run([*apt, "update"], what="update apt-get's lists", remedy=again)
    run([*apt, "install", "--no-install-recommends", *packages], what=what, remedy=again)
