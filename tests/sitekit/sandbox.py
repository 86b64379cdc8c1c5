"""A bare copy of the set-up's own files: the bootstrap can fail there without harm."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from sitekit.provision.paths import ROOT


class Sandbox:
    """A checkout of nothing but the set-up, with its own .venv, .cache and node_modules."""

    def __init__(self, root: Path) -> None:
        self.root = root
        source = Path("pysrc/sitekit/provision")
        shutil.copytree(ROOT / source, root / source, ignore=shutil.ignore_patterns("__pycache__"))
        self.write("pysrc/sitekit/__init__.py", "")
        for name in ("package.json", "package-lock.json", ".npmrc", "pyproject.toml"):
            shutil.copy(ROOT / name, root / name)
        self.write("requirements.lock", "")

    def write(self, name: str, text: str) -> Path:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def program(self, name: str, script: str) -> Path:
        """A program on the sandbox's PATH that runs a shell script."""
        file = self.write(f"bin/{name}", f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
        return file

    def run(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run Python in the sandbox, with nothing on PATH but the sandbox's programs."""
        environment = {
            key: value for key, value in os.environ.items() if key not in {"PATH", "PYTHONPATH"}
        }
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.root,
            env={**environment, "PATH": str(self.root / "bin"), **variables},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def bootstrap(self, **variables: str) -> subprocess.CompletedProcess[str]:
        return self.run("pysrc/sitekit/provision/bootstrap.py", **variables)

    def call(self, code: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run code that imports the sandbox's sitekit instead of the checkout's."""
        return self.run("-c", code, PYTHONPATH=str(self.root / "pysrc"), **variables)
