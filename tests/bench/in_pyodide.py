"""`python -m tests.bench.in_pyodide`: single answers and imports in the pinned Pyodide.

In Node, and in Chromium (on the built site's Pyodide, `python -m sitekit build --runtime
self-hosted`).  With the course's own Python as a first visit has it.  A restored snapshot has
everything imported.
"""

from __future__ import annotations

import base64
import subprocess
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from sitekit.paths import ROOT
from sitekit.provision import packs, pyodide
from sitekit.provision.chromium import find_chromium
from sitekit.provision.node import find_node
from sitekit.provision.packing import COURSE

from .host import host

HERE = Path(__file__).parent
SITE = ROOT / "build" / "site"
PROGRAM = """
import base64, sys
with open("/lib/course.zip", "wb") as archive:
    archive.write(base64.b64decode({archive!r}))
with open("/home/pyodide/answers.py", "w") as program:
    program.write({answers!r})
sys.path += ["/lib/course.zip", "/home/pyodide"]
import cellrunner.runner
import bisect, copy, csv, datetime, decimal, difflib, enum, fractions, functools, importlib.metadata
import io, itertools, json, math, numbers, operator, pathlib, pickle, random, re, statistics
import string, textwrap, time, typing, warnings
import answers
print(answers.report(("llama-3.1-8b", "deepseek-v3"), 0.1))
"""


def program() -> str:
    """The Python that both engines run."""
    course = packs.provide(packs.sources(pyodide.wheels(pyodide.official_lock())))[COURSE]
    archive = base64.b64encode(course).decode("ascii")
    answers = (HERE / "answers.py").read_text("utf-8")
    return PROGRAM.format(archive=archive, answers=answers)


def in_node() -> str:
    """What it prints in Node."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.py"
        file.write_text(program(), "utf-8")
        command = [find_node().node, HERE / "in_pyodide.mjs", pyodide.CORE_FOLDER, file]
        told = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True)
        return str(told.stdout)


def in_chromium() -> str:
    """What it prints in a worker of a page."""
    with sync_playwright() as playwright, host(SITE) as url:
        browser = playwright.chromium.launch(executable_path=str(find_chromium()))
        page = browser.new_page()
        page.goto(url + "plain/index.html")
        page.wait_for_function("typeof window.clickToOutput === 'function'")
        page.set_default_timeout(300_000)
        _, text = page.evaluate("what => clickToOutput(...what)", [program(), []])
        version = browser.version
        browser.close()
    return f"Chromium {version}\n{text}"


if __name__ == "__main__":
    print("Node\n" + in_node())
    if (SITE / "index.html").is_file():
        print(in_chromium())
    else:
        print("no built site: run python -m sitekit build --runtime self-hosted for Chromium")
