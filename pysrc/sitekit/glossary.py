"""The glossary: its terms, and a Markdown extension that links each one where it is first used.

It is named in `markdown_extensions`. A link carries the meaning in its title, which the theme shows
when a reader points at it, reaches it with the keyboard or opens it by touch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor
from markdown.util import HTML_PLACEHOLDER

from sitekit.paths import DOCS
from sitekit.sections import SiteError
from sitekit.words import plain_text

PAGE = "reference/glossary.md"
ENTRY = re.compile(
    r'^(?P<term>\S[^\n{]*?) \{ #(?P<id>[a-z0-9-]+)(?: data-also="(?P<also>[^"]*)")? \}\n'
    r":   (?P<meaning>.+(?:\n    .+)*)\n?",
    re.MULTILINE,
)
# Where words are not running text: a link inside would be odd or not allowed.
SKIPPED = {"a", "code", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "th", "summary", "script", "em"}
SKIPPED_CLASSES = {"admonition-title", "footnote"}
READ = {"p", "li", "td", "dd"}
# Names that are spelled like words.
PROPER = {"Adam"}


@dataclass(frozen=True)
class Term:
    """One entry; `names` are the ways to write it, the term itself first."""

    id: str
    names: tuple[str, ...]
    meaning: str


def parse_glossary(text: str) -> list[Term]:
    """The entries of the glossary's page; SiteError where one is there twice or out of order."""
    terms = []
    seen: dict[str, str] = {}
    for entry in ENTRY.finditer(text):
        names = (entry["term"], *filter(None, (entry["also"] or "").split("|")))
        for name in names:
            if name in seen:
                raise SiteError(
                    f"docs/{PAGE}: {name!r} is explained at {entry['term']!r} and at "
                    f"{seen[name]!r}; a term has one place"
                )
            seen[name] = entry["term"]
        meaning = plain_text(" ".join(entry["meaning"].split()))
        terms.append(Term(entry["id"], names, meaning))
    begun = len(re.findall(r"^:   ", text, re.MULTILINE))
    if begun != len(terms):
        raise SiteError(
            f"docs/{PAGE}: {begun} meanings but {len(terms)} terms of the form "
            '`Term {{ #id }}` or `Term {{ #id data-also="other|names" }}` above them'
        )
    order = [term.names[0] for term in terms]
    for one, other in zip(order, sorted(order, key=str.casefold), strict=True):
        if one != other:
            raise SiteError(f"docs/{PAGE}: {one!r} is not in its alphabetical place")
    return terms


@lru_cache(maxsize=4)
def _known(changed: float, path: Path) -> tuple[dict[str, Term], re.Pattern[str]]:
    """Terms by every name as text holds it, and the expression that finds them."""
    by_name = {
        name: term for term in parse_glossary(path.read_text("utf-8")) for name in term.names
    }
    spellings = {spelling: term for name, term in by_name.items() for spelling in _cases(name)}
    # The longest first: `gradient accumulation` is not a gradient.
    names = sorted(by_name, key=len, reverse=True)
    choices = "|".join(_pattern(name) for name in names)
    return spellings, re.compile(rf"(?<![\w/-])(?:{choices})(?![\w/])")


def _pattern(name: str) -> str:
    """How a name is found: plural too, and a plain word at the start of a sentence too.

    >>> bool(re.fullmatch(_pattern("Gradient"), "gradients")), _pattern("GPU")
    (True, '(?:GPU)s?')
    """
    return f"(?:{'|'.join(re.escape(case) for case in _cases(name))})s?"


def _cases(name: str) -> tuple[str, ...]:
    """A plain word may begin a sentence or not; an abbreviation or a name stays as it is."""
    if not name[1:2].islower() or name in PROPER:
        return (name,)
    return (name[0].upper() + name[1:], name[0].lower() + name[1:])


_STASHED = HTML_PLACEHOLDER % "([0-9]+)"


class GlossaryLinks(Treeprocessor):  # type: ignore[misc]  # Markdown has no types
    """Links the first use of each term on a page."""

    def __init__(self, md: Markdown, path: Path) -> None:
        super().__init__(md)
        self._path = path

    def run(self, root: Element) -> None:
        lookup, pattern = _known(self._path.stat().st_mtime, self._path)
        if any(element.tag == "dt" and element.get("id") for element in root.iter()):
            return  # the glossary itself
        done: set[str] = set()
        for parent in list(_running_text(root)):
            if self._holds_raw_link(parent):
                continue  # a link inside a link ends the outer one
            self._link_in(parent, pattern, lookup, done)

    def _holds_raw_link(self, parent: Element) -> bool:
        """Whether a link written as HTML stands in the text: Markdown keeps it aside."""
        text = " ".join([parent.text or "", *(child.tail or "" for child in parent)])
        stash = self.md.htmlStash.rawHtmlBlocks
        return any(
            str(stash[int(number)]).startswith("<a ") for number in re.findall(_STASHED, text)
        )

    def _link_in(
        self, parent: Element, pattern: re.Pattern[str], lookup: dict[str, Term], done: set[str]
    ) -> None:
        """Link in the text of one element: what stands before its first child, and after each."""
        children = list(parent)
        position = 0
        for place in range(len(children) + 1):
            before = children[place - 1] if place else None
            text = (parent.text if before is None else before.tail) or ""
            if place:
                position = list(parent).index(children[place - 1]) + 1
            kept, links = _cut(text, pattern, lookup, done)
            if not links:
                continue
            if before is None:
                parent.text = kept
            else:
                before.tail = kept
            for offset, link in enumerate(links):
                parent.insert(position + offset, link)


def _cut(
    text: str, pattern: re.Pattern[str], lookup: dict[str, Term], done: set[str]
) -> tuple[str, list[Element]]:
    """The text before the first link, and the links with the text after each as their tail."""
    links: list[Element] = []
    kept, end = "", 0
    for found in pattern.finditer(text):
        term = lookup.get(found[0]) or lookup.get(found[0].removesuffix("s"))
        if term is None or term.id in done:
            continue
        done.add(term.id)
        between = text[end : found.start()]
        if links:
            links[-1].tail = between
        else:
            kept = between
        link = Element("a", {"class": "term", "href": f"/{PAGE}#{term.id}", "title": term.meaning})
        link.text = found[0]
        links.append(link)
        end = found.end()
    if links:
        links[-1].tail = text[end:]
    return kept, links


def _running_text(element: Element) -> Iterator[Element]:
    """The elements whose own text is running text, in the order of the page."""
    if element.tag in SKIPPED or SKIPPED_CLASSES & set((element.get("class") or "").split()):
        return
    if element.tag in READ or element.tag in ("strong", "span"):
        yield element
    for child in element:
        yield from _running_text(child)


class GlossaryExtension(Extension):  # type: ignore[misc]
    """`sitekit.glossary` in `markdown_extensions`."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        # After inline text has become elements, before MkDocs turns .md links into addresses.
        md.treeprocessors.register(GlossaryLinks(md, DOCS / PAGE), "glossary", 4)


def makeExtension(**options: Any) -> GlossaryExtension:  # noqa: N802
    """What Markdown calls to get the extension."""
    return GlossaryExtension(**options)
