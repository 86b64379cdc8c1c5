"""`sitekit modules`: which scripts each element needs, for the head of its pages.

A module's imports are known only when it has arrived, theirs only when they have: without a hint
a page waits for one round trip to the server after the other. The theme's `main.html` names all
modules of the elements that a page holds, so that they are fetched side by side.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

from sitekit.paths import DOCS, PYSRC
from sitekit.provision.steps import say, write_changed

SCRIPTS = DOCS / "assets" / "js"
ENTRY = "course.js"
FILE = PYSRC / "sitekit" / "theme" / "partials" / "modules.html"
IMPORT = re.compile(
    r"""^(?:import|export)\s(?:[^;"'()=]*\sfrom\s)?\s*["'](?P<path>\.[^"']+)["']""", re.MULTILINE
)


def imported(module: Path) -> list[Path]:
    """The modules that a module of ours names in its static imports.

    >>> [path.name for path in imported(SCRIPTS / "lib" / "deliveries.js")]
    ['downloads.js', 'runtime-cache.js']
    """
    if not module.is_file():  # made by the set-up, and imports nothing
        return []
    found = IMPORT.finditer(module.read_text("utf-8"))
    return [(module.parent / match["path"]).resolve() for match in found]


def needed(module: Path) -> list[Path]:
    """A module and all that it imports, directly or not, each once."""
    found = [module]
    for path in found:  # grows as it is gone through
        found += [other for other in imported(path) if other not in found]
    return found


def graph(scripts: Path = SCRIPTS) -> dict[str, list[str]]:
    """What to fetch, by tag name, as paths below `docs/`; "" is for every page.

    What every page has is not repeated for an element.
    """
    docs = scripts.resolve().parents[1]
    entry = needed((scripts / ENTRY).resolve())
    made = {"": entry}
    for element in sorted((scripts / "elements").resolve().glob("*.js")):
        if others := [path for path in needed(element) if path not in entry]:
            made[element.stem] = others
    return {
        tag: [path.relative_to(docs).as_posix() for path in paths] for tag, paths in made.items()
    }


def write(file: Path = FILE) -> bool:
    """Write the theme's list where it is not current; True when it had to change."""
    data = f"{{% set modules = {json.dumps(graph(), indent=1)} %}}\n".encode()
    return write_changed(file, data, "modules")


def main(arguments: list[str]) -> int:
    """`sitekit modules`: write the list of scripts that the theme names."""
    argparse.ArgumentParser(prog="sitekit modules", description=main.__doc__).parse_args(arguments)
    say(f"modules.html: {'written' if write() else 'current'}")
    return 0
