"""The rest of the standard library: the part of it that a page's start does without.

The page fetches it when Python is up. An import that comes earlier waits for it, so that no
program finds a module missing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from zipimport import zipimporter

PLACE = "/lib/stdlib-rest.zip"


class RestOfLibrary:
    """Finds the modules of the zip at `place`; for `sys.meta_path`.

    `fetch` gives the zip's bytes, and is asked when a module is imported before the zip is there.
    """

    def __init__(self, place: str, fetch: Callable[[], bytes]) -> None:
        self.place = place
        self._fetch = fetch

    @cached_property
    def names(self) -> frozenset[str]:
        """Its modules, as the zip with the first part lists them."""
        return frozenset(listed_names().split())

    @property
    def here(self) -> bool:
        return Path(self.place).exists()

    def wanted(self, modules: Iterable[str]) -> bool:
        """Whether these cannot be imported before it is there."""
        return not self.names.isdisjoint(modules) and not self.here

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """A module's place in the zip, also where its package lies elsewhere."""
        if fullname not in self.names:
            return None
        if not self.here:
            self._provide(fullname)
        folder = "/".join([self.place, *fullname.split(".")[:-1]])
        return PathFinder.find_spec(fullname, [folder], target)

    def _provide(self, fullname: str) -> None:
        try:
            data = self._fetch()
        except Exception as error:
            raise ImportError(
                f"{fullname} is fetched when it is first imported, and that failed: {error}",
                name=fullname,
            ) from None
        Path(self.place).write_bytes(data)


def listed_names() -> str:
    """The list in the zip that this interpreter started with; empty where there is none."""
    folder = Path(os.__file__).parent
    if folder.suffix != ".zip":
        return ""
    return zipimporter(str(folder)).get_data("rest.txt").decode()


def fetched_now() -> bytes:
    """The zip, while the worker's thread waits; see docs/assets/js/worker/library.js."""
    offered = import_module("js").restOfLibrary
    data: bytes = offered.fetch().to_bytes()
    if import_module("_sha2").sha256(data).hexdigest() != offered.sha256:
        raise ValueError("what arrived is not the published file")
    return data


REST = RestOfLibrary(PLACE, fetched_now)


def install() -> None:
    """Let imports find the rest of the library."""
    if REST not in sys.meta_path:
        sys.meta_path.append(REST)
