"""What stands at the cursor in code that is being typed, and so need not parse."""

from __future__ import annotations

import re
from dataclasses import dataclass

TEXT_OR_COMMENT = re.compile(
    r"#[^\n]*|\"\"\"(?:\\.|.)*?(?:\"\"\"|\Z)|'''(?:\\.|.)*?(?:'''|\Z)"
    r"|\"(?:\\.|[^\"\\\n])*(?:\"|(?=\n)|\Z)|'(?:\\.|[^'\\\n])*(?:'|(?=\n)|\Z)",
    re.DOTALL,
)
DOTTED = re.compile(r"(?:(?<![\w.)\]}\"'])|(?<=\.\.\.))((?:[^\W\d]\w*\s*\.\s*)*)([^\W\d]\w*)?\Z")
BRACKETS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Cursor:
    """`owner` are the names before the last dot, `word` the part of a name before the cursor;
    `line` is the code of its line before the cursor, `before` all code before it."""

    owner: tuple[str, ...]
    word: str
    line: str
    before: str


def text_before(source: str, line: int, column: int) -> str:
    """The code before line `line` (from 1), column `column` (from 0).

    The column counts UTF-16 units, as JavaScript does.
    """
    lines = source.split("\n")
    if not 1 <= line <= len(lines):
        return source
    units = lines[line - 1].encode("utf-16-le", "surrogatepass")[: 2 * column]
    return "\n".join([*lines[: line - 1], units.decode("utf-16-le", "ignore")])


def cursor_at(source: str, line: int, column: int) -> Cursor | None:
    """What is being typed there; None inside a text, a comment or a number.

    >>> cursor_at("x = np.linalg.no", 1, 16)
    Cursor(owner=('np', 'linalg'), word='no', line='x = np.linalg.no', before='x = np.linalg.no')
    """
    before = text_before(source, line, column)
    for found in TEXT_OR_COMMENT.finditer(before):
        text = found[0]
        if found.end() == len(before) and not _is_closed(text):
            return None
    current = before.rpartition("\n")[2]
    found_name = DOTTED.search(current)
    if found_name is None:
        return None
    owner = tuple(name.strip() for name in found_name[1].split(".")[:-1])
    return Cursor(owner, found_name[2] or "", current, before)


def name_at(source: str, line: int, column: int) -> tuple[str, ...] | None:
    """The dotted name that the cursor touches, up to the part it stands on.

    >>> name_at("y = np.linalg.norm(x)", 1, 8)
    ('np', 'linalg')
    """
    rest = re.match(r"\w*", source[len(text_before(source, line, column)) :])
    typed = len((rest[0] if rest else "").encode("utf-16-le")) // 2
    cursor = cursor_at(source, line, column + typed)
    return (*cursor.owner, cursor.word) if cursor and cursor.word else None


def enclosing_call(before: str) -> tuple[str, ...] | None:
    """The dotted name of the function whose arguments are being typed at the end of `before`.

    >>> enclosing_call("y = np.zeros((3, 4), dt")
    ('np', 'zeros')
    """
    code = TEXT_OR_COMMENT.sub(lambda found: " " * len(found[0]), before)
    depth = 0
    for at in range(len(code) - 1, max(-1, len(code) - 2_000), -1):
        if code[at] in BRACKETS.values():
            depth += 1
        elif code[at] in BRACKETS:
            if depth == 0:
                if code[at] != "(":
                    return None
                found = DOTTED.search(code[:at].rpartition("\n")[2])
                if not found or not found[2]:
                    return None
                return (*(name.strip() for name in found[1].split(".")[:-1]), found[2])
            depth -= 1
    return None


def _is_closed(text: str) -> bool:
    if text.startswith("#"):
        return False
    quote = text[:3] if text.startswith(('"""', "'''")) else text[0]
    return len(text) >= 2 * len(quote) and text.endswith(quote)
