"""Accelerators by the names people say, and a table of them all.

The rows and what they mean are in ``napkin.accelerators``.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from napkin.accelerators import GIB, Accelerator, accelerators, rate_unit
from napkin.printing import format_rate
from napkin.table import Row, Table, nearest_name

__all__ = ["GIB", "Accelerator", "accelerator", "accelerators", "hardware_table"]

# A name without its board or memory size means the first of these that it fits.
PREFERRED = ("SXM", "80GB", "32GB")
PREFERRED_FAMILIES = ("h100", "h200", "h800", "a100", "v100", "p100")

_NOISE = {"nvidia", "geforce", "tesla", "quadro", "amd", "radeon", "instinct", "google", "apple",
          "intel", "gpu", "chip", "per", "cloud", "the", "aws", "g5", "card"}  # fmt: skip
# Words that do not tell one row from another when the query leaves them out.
_SILENT = {"rtx", "gtx", "rx", "gb", "tpu", "jetson", "core", "arc", "ryzen", "ai", "one"}
# Words that name another product: a 2080 is no 2080 Ti, an MI250 no MI250X.
_VARIANTS = {"ti", "super", "x", "xtx", "s", "g", "d", "ada", "a", "pro"}
_NICKNAMES = {"trn2": "AWS Trainium2", "inf2": "AWS Inferentia2"}


def _words(name: str) -> list[str]:
    """Letters and numbers apart, so that ``rtx-4090``, ``RTX4090`` and ``rtx 4090`` agree."""
    folded = name.lower().replace("+", " ")
    folded = re.sub(r"(\d+)\s*-?\s*c(ores?)?\b", r"\1 core", folded)
    folded = re.sub(r"(\d+)\s*gib\b", r"\1gb", folded)
    folded = re.sub(r"\b(hbm|gddr)\d\w*", " ", folded)
    return [word for word in re.findall(r"[a-z]+|\d+", folded) if word not in _NOISE]


@cache
def _named() -> dict[str, Accelerator]:
    return {row.name.casefold(): row for row in accelerators()}


@cache
def _index() -> tuple[tuple[Accelerator, frozenset[str], frozenset[str]], ...]:
    index = []
    for row in accelerators():
        words = frozenset(_words(row.name))
        size = frozenset({f"{row.marketed_gb:g}", "gb"})
        # Generation numbers of the boards: SXM4 and SXM5 are said of A100 and H100.
        index.append((row, words, words | size | {"sxm", "2", "4", "5"} if "sxm" in words else
                      words | size))  # fmt: skip
    return tuple(index)


def accelerator(name: str | Accelerator) -> Accelerator:
    """The accelerator people mean by ``name``: ``rtx-4090``, ``4090``, ``H100 SXM``, ``m2 ultra``…

    A bare ``H100``, ``A100``, ``H200``, ``V100`` or ``P100`` is the SXM board with the most
    memory; other names that fit several rows are refused with the choices.  A memory size behind
    an Apple chip (``M3 Max 40-core 64GB``) replaces the largest configuration.

    >>> accelerator("4090").name, accelerator("A100").name, accelerator("a100-40gb").name
    ('RTX 4090', 'A100 SXM 80GB', 'A100 SXM 40GB')
    >>> accelerator("2080")
    Traceback (most recent call last):
    ...
    ValueError: '2080' is not an accelerator known here: did you mean RTX 2080 Ti?
    """
    if isinstance(name, Accelerator):
        return name
    if not isinstance(name, str) or not name.strip():
        raise ValueError(
            f"an accelerator is named by text such as 'H100' or 'rtx-4090', got {name!r}"
        )
    folded = name.strip().casefold()
    named = _named().get(_NICKNAMES.get(folded, folded).casefold())
    if named is not None:
        return named
    asked = _words(name)
    apple = _apple(asked)
    words = frozenset(asked) if apple is None else apple[0]
    fits = [(own - words - _SILENT - {f"{row.marketed_gb:g}"}, row)
            for row, own, known in _index() if words and words <= known]  # fmt: skip
    same = [(extra, row) for extra, row in fits if not extra & _VARIANTS]
    if same:
        found = _fewest_extra(same, "".join(asked))
        if len(found) == 1:
            return _with_memory(found[0], None if apple is None else apple[1])
        raise ValueError(
            f"{name!r} may be any of {', '.join(row.name for row in found)}: name one of them"
        )
    close = [row.name for _, row in fits]
    names = [row.name for row in accelerators()]
    close = close or nearest_name(name, names) or nearest_name(f"rtx {name}", names)
    hint = f"did you mean {', '.join(close)}?" if close else "see napkin.hardware.accelerators()"
    raise ValueError(f"{name!r} is not an accelerator known here: {hint}")


def _fewest_extra(fits: list[tuple[frozenset[str], Accelerator]], asked: str) -> list[Accelerator]:
    if asked.startswith(PREFERRED_FAMILIES):
        found = [row for _, row in fits]
        for word in PREFERRED:
            found = [row for row in found if word in row.name] or found
        return found
    fewest = min(len(extra) for extra, _ in fits)
    return [row for extra, row in fits if len(extra) == fewest]


def _apple(words: list[str]) -> tuple[frozenset[str], float] | None:
    """Apple chips come with many memory sizes: the words without the size, and the size."""
    if len(words) > 3 and words[0] == "m" and words[-1] == "gb" and words[-2].isdigit():
        return frozenset(words[:-2]), float(words[-2])
    return None


def _with_memory(row: Accelerator, gigabytes: float | None) -> Accelerator:
    if gigabytes is None or gigabytes == row.marketed_gb:
        return row
    if gigabytes > row.marketed_gb:
        raise ValueError(f"{row.name} comes with at most {row.marketed_gb:g} GB")
    return replace(row, marketed_gb=gigabytes)


def hardware_table(form: str = "bf16") -> Table:
    """Dense peak of every accelerator that has the format, with memory and bandwidth as working."""
    form = str(form)
    rows = [
        Row(
            re.sub(r"\W+", "_", row.name.lower()).strip("_").join(("gpu_", "")),
            row.name,
            row.peaks[form],
            rate_unit(form),
            f"{row.marketed_gb:g} GB at {format_rate(row.bandwidth, 'B/s')}; "
            f"{'' if row.watts is None else f'{row.watts:g} W; '}{row.year}",
            row.source,
        )
        for row in accelerators()
        if form in row.peaks
    ]
    if not rows:
        known = sorted({name for row in accelerators() for name in row.peaks})
        raise ValueError(f"no accelerator lists {form!r}: use one of {', '.join(known)}")
    return Table(f"Accelerators, dense {form} peak", tuple(rows))
