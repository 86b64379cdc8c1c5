"""Click to output: the site's cells against a plain Pyodide in a worker, measured side by side."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field

from playwright.sync_api import Browser, BrowserContext, Page

from sitekit.sections import load_sections

LESSON = "lessons/counting-operations/"
SLUG = "counting-operations"
CELLS = {"pure": "dot-product", "numpy": "one-product"}
"""A cell of the lesson that needs only Python, and one that needs NumPy and nothing above it."""

Tasks = list[tuple[float, float]]
"""Milliseconds of tasks over 50 ms: each whole, and what of it scripts of ours took."""

CLICK = """cell => new Promise(resolve => {
  const began = performance.now();
  new MutationObserver(() => {
    if (['done', 'error'].includes(cell.dataset.state)) resolve(performance.now() - began);
  }).observe(cell, {attributes: true, attributeFilter: ['data-state']});
  cell.querySelector('[data-action=run]').click();
})"""

LONG_TASKS = r"""() => {
  const tasks = [], scripts = [];
  for (const [type, into] of [['longtask', tasks], ['long-animation-frame', scripts]]) {
    const observer = new PerformanceObserver(list => into.push(...list.getEntries()));
    observer.observe({type, buffered: true});
  }
  // Of each long task: its length, and how much of it scripts of ours were running.
  window.longTasks = () => tasks.map(({startTime, duration}) => {
    const ours = scripts.flatMap(frame => frame.scripts).filter(script =>
      script.startTime >= startTime - 1 && script.startTime < startTime + duration &&
      (!script.sourceURL || /\/assets\/(js|vendor)\//.test(script.sourceURL)));
    return [duration, ours.reduce((sum, script) => sum + script.duration, 0)];
  });
}"""
"""Chromium says which script was at work in a frame that took over 50 ms; the theme's scripts lie
under assets/javascripts, ours under assets/js and assets/vendor, which only ours call. What goes on
after an awaited timer has no address, and is ours: the theme awaits none."""


@dataclass
class Row:
    """One line of the report: milliseconds of ours and of the plain page, run by run."""

    name: str
    target: str
    ours: list[float] = field(default_factory=list)
    plain: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        return statistics.median(self.ours) / statistics.median(self.plain)

    def __str__(self) -> str:
        ours = statistics.median(self.ours)
        spread = f"{min(self.ours):.0f}-{max(self.ours):.0f}"
        if not self.plain:
            return f"{self.name:44} {ours:7.0f} ms ({spread})  target {self.target}"
        plain = statistics.median(self.plain)
        return (
            f"{self.name:44} {ours:7.0f} ms ({spread}) against {plain:6.0f} ms: "
            f"{self.ratio:.2f}  target {self.target}"
        )


def open_lesson(context: BrowserContext, url: str) -> Page:
    page = context.new_page()
    page.goto(url + LESSON)
    page.locator("napkin-cell .cm-content").first.wait_for()
    return page


def ours(page: Page, kind: str) -> float:
    """Milliseconds from the click on Run to the cell's end."""
    handle = page.locator(f"#cell-{CELLS[kind]}").element_handle()
    return float(page.evaluate(CLICK, handle))


def plain(context: BrowserContext, url: str, kind: str) -> float:
    """The same for the plain page, which runs the very same code."""
    page = context.new_page()
    page.goto(url + "plain/index.html")
    page.wait_for_function("typeof window.clickToOutput === 'function'")
    code = next(s.code for s in load_sections(SLUG) if s.name == CELLS[kind])
    packages = ["numpy"] if kind == "numpy" else []
    took, text = page.evaluate("what => clickToOutput(...what)", [code, packages])
    assert text.count("\n") == 3, f"the plain page printed {text!r}"
    page.close()
    return float(took)


def first_visits(browser: Browser, url: str, row: Row, kind: str, rounds: int) -> None:
    """Each round in windows that have never seen the site."""
    for _ in range(rounds):
        context = browser.new_context()
        row.plain.append(plain(context, url, kind))
        context.close()
        context = browser.new_context()
        page = open_lesson(context, url)
        row.ours.append(ours(page, kind))
        context.close()


def second_visits(
    browser: Browser, url: str, rounds: int, rows: dict[tuple[str, str], Row], again: Row
) -> Tasks:
    """After one visit whose snapshot is kept; the long tasks of the page."""
    tasks: Tasks = []
    context = browser.new_context()
    keep_snapshot(context, url)
    other = browser.new_context()
    plain(other, url, "numpy")
    for _ in range(rounds):
        for kind in CELLS:
            rows[kind, "at once"].plain.append(plain(other, url, kind))
            page = context.new_page()
            page.evaluate("1")
            page.add_init_script(f"({LONG_TASKS})()")
            page.goto(url + LESSON)
            page.locator("napkin-cell button[data-action=run]").first.wait_for(state="attached")
            rows[kind, "at once"].ours.append(ours(page, kind))
            again.ours.append(ours(page, "pure"))
            tasks += page.evaluate("longTasks()")
            page.close()
            page = open_lesson(context, url)
            page.wait_for_timeout(10_000)  # a reader reads
            rows[kind, "after 10 s"].ours.append(ours(page, kind))
            page.close()
    context.close()
    other.close()
    return tasks


def keep_snapshot(context: BrowserContext, url: str) -> None:
    """A first visit that lasts until all is kept that the next one starts from."""
    page = open_lesson(context, url)
    ours(page, "pure")
    for cache, count in (("napkin-snapshots", 1), ("napkin-runtime", 8)):
        until(page, f"caches.open('{cache}').then(c => c.keys()).then(k => k.length >= {count})")
    page.close()


def page_loads(browser: Browser, url: str, rounds: int) -> Tasks:
    """The long tasks while the lesson loads, is scrolled through, and runs its first cell."""
    tasks: Tasks = []
    for _ in range(rounds):
        context = browser.new_context()
        page = context.new_page()
        page.add_init_script(f"({LONG_TASKS})()")
        page.goto(url + LESSON)
        page.locator("napkin-cell .cm-content").first.wait_for()
        for _ in range(8):
            page.mouse.wheel(0, 600)
            page.wait_for_timeout(250)
        ours(page, "pure")
        page.wait_for_timeout(5_000)  # the snapshot is taken
        tasks += page.evaluate("longTasks()")
        context.close()
    return tasks


def longest(tasks: Tasks) -> str:
    """The longest task, and the longest that scripts of ours had in one."""
    return (
        f"longest task {max((task for task, _ in tasks), default=0):.0f} ms, "
        f"of ours in one task at most {max((own for _, own in tasks), default=0):.0f} ms"
    )


def until(page: Page, expression: str) -> None:
    while not page.evaluate(expression):
        page.wait_for_timeout(200)
