"""Cells run as in a notebook, and say what went wrong from the reader's line on."""

import asyncio

import pytest

from cellrunner.output import MAX_CHARS, MAX_LINES, Output
from cellrunner.runner import Outcome, Runner


class Session:
    """A runner with what it wrote, by stream."""

    def __init__(self) -> None:
        self.pieces: list[tuple[str, str]] = []
        self.runner = Runner(lambda stream, text: self.pieces.append((stream, text)))

    def run(self, source: str, name: str = "cell") -> Outcome:
        self.pieces.clear()
        return asyncio.run(self.runner.run(source, name))

    def text(self, *streams: str) -> str:
        return "".join(text for stream, text in self.pieces if not streams or stream in streams)


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
