"""What to do about an import that failed."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from cellrunner.nearest import nearest


def import_hint(error: ImportError, available: Sequence[str]) -> str:
    """A sentence about a module or a name that could not be imported.

    `available` are the modules that the page can fetch.

    >>> import_hint(ModuleNotFoundError("...", name="nunpy"), ["numpy", "matplotlib"])
    'Did you mean `numpy`?'
    >>> import_hint(ModuleNotFoundError("...", name="pandas"), ["numpy", "matplotlib"])
    "`pandas` cannot be had in this page; numpy, matplotlib and Python's own modules can."
    >>> import_hint(ModuleNotFoundError("...", name="torch"), [])
    '`torch` cannot be had here, its small look-alike can: `import tinytorch as torch`.'
    """
    if isinstance(error, ModuleNotFoundError):
        return _missing_module(error.name or "", available)
    found = re.search(r"cannot import name '(\w+)' from '([\w.]+)'", str(error))
    module = sys.modules.get(found[2]) if found else None
    if found and module:
        close = nearest(found[1], dir(module))
        if close:
            return f"Did you mean `{close}`?"
    return ""


def _missing_module(name: str, available: Sequence[str]) -> str:
    root, _, rest = name.partition(".")
    if not root:
        return ""
    if rest and root in sys.modules:
        parts = [one.split(".")[1] for one in sys.modules if one.startswith(f"{root}.")]
        close = nearest(rest, [*parts, *dir(sys.modules[root])])
        return f"Did you mean `{root}.{close}`?" if close else f"`{root}` has no part of this name."
    if root in available:
        return f"Write `import {root}` out in the cell: the page fetches what it sees there."
    if root in sys.stdlib_module_names:
        return f"`{root}` is part of Python, but needs what a page cannot give."
    if root == "torch":
        return (
            "`torch` cannot be had here, its small look-alike can: "
            "`import tinytorch as torch`."
        )
    public = [one for one in sys.stdlib_module_names if not one.startswith("_")]
    loaded = {one.partition(".")[0] for one in sys.modules}
    # The likely ones first: `nunpy` is NumPy, though `runpy` is as near.
    close = nearest(root, [*available, "napkin"]) or nearest(root, [*loaded, *public])
    if close:
        return f"Did you mean `{close}`?"
    if not available:
        return f"`{root}` cannot be had in this page; Python's own modules can."
    return (
        f"`{root}` cannot be had in this page; {', '.join(available)} and Python's own modules can."
    )
