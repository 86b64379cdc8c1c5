"""``docs/reference/accuracy.md``: the comparisons as tables, with the worst cases explained."""

from __future__ import annotations

import statistics

from napkin.printing import format_number
from sitekit.accuracy.comparison import Comparison, Family, quantile

__all__ = ["page"]


def _share(value: float, signed: bool = False) -> str:
    sign = "+" if signed and value > 0 else ""
    if abs(value) < 5e-7:
        return "0%"
    percent = value * 100
    if abs(percent) < 0.01:
        return f"{sign}{percent:.4f}%"
    return f"{sign}{percent:.2f}%" if abs(percent) < 1 else f"{sign}{percent:.1f}%"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _figure(value: float, unit: str) -> str:
    if unit in ("parameters", "B") and abs(value) >= 1e6:
        return f"{value:,.0f}"
    return format_number(value)


def _summary(families: list[Family]) -> list[str]:
    lines = [
        "| Figure | Compared | Right | Median error | Worst | Target |",
        "|---|--:|--:|--:|--:|:-:|",
    ]
    for family in families:
        sizes = [abs(error) for error in family.errors]
        lines.append(
            f"| [{family.title}](#{family.key.replace('_', '-')}) | {len(family.rows)} | "
            f"{family.hit_rate:.0%} | {_share(statistics.median(sizes))} | "
            f"{_share(max(sizes))} | "
            f"{'met' if family.met else 'missed'} |"
        )
    return lines


def _worst_table(family: Family) -> list[str]:
    worst = [row for row in family.worst(6) if abs(row.error) > 5e-7]
    if not worst:
        return ["Every row agrees exactly."]
    ranged = family.ranged
    head = "| Case | Published | Package |" + (" Range |" if ranged else "") + " Error | Why |"
    lines = ["The largest differences:", "", head, "|---|--:|--:|" + ("--:|" if ranged else "")
             + "--:|---|"]  # fmt: skip
    for row in worst:
        span = ""
        if ranged and row.low is not None and row.high is not None:
            span = f" {_figure(row.low, row.unit)}-{_figure(row.high, row.unit)} |"
        lines.append(
            f"| {_cell(row.case)} | {_figure(row.published, row.unit)} {row.unit} | "
            f"{_figure(row.predicted, row.unit)} |{span} {_share(row.error, signed=True)} | "
            f"{_verdict(family, row)} |"
        )
    return lines


def _verdict(family: Family, row: Comparison) -> str:
    if family.right(row):
        return "inside the range" if family.ranged else "within the rule"
    return row.why or "not explained"


def _splits(family: Family) -> list[str]:
    names = sorted({row.split for row in family.rows if row.split})
    if not names:
        return []
    lines = ["| Rows | Compared | Inside the range | Widest range |", "|---|--:|--:|--:|"]
    for name in names:
        rows = [row for row in family.rows if row.split == name]
        inside = sum(row.inside for row in rows)
        label = {"calibrate": "used to set the ranges", "held out": "held out"}.get(name, name)
        lines.append(
            f"| {label} | {len(rows)} | {inside} ({inside / len(rows):.0%}) | "
            f"{max(row.width for row in rows):.2f}× |"
        )
    return [*lines, ""]


def _sources(rows: list[Comparison]) -> str:
    read = sum(row.provenance == "read" for row in rows)
    names: dict[str, int] = {}
    for row in rows:
        name = row.source.split(" ")[0] if "@" in row.source.split(" ")[0] else row.source
        names[name] = names.get(name, 0) + 1
    most = sorted(names, key=lambda name: -names[name])[:6]
    more = f" and {len(names) - 6} more" if len(names) > 6 else ""
    listed = "; ".join(f"{name} ({names[name]})" for name in most)
    if read == len(rows):
        told = "All were read in the source."
    else:
        told = f"{read} of the {len(rows)} were read in the source, the others are recalled."
    return f"Sources: {listed}{more}. {told}"


def _section(family: Family) -> list[str]:
    lines = [f"## {family.title} {{ #{family.key.replace('_', '-')} }}", "", family.about, ""]
    verdict = "met" if family.met else "**missed**"
    lines += [f"Target: {family.target}. {family.hits} of {len(family.rows)} rows: {verdict}.", ""]
    sizes = [abs(error) for error in family.errors]
    if max(sizes) > 5e-7:
        lines += [
            f"Size of the relative error: half of the rows below {_share(quantile(sizes, 0.5))}, "
            f"90% below {_share(quantile(sizes, 0.9))}, all below {_share(max(sizes))}.",
            "",
        ]
    lines += _splits(family)
    lines += [*_worst_table(family), ""]
    if family.left_out:
        grouped: dict[str, tuple[int, list[str]]] = {}
        for number, what, why in family.left_out:
            count, names = grouped.get(why, (0, []))
            grouped[why] = (count + number, names if what in names else [*names, what])
        for why, (count, names) in grouped.items():
            listed = ", ".join(names[:6]) + (" …" if len(names) > 6 else "")
            lines += [f"Not compared: {count} ({listed}): {why}.", ""]
    return [*lines, _sources(family.rows), ""]


def page(families: list[Family]) -> str:
    """The whole page as Markdown."""
    rows = sum(len(family.rows) for family in families)
    read = sum(row.provenance == "read" for family in families for row in family.rows)
    missed = [family.title.lower() for family in families if not family.met]
    targets = "All targets are met." if not missed else f"Missed: {', '.join(missed)}."
    lines = [
        "---",
        "title: Accuracy",
        "description: Every kind of figure that the package predicts, against published ones.",
        "---",
        "",
        "# Accuracy",
        "",
        "<!-- Written by `python -m sitekit accuracy`. Change the code, not this page. -->",
        "",
        "How far can you trust this course's arithmetic? Its Python package, `napkin`, works out "
        f"parameters, bytes, FLOP, time and money. Below, {rows:,} figures that other people "
        "published or measured stand beside what the package says of the same case. "
        f"{read:,} of them were read in their source; the other {rows - read:,} are recalled from "
        "well-known tables and deserve a second look where they differ. The page is made by the "
        "package itself, and a test fails when it is out of date. " + targets,
        "",
        "Counts and sizes are point predictions: they are right or wrong. Speeds and times are "
        "ranges, because engines, builds and clocks differ; a range is right when the measured "
        "value lies inside it. Half of the speed rows set the ranges; the other half, and whole "
        "benchmarks of other authors, were held out. The form of the model was chosen with all "
        "rows in view, so take the held-out rate as a little flattering.",
        "",
        *_summary(families),
        "",
        "*Right: within the rule of its section. Median and worst: size of the relative error; for "
        "ranges, of their typical value.*",
        "",
    ]
    for name in ("light", "dark"):
        lines.append(
            "![One strip of dots for each kind of figure: relative errors from exact to 100%]"
            f"(../assets/figures/accuracy-errors-{name}.svg#only-{name})"
        )
    lines.append("")
    for family in families:
        lines += _section(family)
        if family.key == "decode":
            for name in ("light", "dark"):
                lines.append(
                    "![Measured tokens per second divided by the typical prediction, each over "
                    f"its range](../assets/figures/accuracy-decode-{name}.svg#only-{name})"
                )
            lines.append("")
    return "\n".join(lines).rstrip() + "\n"
