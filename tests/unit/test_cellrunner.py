"""Cells run as in a notebook, and say what went wrong from the reader's line on."""

import asyncio
import random
import sys

import pytest

from cellrunner.output import MAX_CHARS, MAX_LINES, Output
from cellrunner.randomness import fresh_randomness
from cellrunner.runner import Outcome
from tests.unit.cell_session import Session


@pytest.fixture
def session() -> Session:
    return Session()


def test_names_are_shared_by_the_cells_of_a_page(session: Session) -> None:
    session.run("n = 64")
    session.run("print(n * 2)")
    assert session.text() == "128\n"


def test_reset_forgets_names(session: Session) -> None:
    session.run("n = 64")
    session.runner.reset()
    outcome = session.run("n")
    assert outcome.error is not None and outcome.error.kind == "NameError"


def test_a_name_of_the_page_that_another_page_cleared_is_remembered(session: Session) -> None:
    session.runner.turn_to("/one/")
    session.run("gone = 1")
    session.runner.turn_to("/two/")
    assert not session.runner.was_cleared("gone")
    session.run("other = 1")
    session.runner.turn_to("/one/")
    assert session.error("gone").missing_name == "gone"
    assert session.runner.was_cleared("gone")
    assert not session.runner.was_cleared("other")


def test_last_expression_is_shown_like_in_the_interpreter(session: Session) -> None:
    session.run("x = 3\n'a' * x")
    assert session.pieces == [("value", "'aaa'\n")]


@pytest.mark.parametrize("source", ["None", "x = 1", "1;", "1;  # quiet", "", "# nothing"])
def test_nothing_is_shown_for(session: Session, source: str) -> None:
    assert session.run(source).ok
    assert session.text() == ""


def test_stdout_and_stderr_are_told_apart(session: Session) -> None:
    session.run("import sys\nprint('out')\nprint('err', file=sys.stderr)")
    assert session.text("stdout") == "out\n"
    assert session.text("stderr") == "err\n"


def test_await_works_at_the_top_level(session: Session) -> None:
    session.run("import asyncio\nawait asyncio.sleep(0)\nawait asyncio.sleep(0, 'slept')")
    assert session.text("value") == "'slept'\n"


def test_traceback_starts_at_the_readers_line(session: Session) -> None:
    outcome = session.run("def f():\n    return 1 / 0\n\nf()", "division")
    text = session.text("error")
    assert text.startswith("Traceback (most recent call last):\n")
    frames = [line.strip() for line in text.splitlines() if line.strip().startswith("File ")]
    assert frames == [
        'File "<division>", line 4, in <module>',
        'File "<division>", line 2, in f',
    ]
    assert "return 1 / 0" in text
    assert outcome.error is not None
    assert (outcome.error.kind, outcome.error.line) == ("ZeroDivisionError", 2)


def test_traceback_through_a_library_keeps_the_library_and_marks_the_readers_line(
    session: Session,
) -> None:
    outcome = session.run("import json\n\njson.loads('{')", "parse")
    text = session.text("error")
    assert "cellrunner" not in text
    assert text.index('File "<parse>", line 3') < text.index("decoder.py")
    assert outcome.error is not None and outcome.error.line == 3


def test_error_in_a_function_of_an_earlier_cell_shows_both_cells(session: Session) -> None:
    session.run("def half(x):\n    return x / 0", "define")
    outcome = session.run("\nhalf(1)", "use")
    text = session.text("error")
    assert 'File "<use>", line 2' in text
    assert 'File "<define>", line 2' in text
    assert outcome.error is not None and outcome.error.line == 2


def test_chained_errors_show_no_machinery(session: Session) -> None:
    session.run("try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError('x') from e")
    text = session.text("error")
    assert "ZeroDivisionError" in text and "ValueError: x" in text
    assert "runner.py" not in text


def test_syntax_error_names_the_line(session: Session) -> None:
    outcome = session.run("a = 1\nb = = 2", "typo")
    assert outcome.error is not None
    assert (outcome.error.kind, outcome.error.line) == ("SyntaxError", 2)
    assert "runner.py" not in session.text("error")


@pytest.mark.parametrize("source", ["exit()", "raise SystemExit(3)", "raise KeyboardInterrupt"])
def test_what_ends_an_interpreter_ends_only_the_cell(session: Session, source: str) -> None:
    outcome = session.run(source)
    assert not outcome.ok
    assert session.run("1 + 1").ok


def test_deep_recursion_is_an_error_like_any_other(session: Session) -> None:
    outcome = session.run("def f(n):\n    return f(n + 1)\nf(0)")
    assert outcome.error is not None and outcome.error.kind == "RecursionError"
    assert "more times" in session.text("error")
    assert len(session.text("error")) < 5_000


def test_dataclasses_and_pickle_find_names_defined_in_a_cell(session: Session) -> None:
    source = (
        "import dataclasses, pickle\n"
        "@dataclasses.dataclass\nclass Point:\n    x: int\n"
        "pickle.loads(pickle.dumps(Point(3)))"
    )
    assert session.run(source).ok
    assert session.text("value") == "Point(x=3)\n"


