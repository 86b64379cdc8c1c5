"""Links that leave the site: listed, and checked for what can be seen without a network.

Links inside the site are checked by the strict build, which follows each page and anchor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from sitekit.paths import DOCS

LINK = re.compile(r"\]\((?P<inline>https?://[^\s)]*(?:\([^\s)]*\)[^\s)]*)*)\)|<(?P<bare>https?://[^>]*)>")
HOST = re.compile(r"^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$")
PAPER = re.compile(r"^/(abs|pdf|html)/(\d{4}\.\d{4,5}|[a-z-]+/\d{7})")


@dataclass(frozen=True)
class Outside:
    """A link to another site, and where it stands."""

    page: str
    line: int
    address: str


def outside_links(docs: Path = DOCS) -> Iterator[Outside]:
    """Every link of the pages to another site."""
    for path in sorted(docs.rglob("*.md")):
        page = path.relative_to(docs.parent).as_posix()
        for number, line in enumerate(path.read_text("utf-8-sig").splitlines(), 1):
            for found in LINK.finditer(line):
                yield Outside(page, number, found["inline"] or found["bare"])


def link_problems(docs: Path = DOCS) -> list[str]:
    """What is wrong with links to other sites, a message with file and line each."""
    found = []
    for link in outside_links(docs):
        wrong = address_problem(link.address)
        if wrong:
            found.append(f"{link.page}:{link.line}: {link.address}: {wrong}")
    return found


def address_problem(address: str) -> str | None:
    """What is wrong with an address, as far as that can be seen offline.

    >>> address_problem("https://arxiv.org/abs/2001.08361")
    >>> address_problem("http://arxiv.org/abs/2001.08361")
    'use https'
    >>> address_problem("https://arxiv/abs")
    "'arxiv' is not the name of a host"
    """
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError as error:
        return str(error)
    if parts.scheme != "https":
        return "use https"
    if not HOST.match(host):
        return f"{host!r} is not the name of a host"
    if re.search(r"[\s\\<>\"{}|^`]", address):
        return "it holds a sign that an address cannot hold"
    if address.endswith((".", ",", ";")):
        return "it ends in punctuation"
    if host == "arxiv.org" and not PAPER.match(parts.path):
        return "an arXiv address is /abs/ with the paper's number"
    return None


def main(arguments: list[str]) -> int:
    """`sitekit links`: list the links to other sites, for a look at them with a network."""
    del arguments
    for link in outside_links():
        print(f"{link.page}:{link.line}: {link.address}")
    return 0
