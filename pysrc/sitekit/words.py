"""Pieces of HTML that fences share."""

from __future__ import annotations

import html
import re

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from sitekit.deck_text import inline_html


def plain_text(text: str) -> str:
    """Markdown without its marks, for an attribute.

    >>> plain_text("Double *n*: `2 * n`")
    'Double n: 2 * n'
    """
    return html.unescape(re.sub(r"<[^>]+>", "", inline_html(text)))


def code_html(code: str, part: str, label: str) -> str:
    """Python code in colours; its `label` is read aloud."""
    coloured = highlight(code, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)).rstrip()
    return (
        f'<pre data-part="{part}" class="highlight" tabindex="0"'
        f' aria-label="{html.escape(label)}">{coloured}\n</pre>'
    )
