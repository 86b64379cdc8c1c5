"""The known name that a reader most likely meant."""

from __future__ import annotations

from collections.abc import Iterable

MAX_NAMES = 5_000
"""More candidates than this are not compared: an answer must come at once."""


def nearest(name: str, names: Iterable[object]) -> str:
    """The one of `names` most like `name`, or "" where none is alike.

    Private names are only offered for a private name. Upper and lower case count as alike.

    >>> nearest("flot32", ["float16", "float32", "int32"])
    'float32'
    >>> nearest("Weights", ["weights"])
    'weights'
    >>> nearest("x", ["y"])
    ''
    """
    import difflib  # only when something went wrong: it takes longer to load than the runner

    private = name.startswith("_")
    candidates: dict[str, str] = {}
    for other in names:
        # The length first: one letter is not like another, and long texts are not names.
        if (
            isinstance(other, str)
            and other != name
            and 0 < len(other) < 100
            and (private or not other.startswith("_"))
        ):
            candidates.setdefault(other.casefold(), other)
        if len(candidates) > MAX_NAMES:
            return ""
    folded = name[:100].casefold()
    if folded in candidates:
        return candidates[folded]
    close = difflib.get_close_matches(folded, candidates, n=1, cutoff=0.7)
    return candidates[close[0]] if close else ""
