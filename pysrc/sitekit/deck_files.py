"""YAML of the deck files, read with the line of every entry, so that mistakes can be told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import yaml

from sitekit.sections import SiteError, nearest


class Entry(dict[str, Any]):
    """A mapping of a deck file with its line; the keys that were taken are remembered."""

    line: int
    where: str

    def __init__(self, pairs: dict[str, Any], line: int, where: str) -> None:
        super().__init__(pairs)
        self.line = line
        self.where = f"{where}:{line}"

    def text(self, key: str) -> str:
        """A text that must be there. Raises SiteError where it is missing, empty or no text."""
        value = self.get(key)
        if value is None:
            raise SiteError(f"{self.where}: {self.named} has no `{key}`")
        if not isinstance(value, str):
            raise SiteError(
                f"{self.where}: the `{key}` of {self.named} is {value!r}, which YAML does not "
                "read as text; put it in quotes"
            )
        if not value.strip():
            raise SiteError(f"{self.where}: the `{key}` of {self.named} is empty")
        return value.strip()

    def optional_text(self, key: str) -> str:
        """A text that may be missing: the empty string then."""
        return self.text(key) if key in self else ""

    def expression(self, key: str) -> str:
        """A Python expression; a bare number is one too."""
        value = self.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return repr(value)
        return self.text(key)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; empty where it is missing."""
        value = self.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise SiteError(f"{self.where}: the `{key}` of {self.named} must be a list of texts")
        return tuple(each.strip() for each in value)

    def entries(self, key: str) -> list[Entry]:
        """A list of mappings; empty where it is missing."""
        value = self.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, Entry) for each in value):
            raise SiteError(f"{self.where}: the `{key}` of {self.named} must be a list of entries")
        return value

    def allow(self, keys: Iterable[str]) -> None:
        """Raise SiteError for a key that is not among `keys`."""
        known = set(keys)
        for key in self:
            if key not in known:
                raise SiteError(
                    f"{self.where}: {self.named} has the unknown key {key!r}"
                    + nearest(str(key), known, "key")
                )

    @property
    def named(self) -> str:
        """How messages call the entry."""
        return f"{self['id']!r}" if "id" in self else "the entry"


def read_yaml(text: str, where: str) -> Entry:
    """The top mapping of a deck file's `text`; `where` names the file in messages."""

    class Loader(yaml.SafeLoader):
        pass

    def mapping(loader: yaml.SafeLoader, node: yaml.MappingNode) -> Entry:
        line = node.start_mark.line + 1
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = loader.construct_object(key_node)
            if key in seen:
                at = key_node.start_mark.line + 1
                raise SiteError(f"{where}:{at}: {key!r} stands twice in one entry")
            seen.add(key)
        pairs = loader.construct_mapping(node, deep=True)
        return Entry({str(key): value for key, value in pairs.items()}, line, where)

    Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)
    with _yaml_mistakes(where):
        content = yaml.load(text, Loader)
    if not isinstance(content, Entry):
        raise SiteError(f"{where}:1: a deck has the keys `cards:` and `quiz:`, this file has not")
    return content


@contextmanager
def _yaml_mistakes(where: str) -> Iterator[None]:
    try:
        yield
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = mark.line + 1 if mark else 1
        hint = "a text with a colon, a brace or a # needs quotes"
        told = f"{where}:{line}: not readable as YAML ({error.problem}); {hint}"
        raise SiteError(told) from error
    except yaml.YAMLError as error:
        raise SiteError(f"{where}:1: not readable as YAML ({error})") from error
