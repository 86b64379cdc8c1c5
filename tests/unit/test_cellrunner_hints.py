"""An error in a cell comes with a sentence that says what to do, unless Python says it already."""

import pytest

from cellrunner.errors import MAX_CHARS
from tests.unit.cell_session import Session

AVAILABLE = ["numpy", "matplotlib"]


@pytest.fixture
def session() -> Session:
    return Session()


def told(session: Session, source: str) -> str:
    """All that is said about a cell's error: Python's own words and ours."""
    error = session.error(source, available=AVAILABLE)
    return error.text + error.hint


@pytest.mark.parametrize(
    ("source", "meant"),
    [
        ("weights = 3\nprint(wieghts)", "weights"),
        ("pritn(1)", "print"),
        ("def f(layers):\n    return laeyrs\nf(1)", "layers"),
        ("import math\nmath.sqroot(2)", "sqrt"),
        ("from math import sqroot", "sqrt"),
        ("'abc'.uper()", "upper"),
        ("import nunpy", "numpy"),
        ("import matplotlb.pyplot", "matplotlib"),
        ("import jsn", "json"),
        ("d = {'layers': 1, 'heads': 2}\nd['layer']", "layers"),
        ("d = {'layers': 1, 'heads': 2}\nd.pop('haeds')", "heads"),
        ("d = {'a': {'layers': 1}}\nd['a']['layres']", "layers"),
        ("true", "True"),
    ],
)
def test_the_nearest_name_is_told_once(session: Session, source: str, meant: str) -> None:
    text = told(session, source)
    last = text[text.rindex("Error") :]
    assert meant in last.replace(source, "")
    assert last.count("Did you mean") <= 1


@pytest.mark.parametrize("source", ["zebra", "{'a': 1}['zebra']", "import zebra_stripes", "1/0"])
def test_no_name_is_proposed_where_none_is_alike(session: Session, source: str) -> None:
    assert "Did you mean" not in told(session, source)
    assert "nearest" not in told(session, source)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("np.zeros(3)", "Put `import numpy as np` before it."),
        ("del print", "`print` is Python's own and not a variable: there is nothing to delete."),
        ("null", "Python writes `None` where other languages write `null`."),
        ("d = {1: 'one'}\nd['1']", "The key is the number 1, not the text '1'."),
        ("d = {'1': 'one'}\nd[1]", "The key is the text '1', not the number 1."),
        ("d = {'a': 1, 'b': 2}\nd['zebra']", "d has the keys 'a', 'b'."),
        ("d = {}\nd['zebra']", "d is empty."),
        ("x = [1, 2]\nx[2]", "x has 2 elements, numbered from 0 to 1."),
        ("x = []\nx[0]", "x is empty."),
        ("x = {'a': [7]}\nx['a'][1]", "x['a'] has 1 element: its number is 0."),
        ("'n = ' + 1", 'To put a number into a text, write f"... {number} ...".'),
    ],
)
def test_hint(session: Session, source: str, sentence: str) -> None:
    assert session.error(source).hint == sentence
    assert session.text("hint") == f"{sentence}\n"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x = [2, 1].sort()\nx.append(3)", "The value before the dot is None"),
        ("count = 0\ndef f():\n    count += 1\nf()", "a `count` of its own"),
        ("list = [1]\nlist(range(3))", "hides Python's own `list`"),
        ("2 (3)", "a product needs its *"),
        ("def f(n):\n    return f(n + 1)\nf(0)", "`f` calls itself without an end"),
        ("raise MemoryError", "at most 4 GB"),
        ("open('/no/such/file')", "cannot see the files of your computer"),
        ("import numpy\nnumpy.zeros(10**20)", "at most 4 GB"),
    ],
)
@pytest.mark.filterwarnings("ignore:'int' object is not callable:SyntaxWarning")
def test_hint_says(session: Session, source: str, words: str) -> None:
    assert words in session.error(source).hint


def test_a_zero_time_points_to_the_clock_but_a_plain_zero_does_not(session: Session) -> None:
    timing = "from time import perf_counter\nt = perf_counter()\nspeed = 1 / (t - t)"
    assert "repeat it until it takes 100 steps" in session.error(timing).hint
    assert session.error("1 / 0", name="plain").hint == ""


