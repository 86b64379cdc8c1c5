"""What the first command on a bare machine says when a step cannot be done."""

import re
from pathlib import Path

import pytest

from tests.sitekit.sandbox import Sandbox


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path)


def test_python_without_ensurepip_is_told_the_package_to_install(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    sandbox.write("broken/ensurepip.py", "raise ImportError('left out by the distribution')")
    done = sandbox.bootstrap(PYTHONPATH=str(tmp_path / "broken"))
    assert done.returncode == 1
    assert "Could not create the virtual environment .venv" in done.stderr
    assert "no ensurepip module" in done.stderr
    assert "-venv" in done.stderr
    assert "Traceback" not in done.stderr


def test_python_without_ensurepip_gets_it_from_apt_where_that_is_allowed(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    sandbox.write("broken/ensurepip.py", "raise ImportError('left out by the distribution')")
    sandbox.program("apt-get", f'echo "$@" >> {log}; case "$*" in *install*) exit 100; esac')
    sandbox.program("env", 'shift; exec "$@"')
    sandbox.program("sudo", '[ "$2" = true ] && exit 0; shift; exec "$@"')
    done = sandbox.bootstrap(PYTHONPATH=str(tmp_path / "broken"))
    update, install = log.read_text().splitlines()
    assert update == "-q -y update"
    assert re.fullmatch(r"-q -y install --no-install-recommends python3\.\d+-venv", install)
    assert done.returncode == 1
    assert "exit status 100" in done.stderr


def test_failed_pip_is_quoted_and_its_step_is_done_again(sandbox: Sandbox) -> None:
    sandbox.write("requirements.lock", f"no-such-package==1.0 --hash=sha256:{'0' * 64}\n")
    done = sandbox.bootstrap(PIP_NO_INDEX="1", PIP_FIND_LINKS="")
    assert done.returncode == 1
    assert "Could not install the pinned Python packages of requirements.lock" in done.stderr
    assert "No matching distribution found for no-such-package==1.0" in done.stderr
    assert "Check the network" in done.stderr
    assert not (sandbox.root / ".cache/stamps/packages").exists()


def test_failed_npm_is_quoted_and_its_step_is_done_again(sandbox: Sandbox) -> None:
    sandbox.program("node", "echo v20.0.0")
    sandbox.program("npm", "echo 'npm error code ENOTFOUND' >&2; exit 1")
    done = sandbox.call(
        "import sys\n"
        "from sitekit.provision import node, steps\n"
        "try:\n"
        "    node.install_packages()\n"
        "except steps.StepFailure as failure:\n"
        "    sys.exit(str(failure))\n"
    )
    assert done.returncode == 1
    assert "Could not install the browser libraries of package-lock.json" in done.stderr
    assert "npm error code ENOTFOUND" in done.stderr
    assert "exit status 1" in done.stderr
    assert "Check the network" in done.stderr
    assert not (sandbox.root / ".cache/stamps/node_modules").exists()
