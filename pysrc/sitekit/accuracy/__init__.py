"""The page that compares the package with published figures, generated from the package itself."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from sitekit.accuracy.comparison import Comparison, Family
from sitekit.paths import DOCS

__all__ = ["Comparison", "Family", "families", "files", "main"]


@cache
def families() -> tuple[Family, ...]:
    """Every family of figures, counts first, ranges last."""
    from sitekit.accuracy import compute, oracle, runs, speed, storage

    return (
        oracle.parameters_family(),
        storage.published_parameters_family(),
        oracle.flops_family(),
        compute.mfu_family(),
        compute.per_token_family(),
        compute.budget_family(),
        storage.gguf_family(),
        oracle.caches_family(),
        storage.cache_family(),
        oracle.activations_family(),
        storage.peak_family(),
        storage.training_memory_family(),
        runs.stated_rate_family(),
        speed.decode_family(),
        speed.request_family(),
        speed.prefill_family(),
        runs.training_time_family(),
    )


def files() -> dict[Path, str]:
    """Path and content of the page and its plots."""
    from sitekit.accuracy.page import page
    from sitekit.accuracy.plot import INKS, errors_plot, ranges_plot

    every = list(families())
    decode = next(family for family in every if family.key == "decode")
    found = {DOCS / "reference" / "accuracy.md": page(every)}
    for name, ink in INKS.items():
        figures = DOCS / "assets" / "figures"
        found[figures / f"accuracy-errors-{name}.svg"] = errors_plot(every, ink)
        found[figures / f"accuracy-decode-{name}.svg"] = ranges_plot(decode.rows, ink)
    return found


def main(arguments: list[str]) -> int:
    """Write the page and its plots, or with ``--check`` say whether they are current."""
    status = 0
    for path, text in files().items():
        current = path.read_text("utf-8") if path.exists() else ""
        if "--check" in arguments:
            if current != text:
                print(f"{path} is out of date: run python -m sitekit accuracy")
                status = 1
        elif current != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
            print(f"wrote {path}")
    return status
