"""The quiz's pure JavaScript: reading, judging and drawing numbers."""

import subprocess
from pathlib import Path

from sitekit.provision import node

TESTS = sorted((Path(__file__).parent / "quiz").glob("*.test.mjs"))


def test_the_quiz_modules_pass_their_own_tests() -> None:
    ran = subprocess.run(
        [node.find_node().node, "--test", *map(str, TESTS)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
