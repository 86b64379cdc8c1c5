"""The fenced blocks of a page's text, for checks that run before the page is built."""

from __future__ import annotations

import re

FENCE = re.compile(r"^(?P<indent>\s*)(?P<marks>`{3,}|~{3,})\s*(?P<language>[\w-]+)\s*(?P<rest>.*)$")


def fences(text: str) -> list[tuple[int, str, str]]:
    """The fenced blocks of a page: line of the header, language, body.

    >>> fences("text\\n```cell\\ncounting-operations/timer\\n```\\n")
    [(2, 'cell', 'counting-operations/timer')]
    """
    blocks = []
    lines = iter(enumerate(text.splitlines(), 1))
    for number, line in lines:
        header = FENCE.match(line)
        if header is None:
            continue
        body = []
        for _, inner in lines:
            if inner.strip().startswith(header["marks"]) and not inner.strip().strip("`~"):
                break
            body.append(inner)
        blocks.append((number, header["language"], "\n".join(body)))
    return blocks