def test_lone_surrogates_are_shown_escaped(session: Session) -> None:
    session.run(r"print('\ud800')")
    assert session.text() == "\\ud800\n"


def test_a_million_lines_are_cut_with_a_notice_and_errors_still_arrive(session: Session) -> None:
    outcome = session.run("for i in range(1_000_000):\n    print(i)\n1 / 0")
    assert session.text("stdout").count("\n") == MAX_LINES
    assert session.text("notice").count("output cut here") == 1
    assert outcome.error is not None
    assert "ZeroDivisionError" in session.text("error")


def test_one_endless_line_is_cut_too(session: Session) -> None:
    session.run("print('x' * 5_000_000)")
    assert len(session.text("stdout")) == MAX_CHARS
    assert "250,000 characters" in session.text("notice")


def test_output_exactly_at_the_cap_is_not_called_cut() -> None:
    seen: list[str] = []
    output = Output(lambda stream, text: seen.append(text), max_lines=2)
    output.write("stdout", "a\nb\n")
    assert seen == ["a\nb\n"]


def test_each_run_has_its_own_cap(session: Session) -> None:
    session.run("print('x' * 5_000_000)")
    session.run("print('again')")
    assert session.text() == "again\n"


# What the last expression's value is shown as.


def test_a_value_with_a_text_is_shown_as_that_text(session: Session) -> None:
    session.run("from napkin.table import Row, Table\nRow('w', 'Weights', 14e9, 'B', '7e9 × 2 B')")
    assert session.text("value") == "Weights: 14 GB   7e9 × 2 B\n"


def test_a_text_method_that_needs_more_than_itself_is_not_called(session: Session) -> None:
    session.run(
        "class A:\n    def text(self, size): 1 / 0\n    def __repr__(self): return 'A'\nA()"
    )
    assert session.text("value") == "A\n"


def test_markup_of_a_value_is_not_asked_for(session: Session) -> None:
    session.run(
        "class A:\n    def _repr_html_(self): return '<b>'\n    def __repr__(self): return 'A'\nA()"
    )
    assert session.text() == "A\n"


def test_a_wide_container_is_laid_out_over_lines_in_its_own_order(session: Session) -> None:
    session.run("{'zeta': list(range(25)), 'alpha': 'x' * 40}")
    lines = session.text("value").splitlines()
    assert max(map(len, lines)) <= 79
    assert lines[0].startswith("{'zeta': [0, 1,") and lines[-1].startswith(" 'alpha': ")


@pytest.mark.parametrize("source", ["'x' * 200", "[1, 2]", "print", "range(10**9)"])
def test_other_values_are_shown_as_the_interpreter_does(session: Session, source: str) -> None:
    session.run(source)
    assert session.text("value") == f"{eval(source)!r}\n"


def test_a_huge_value_is_cut_like_any_output(session: Session) -> None:
    session.run("list(range(1_000_000))")
    assert len(session.text("value")) == MAX_CHARS
    assert "output cut here" in session.text("notice")


def test_an_error_while_a_value_is_shown_is_an_error_of_the_cell(session: Session) -> None:
    source = "class A:\n    def __repr__(self):\n        return 1 / 0\n\nA()"
    error = session.error(source)
    assert (error.kind, error.line) == ("ZeroDivisionError", 3)
    assert "cellrunner" not in error.text
    error = session.error(source.replace("1 / 0", "3"))
    assert (error.kind, error.line) == ("TypeError", 5)


def test_a_coroutine_that_nobody_awaited_is_pointed_out(session: Session) -> None:
    session.run("async def f(): ...\nwaiting = f()\nwaiting")
    assert "write `await` before it" in session.text("hint")
    assert session.run("await waiting").ok


# Asking the reader.


@pytest.mark.parametrize(
    "source",
    ["input('name? ')", "import sys\nsys.stdin.readline()", "import sys\nsys.stdin.read()"],
)
def test_nobody_can_be_asked(session: Session, source: str) -> None:
    error = session.error(source)
    assert error.text.endswith('cannot ask here; put the value into the code, e.g. name = "Ada"\n')
    assert "asking.py" not in error.text


def test_there_is_no_debugger(session: Session) -> None:
    error = session.error("breakpoint()", ask=lambda prompt: "c")
    assert error.text.endswith("has no debugger here: print what you want to look at\n")
    assert "asking.py" not in error.text


def test_iterating_over_stdin_cannot_ask_either(session: Session) -> None:
    error = session.error("import sys\nfor line in sys.stdin: pass")
    assert "sys.stdin cannot ask here" in error.text


def test_the_page_is_asked_and_question_and_answer_are_shown(session: Session) -> None:
    asked = []

    def ask(prompt: str) -> str:
        asked.append(prompt)
        return "Ada"

    session.run("import sys\nname = input('name? ')\nname + sys.stdin.readline()", ask=ask)
    assert asked == ["name? ", ""]
    assert session.text("stdout") == "name? Ada\nAda\n"
    assert session.text("value") == "'AdaAda\\n'\n"


