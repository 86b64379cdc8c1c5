"""`docs/reference/formulas.md`: the course's rules, each with an example worked out twice."""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from typing import Any

from sitekit.reference.formula_list import FORMULAS, Formula

HEAD = """# Formulas

The rules of the course on one page. Each stands with its letters, its condition, and an example
that was worked out twice while this page was written: once as the sum shown, once by the function
of the package. The page is not written when the two differ.

Bytes are counted in GB = 10⁹ and GiB = 2³⁰. A FLOP is one multiply or one add.
"""


@dataclass(frozen=True)
class Worked:
    """An example's value, and how it is written down."""

    value: float
    shown: str


def page() -> str:
    """The page's Markdown; ValueError where an example's sum and function differ."""
    lines = [HEAD]
    for topic in dict.fromkeys(formula.topic for formula in FORMULAS):
        lines.append(f"## {topic}\n")
        for formula in (each for each in FORMULAS if each.topic == topic):
            lines += _entry(formula)
    return "\n".join(lines).rstrip() + "\n"


def _entry(formula: Formula) -> list[str]:
    done = worked(formula)
    module, _, function = formula.target.partition(":")
    anchor = f"{module}-{function}".replace(".", "-").replace("_", "-").lower()
    return [
        f"### {formula.name}\n",
        f"`{formula.rule}`\n",
        f"{formula.letters}\n",
        f"Example: {formula.example} `{formula.plain} = {done.shown}`. In Python:"
        f" [`{function}`](api.md#{anchor}).\n",
    ]


def worked(formula: Formula) -> Worked:
    """The example, worked out by the sum and by the package, which must agree.

    The sum is exact unless the formula names a tolerance, as for values that it rounds.
    """
    by_hand = float(eval(formula.plain, {"sqrt": math.sqrt}))
    module, _, function = formula.target.partition(":")
    called = getattr(importlib.import_module(f"napkin.{module}"), function)
    result: Any = eval(formula.call, {function: called, **_helpers()})
    value = float(result)
    if not math.isclose(by_hand, value, rel_tol=formula.tolerance):
        raise ValueError(
            f"formula {formula.name!r}: {formula.plain} is {by_hand:.6g}, "
            f"but {formula.call} is {value:.6g}"
        )
    return Worked(by_hand, f"{_rounded(by_hand / formula.scale)} {formula.unit}".strip())


def _helpers() -> dict[str, Any]:
    from napkin.hardware import accelerator
    from napkin.models import preset

    return {"accelerator": accelerator, "preset": preset}


def _rounded(value: float) -> str:
    if 0.01 <= abs(value) < 100_000:
        return f"{value:,.0f}" if value >= 100 else f"{float(f'{value:.3g}'):g}"
    return f"{value:.3g}".replace("e+", "e")
