"""A lesson's script and its record: mistakes are told with file, line and the nearest name."""

import json
from pathlib import Path

import pytest

from sitekit import record
from sitekit.cells import cell_html
from sitekit.notebooks import notebook_path, notebook_text
from sitekit.sections import SiteError, load_sections, parse_sections

SCRIPT = '''"""A lesson."""

# %% _setup
import math

# %% area
print(f"{math.pi * 2**2:.2f} cm²")

# %% speed [volatile]
print("n = 64   12.5 GFLOP/s")
'''


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    (tmp_path / "circle_area.py").write_text(SCRIPT, "utf-8")
    return tmp_path


def keep_record(folder: Path, outputs: dict[str, str] | None = None) -> None:
    sections = load_sections("circle-area", folder)
    new = outputs or record.run_lesson("circle-area", folder)
    old = record.read_record("circle-area", folder)
    record.write_record("circle-area", record.merged(sections, old, new, "here"), folder)
    notebook_path("circle-area", folder).write_text(notebook_text("circle-area", folder), "utf-8")


def test_sections_keep_names_options_code_and_lines() -> None:
    setup, area, speed = parse_sections(SCRIPT, "circle_area.py")
    assert (setup.name, setup.hidden, setup.code, setup.line) == ("_setup", True, "import math", 3)
    assert (area.name, area.hidden, area.line) == ("area", False, 6)
    assert speed.volatile and not area.volatile


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("print(1)\n", "x.py:1: no section"),
        ("import os\n# %% a\n1\n", "x.py:1: code before the first section"),
        ("# %% a\n1\n# %% a\n2\n", "x.py:3: section 'a' is already at line 1"),
        ("# %% a\n\n# %% b\n2\n", "x.py:1: section 'a' is empty"),
        ("# %% Big Name\n1\n", "x.py:1: section name 'Big Name' is not in kebab-case"),
        ("# %% a [volatil]\n1\n", "did you mean the option `volatile`"),
        ("# %% a [volatile\n1\n", "need a closing `]`"),
    ],
)
def test_mistakes_in_a_script_name_file_and_line(script: str, message: str) -> None:
    with pytest.raises(SiteError) as caught:
        parse_sections(script, "x.py")
    assert message in str(caught.value)


def test_record_round_trips_and_is_current(lesson: Path) -> None:
    keep_record(lesson)
    records = record.read_record("circle-area", lesson)
    assert records["area"].text == "12.57 cm²\n"
    assert records["speed"] == record.Recorded("n = 64   12.5 GFLOP/s\n", "here")
    assert "_setup" not in records
    assert record.stale_sections("circle-area", lesson) == []


def test_a_changed_output_makes_the_record_stale(lesson: Path) -> None:
    keep_record(lesson, {"_setup": "", "area": "12.58 cm²\n", "speed": "n = 64   1 GFLOP/s\n"})
    (problem,) = record.stale_sections("circle-area", lesson)
    assert "section 'area' now prints something else" in problem
    assert "-12.58 cm²\n+12.57 cm²" in problem


def test_missing_and_left_over_records_are_told(lesson: Path) -> None:
    (lesson / "circle_area.out").write_text("# %% gone\n1\n# %% area\n12.57 cm²\n", "utf-8")
    problems = "\n".join(record.stale_sections("circle-area", lesson))
    assert "holds the section 'gone'" in problems
    assert "section 'speed' has no record" in problems


def test_the_notebook_holds_every_section_and_goes_stale_with_the_script(lesson: Path) -> None:
    keep_record(lesson)
    notebook = json.loads(notebook_path("circle-area", lesson).read_text("utf-8"))
    code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert code == [section.code for section in load_sections("circle-area", lesson)]
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    script = lesson / "circle_area.py"
    script.write_text(SCRIPT.replace("import math", "import math  # π"), "utf-8")
    (problem,) = record.stale_sections("circle-area", lesson)
    assert "circle_area.ipynb: is not what the script says now" in problem


def test_re_recording_keeps_a_timing_that_says_the_same(lesson: Path) -> None:
    keep_record(lesson, {"_setup": "", "area": "12.57 cm²\n", "speed": "n = 64    9.1 GFLOP/s\n"})
    keep_record(lesson)
    assert record.read_record("circle-area", lesson)["speed"].text == "n = 64    9.1 GFLOP/s\n"


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("n = 64   0.021 ms  ± 3 %", "n = 64  13.400 ms  ± 12 %", True),
        ("n = 64   0.021 ms", "n = 128   0.021 ms", False),
        ("0.52 MFLOP in 1 ms", "0.53 MFLOP in 1 ms", False),
        ("25.0 GFLOP/s", "25.0 MFLOP/s", True),
        ("3 days", "3 sizes", False),
        ("1,234.5 s", "7e-05 s", True),
    ],
)
def test_only_measured_quantities_are_masked(a: str, b: str, same: bool) -> None:
    assert record.same_output(a, b, volatile=True) is same
    assert record.same_output(a, a, volatile=False)
    assert not record.same_output(a, b, volatile=False)


def test_a_failing_section_is_told_with_the_scripts_line(lesson: Path) -> None:
    script = lesson / "circle_area.py"
    script.write_text(SCRIPT + "\n# %% wrong\nx = 1\nx / 0\n", "utf-8")
    with pytest.raises(SiteError, match=r"circle_area\.py:14: section 'wrong' failed:") as caught:
        record.run_lesson("circle-area", lesson)
    assert "ZeroDivisionError" in str(caught.value)


def test_a_hidden_section_may_not_print(lesson: Path) -> None:
    (lesson / "circle_area.py").write_text("# %% _a\nprint(1)\n", "utf-8")
    with pytest.raises(SiteError, match="hidden section '_a' prints"):
        record.run_lesson("circle-area", lesson)


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("circle-area/aera", "did you mean the section `area`?"),
        ("circle-aera/area", "did you mean the lesson `circle-area`?"),
        ("circle-area/_setup", "is hidden"),
        ("circle-area", "write `<lesson>/<section>`"),
        ("", "write `<lesson>/<section>`"),
        ("../circle-area/area", "there is no lesson '..'"),
    ],
)
def test_unknown_cells_get_the_nearest_name(lesson: Path, reference: str, message: str) -> None:
    keep_record(lesson)
    with pytest.raises(SiteError) as caught:
        cell_html(reference, lesson)
    assert message in str(caught.value)


def test_a_cell_shows_code_and_output_as_text_and_keeps_the_set_up(lesson: Path) -> None:
    script = lesson / "circle_area.py"
    script.write_text("# %% _s\nx = '<i>'\n# %% a\nprint(x + '<b>&')\n", "utf-8")
    keep_record(lesson)
    text = cell_html("circle-area/a", lesson)
    assert "&lt;i&gt;&lt;b&gt;&amp;\n</pre>" in text
    assert "<b>" not in text
    assert '<template data-part="setup">x = &#x27;&lt;i&gt;&#x27;</template>' in text