def test_stop_at_a_question_is_an_interrupt(session: Session) -> None:
    source = "try:\n    input()\nexcept KeyboardInterrupt:\n    print('heard')\ninput()"
    assert session.run(source, ask=lambda prompt: None).stopped
    assert session.text() == "heard\nStopped at line 5\n"


def test_where_python_cannot_wait_nobody_is_asked(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cellrunner.asking.can_wait", lambda: False)
    asked: list[str] = []
    error = session.error("input()", ask=asked.append)
    assert "cannot wait for an answer in this browser" in error.text
    assert asked == []


def test_input_is_given_back_after_a_run(session: Session) -> None:
    before = (input, sys.stdin, sys.stdout, sys.stderr)
    session.run("1 / 0")
    assert (input, sys.stdin, sys.stdout, sys.stderr) == before


# Stop, and what a cell leaves behind.


@pytest.mark.parametrize(
    ("source", "notice"),
    [
        ("x = 1\nraise KeyboardInterrupt", "Stopped at line 2\n"),
        ("def f():\n    raise KeyboardInterrupt\n\nf()", "Stopped at line 2\n"),
    ],
)
def test_stop_is_told_in_a_line(session: Session, source: str, notice: str) -> None:
    outcome = session.run(source)
    assert outcome.stopped and not outcome.ok
    assert session.pieces == [("notice", notice)]


def test_stop_in_an_earlier_cells_function_names_the_line_of_this_cell(session: Session) -> None:
    session.run("def f():\n    raise KeyboardInterrupt", "define")
    assert session.error("\n\nf()", name="use").line == 3


def test_an_error_is_not_a_stop(session: Session) -> None:
    assert not session.run("1 / 0").stopped
    assert not session.run("1").stopped


def test_what_ran_before_a_stop_is_kept(session: Session) -> None:
    session.run("x = 64\nraise KeyboardInterrupt")
    session.run("x")
    assert session.text("value") == "64\n"


def test_cancelling_a_cell_that_awaits_stops_it(session: Session) -> None:
    source = (
        "import asyncio\nx = 64\ntry:\n    await asyncio.sleep(600)\n"
        "finally:\n    await asyncio.sleep(0)\n    tidy = True\nx = 0"
    )

    async def stopped() -> Outcome:
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().call_later(0.01, task.cancel)
        return await session.runner.run(source, "cell")

    assert asyncio.run(stopped()).stopped
    assert session.text("notice").startswith("Stopped at line ")
    session.run("x, tidy")
    assert session.text("value") == "(64, True)\n"


def test_a_cancelled_task_of_the_cells_own_is_an_error_like_others(session: Session) -> None:
    source = (
        "import asyncio\ntask = asyncio.create_task(asyncio.sleep(9))\ntask.cancel()\nawait task"
    )
    outcome = session.run(source)
    assert outcome.error is not None and outcome.error.kind == "CancelledError"


def test_tasks_end_with_their_cell_and_that_is_said(session: Session) -> None:
    source = (
        "import asyncio\n"
        "async def tick():\n"
        "    while True:\n"
        "        await asyncio.sleep(0)\n"
        "        ticks.append(1)\n"
        "ticks = []\n"
        "task = asyncio.create_task(tick())\n"
        "await asyncio.sleep(0)"
    )
    assert session.run(source).ok
    assert "1 task still ran and ended with the cell" in session.text("notice")
    session.run(
        "before = len(ticks)\nawait asyncio.sleep(0)\n(task.cancelled(), len(ticks) == before)"
    )
    assert session.text("value") == "(True, True)\n"


def test_a_task_that_is_awaited_is_no_leftover(session: Session) -> None:
    session.run("import asyncio\nawait asyncio.create_task(asyncio.sleep(0, 'slept'))")
    assert session.pieces == [("value", "'slept'\n")]


def test_a_task_of_someone_else_outlives_the_cell(session: Session) -> None:
    if sys.version_info < (3, 12):
        pytest.skip("a task's context can be looked at from Python 3.12 on")

    async def both() -> bool:
        mine = asyncio.create_task(asyncio.Event().wait())
        await session.runner.run("import asyncio\nasyncio.create_task(asyncio.sleep(9))", "cell")
        alive = not mine.done()
        mine.cancel()
        return alive

    assert asyncio.run(both())


# Random numbers after a restart from a snapshot.


def test_fresh_randomness_differs_from_what_a_snapshot_held() -> None:
    import numpy as np

    random.seed(0), np.random.seed(0)
    held = random.random(), np.random.random()
    random.seed(0), np.random.seed(0)
    fresh_randomness()
    fresh = random.random(), np.random.random()
    assert fresh[0] != held[0] and fresh[1] != held[1]


def test_starting_loads_nothing_that_only_some_cells_need() -> None:
    import subprocess

    code = (
        "import sys; before = set(sys.modules); import cellrunner.runner\n"
        "new = set(sys.modules) - before\n"
        "print([name for name in new if name.split('.')[0] in"
        " {'difflib', 'pprint', 'xml', 'unicodedata', 'numpy', 'matplotlib'}])\n"
        "print([name for name in new if name.endswith(('hints', 'figures', 'completion'))])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "[]\n[]\n"