def test_a_package_that_cannot_be_had_is_named_with_what_can(session: Session) -> None:
    hint = session.error("import pandas", available=AVAILABLE).hint
    assert hint == (
        "`pandas` cannot be had in this page; numpy, matplotlib and Python's own modules can."
    )
    assert "import tinytorch as torch" in session.error("import torch").hint


def test_a_part_that_a_package_lacks_is_named(session: Session) -> None:
    assert session.error("import json.decodr").hint == "Did you mean `json.decoder`?"


def test_a_name_of_an_unrun_cell_above_is_named_as_such(session: Session) -> None:
    error = session.error("print(speeds)\nspeeed = 1", defined_above=["speeds"])
    assert error.missing_name == "speeds"
    assert "run the cells above first" in error.hint


@pytest.mark.parametrize(
    "source", ["1 / 0", "def f():\n    print(x)\n    x = 1\nf()", "import zebra_stripes"]
)
def test_only_a_name_error_has_a_missing_name(session: Session, source: str) -> None:
    assert session.error(source).missing_name == ""


def test_a_name_that_a_library_lacks_is_not_the_readers(session: Session) -> None:
    assert session.error("exec('zebra', {})").missing_name == ""


def test_a_hint_runs_none_of_the_readers_code(session: Session) -> None:
    source = (
        "class Trap(dict):\n"
        "    def __getitem__(self, key): raise KeyError(key)\n"
        "    def keys(self): raise SystemExit('ran keys')\n"
        "    @property\n"
        "    def part(self): raise SystemExit('ran a property')\n"
        "trap = Trap()\n"
        "trap['layers']"
    )
    assert session.error(source).kind == "KeyError"


def test_help_that_fails_leaves_the_error(session: Session) -> None:
    source = (
        "class Odd:\n"
        "    def __dir__(self): raise SystemExit('ran dir')\n"
        "    def __getattr__(self, name): raise AttributeError(name, name=name, obj=self)\n"
        "Odd().zebra"
    )
    error = session.error(source)
    assert (error.kind, error.line) == ("AttributeError", 3)


@pytest.mark.parametrize(
    "code",
    [
        "raise type('n' * 5_000_000, (Exception,), {})",
        "raise NameError('no', name='n' * 5_000_000)",
        "import importlib; importlib.import_module('n' * 5_000_000)",
    ],
)
def test_five_megabytes_of_name_or_help_reach_nobody(session: Session, code: str) -> None:
    error = session.error(code)
    assert len(error.text) < MAX_CHARS + 100
    assert max(len(error.kind), len(error.missing_name), len(error.hint)) < 3_000


def test_five_megabytes_of_message_are_shortened_and_keep_both_ends(session: Session) -> None:
    error = session.error("raise ValueError('start' + 'x' * 5_000_000 + 'end')")
    assert len(error.text) < MAX_CHARS + 100
    assert "ValueError: start" in error.text and error.text.endswith("end\n")
    assert "characters left out" in error.text


def test_the_members_of_a_group_start_at_the_readers_code_too(session: Session) -> None:
    source = (
        "import asyncio\n"
        "async def fail(): raise ValueError('inner')\n"
        "async with asyncio.TaskGroup() as group:\n"
        "    group.create_task(fail())\n"
    )
    error = session.error(source)
    assert "ValueError: inner" in error.text
    assert "runner.py" not in error.text


def test_a_syntax_error_has_no_heading_over_nothing(session: Session) -> None:
    assert session.error("for i in range(3)\n    pass").text.startswith('  File "<cell>", line 1\n')


@pytest.mark.parametrize(
    ("source", "text"),
    [("exit()", "at line 1"), ("import sys\nsys.exit('enough')", "enough\nThe code ended its run")],
)
def test_ending_the_program_ends_the_cell_without_a_traceback(
    session: Session, source: str, text: str
) -> None:
    error = session.error(source)
    assert error.kind == "SystemExit" and text in error.text
    assert "Traceback" not in error.text
