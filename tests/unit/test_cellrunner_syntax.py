"""Code that Python cannot read comes with a sentence that says what to change."""

import pytest

from cellrunner.syntax_hints import syntax_hint
from tests.unit.cell_session import Session


def hint(source: str) -> str:
    error = Session().error(source)
    assert issubclass(getattr(__import__("builtins"), error.kind), SyntaxError)
    return error.hint


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("for i in range(3)\n    pass", "Put a colon at the end of line 1: `for` starts a block."),
        ("x = 1\ndef f()\n    pass", "Put a colon at the end of line 2: `def` starts a block."),
        ("for i in range(3) print(i)", "Line 1 needs a colon after what belongs to `for`."),
        (
            "x = 1\nprint((1, 2)\ny = 3",
            "The ( opened in line 2 has no ) to close it: add one where it should end.",
        ),
        (
            "x = [1,\ny = 2",
            "The [ opened in line 1 has no ] to close it: add one where it should end.",
        ),
        ("x = )", "Line 1 has one ) too many, or its ( is missing."),
        ("x = (1]", "The ( opened in line 1 is closed by ), not by ]."),
        ("x = (1,\n2]", "The ( opened in line 1 is closed by ), not by ]."),
        (
            "print('abc)",
            "The text opened with ' in line 1 has no ' to close it in the same line.",
        ),
        (
            "print(\"it's)",
            'The text opened with " in line 1 has no " to close it in the same line.',
        ),
        (
            "print('it's')",
            "The apostrophe in it's ends a text that starts with ': "
            'put this text in double quotes, "...".',
        ),
        ("x = '''abc\n", "The text opened with ''' in line 1 needs ''' to end it."),
        (
            "if x = 3:\n    pass",
            "One = gives a name a value; to ask whether two things are equal, write ==.",
        ),
        (
            "3 = x",
            "The name goes on the left of =, the value on the right; to compare, write ==.",
        ),
        (
            "print(“hi”)",
            '“ is a curly quote, as phones and word processors put in; type a straight " instead.',
        ),
        (
            "x = ‘a’",
            "‘ is a curly quote, as phones and word processors put in; type a straight ' instead.",
        ),
        ("x = 3 × 4", "In code, × is written *."),
        ("x = 4 − 3", "In code, − is written -."),
        ("x = 3 ☃ 4", "Python does not know the sign ☃ (snowman)."),
        ("print 'x', 2", "Write `print('x', 2)`."),
        ("i = 1\ni++", "Python has no ++: to add one, write `i += 1`."),
        ("i--", "Python has no --: to take one away, write `i -= 1`."),
        ("if a && b:\n    pass", "Python writes `and` where other languages write &&."),
        ("if a || b:\n    pass", "Python writes `or` where other languages write ||."),
        ("if !a:\n    pass", "Python writes `not a` where other languages write !a."),
        ("if a:\n    b\nelse if c:\n    d", "Python joins `else if` into one word: `elif`."),
        ("let n = 3", "Python has no `var`, `let` or `const`: write `n = ...`."),
        ("function f(a) {\n}", "A function starts with `def`: write `def f(...):`."),
        ("if a =< b:\n    pass", "Less than or equal is written <=."),
        (
            "pip install numpy",
            "There is nothing to install: write `import` and the page fetches what it can have.",
        ),
        (">>> x = 1", "Take away the prompt `>>>` at the start of the line: it is not code."),
        ("lambda = 3", "`lambda` is one of Python's own words; choose another name."),
        ("total = 3 +", "Line 1 stops too early: something must follow its last sign."),
        (
            "return 3",
            "`return` belongs inside a `def`; to see a value, write it alone on the last line.",
        ),
        ("f'{x'", "A { in the text of line 1 has no } to close it."),
        ("if a:\n    b\n  c", "Line 3 must start exactly as far right as the line above that "
         "it goes with."),
        ("for i in x:\nprint(i)", "What belongs to the for of line 1 starts four spaces further "
         "right."),
    ],
)  # fmt: skip
def test_sentence(source: str, sentence: str) -> None:
    assert hint(source) == sentence


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x = 1\n  y = 2", "Line 2 starts further right"),
        ("if a:\n\tb\n        c", "mix tabs with spaces"),
        ("x =\u00a03", "an invisible character"),
        ("x = 3y", "a product needs its *"),
        ("%matplotlib inline", "are for notebooks"),
        ("def f():\n    await g()", "starts with `async def`"),
    ],
)
def test_sentence_says(source: str, words: str) -> None:
    assert words in hint(source)


@pytest.mark.parametrize(
    "source",
    [
        "def f(x, x): pass",
        "None = 1",
        "x = 'a && b' 'c' d",  # the sign is inside a text
        "x = y z  # else if",
        "(" * 300,
        "\0",
    ],
)
def test_where_python_says_it_all_nothing_is_added(source: str) -> None:
    assert Session().error(source).hint == ""


def test_code_that_the_readers_code_runs_is_not_taken_for_the_cells() -> None:
    assert Session().error("exec('for i in range(3)')").hint == ""


def test_a_line_number_outside_the_code_is_no_failure() -> None:
    assert syntax_hint(SyntaxError("invalid syntax", ("<cell>", 9, 1, "", 9, 1)), "x") == ""
