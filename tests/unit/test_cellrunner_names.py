"""Which names a cell defines and needs, for "run the cells above first"."""

import pytest

from cellrunner.names import names_defined, names_used


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("x = 1", ["x"]),
        ("a, (b, *c) = pairs", ["a", "b", "c"]),
        ("import numpy as np, os.path\nfrom math import pi as p, e\nfrom x import *",
         ["np", "os", "p", "e"]),
        ("def f(a):\n    inner = a\nasync def g(): ...\nclass C:\n    part = 1", ["f", "g", "C"]),
        ("for i in range(3):\n    total = i", ["i", "total"]),
        ("with open(p) as file: ...", ["file"]),
        ("if (n := 3) > 2: ...", ["n"]),
        ("last = [y := x for x in data]", ["last", "y"]),
        ("match v:\n    case [first, *rest]: ...\n    case {'a': a, **more}: ...",
         ["first", "rest", "a", "more"]),
        ("def f():\n    global seen\n    seen = 1", ["f", "seen"]),
        ("x.a = 1\ny[0] = 2\ndel z", []),
        ("x += 1", ["x"]),
        ("x: int\ny: int = 1", ["y"]),
    ],
)  # fmt: skip
def test_names_defined(source: str, names: list[str]) -> None:
    assert sorted(names_defined(source)) == sorted(names)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("print(len(x))", ["x"]),
        ("x = 1\nx + y", ["y"]),
        ("x = x + 1", ["x"]),
        ("x += 1", ["x"]),
        ("def f(a, b=start):\n    c = a\n    return c + d", ["start", "d"]),
        ("def f():\n    return later\nlater = 1", []),
        ("use = later\nlater = 1", ["later"]),
        ("[x * scale for x in xs if x > low]", ["xs", "low", "scale"]),
        ("lambda a: a + b", ["b"]),
        ("class C(Base):\n    n = 1\n    m = n + k", ["Base", "k"]),
        ("f'{a:{width}}'", ["a", "width"]),
        ("for i in range(n):\n    print(i)", ["n"]),
        ("try:\n    pass\nexcept Problem as e:\n    print(e)", ["Problem"]),
        ("await go()", ["go"]),
        ("a.b = c[0] = v", ["v", "a", "c"]),
        ("x: Shape = y", ["Shape", "y"]),
        ("with lock as held: held", ["lock"]),
        ("match v:\n    case Point(x=x): x", ["v", "Point"]),
    ],
)
def test_names_used(source: str, names: list[str]) -> None:
    assert names_used(source) == names


@pytest.mark.parametrize("source", ["def f(:", "\0", "(" * 5_000, "x = '", "\ud800"])
def test_code_that_does_not_parse_has_no_names(source: str) -> None:
    assert names_defined(source) == []
    assert names_used(source) == []


def test_a_cell_run_after_what_it_needs_finds_all_names() -> None:
    cells = ["import math\nn = 4", "def area(r):\n    return math.pi * r * r", "area(n)"]
    known: set[str] = set()
    for cell in cells:
        assert set(names_used(cell)) <= known
        known |= set(names_defined(cell))
