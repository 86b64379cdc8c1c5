"""Exercises: a solution, the checks on it and known mistakes, in `lessons/exercises/<slug>.py`.

The script is cut into sections by `# %% name` (the solution), `# %% name check` and
`# %% name mistake`. The solution starts with a docstring that holds the words of the exercise;
its lines that end in `#? words` are blanked in what the reader starts from.
"""

from __future__ import annotations

import ast
import asyncio
import json
import re
from dataclasses import dataclass
from pathlib import Path

from cellrunner.checking import Verdict, check
from sitekit.paths import LESSONS
from sitekit.sections import SiteError, nearest

EXERCISES = LESSONS / "exercises"
HEADER = re.compile(r"^# %%\s*(?P<rest>.*?)\s*$")
KINDS = re.compile(
    r"^(?P<name>[a-z0-9]+(?:-[a-z0-9]+)*)(?:\s+(?P<kind>check|mistake)(?:\s+\d+)?)?$"
)
MARKED = re.compile(r"^(?P<indent>\s*)(?P<code>.*?)\s*#\?\s?(?P<words>.*)$")
KEPT = re.compile(r"^(?:return\b|[\w., ]+?\s*[-+*/]?=(?!=))")
PARTS = re.compile(r"^(Expected|Hints|Why):[ \t]*", re.MULTILINE)


@dataclass(frozen=True)
class Mistake:
    """Wrong code and what the reply to it must contain; `line` is that of its header."""

    code: str
    reply: str
    line: int


@dataclass(frozen=True)
class Exercise:
    """One exercise. `task`, `expected`, `hints` and `why` are Markdown; `line` is the header's."""

    slug: str
    name: str
    line: int
    title: str
    task: str
    expected: str
    hints: tuple[str, ...]
    why: str
    marked: str
    checks: str
    mistakes: tuple[Mistake, ...]

    @property
    def reference(self) -> str:
        return f"{self.slug}/{self.name}"

    @property
    def file(self) -> str:
        return f"pysrc/lessons/exercises/{self.slug.replace('-', '_')}.py"

    @property
    def solution(self) -> str:
        """The solution without the marks.

        >>> Exercise("s", "n", 1, "", "", "", (), "", "x = 6 * 7  #? the sum", "", ()).solution
        'x = 6 * 7'
        """
        lines = (MARKED.match(line) for line in self.marked.splitlines())
        plain = self.marked.splitlines()
        return "\n".join(
            f"{mark['indent']}{mark['code']}" if mark else line
            for mark, line in zip(lines, plain, strict=True)
        )

    @property
    def starter(self) -> str:
        """The solution with its marked lines blanked.

        >>> Exercise("s", "n", 1, "", "", "", (), "", "x = 6 * 7  #? the sum", "", ()).starter
        'x = ...  # the sum'
        """
        lines = []
        for line in self.marked.splitlines():
            mark = MARKED.match(line)
            if mark is None:
                lines.append(line)
            elif mark["words"]:
                kept = KEPT.match(mark["code"])
                begin = f"{kept[0].rstrip()} " if kept else ""
                lines.append(f"{mark['indent']}{begin}...  # {mark['words'].strip()}")
        return "\n".join(lines)

    @property
    def names(self) -> list[str]:
        """What the solution defines at its top level, which is what the checks may use."""
        found: dict[str, None] = {}
        for node in ast.parse(self.solution).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found[node.name] = None
            elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                stored = (part for target in targets for part in ast.walk(target))
                found |= {part.id: None for part in stored if isinstance(part, ast.Name)}
        return list(found)


def exercise_slugs(folder: Path = EXERCISES) -> list[str]:
    """The lessons that have exercises."""
    return sorted(path.stem.replace("_", "-") for path in folder.glob("*.py"))


def load_exercises(slug: str, folder: Path = EXERCISES) -> list[Exercise]:
    """The exercises of a lesson; SiteError names file and line of what is wrong."""
    path = folder / f"{slug.replace('-', '_')}.py"
    if not path.exists():
        known = exercise_slugs(folder)
        raise SiteError(f"there are no exercises of {slug!r}" + nearest(slug, known, "lesson"))
    return parse_exercises(path.read_text("utf-8"), slug)


def load_exercise(reference: str, folder: Path = EXERCISES) -> Exercise:
    """The exercise `<slug>/<name>`; SiteError with the nearest name when there is none."""
    slug, slash, name = reference.partition("/")
    if not slash or not slug or not name:
        raise SiteError(f"{reference!r} does not name an exercise; write `<lesson>/<exercise>`")
    found = {exercise.name: exercise for exercise in load_exercises(slug, folder)}
    if name not in found:
        known = nearest(name, found, "exercise")
        raise SiteError(f"lesson {slug!r} has no exercise {name!r}{known}")
    return found[name]


def parse_exercises(text: str, slug: str) -> list[Exercise]:
    """The exercises in a script's text."""
    file = f"pysrc/lessons/exercises/{slug.replace('-', '_')}.py"
    pieces: dict[str, dict[str, list[tuple[int, str]]]] = {}
    for line, name, kind, code in _pieces(text, file):
        if kind != "solution" and name not in pieces:
            raise SiteError(
                f"{file}:{line}: {kind} of the exercise {name!r}, which no section above begins"
                + nearest(name, pieces, "exercise")
            )
        if kind != "mistake" and pieces.get(name, {}).get(kind):
            raise SiteError(f"{file}:{line}: {name!r} has a {kind} already")
        pieces.setdefault(name, {}).setdefault(kind, []).append((line, code))
    return [_exercise(slug, file, name, kinds) for name, kinds in pieces.items()]


