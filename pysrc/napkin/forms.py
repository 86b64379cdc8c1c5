"""A typed function is a calculator: its signature is the form, its ``Answer`` the result.

A parameter is ``Annotated`` with ``Amount``, ``ModelInput``, ``GpuInput`` or ``Text``, or it is a
``Literal`` (a choice) or a ``bool``. Labels and help come from the ``Parameters:`` section of the
docstring: ``name: Label. Help sentence.``. The build calls ``answer`` and the page
``shown``, which is the same with less to send.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from napkin.answer_html import answer_html
from napkin.answers import Answer, Axis, Chart, Column, Grid, Mark, Series
from napkin.fields import (
    Amount,
    Choice,
    GpuInput,
    ModelInput,
    Options,
    Reader,
    Switch,
    Text,
)
from napkin.table import Row, Table, nearest_name

__all__ = [
    "Amount",
    "Answer",
    "Axis",
    "Chart",
    "Choice",
    "Column",
    "Field",
    "FieldProblem",
    "Form",
    "GpuInput",
    "Grid",
    "Mark",
    "ModelInput",
    "Row",
    "Series",
    "Table",
    "Text",
    "answer",
    "form",
    "shown",
]


_ACRONYMS = {"flops": "FLOPs", "gpu": "GPU", "kv": "KV", "llm": "LLM", "moe": "MoE"}
_PARAMETER = re.compile(r"^(?P<name>\w+): (?P<text>.+)$")


class FieldProblem(ValueError):
    """A ValueError that a calculator raises about one of its fields."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True)
class Field:
    """One input of a form: ``default`` is its text as people write it.

    An ``optional`` field may be empty; the function is then given None.
    """

    name: str
    label: str
    help: str
    reader: Reader
    default: str
    optional: bool = False

    def read(self, text: str) -> tuple[Any, str]:
        """The value, and how the text was read."""
        if self.optional and not text.strip():
            return None, ""
        return self.reader.read(text, self.label)


