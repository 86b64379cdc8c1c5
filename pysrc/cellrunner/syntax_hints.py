"""What to change in code that Python cannot read, in a sentence for a first-time reader."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

OPENING = {")": "(", "]": "[", "}": "{"}
CLOSING = {opened: closed for closed, opened in OPENING.items()}
CONTINUING = ("elif", "else", "except", "finally", "case")
BLOCK_WORDS = ("if", "for", "while", "def", "class", "with", "try", "match", *CONTINUING)
STRING_OR_COMMENT = re.compile(
    r"(?:\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?|#[^\n]*)",
    re.DOTALL,
)
DOUBLE_QUOTES = "“”„‟«»″"
SINGLE_QUOTES = "‘’‚‛′`´"
PRINTED_SIGNS = {
    "×": "*", "·": "*", "⋅": "*", "−": "-", "–": "-", "—": "-", "÷": "/", "∕": "/",
    "²": "**2", "³": "**3", "≤": "<=", "≥": ">=", "≠": "!=", "…": "...",
    "，": ",", "：": ":", "（": "(", "）": ")", "；": ";", "＝": "=",
}  # fmt: skip

# Habits from other languages and from notebooks, looked for in the failing line: what is seen
# (outside texts and comments) and what to write instead.
FOREIGN: list[tuple[str, str]] = [
    (r"^\s*(>>>|\.\.\. )", "Take away the prompt `{0}` at the start of the line: it is not code."),
    (r"^\s*%%?[a-z]", "Lines that start with % are for notebooks; this page does not need them."),
    (
        r"^\s*(?:[!%]\s*)?(?:pip3?|conda|python -m pip) install\b",
        "There is nothing to install: write `import` and the page fetches what it can have.",
    ),
    (r"^\s*![a-z]", "Lines that start with ! are for notebooks; a page has no command line."),
    (r"^\s*(?:var|let|const)\s+(\w+)", "Python has no `var`, `let` or `const`: write `{0} = ...`."),
    (r"^\s*function\s+(\w+)", "A function starts with `def`: write `def {0}(...):`."),
    (
        r"^\s*for\s*\(\s*(?:int|let|var)\s+(\w+)",
        "Python counts with range: write `for {0} in range(n):`.",
    ),
    (r"\belse\s+if\b", "Python joins `else if` into one word: `elif`."),
    (r"&&", "Python writes `and` where other languages write &&."),
    (r"\|\|", "Python writes `or` where other languages write ||."),
    (r"(?<![\w)\]])!(?!=)\s*(\w+)", "Python writes `not {0}` where other languages write !{0}."),
    (r"(\w+)\s*\+\+|\+\+\s*(\w+)\s*$", "Python has no ++: to add one, write `{0} += 1`."),
    (r"(\w+)\s*--(?!\s*[\w(])", "Python has no --: to take one away, write `{0} -= 1`."),
    (r"=<", "Less than or equal is written <=."),
    (r"=>", "Greater than or equal is written >=; a short function is `lambda x: ...`."),
    (r"^\s*(?:def|if|elif|else|for|while|class)\b.*\{\s*$", "A block starts with a colon, not {."),
]


@dataclass(frozen=True)
class Place:
    """Where Python stopped reading: the line's number, the line, and the whole code."""

    number: int
    line: str
    source: str


def syntax_hint(error: SyntaxError, source: str) -> str:
    """A sentence that says what to change, or "" where Python's own message says it all.

    >>> syntax_hint(SyntaxError("expected ':'", ("<cell>", 1, 18, "", 1, 18)), "for i in range(3)")
    'Put a colon at the end of line 1: `for` starts a block.'
    """
    lines = source.splitlines()
    number = error.lineno or 0
    place = Place(number, lines[number - 1] if 0 < number <= len(lines) else "", source)
    code = _code_only(place.line)
    for pattern, advice in FOREIGN:
        found = re.search(pattern, code)
        if found:
            return advice.replace("{0}", next((group for group in found.groups() if group), ""))
    for pattern, sentence in RULES:
        found = re.search(pattern, str(error.msg))
        if found and isinstance(sentence, str):
            return sentence.replace("{line}", f"line {number}").replace("{Line}", f"Line {number}")
        if found and not isinstance(sentence, str):
            return sentence(found, place)
    return ""


