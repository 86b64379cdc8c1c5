"""MkDocs hook: the search index in two files, so that a page's load fetches the small one only.

The theme fetches `search/search_index.json` on every page, for its settings too, which mark the
terms of a search on the page that it led to. Its documents, nearly all of it, go to a file that
`docs/assets/js/worker/search.js` fetches when a reader searches.
"""

from __future__ import annotations

import json
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority

FOLDER = Path("search")
INDEX = "search_index.json"
DOCUMENTS = "documents.json"


def split(index: str) -> tuple[str, str]:
    """The index without its documents, and the documents.

    >>> split('{"config": {"lang": ["en"]}, "docs": [{"text": "FLOP"}]}')
    ('{"config":{"lang":["en"]},"docs":[]}', '[{"text":"FLOP"}]')
    """
    whole = json.loads(index)
    documents = whole["docs"]
    compact = (",", ":")
    return (
        json.dumps({**whole, "docs": []}, separators=compact),
        json.dumps(documents, separators=compact, ensure_ascii=False),
    )


@event_priority(-100)  # after the search plugin, which writes the file in the same event
def on_post_build(config: MkDocsConfig) -> None:
    """Write both files in place of the one."""
    folder = Path(config.site_dir) / FOLDER
    settings, documents = split((folder / INDEX).read_text("utf-8"))
    (folder / INDEX).write_text(settings, "utf-8")
    (folder / DOCUMENTS).write_text(documents, "utf-8")