@dataclass(frozen=True)
class Form:
    """The fields of a calculator in the order of its parameters."""

    function: Callable[..., Answer]
    title: str
    fields: tuple[Field, ...]

    def defaults(self) -> dict[str, str]:
        """Every field's default, as text."""
        return {field.name: field.default for field in self.fields}

    def answer(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """What ``answer`` returns, for this form."""
        values: dict[str, Any] = {}
        problems: dict[str, str] = {}
        read: dict[str, str] = {}
        for field in self.fields:
            try:
                values[field.name], echo = field.read(str(texts.get(field.name, field.default)))
            except ValueError as error:
                problems[field.name] = str(error)
            else:
                if echo:
                    read[field.name] = echo
        found = None
        if not problems:
            try:
                found = self.function(**values).to_dict()
            except ValueError as error:
                problems[self._concerned(error)] = str(error)
        unknown = [name for name in texts if name not in self.defaults()]
        html = answer_html(found) if found else ""
        return {
            "answer": found,
            "html": html,
            "problems": problems,
            "read": read,
            "unknown": unknown,
        }

    def _concerned(self, error: ValueError) -> str:
        """The field that an error is about, as it says itself or in its first word; else ""."""
        names = [field.name for field in self.fields]
        named = getattr(error, "field", None) or str(error).split(" ", 1)[0].rstrip(":")
        return named if named in names else ""


@cache
def form(function: Callable[..., Answer]) -> Form:
    """The form of a calculator. ValueError where the function is not written as one."""
    name = function.__name__
    documented = _documented(inspect.getdoc(function) or "")
    hints = get_type_hints(function, include_extras=True)
    fields = []
    for parameter in inspect.signature(function).parameters.values():
        where = f"{name}: parameter {parameter.name!r}"
        if parameter.default is parameter.empty:
            raise ValueError(f"{where} has no default: a calculator answers before it is asked")
        if parameter.name not in documented:
            raise ValueError(
                f"{where} is not described: add `{parameter.name}: Label. Help.` to the "
                "docstring's `Parameters:` section"
            )
        label, help_text = documented[parameter.name]
        reader, optional = _reader(hints[parameter.name], where)
        default = _written(parameter.default, reader)
        fields.append(Field(parameter.name, label, help_text, reader, default, optional))
    words = [_ACRONYMS.get(word, word) for word in name.split("_")]
    title = " ".join(words)
    return Form(function, title[:1].upper() + title[1:], tuple(fields))


def _documented(docstring: str) -> dict[str, tuple[str, str]]:
    """Label and help of each parameter from the ``Parameters:`` section.

    >>> _documented("Bytes.\\n\\nParameters:\\n    model: Model. A name\\n        or a size.\\n")
    {'model': ('Model', 'A name or a size.')}
    """
    found: dict[str, str] = {}
    name = ""
    _, _, section = docstring.partition("Parameters:\n")
    for line in section.splitlines():
        if line and not line.startswith(" "):
            break
        text = line.strip()
        match = _PARAMETER.match(text) if len(line) - len(line.lstrip()) <= 4 else None
        if match:
            name = match["name"]
            found[name] = match["text"]
        elif text and name:
            found[name] += f" {text}"
    parts = {name: text.partition(". ") for name, text in found.items()}
    return {name: (label.rstrip("."), rest) for name, (label, _, rest) in parts.items()}


def _reader(hint: Any, where: str) -> tuple[Reader, bool]:
    """What reads a parameter of this type, and whether None is a value of it."""
    extras: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *rest = get_args(hint)
        extras = tuple(rest)
    optional = False
    if get_origin(hint) in (Union, UnionType):
        kinds = [kind for kind in get_args(hint) if kind is not type(None)]
        optional = len(kinds) < len(get_args(hint))
        hint = kinds[0]
    for extra in extras:
        if isinstance(extra, (Amount, ModelInput, GpuInput, Text)):
            return extra, optional
    if get_origin(hint) is Literal:
        labels = next((extra.labels for extra in extras if isinstance(extra, Choice)), ())
        return Options(get_args(hint), labels), optional
    if hint is bool:
        return Switch(), optional
    raise ValueError(
        f"{where} has the type {hint!r}: annotate it with Amount, ModelInput, GpuInput or Text, or "
        "make it a Literal or a bool"
    )


def _written(value: Any, reader: Reader) -> str:
    if value is None:
        return ""
    if isinstance(reader, Amount):
        return reader.written(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


@cache
def calculator(reference: str) -> Form:
    """The form of ``napkin.module:function``; ValueError with the nearest name where there is none.

    >>> calculator("napkin.tools.kv_cache:kv_cache").fields[0].default
    'llama-3.1-8b'
    """
    module_name, colon, name = reference.partition(":")
    if not colon or not re.fullmatch(r"napkin(\.[a-z_0-9]+)+", module_name):
        raise ValueError(
            f"{reference!r} does not name a calculator: write `napkin.tools.kv_cache:kv_cache`"
        )
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise ValueError(f"there is no module {error.name!r}{_near(module_name)}") from None
    function = getattr(module, name, None)
    if not inspect.isfunction(function):
        own = [key for key, item in vars(module).items() if inspect.isfunction(item)]
        close = nearest_name(name, own, 1)
        hint = f"; did you mean {module_name}:{close[0]}?" if close else ""
        raise ValueError(f"{module_name} has no function {name!r}{hint}")
    return form(function)


def _near(module_name: str) -> str:
    import pkgutil

    import napkin.tools

    modules = pkgutil.iter_modules(napkin.tools.__path__)
    known = [f"napkin.tools.{module.name}" for module in modules]
    close = nearest_name(module_name, known, 1)
    return f"; did you mean {close[0]}?" if close else f"; calculators are in {', '.join(known)}"


def answer(reference: str, texts: Mapping[str, str]) -> dict[str, Any]:
    """The calculator's answer to what stands in its fields; absent ones have their default.

    ``answer`` is ``Answer.to_dict()`` and ``html`` the same as a page shows it.
    ``problems`` holds a message for each field that is not right (under ``""`` where none can be
    blamed), and then ``answer`` is None; ``read`` says how each field was read; ``unknown`` lists
    names that are no field.

    >>> answer("napkin.tools.kv_cache:kv_cache", {"context": "8k"})["answer"]["headline"]["text"]
    '1.05 GB'
    >>> answer("napkin.tools.kv_cache:kv_cache", {"context": "much"})["problems"]["context"]
    "Context 'much' does not start with a number: write e.g. 8k"
    """
    return calculator(reference).answer(texts)


def shown(reference: str, texts: Mapping[str, str]) -> dict[str, Any]:
    """What a page shows of ``answer``: of the answer itself the headline, and the charts to draw.

    The rest stands in ``html`` already; sent twice, a large table would take twice as long.

    >>> found = shown("napkin.tools.kv_cache:kv_cache", {"context": "8k"})
    >>> found["headline"]["text"], sorted(found)
    ('1.05 GB', ['charts', 'headline', 'html', 'problems', 'read', 'unknown'])
    """
    found = answer(reference, texts)
    whole = found.pop("answer")
    return {
        "headline": whole and whole["headline"],
        "charts": whole["charts"] if whole else [],
        **found,
    }
