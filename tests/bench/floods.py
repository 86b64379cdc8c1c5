"""What a flood of output costs the page's thread: its longest task, and what of it is ours."""

from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import Browser

from .startup import LESSON, LONG_TASKS, Tasks, longest

SCATTER = (
    "import numpy as np\nimport matplotlib.pyplot as plt\n"
    "plt.scatter(*np.random.default_rng(0).normal(size=(2, {})))\nplt.show()"
)
FLOODS = {
    "100,000 prints": "for i in range(100_000): print(i)",
    "250,000 writes of one line": "for _ in range(250_000): print('x', end='')",
    "a line of 250,000 characters": "print('x' * 250_000)",
    "250,000 characters in many colours": (
        "print(*(f'\\x1b[3{i % 8}m{i}' for i in range(24_000)), sep='')"
    ),
    "a traceback of 10,000 lines": (
        "import sys\n"
        "for i in range(5_000):\n"
        "    print(f'  File \"a.py\", line {i}, in f\\n    f()', file=sys.stderr)"
    ),
    "a figure of 2,000 points": SCATTER.format(2_000),
    "a figure of 20,000 points": SCATTER.format(20_000),
}

RUN = """(cell) => new Promise(resolve => {
  const began = performance.now();
  const earlier = longTasks().length;
  new MutationObserver(() => {
    if (!['done', 'error'].includes(cell.dataset.state)) return;
    const took = performance.now() - began;
    // The frames that show it, and their reports.
    setTimeout(() => resolve([cell.dataset.state, took, longTasks().slice(earlier)]), 1500);
  }).observe(cell, {attributes: true, attributeFilter: ['data-state']});
  cell.querySelector('[data-action=run]').click();
})"""


def floods(browser: Browser, url: str, rounds: int) -> Iterator[str]:
    """A line for each flood: click to end, and the page's longest tasks meanwhile."""
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script(f"({LONG_TASKS})()")
    page.goto(url + LESSON)
    cell = page.locator("napkin-cell").first
    content = cell.locator(".cm-content")
    for name, code in FLOODS.items():
        content.focus()
        content.press("ControlOrMeta+a")
        page.keyboard.insert_text(code)
        tasks: Tasks = []
        seconds = []
        for _ in range(rounds + 1):
            state, took, later = page.evaluate(RUN, cell.element_handle())
            assert state == "done", cell.inner_text()
            seconds.append(took / 1000)
            tasks += later
        yield f"{'flood, ' + name:44} {min(seconds):7.1f} s  {longest(tasks)}"
    context.close()
