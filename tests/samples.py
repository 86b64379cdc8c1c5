"""Texts that a reader may type into a calculator's fields, drawn from the form itself."""

from __future__ import annotations

import random
from pathlib import Path

from napkin.accelerators import accelerators
from napkin.fields import Amount, GpuInput, ModelInput, Options, Reader, Switch
from napkin.forms import Form
from napkin.models.presets import preset_names
from sitekit.fence_blocks import fences
from sitekit.paths import DOCS


def references(page: Path) -> list[str]:
    """The calculators of a page, in order."""
    found = fences(page.read_text("utf-8"))
    return [body.strip() for _, language, body in found if language == "calculator"]


TOOLS = [page for page in sorted((DOCS / "tools").glob("*.md")) if references(page)]
CALCULATORS = sorted({ref for page in sorted(DOCS.rglob("*.md")) for ref in references(page)})


def sample_texts(form: Form, seed: int) -> dict[str, str]:
    """A text for each field; from one of them to all differ from the default."""
    draw = random.Random(f"{form.title} {seed}")
    changed = draw.sample(form.fields, draw.randint(1, len(form.fields)))
    return {
        field.name: _text(field.reader, draw) if field in changed else field.default
        for field in form.fields
    }


def _text(reader: Reader, draw: random.Random) -> str:
    if isinstance(reader, Options):
        return str(draw.choice(reader.values))
    if isinstance(reader, Switch):
        return draw.choice(["yes", "no"])
    if isinstance(reader, ModelInput):
        return draw.choice([*preset_names(), "7B", "1.5 B", "405B"])
    if isinstance(reader, GpuInput):
        return draw.choice(accelerators()).name
    if isinstance(reader, Amount):
        return _amount(reader, draw)
    return draw.choice(reader.suggestions)


def _amount(reader: Amount, draw: random.Random) -> str:
    if reader.suggestions and draw.random() < 0.3:
        return draw.choice(reader.suggestions)
    low = max(reader.low, 1e-6 * reader.high)
    value = low * (reader.high / low) ** draw.random()
    value = float(f"{value:.3g}")
    return reader.written(round(value) if reader.whole else value)