def _missing_colon(found: re.Match[str], place: Place) -> str:
    word = re.match(r"\s*(\w*)", place.line)
    opener = word[1] if word else ""
    return f"Put a colon at the end of line {place.number}: `{opener}` starts a block."


def _never_closed(found: re.Match[str], place: Place) -> str:
    return (
        f"The {found[1]} opened in line {place.number} has no {CLOSING[found[1]]} to close it: "
        "add one where it should end."
    )


def _unmatched(found: re.Match[str], place: Place) -> str:
    closed = found[1]
    return f"Line {place.number} has one {closed} too many, or its {OPENING[closed]} is missing."


def _other_closing(found: re.Match[str], place: Place) -> str:
    closed, opened, line = found.groups()
    return (
        f"The {opened} opened in line {line or place.number} is closed by {CLOSING[opened]}, "
        f"not by {closed}."
    )


def _unterminated(found: re.Match[str], place: Place) -> str:
    quote = re.search(r"\"\"\"|'''", place.line)
    if found[1] and quote:
        return f"The text opened with {quote[0]} in line {place.number} needs {quote[0]} to end it."
    inner = re.search(r"'[^'\"]*?(\w+'\w+)", place.line)
    if inner:
        return (
            f"The apostrophe in {inner[1]} ends a text that starts with ': "
            'put this text in double quotes, "...".'
        )
    quotes = re.findall(r"['\"]", _code_only(place.line, keep_open=True))
    quote_mark = quotes[-1] if quotes else "its quote"
    return (
        f"The text opened with {quote_mark} in line {place.number} has no {quote_mark} to close it "
        "in the same line."
    )


def _odd_character(found: re.Match[str], place: Place) -> str:
    character = found[1]
    if character in DOUBLE_QUOTES + SINGLE_QUOTES:
        straight = '"' if character in DOUBLE_QUOTES else "'"
        return (
            f"{character} is a curly quote, as phones and word processors put in; "
            f"type a straight {straight} instead."
        )
    if character in PRINTED_SIGNS:
        return f"In code, {character} is written {PRINTED_SIGNS[character]}."
    return f"Python does not know the sign {character} ({_name_of(character)})."


def _without_brackets(found: re.Match[str], place: Place) -> str:
    rest = place.line.strip().removeprefix(found[1]).strip().rstrip(";")
    try:
        ast.parse(f"{found[1]}({rest})")
    except SyntaxError:
        return ""
    return f"Write `{found[1]}({rest})`."


def _block_expected(found: re.Match[str], place: Place) -> str:
    # The message says "'for' statement" or "function definition".
    word = found[1].split()[0].strip("'")
    return f"What belongs to the {word} of line {found[2]} starts four spaces further right."


def _outside_function(found: re.Match[str], place: Place) -> str:
    if found[1] == "return":
        return "`return` belongs inside a `def`; to see a value, write it alone on the last line."
    return f"`{found[1]}` belongs inside a `def`."


def _invalid(found: re.Match[str], place: Place) -> str:
    """Plain "invalid syntax": what else the line tells."""
    code = _code_only(place.line)
    opened = _open_bracket(place.source, place.number)
    if opened:
        bracket, number = opened
        return f"The {bracket} opened in line {number} has no {CLOSING[bracket]} before this."
    word = re.match(r"\s*(\w*)\s*(=?)", code) or [""] * 3
    if word[2] and keyword.iskeyword(word[1]):
        return f"`{word[1]}` is one of Python's own words; choose another name."
    if word[1] in BLOCK_WORDS and not _has_colon(code):
        return f"Line {place.number} needs a colon after what belongs to `{word[1]}`."
    if word[1] in CONTINUING:
        return f"`{word[1]}` must follow directly on the block that it continues."
    if code.rstrip().endswith(tuple("=+-*/%<>&|^~")):
        return f"Line {place.number} stops too early: something must follow its last sign."
    return ""


