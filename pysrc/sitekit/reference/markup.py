"""Small pieces of Markdown that the reference pages share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

ADDRESS = re.compile(r"(?<![(\"<])https?://[^\s);,]+")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], align: str) -> list[str]:
    """The lines of a table; `align` has an `l` or `r` for each column.

    >>> table(("Name", "Size"), [("a|b", "1")], "lr")
    ['| Name | Size |', '|---|--:|', '| a\\\\|b | 1 |']
    """
    marks = [{"l": "---", "r": "--:"}[side] for side in align]
    lines = [f"| {' | '.join(head)} |", f"|{'|'.join(marks)}|"]
    for row in rows:
        cells = " | ".join(cell.replace("|", "\\|") for cell in row)
        lines.append(f"| {cells} |")
    return lines


def plain(text: str) -> str:
    """A text in which no sign is taken for Markdown, with its addresses as links.

    >>> plain("2*m*k see https://x.org")
    '2\\\\*m\\\\*k see <https://x.org>'
    """
    parts = ADDRESS.split(text)
    escaped = [re.sub(r"([\\`*_{}\[\]<>#~])", r"\\\1", part) for part in parts]
    found = [f"<{address}>" for address in ADDRESS.findall(text)]
    return escaped[0] + "".join(a + b for a, b in zip(found, escaped[1:], strict=True))


def number(value: float, digits: int = 4) -> str:
    """Up to `digits` significant digits, grouped by thousands.

    >>> number(989.0), number(4614.0), number(0.3), number(1007.5)
    ('989', '4,614', '0.3', '1,008')
    """
    rounded = float(f"{value:.{digits}g}")
    return f"{rounded:,.0f}" if rounded >= 10 ** (digits - 1) else f"{rounded:,g}"
