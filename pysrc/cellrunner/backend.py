"""The matplotlib backend of a cell: figures go into the cell's output, as SVG.

The runner names this module in the environment variable MPLBACKEND; matplotlib imports it when the
first figure is made.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from cellrunner import figures
from cellrunner.output import running


def _show_all(cls: type, *, block: bool | None = None) -> None:
    """What `plt.show()` does."""
    output = running()
    if output is not None:
        figures.show_all(output)


def _show_one(manager: Any) -> None:
    """What `figure.show()` does."""
    output = running()
    if output is not None:
        figures.show_one(manager.canvas.figure, output)


def _classes() -> tuple[type, type]:
    bases = importlib.import_module("matplotlib.backend_bases")
    svg = importlib.import_module("matplotlib.backends.backend_svg")
    manager = type(
        "FigureManager",
        (bases.FigureManagerBase,),
        {"pyplot_show": classmethod(_show_all), "show": _show_one},
    )
    canvas = type("FigureCanvas", (svg.FigureCanvasSVG,), {"manager_class": manager})
    return canvas, manager


# Only matplotlib imports this in earnest; whoever merely lists modules may not have it.
if "matplotlib" in sys.modules:
    FigureCanvas, FigureManager = _classes()
    figures.set_defaults()
