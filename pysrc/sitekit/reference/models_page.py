"""`docs/reference/models.md`: every model known by name, with its exact parameters and source."""

from __future__ import annotations

from napkin.models import preset
from napkin.models.presets import preset_names, preset_source
from napkin.printing import format_bytes
from sitekit.reference.markup import plain, table

HEAD = """# Models

The {count} models that the course and its calculators know by name. For any other, paste its
`config.json` into a calculator, or pass it to `from_config` from `napkin.models`.

**Parameters are counted, not quoted**: from the configuration, tensor by tensor. Where the makers
publish an exact number, a test compares the two. *Active* are those that one token passes
through; *without embeddings* is the N of the rules 2N and 6N. *Cache* is what the model keeps of
one token in 16 bits: keys and values, or what stands for them. Where it differs between layers
with and without a window, it is that of a context of 4,096 tokens.
"""
COLUMNS = (
    "Model",
    "Parameters",
    "Active",
    "Without embeddings",
    "Layers",
    "Width",
    "Cache",
    "Source",
)


def page() -> str:
    """The page's Markdown."""
    rows = [row(name) for name in preset_names()]
    lines = table(COLUMNS, rows, "lrrrrrrl")
    return "\n".join([HEAD.format(count=len(rows)), *lines]) + "\n"


def row(name: str) -> tuple[str, ...]:
    """One model's line."""
    model = preset(name)
    hub, _, source = preset_source(name).partition(": ")
    per_token = model.kv_bytes_per_token("bf16", 4096)
    return (
        f"`{name}`",
        f"{model.total:,}",
        f"{model.active:,}" if model.active != model.total else "all",
        f"{model.non_embedding:,}",
        str(len(model.layers)),
        f"{model.hidden_size:,}",
        format_bytes(per_token, binary=True) if per_token else "",
        f"[{plain(hub)}](https://huggingface.co/{hub}): {plain(source)}",
    )
