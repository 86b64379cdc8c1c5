"""Results that are kept from one build to the next, until what they were made from changes."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from sitekit.paths import PYSRC, ROOT

FOLDER = ROOT / ".cache" / "questions"


@cache
def sources_digest() -> str:
    """Changes with any file of `napkin` and with this Python: both decide on results."""
    digest = hashlib.sha256(sys.version.encode())
    here = Path(__file__).parent
    files = sorted(
        file for file in (PYSRC / "napkin").rglob("*") if file.suffix in (".py", ".json")
    )
    for file in [*files, here / "draws.py", here / "printed.py", Path(__file__)]:
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def kept(name: str, compute: Callable[..., Any], argument: Any, *key: object) -> Any:
    """`compute(argument)`, or what it gave before for the same `key` and the same sources.

    The result must be such that JSON gives it back.
    """
    digest = hashlib.sha256(repr((name, key, sources_digest())).encode()).hexdigest()[:24]
    file = FOLDER / f"{name}-{digest}.json"
    try:
        return json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        pass
    result = compute(argument)
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(f".{id(result)}.part")
    part.write_text(json.dumps(result), "utf-8")
    part.replace(file)
    return result
