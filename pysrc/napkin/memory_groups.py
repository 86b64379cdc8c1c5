"""Parts of memory by what they do when the batch grows: fixed by the model, or growing with it."""

from __future__ import annotations

from napkin.printing import format_bytes
from napkin.table import Row, Table

__all__ = ["fixed_bytes", "growing_bytes", "training_groups"]

# Rows of running and training tables that no smaller batch shrinks.
FIXED = frozenset(
    {
        "weights", "overhead", "gradients", "master", "copies", "optimizer", "gathered", "frozen",
        "adapter_weights", "adapter_gradients", "adapter_master", "adapter_copies",
        "adapter_optimizer", "expanded",
    }
)  # fmt: skip
_NAMES = (
    ("weights", "Weights", ("weights", "frozen", "copies")),
    ("gradients", "Gradients", ("gradients",)),
    ("master", "Master copy, fp32", ("master",)),
    ("optimizer", "Optimiser state", ("optimizer",)),
    ("adapters", "Adapters, their gradients and optimiser",
     ("adapter_weights", "adapter_gradients", "adapter_master", "adapter_copies",
      "adapter_optimizer")),
    ("passing", "Gathered or unpacked for a moment", ("gathered", "expanded")),
)  # fmt: skip
_LOSS = ("loss", "logits")


def fixed_bytes(table: Table) -> int:
    """Bytes that stay when batch and context grow (headroom left aside)."""
    return sum(int(row.value) for row in table.rows if row.key in FIXED)


def growing_bytes(table: Table) -> int:
    """Bytes that grow with batch and context (headroom left aside)."""
    return sum(
        int(row.value) for row in table.rows if row.key not in FIXED and row.key != "headroom"
    )


def training_groups(table: Table, title: str = "") -> Table:
    """A training table in a handful of rows: state, activations, loss, buffers.

    >>> from napkin.training_fit import training_table
    >>> [row.key for row in training_groups(training_table("llama-2-7b", seq=512)).rows]
    ['weights', 'gradients', 'master', 'optimizer', 'activations', 'loss', 'headroom']
    """
    rows = []
    for key, label, keys in _NAMES:
        found = [row for row in table.rows if row.key in keys]
        if found:
            rows.append(_together(key, label, found))
    grows = [row for row in table.rows if row.key not in FIXED and row.key != "headroom"]
    layers = [row for row in grows if row.key not in _LOSS]
    loss = [row for row in grows if row.key in _LOSS]
    if layers:
        rows.append(_together("activations", "Activations", layers))
    if loss:
        rows.append(_together("loss", "Loss and logits", loss))
    rows += [row for row in table.rows if row.key == "headroom"]
    return Table.of(title or table.title, rows, notes=table.notes)


def _together(key: str, label: str, rows: list[Row]) -> Row:
    """One row for several; a single one keeps its working."""
    total = sum(int(row.value) for row in rows)
    if len(rows) == 1:
        return Row(key, label, total, "B", rows[0].working, rows[0].source)
    largest = sorted(rows, key=lambda row: -row.value)
    shown = [f"{format_bytes(row.value)} {_lower(row.label)}" for row in largest[:3]]
    more = " + …" if len(rows) > 3 else f" = {format_bytes(total)}"
    return Row(key, label, total, "B", " + ".join(shown) + more, rows[0].source)


def _lower(label: str) -> str:
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]
