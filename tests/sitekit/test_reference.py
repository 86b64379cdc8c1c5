"""The reference pages say what the package says now."""

import importlib
import pkgutil
from dataclasses import replace

import pytest

import napkin
from napkin.hardware import accelerators
from napkin.models.presets import preset_names
from sitekit import reference
from sitekit.paths import DOCS
from sitekit.reference import api_page
from sitekit.reference.formula_list import FORMULAS
from sitekit.reference.formulas_page import worked


@pytest.mark.parametrize("path", reference.files(), ids=lambda path: path.stem)
def test_the_page_is_current(path: object) -> None:
    fresh = {str(name): text for name, text in reference.files().items()}
    on_disk = (DOCS / "reference" / str(path).rpartition("/")[2]).read_text("utf-8")
    assert on_disk == fresh[str(path)], "run `python -m sitekit reference` and review the change"


def test_sum_and_function_must_agree() -> None:
    wrong = replace(FORMULAS[0], plain="1 * 512 * 768 * 3072")
    with pytest.raises(ValueError, match=r"'Matrix product'.*is 1.2.*but.*is 2.4"):
        worked(wrong)


def test_every_row_of_the_catalogues_is_there() -> None:
    hardware = (DOCS / "reference/hardware.md").read_text("utf-8")
    missing = [row.name for row in accelerators() if hardware.count(f"\n| {row.name} |") < 2]
    assert missing == []
    models = (DOCS / "reference/models.md").read_text("utf-8")
    assert [name for name in preset_names() if f"\n| `{name}` |" not in models] == []


def test_the_api_names_only_what_can_be_imported_and_all_of_it() -> None:
    text = (DOCS / "reference/api.md").read_text("utf-8")
    for name in api_page.MODULES:
        module = importlib.import_module(f"napkin.{name}")
        for own, value in api_page.public(module):
            assert f"\n### {own} {{" in text
            assert value.__doc__, f"{name}.{own} has no docstring"
    known = {info.name for info in pkgutil.walk_packages(napkin.__path__, "napkin.")}
    assert {f"napkin.{name}" for name in api_page.MODULES} <= known
