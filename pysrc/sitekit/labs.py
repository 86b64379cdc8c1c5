"""Labs: scripts under `pysrc/labs` as notebooks under `docs/labs`, outputs from a real run.

A script is cut by `# %% name` (code), `# %% [markdown] name` (text in comments) and
`# %% [file] name.py`, which becomes a cell that writes that file of `pysrc/labs`.  A line
`# %pip ...` is the magic without its comment sign.

`sitekit labs` runs the notebooks with the PyTorch of the Python that it is called with, and saves
what they print (`--check`: only compare code and text with the scripts; needs no PyTorch).
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

from sitekit.paths import DOCS, ROOT
from sitekit.sections import SiteError

LABS = ROOT / "pysrc/labs"
NOTEBOOKS = DOCS / "labs"
REPOSITORY = "napkin-course/napkin"
HEADER = re.compile(r"^# %% (?:\[(?P<kind>markdown|file)\] )?(?P<name>[\w.-]+)$", re.MULTILINE)
MAGIC = re.compile(r"^(\s*)# (%pip .*)\n\s*pass$", re.MULTILINE)
SECONDS = 900


def lab_slugs() -> list[str]:
    """The slugs of all labs: scripts that are cut into cells."""
    scripts = sorted(LABS.glob("*.py"))
    return [p.stem.replace("_", "-") for p in scripts if HEADER.search(p.read_text("utf-8"))]


def notebook_path(slug: str) -> Path:
    """Where the notebook of the lab `slug` stands."""
    return NOTEBOOKS / f"{slug}.ipynb"


def lab_cells(slug: str) -> list[dict[str, Any]]:
    """The cells of the lab `slug`, as its script says, without outputs."""
    path = LABS / f"{slug.replace('-', '_')}.py"
    text = path.read_text("utf-8")
    headers = list(HEADER.finditer(text))
    ends = [header.start() for header in headers[1:]] + [len(text)]
    cells = []
    for header, end in zip(headers, ends, strict=True):
        kind, name = header["kind"], header["name"]
        body = text[header.end() : end].strip("\n")
        if kind == "markdown":
            body = "\n".join(line.removeprefix("#").removeprefix(" ") for line in body.split("\n"))
            if name == "title":
                body = _with_links(body, slug)
        elif kind == "file":
            if body:
                raise SiteError(f"pysrc/labs/{path.name}: a [file] cell has no text of its own")
            body = f"%%writefile {name}\n" + (LABS / name).read_text("utf-8").rstrip("\n")
        else:
            body = MAGIC.sub(r"\1\2", body).rstrip("\n")
        cells.append(_cell("markdown" if kind == "markdown" else "code", name, body))
    return cells


def notebook(slug: str) -> dict[str, Any]:
    """The notebook of the lab `slug`, not yet run."""
    return {
        "cells": lab_cells(slug),
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def stale(slug: str) -> str | None:
    """What is wrong with the committed notebook of the lab `slug`; None where nothing is."""
    path = notebook_path(slug)
    fix = "run `make labs`, and review the change"
    if not path.exists():
        return f"docs/labs/{path.name} is missing: {fix}"
    saved = json.loads(path.read_text("utf-8"))["cells"]
    if [_source(cell) for cell in saved] != [_source(cell) for cell in lab_cells(slug)]:
        return f"docs/labs/{path.name} is not what its script says now: {fix}"
    code = [cell for cell in saved if cell["cell_type"] == "code"]
    if not all(cell["execution_count"] for cell in code):
        return f"docs/labs/{path.name} was not run from top to bottom: {fix}"
    errors = [o for cell in code for o in cell["outputs"] if o["output_type"] == "error"]
    return f"docs/labs/{path.name} ended in an error: {fix}" if errors else None


def run(slug: str, folder: Path, probe: str = "") -> dict[str, Any]:
    """Run the notebook of the lab `slug` in `folder`; the notebook with its outputs.

    `probe` is code for one more cell at the end, for tests.  Needs nbclient, a kernel and PyTorch:
    `make test-labs` brings them.
    """
    import nbformat
    from nbclient import NotebookClient

    source = notebook(slug)
    if probe:
        source["cells"].append(_cell("code", "probe", probe))
    node = nbformat.reads(json.dumps(source), 4)  # type: ignore[no-untyped-call]
    client = NotebookClient(node, timeout=SECONDS, resources={"metadata": {"path": str(folder)}})
    client.execute()
    for cell in node.cells:
        cell.metadata.pop("execution", None)  # times of day
        if cell.cell_type == "code":
            cell.outputs = _joined(cell.outputs)
    node.metadata = source["metadata"]
    result: dict[str, Any] = json.loads(nbformat.writes(node))  # type: ignore[no-untyped-call]
    return result


def _joined(outputs: list[Any]) -> list[Any]:
    """Pieces of one stream as one: how they were cut is a matter of timing."""
    joined: list[Any] = []
    for output in outputs:
        last = joined[-1] if joined else None
        if last and output.output_type == "stream" == last.output_type and output.name == last.name:
            last.text += output.text
        else:
            joined.append(output)
    return joined


def _with_links(body: str, slug: str) -> str:
    address = f"{REPOSITORY}/blob/main/docs/labs/{slug}.ipynb"
    title, _, rest = body.partition("\n")
    links = (
        f"[Open in Colab](https://colab.research.google.com/github/{address}) · "
        f"[Open in Kaggle](https://kaggle.com/kernels/welcome?src=https://github.com/{address}) · "
        f"[Notebook](https://github.com/{address})"
    )
    return f"{title}\n\n{links}\n{rest}"


def _cell(kind: str, name: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {
        "cell_type": kind,
        "id": name.replace(".", "-")[:64],
        "metadata": {},
        "source": text.splitlines(keepends=True),
    }
    return cell if kind == "markdown" else {**cell, "execution_count": None, "outputs": []}


def _source(cell: dict[str, Any]) -> tuple[str, str]:
    source = cell["source"]
    return cell["cell_type"], source if isinstance(source, str) else "".join(source)


def main(arguments: list[str]) -> int:
    """`sitekit labs`: run the labs and save their outputs, or check that they are current."""
    import tempfile

    parser = argparse.ArgumentParser(prog="sitekit labs", description=main.__doc__)
    parser.add_argument("labs", nargs="*", metavar="LAB", help="default: all of them")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when stale")
    options = parser.parse_args(arguments)
    for slug in options.labs or lab_slugs():
        if options.check:
            if problem := stale(slug):
                print(problem, file=sys.stderr)
                return 1
            continue
        with tempfile.TemporaryDirectory() as folder:
            result = run(slug, Path(folder))
        NOTEBOOKS.mkdir(exist_ok=True)
        text = json.dumps(result, indent=1, ensure_ascii=False) + "\n"
        notebook_path(slug).write_text(text, "utf-8")
        print(f"docs/labs/{slug}.ipynb: written")
    return 0
