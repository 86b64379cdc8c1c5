"""Cells in the pinned Pyodide itself, through Node.js: what only Python 3.14 in WebAssembly shows,
and matplotlib as the page has it."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from sitekit.paths import ROOT
from sitekit.provision.node import find_node
from sitekit.provision.pyodide import CORE_FOLDER, cache_folder

PLOT = (
    "import numpy as np\nimport matplotlib.pyplot as plt\n"
    "fig, ax = plt.subplots()\n"
    "n = np.arange(1, 5)\n"
    "ax.plot(n, n**2, label='measured')\n"
    "ax.plot(n, n, color='black', label='peak')\n"
    "ax.set(title='Speed by size', xlabel='n', ylabel='GFLOP/s')\n"
    "ax.legend()"
)
HOSTILE = "</text><script>alert(1)</script> & \"quoted\" 'too' <b>"
CELLS = {
    "name": "weights = 3\nprint(wieghts)",
    "above": "print(speeds)",
    "attribute": "import math\nmath.sqroot(2)",
    "key": "d = {'layers': 1}\nd['layer']",
    "module": "import pandas",
    "unloaded": "import pandas",
    "mistyped": "fro i in range(3): pass",
    "colon": "for i in range(3)\n    pass",
    "array": "import numpy as np\nnp.zeros(10**10)",
    "recursion": "def f(n):\n    return f(n + 1)\nf(0)",
    "thread": "import threading\nthreading.Thread(target=print).start()",
    "input": "input('name? ')",
    "stop": "x = 64\nprint('press Stop')\nwhile True:\n    pass",
    "kept": "x",
    "flood": "print('press Stop')\nwhile True:\n    print(1)",
    "task": "import asyncio\ntask = asyncio.create_task(asyncio.Event().wait())",
    "plot": PLOT,
    "plot again": PLOT,
    "other plot": PLOT.replace("n**2", "n**3"),
    "hostile": f"plt.plot([1, 2], label={HOSTILE!r}, gid={HOSTILE!r}, url='javascript:alert(1)')\n"
    f"plt.title({HOSTILE!r})\nplt.legend();",
    "signs": "plt.plot([1, 2])\nplt.title('a\\x00\\x1b 😀')",
    "show": "plt.plot([1, 2])\nplt.show()\nprint('between')\nplt.plot([2, 1])\nplt.title('two')",
    "own words": "plt.plot([1, 2])\nplt.gcf().set_label('My own words')",
    "figure as value": "f = __import__('matplotlib').figure.Figure()\nf.subplots().plot([1])\nf",
    "open figure as value": "fig = plt.figure()\nplt.plot([1])\nfig",
    "panels": "fig, (a, b) = plt.subplots(1, 2)\na.loglog([1, 10], [1, 10])\n"
    "b.bar(['x', 'y'], [1, 2], label='bars')",
    "points": "plt.scatter(*np.random.default_rng(0).random((2, 100_000)))",
    "beside axes": "from matplotlib.lines import Line2D\n"
    "plt.figure().add_artist(Line2D(*np.random.default_rng(0).random((2, 60_000)), marker='o'))",
    "points beside ink": "fig, (a, b) = plt.subplots(1, 2)\n"
    "a.inset_axes([0, 0, 1, 1]).scatter(*np.random.default_rng(0).random((2, 9_000)))\n"
    "b.boxplot([1, 2, 9])",
    "wash": "plt.pcolormesh(np.eye(3), shading='gouraud')",
    "image": "plt.imshow(np.eye(3))",
    "error": "plt.plot([1, 2])\n1 / 0",
    "bad formula": "plt.title('$\\\\frac$')",
    "stopped plot": "plt.plot([1, 2])\nraise KeyboardInterrupt",
    "none left": "plt.get_fignums()",
    "too many": "plt.rcParams['figure.max_open_warning'] = 0\n"
    "for i in range(22):\n    plt.figure(figsize=(1, 1)).text(0, 0, 'x')",
    "defaults again": "plt.style.use('default')\nplt.plot([1, 2])",
    "grounds": "fig, ax = plt.subplots()\nax.plot([1, 2], label='in a legend')\n"
    "ax.set_facecolor('white')\nax.legend(facecolor='navy')\nax.set_title('outside')\n"
    "ax.text(0, 1, 'on axes')\nax.text(0, 1, 'in a box', bbox=dict(facecolor='wheat'))\n"
    "ax.text(0, 1, 'faint', bbox=dict(facecolor='wheat', alpha=0.1))\n"
    "ax.text(0, 1, 'coloured', color='red')",
    "white figure": "plt.figure(facecolor='white').text(0, 0, 'on white')\n"
    "plt.plot([1, 2], label='a')\nplt.legend();",
    "chosen style": "plt.style.use('dark_background')\nplt.plot([1, 2])",
}


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Any]:
    order = {
        "pyodide": str(CORE_FOLDER),
        "wheels": str(cache_folder()),
        "source": str(ROOT / "pysrc"),
        "packages": ["matplotlib"],
        "cells": list(CELLS.items()),
    }
    script = Path(__file__).with_name("cells_in_pyodide.mjs")
    told = subprocess.run(
        [find_node().node, script], input=json.dumps(order), capture_output=True, text=True
    )
    assert told.returncode == 0, told.stderr
    read: dict[str, Any] = json.loads(told.stdout.splitlines()[-1])
    return read


def figures(outcome: dict[str, Any]) -> list[dict[str, str]]:
    return [json.loads(text) for stream, text in outcome["pieces"] if stream == "figure"]


def texts(outcome: dict[str, Any], *streams: str) -> str:
    return "".join(text for stream, text in outcome["pieces"] if stream in streams)


@pytest.mark.parametrize(
    ("cell", "meant", "in_hint"),
    [
        ("name", "weights", False),
        ("attribute", "sqrt", False),
        ("mistyped", "for", False),
        ("key", "layers", True),
        ("module", "numpy, matplotlib", True),
        ("above", "run the cells above first", True),
        ("colon", "Put a colon at the end of line 1", True),
        ("array", "at most 4 GB", True),
        ("recursion", "`f` calls itself", True),
        ("thread", "one thread only", True),
    ],
)
def test_help_comes_once_from_python_or_from_the_hint(
    outcomes: dict[str, Any], cell: str, meant: str, in_hint: bool
) -> None:
    error = outcomes[cell]["error"]
    assert (meant in error["hint"]) is in_hint
    assert texts(outcomes[cell], "hint") == (f"{error['hint']}\n" if error["hint"] else "")
    if not in_hint:
        assert error["hint"] == "" and "Did you mean" in error["text"]


def test_pyodides_advice_to_install_by_hand_is_left_out(outcomes: dict[str, Any]) -> None:
    error = outcomes["unloaded"]["error"]
    assert error["text"].endswith("ModuleNotFoundError: No module named 'pandas'\n")
    assert "cannot be had in this page" in error["hint"]


def test_the_missing_name_reaches_the_page(outcomes: dict[str, Any]) -> None:
    assert outcomes["above"]["error"]["missingName"] == "speeds"


def test_stop_ends_a_loop_and_keeps_variables(outcomes: dict[str, Any]) -> None:
    assert outcomes["stop"]["stopped"]
    assert re.fullmatch(r"Stopped at line [234]\n", texts(outcomes["stop"], "notice"))
    assert texts(outcomes["stop"], "error") == ""
    assert texts(outcomes["kept"], "value") == "64\n"
    assert outcomes["flood"]["stopped"]


def test_tasks_end_with_their_cell(outcomes: dict[str, Any]) -> None:
    assert "1 task still ran" in texts(outcomes["task"], "notice")


def test_input_with_nobody_to_ask_says_what_to_do(outcomes: dict[str, Any]) -> None:
    assert "put the value into the code" in outcomes["input"]["error"]["text"]


def test_the_editor_is_told_of_numpy(outcomes: dict[str, Any]) -> None:
    labels = [one["label"] for one in outcomes["completions"]]
    assert labels == ["zeros", "zeros_like"]
    assert outcomes["documentation"]["signature"].startswith("zeros(shape")


def test_a_plot_is_one_figure_with_words_for_who_does_not_see_it(outcomes: dict[str, Any]) -> None:
    (figure,) = figures(outcomes["plot"])
    assert figure["alt"] == ("Plot: Speed by size; x: n; y: GFLOP/s; 2 lines: measured, peak")
    assert [stream for stream, _ in outcomes["plot"]["pieces"]] == ["figure"]
    words = "".join(ElementTree.fromstring(figure["svg"]).itertext())
    for word in ("Speed by size", "GFLOP/s", "measured"):
        assert word in words  # texts stay texts


def test_a_plot_follows_light_and_dark_where_no_colour_was_chosen(outcomes: dict[str, Any]) -> None:
    root = ElementTree.fromstring(figures(outcomes["plot"])[0]["svg"])
    parts = list(root.iter())
    assert {part.get("fill") for part in parts if part.tag.endswith("}text")} == {"currentColor"}
    strokes = {part.get("stroke") for part in parts}
    assert {"currentColor", "#1f77b4", "#000000"} <= strokes  # the last was asked for
    assert "#ffffff" not in {part.get("fill") for part in parts}
    for cell in ("defaults again", "chosen style"):
        svg = figures(outcomes[cell])[0]["svg"]
        assert ("currentColor" in svg) is (cell == "defaults again")


def test_figures_of_one_page_share_no_ids(outcomes: dict[str, Any]) -> None:
    svg, again, other = (
        figures(outcomes[c])[0]["svg"] for c in ("plot", "plot again", "other plot")
    )
    assert svg == again
    ids = [set(re.findall(r' id="([^"]+)"', one)) for one in (svg, other)]
    assert ids[0] and not ids[0] & ids[1]


@pytest.mark.parametrize("cell", [cell for cell in CELLS if cell not in ("none left",)])
def test_every_figure_is_harmless(outcomes: dict[str, Any], cell: str) -> None:
    for figure in figures(outcomes[cell]):
        for element in ElementTree.fromstring(figure["svg"]).iter():
            assert element.tag.rpartition("}")[2] not in ("script", "style", "a", "foreignObject")
            for key, value in element.attrib.items():
                assert not key.startswith("on") and key != "style"
                if key == "href":
                    assert value.startswith(("#", "data:image/png;base64,"))
                elif key != "aria-label":
                    assert "javascript:" not in value and "//" not in value


def test_markup_in_a_plot_is_shown_as_typed(outcomes: dict[str, Any]) -> None:
    (figure,) = figures(outcomes["hostile"])
    words = list(ElementTree.fromstring(figure["svg"]).itertext())
    assert words.count(HOSTILE) == 2
    assert HOSTILE in figure["alt"]


def test_signs_that_markup_cannot_hold_are_replaced(outcomes: dict[str, Any]) -> None:
    (figure,) = figures(outcomes["signs"])
    assert "a�� 😀" in "".join(ElementTree.fromstring(figure["svg"]).itertext())
    assert figure["alt"] == "Plot: a 😀; 1 line"


def test_text_stands_out_from_a_ground_that_the_reader_chose(outcomes: dict[str, Any]) -> None:
    root = ElementTree.fromstring(figures(outcomes["grounds"])[0]["svg"])
    black, white = "#000000", "#ffffff"  # black goes without saying
    inks = {e.text: e.get("fill", black) for e in root.iter() if e.tag.endswith("}text")}
    wanted = {"on axes": black, "in a box": black, "in a legend": white, "coloured": "#ff0000"}
    assert {text: inks[text] for text in wanted} == wanted
    assert inks["outside"] == inks["faint"] == "currentColor"
    # A figure on white is a picture of its own: nothing in it follows the page.
    svg = figures(outcomes["white figure"])[0]["svg"]
    assert "currentColor" not in svg
    assert "--figure-background" not in svg


def test_show_puts_figures_where_they_were_asked_for(outcomes: dict[str, Any]) -> None:
    streams = [stream for stream, _ in outcomes["show"]["pieces"]]
    assert (streams[0], streams[-1]) == ("figure", "figure")
    assert texts(outcomes["show"], "stdout") == "between\n"
    assert texts(outcomes["show"], "stderr") == ""
    assert [figure["alt"] for figure in figures(outcomes["show"])] == [
        "Plot: 1 line",
        "Plot: two; 1 line",
    ]


@pytest.mark.parametrize("cell", ["figure as value", "open figure as value"])
def test_a_figure_as_value_is_shown_once_and_without_its_repr(
    outcomes: dict[str, Any], cell: str
) -> None:
    assert [stream for stream, _ in outcomes[cell]["pieces"]] == ["figure"]


def test_alt_text(outcomes: dict[str, Any]) -> None:
    assert figures(outcomes["own words"])[0]["alt"] == "My own words"
    assert figures(outcomes["panels"])[0]["alt"] == (
        "Plot with 2 panels: panel 1: x: (logarithmic); y: (logarithmic); 1 line; "
        "panel 2: 2 bars: bars"
    )


@pytest.mark.parametrize("cell", ["points", "wash"])
def test_data_too_much_for_svg_become_a_picture_in_the_plot(
    outcomes: dict[str, Any], cell: str
) -> None:
    (figure,) = figures(outcomes[cell])
    assert len(figure["svg"]) < 2_000_000
    elements = [each.tag.partition("}")[2] for each in ElementTree.fromstring(figure["svg"]).iter()]
    assert len(elements) < 300, "as many marks as data"
    # The frame and the numbers beside it follow the page.
    assert {"image", "path", "text"} <= set(elements)
    assert "currentColor" in figure["svg"]


def test_beside_a_picture_of_data_what_is_in_ink_follows_the_page(outcomes: dict[str, Any]) -> None:
    (figure,) = figures(outcomes["points beside ink"])
    assert "<image " in figure["svg"]
    # A boxplot's box, two whiskers, two caps and more, over the frames and ticks.
    assert figure["svg"].count('stroke="currentColor"') > 30


def test_what_else_is_too_much_for_svg_becomes_a_picture_whole(outcomes: dict[str, Any]) -> None:
    (figure,) = figures(outcomes["beside axes"])
    assert 'href="data:image/png;base64,' in figure["svg"]
    assert "<text" not in figure["svg"] and "<path" not in figure["svg"]


def test_pixels_stay_an_image_inside_the_plot(outcomes: dict[str, Any]) -> None:
    svg = figures(outcomes["image"])[0]["svg"]
    assert 'href="data:image/png;base64,' in svg and "<path" in svg


def test_a_figure_is_shown_before_an_error_and_none_is_left_over(outcomes: dict[str, Any]) -> None:
    assert [stream for stream, _ in outcomes["error"]["pieces"]] == ["figure", "error"]
    assert figures(outcomes["stopped plot"]) == []
    assert texts(outcomes["none left"], "value") == "[]\n"


def test_a_figure_that_cannot_be_drawn_is_an_error_of_the_cell(outcomes: dict[str, Any]) -> None:
    assert outcomes["bad formula"]["error"]["kind"] == "ValueError"
    assert "cellrunner" not in outcomes["bad formula"]["error"]["text"]


def test_figures_are_capped_with_a_notice(outcomes: dict[str, Any]) -> None:
    assert len(figures(outcomes["too many"])) == 20
    assert (
        texts(outcomes["too many"], "notice")
        == "[more than 20 figures: the others are not shown]\n"
    )
