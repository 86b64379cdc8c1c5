"""The page's practice modules, tested in Node.js as they are."""

import re
import subprocess
from pathlib import Path

import pytest

from sitekit.provision import node

HERE = Path(__file__).parent


@pytest.mark.parametrize("file", sorted(HERE.glob("*.test.mjs")), ids=lambda file: file.name)
@pytest.mark.parametrize("zone", ["UTC"])
def test_in_node(file: Path, zone: str) -> None:
    done = subprocess.run(
        [node.find_node().node, "--test", file],
        env={"TZ": zone},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert int(re.findall(r"pass (\d+)", done.stdout)[-1]) >= 1