def _pieces(text: str, file: str) -> list[tuple[int, str, str, str]]:
    """Line, name, kind and code of each section."""
    lines = text.splitlines()
    headers = []
    for number, line in enumerate(lines, 1):
        header = HEADER.match(line)
        if header is None:
            continue
        words = KINDS.match(header["rest"])
        if words is None:
            raise SiteError(
                f"{file}:{number}: write `# %% some-name`, `# %% some-name check` or "
                f"`# %% some-name mistake`, not {line!r}"
            )
        headers.append((number, words["name"], words["kind"] or "solution"))
    if not headers:
        raise SiteError(f"{file}:1: no exercise; start one with a line `# %% some-name`")
    ends = [number for number, _, _ in headers[1:]] + [len(lines) + 1]
    return [
        (number, name, kind, "\n".join(lines[number : end - 1]).strip("\n"))
        for (number, name, kind), end in zip(headers, ends, strict=True)
    ]


def _exercise(
    slug: str, file: str, name: str, kinds: dict[str, list[tuple[int, str]]]
) -> Exercise:
    line, code = kinds["solution"][0]
    words, marked = _docstring(code, f"{file}:{line}")
    title, _, rest = words.partition("\n")
    task, *parts = PARTS.split(rest)
    said = dict(zip(parts[::2], (part.strip() for part in parts[1::2]), strict=True))
    hints = tuple(
        " ".join(hint.split())
        for hint in re.split(r"^- ", said.get("Hints", ""), flags=re.MULTILINE)
        if hint.strip()
    )
    for part, there in (
        ("a title in the docstring's first line", title),
        ("a task below the title", task.strip()),
        ("`Expected:` in the docstring", said.get("Expected")),
        ("`Hints:` with a `-` list in the docstring", hints),
        ("a line marked `#? words` for the reader to write", "#? " in marked),
        (f"a section `# %% {name} check`", kinds.get("check")),
        (f"a section `# %% {name} mistake`", kinds.get("mistake")),
    ):
        if not there:
            raise SiteError(f"{file}:{line}: exercise {name!r} needs {part}")
    mistakes = []
    for number, wrong in kinds["mistake"]:
        reply, wrong_code = _docstring(wrong, f"{file}:{number}")
        mistakes.append(Mistake(wrong_code, " ".join(reply.split()), number))
    return Exercise(
        slug=slug,
        name=name,
        line=line,
        title=title.strip(),
        task=task.strip(),
        expected=said["Expected"],
        hints=hints,
        why=said.get("Why", ""),
        marked=marked,
        checks=kinds["check"][0][1],
        mistakes=tuple(mistakes),
    )


def _docstring(code: str, where: str) -> tuple[str, str]:
    """The string that a section starts with, and the code after it."""
    try:
        first = ast.parse(code).body[:1]
    except SyntaxError as error:
        raise SiteError(f"{where}: line {error.lineno} of this section is not Python") from error
    if not first or ast.get_docstring(ast.Module(first, [])) is None:
        raise SiteError(f'{where}: this section starts with a docstring, `"""..."""`')
    words = ast.get_docstring(ast.Module(first, [])) or ""
    return words, "\n".join(code.splitlines()[first[0].end_lineno :]).strip("\n")


def verdict(exercise: Exercise, code: str) -> Verdict:
    """What the checks say about `code`, as a reader would get it."""
    told: list[tuple[str, str]] = []
    emit = lambda stream, text: told.append((stream, text))  # noqa: E731
    asyncio.run(check(emit, code, exercise.name, exercise.checks, exercise.names))
    facts = [json.loads(text) for stream, text in told if stream == "verdict"]
    errors = "".join(text for stream, text in told if stream == "error")
    passed, message, line = facts[-1]["passed"], facts[-1]["message"], facts[-1]["line"]
    return Verdict(passed, f"{message}\n{errors}".strip(), line)


def proof_problems(exercise: Exercise) -> list[str]:
    """What disproves an exercise: its solution passes, its starter fails, mistakes get replies."""
    found = []
    where = f"{exercise.file}:{exercise.line}: exercise {exercise.name!r}"
    for line in exercise.marked.splitlines():
        if len(line.split("#?")[0].rstrip()) > 78:
            found.append(f"{where}: a line is longer than 78 characters: {line.strip()[:40]}...")
    try:
        ast.parse(exercise.starter)
    except SyntaxError as error:
        at = f"line {error.lineno} of the starter is not Python"
        found.append(f"{where}: {at}:\n{exercise.starter}")
    said = verdict(exercise, exercise.solution)
    if not said.passed:
        found.append(f"{where}: the solution does not pass: {said.message}")
    if verdict(exercise, exercise.starter).passed:
        found.append(f"{where}: the starter passes as it is")
    for mistake in exercise.mistakes:
        at = f"{exercise.file}:{mistake.line}: mistake of {exercise.name!r}"
        said = verdict(exercise, mistake.code)
        if said.passed:
            found.append(f"{at}: passes the checks")
        elif mistake.reply not in " ".join(said.message.split()):
            found.append(f"{at}: gets the reply {said.message!r}, which does not contain its own")
    return found
