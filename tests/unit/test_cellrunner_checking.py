"""What the checker replies, and what it does not let through."""

import asyncio
import builtins
import json
import math
import sys

import pytest

from cellrunner.checking import check, verdict_on
from cellrunner.runner import Outcome


def checked(source: str, checks: str, names: list[str]) -> tuple[Outcome, list[tuple[str, str]]]:
    told: list[tuple[str, str]] = []
    outcome = asyncio.run(check(lambda *piece: told.append(piece), source, "try", checks, names))
    return outcome, told


def reply(source: str, checks: str = "assert f(2) == 4", names: tuple[str, ...] = ("f",)) -> str:
    _, told = checked(source, checks, list(names))
    [verdict] = [json.loads(text) for stream, text in told if stream == "verdict"]
    return "right" if verdict["passed"] else str(verdict["message"])


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("f = lambda n: n * n", "right"),
        ("f = lambda n: n + 1", "`f(2)` gives 3, not 4."),
        ("f = lambda n: ...", "Line 1 still has `...`"),
        ("f = lambda n: n[..., 0]", "Your code raises TypeError when the check runs `f(2)"),
        ("g = 1", "Your code does not define `f`."),
        ("f = 1", "The check cannot use your result in `f(2) == 4`"),
        ("def f(n): return int(input())", "Your code raises RuntimeError"),
        ("f =", "Your code ends in an error"),
        ("raise SystemExit", "Your code ends in an error"),
        ("def f(n): raise SystemExit", "Your code raises SystemExit"),
        ("def f(n): assert n == 3", "Your code raises AssertionError when"),
        ("def f(n): return f(n)", "Your code raises RecursionError"),
        ("class F:\n  def __repr__(s): 1/0\nf = lambda n: F()", "gives a F, not 4."),
    ],
)
def test_replies(source: str, expected: str) -> None:
    assert expected in reply(source)


def test_asserts_in_loops_and_comparisons_explain_themselves() -> None:
    loop = "for n in (1, 2):\n    assert f(n) == n + 1"
    assert reply("f = int", loop) == "`f(n)` gives 1, not 2."
    assert "does not hold yet: `f(2) > 3`; `f(2)` gives 2" in reply("f = int", "assert f(2) > 3")
    assert "does not hold yet: `f(2) and False`" in reply("f = int", "assert f(2) and False")


def test_what_the_code_redefines_does_not_reach_the_checks_nor_what_comes_after() -> None:
    import napkin.flops

    before, original = dict(vars(builtins)), napkin.flops.matmul_flops
    source = (
        "import builtins, math, napkin.flops\n"
        "napkin.flops.matmul_flops = lambda *a: 4\nmath.isclose = lambda *a: True\n"
        "builtins.abs = builtins.print = builtins.new = None\nsum = close = None\n"
        "f = lambda n: n"
    )
    checks = (
        "import math\nfrom napkin.flops import matmul_flops\n"
        "assert abs(-1) == sum([1]) and close(1, 1) and not math.isclose(1, 2)\n"
        "assert f(2) == matmul_flops(1, 1, 1)\nassert f(3) == 4"
    )
    assert reply(source, checks) == "`f(3)` gives 3, not 4."
    assert vars(builtins) == before
    assert sys.modules["math"] is math and not math.isclose(1, 2)
    assert napkin.flops.matmul_flops is original


def test_a_check_that_is_stopped_has_no_verdict() -> None:
    outcome, told = checked("def f(n): raise KeyboardInterrupt", "f(2)", ["f"])
    assert outcome.stopped
    assert not [text for stream, text in told if stream == "verdict"]
    verdict, failure = verdict_on({"f": int}, "assert f(2) == 2", ["f"])
    assert verdict is not None and verdict.passed and failure is None