Sentence = str | Callable[[re.Match[str], Place], str]

RULES: list[tuple[str, Sentence]] = [
    (r"expected ':'", _missing_colon),
    (r"'([(\[{])' was never closed", _never_closed),
    (
        r"closing parenthesis '(.)' does not match opening parenthesis '(.)'(?: on line (\d+))?",
        _other_closing,
    ),
    (r"unmatched '([)\]}])'", _unmatched),
    (r"unterminated (triple-quoted )?(?:[ft]-)?string literal", _unterminated),
    (r"unterminated (triple-quoted) (?:[ft]-)?string literal", _unterminated),
    (r"f-string: expecting '}'", "A { in the text of {line} has no } to close it."),
    (r"invalid character '(.)'", _odd_character),
    (
        r"invalid non-printable character",
        "{Line} holds an invisible character, as copying from a web page leaves behind; "
        "delete the blank there and type a new one.",
    ),
    (r"Missing parentheses in call to '(\w+)'", _without_brackets),
    (
        r"^invalid syntax. Maybe you meant '=='",
        "One = gives a name a value; to ask whether two things are equal, write ==.",
    ),
    (
        r"cannot assign to .*Maybe you meant '=='",
        "The name goes on the left of =, the value on the right; to compare, write ==.",
    ),
    (r"expected an indented block after (.+) on line (\d+)", _block_expected),
    (
        r"unexpected indent",
        "{Line} starts further right than the line above, which opens no block: "
        "take away the blanks at its start.",
    ),
    (
        r"unindent does not match",
        "{Line} must start exactly as far right as the line above that it goes with.",
    ),
    (
        r"inconsistent use of tabs and spaces",
        "{Line} and the lines above mix tabs with spaces, which look alike; "
        "use four spaces everywhere.",
    ),
    (
        r"invalid decimal literal",
        "A name cannot start with a digit, and a product needs its *, as in `3 * x`.",
    ),
    (r"'(return|yield|yield from)' outside function", _outside_function),
    (
        r"'(?:await|asynchronous .*|async \w+)' outside async function",
        "A function that uses `await` starts with `async def`.",
    ),
    (r"^invalid syntax$", _invalid),
]


def _code_only(line: str, *, keep_open: bool = False) -> str:
    """`line` without its comment and its texts; with `keep_open`, an open text's quote stays."""

    def left(found: re.Match[str]) -> str:
        text = found[0]
        closed = len(text) > 1 and text[-1] == text[0]
        return text[0] if keep_open and text[0] != "#" and not closed else ""

    return STRING_OR_COMMENT.sub(left, line)


def _code_characters(source: str) -> Iterator[tuple[str, int]]:
    """Every character outside texts and comments, with its line."""
    blank = STRING_OR_COMMENT.sub(lambda m: "\n" * m[0].count("\n"), source)
    number = 1
    for character in blank:
        yield character, number
        number += character == "\n"


def _open_bracket(source: str, before: int) -> tuple[str, int] | None:
    """The innermost bracket that is open where line `before` starts, with its line."""
    opened: list[tuple[str, int]] = []
    for character, number in _code_characters(source):
        if number >= before:
            break
        if character in CLOSING:
            opened.append((character, number))
        elif character in OPENING and opened:
            opened.pop()
    return opened[-1] if opened else None


def _has_colon(code: str) -> bool:
    """Whether a colon stands outside all brackets."""
    depth = 0
    for character in code:
        depth += (character in CLOSING) - (character in OPENING)
        if character == ":" and depth <= 0:
            return True
    return False


def _name_of(character: str) -> str:
    import unicodedata  # a table of a megabyte, for a rare error

    return unicodedata.name(character, f"U+{ord(character):04X}").lower()
