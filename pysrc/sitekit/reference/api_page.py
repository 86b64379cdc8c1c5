"""`docs/reference/api.md`: what can be imported from the package, from its own docstrings."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
import textwrap
from types import ModuleType
from typing import Any

from sitekit.reference.markup import plain

# What readers import. The rest of the package serves these.
MODULES = (
    "quantities", "printing", "table",
    "formats", "weight_formats", "precision",
    "models.presets", "models.build", "models.model", "models.typed",
    "weights", "kv", "memory_rules", "memory_inference", "memory_training", "memory_groups",
    "activations", "adapters", "optimizers",
    "flops.matmul", "flops.rule", "flops.passes", "flops.generation", "flops.utilization",
    "training_time", "scaling", "roofline", "intensity", "hierarchy",
    "speed", "serving", "speculative",
    "parallel", "collectives", "traffic", "training_step", "sharding",
    "hardware", "prices", "cost", "energy", "cheapest",
    "solve", "training_fit", "capacity", "timing",
)  # fmt: skip
FOREIGN = "napkin."

HEAD = """# API

The course's package, `napkin`, as you can import it in any cell: `from napkin.flops.matmul import
matmul_flops`. It needs Python 3.11 and nothing else. Values are plain numbers in base units: bytes,
FLOP, seconds, FLOP/s, dollars. Functions that answer with several numbers return a
[`Table`](#table): `print` it, or take one value with `table.value("key")`.

Each example is run by the tests.
"""
BRIEF = 60


def page() -> str:
    """The page's Markdown."""
    lines = [HEAD]
    for name in MODULES:
        lines += _module(importlib.import_module(f"napkin.{name}"), name)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n"


def public(module: ModuleType) -> list[tuple[str, Any]]:
    """The functions and classes that a module offers and defines itself."""
    names = getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]
    found = ((name, getattr(module, name)) for name in names)
    return [
        (name, value)
        for name, value in found
        if (inspect.isfunction(value) or inspect.isclass(value))
        and value.__module__ == module.__name__
    ]


def _module(module: ModuleType, name: str) -> list[str]:
    lines = [f"## napkin.{name} {{ #{name.replace('.', '-').replace('_', '-')} }}\n"]
    lines += _docstring(inspect.getdoc(module) or "")
    for own, value in public(module):
        anchor = f"{name.replace('.', '-').replace('_', '-')}-{own.replace('_', '-').lower()}"
        lines += ["", f"### {own} {{ #{anchor} }}\n"]
        lines += ["``` { .python .no-copy }", _signature(own, value), "```\n"]
        lines += _docstring(inspect.getdoc(value) or "")
    return [*lines, ""]


def _signature(name: str, value: Any) -> str:
    if inspect.isclass(value):
        if not dataclasses.is_dataclass(value):
            return f"class {name}"
        fields = [
            f"    {field.name}: {_type(field.type)}"
            for field in dataclasses.fields(value)
            if not field.name.startswith("_")
        ]
        return "\n".join([f"class {name}:", *fields])
    signature = inspect.signature(value)
    parts = [_type(str(parameter)) for parameter in signature.parameters.values()]
    star = [
        kind.kind is inspect.Parameter.KEYWORD_ONLY for kind in signature.parameters.values()
    ]
    if any(star) and not any(part.startswith("*") for part in parts):
        parts.insert(star.index(True), "*")
    returns = _type(str(signature.return_annotation))
    line = f"{name}({', '.join(parts)}) -> {returns}"
    if len(line) <= BRIEF:
        return line
    inside = "".join(f"    {part},\n" for part in parts)
    return f"{name}(\n{inside}) -> {returns}"


def _type(annotation: object) -> str:
    """An annotation as the source spells it.

    >>> _type("model: 'Model | str'")
    'model: Model | str'
    """
    text = str(annotation)
    text = re.sub(r"(: |^)'([^']*)'", r"\1\2", text)
    return text.replace(FOREIGN, "").replace('"', "")


def _docstring(text: str) -> list[str]:
    """A docstring as Markdown: prose, and its examples as code."""
    lines: list[str] = []
    for block in re.split(r"\n\s*\n", text):
        if block.lstrip().startswith(">>>"):
            lines += ["``` { .pycon .no-copy }", textwrap.dedent(block), "```\n"]
        elif ">>>" in block:
            prose, example = block.split(">>>", 1)
            lines += [*_docstring(prose), *_docstring(f">>>{example}")]
        elif block.strip():
            lines += [_prose(textwrap.dedent(block)), ""]
    return lines


def _prose(block: str) -> str:
    """Prose whose code stands between double or single backticks."""
    parts = re.split(r"(``.+?``|`[^`]+`)", block, flags=re.DOTALL)
    return "".join(
        f"`{' '.join(part.strip('`').split())}`" if part.startswith("`") else plain(part)
        for part in parts
    )
