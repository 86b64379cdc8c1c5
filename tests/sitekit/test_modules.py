"""The list of modules that the head of each page names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sitekit import modules
from sitekit.paths import DOCS


def test_every_module_is_there_with_all_that_it_imports_and_none_twice() -> None:
    graph = modules.graph()
    entry = graph[""]
    assert entry[0] == "assets/js/course.js"
    for tag, paths in graph.items():
        assert len(paths) == len(set(paths)), tag
        for path in paths:
            file = (DOCS / path).resolve()
            assert file.is_file() or "/vendor/" in path or "/runtime/" in path, path
            for other in modules.imported(file):
                named = other.relative_to(DOCS.resolve()).as_posix()
                assert named in {*entry, *paths}, f"{path} imports {named}"
    assert not any("practice" in path for path in entry), "a page without cards loads none of it"
    assert "assets/vendor/practice.js" in graph["napkin-review"]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ('import { a } from "./a.js";', ["a.js"]),
        ("import {\n  a,\n  b,\n} from './a.js';", ["a.js"]),
        ('import "../b.js";', ["b.js"]),
        ('export { c } from "./c.js";', ["c.js"]),
        (' * @import {A} from "./a.js"', []),
        ('const later = import("./a.js");', []),
        ('export const text = "./a.js";', []),
        ('export function f() {\n  return "./a.js";\n}', []),
    ],
)
def test_only_what_is_fetched_at_once_counts(tmp_path: Path, line: str, names: list[str]) -> None:
    file = tmp_path / "module.js"
    file.write_text(f"/** Words. */\n{line}\n", "utf-8")
    assert [path.name for path in modules.imported(file)] == names


def test_no_module_awaits_at_its_top() -> None:
    """Safari lets those who import one at the same time go on early (WebKit bug 242740)."""
    top = re.compile(r"^(?:(?:export )?(?:const|let) .*= *|\} = *)?await\b", re.MULTILINE)
    assert top.search('export const { a } = await import("./a.js");')
    files = list(modules.SCRIPTS.rglob("*.js"))
    assert files
    assert [file.name for file in files if top.search(file.read_text("utf-8"))] == []
