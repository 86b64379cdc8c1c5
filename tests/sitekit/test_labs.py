"""Labs as the repository holds them: current, run to the end, in the navigation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sitekit import labs
from sitekit.paths import ROOT


@pytest.mark.parametrize("slug", labs.lab_slugs())
def test_a_notebook_is_its_script_run_to_the_end(slug: str) -> None:
    assert labs.stale(slug) is None


@pytest.mark.parametrize("slug", labs.lab_slugs())
def test_a_lab_says_where_it_ran_and_opens_elsewhere(slug: str) -> None:
    title, machine, *_ = json.loads(labs.notebook_path(slug).read_text("utf-8"))["cells"]
    told = "".join(machine["outputs"][0]["text"])
    assert "PyTorch 2." in told
    assert "Python 3." in told
    assert f"/docs/labs/{slug}.ipynb" in "".join(title["source"])
    assert f"labs/{slug}.ipynb" in (ROOT / "mkdocs.yml").read_text("utf-8")


def test_a_changed_script_makes_its_notebook_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slug = labs.lab_slugs()[0]
    name = f"{slug.replace('-', '_')}.py"
    for script in labs.LABS.glob("*.py"):
        (tmp_path / script.name).write_text(script.read_text("utf-8"), "utf-8")
    changed = (tmp_path / name).read_text("utf-8") + "\nprint('more')\n"
    (tmp_path / name).write_text(changed, "utf-8")
    monkeypatch.setattr(labs, "LABS", tmp_path)
    assert "is not what its script says now" in (labs.stale(slug) or "")


def test_the_magic_for_pip_is_one_in_the_notebook() -> None:
    for slug in labs.lab_slugs():
        code = "".join("".join(cell["source"]) for cell in labs.lab_cells(slug))
        assert '\n    %pip install -q "napkin @ git+' in code
