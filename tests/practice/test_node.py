"""The page's practice modules, tested in Node.js as they are."""

import re
import subprocess
from pathlib import Path

import pytest

from sitekit.provision import node

HERE = Path(__file__).parent
# Clock changes at midnight, by half an hour, and a zone that is 5 h 45 min ahead.
ZONES = ["America/Santiago", "Australia/Lord_Howe", "Asia/Kathmandu"]


@pytest.mark.parametrize(
    ("file", "zone"),
    [
        *((file, "UTC") for file in sorted(HERE.glob("*.test.mjs"))),
        *((HERE / f"{name}.test.mjs", zone) for name in ("schedule", "log") for zone in ZONES),
    ],
    ids=lambda value: value.name if isinstance(value, Path) else value.partition("/")[2] or value,
)
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
