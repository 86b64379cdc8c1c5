"""From Stop, or from a fatal error, to a usable cell and to the output of its next run."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from playwright.sync_api import Browser, Page

from tests.runaways import ENDS, FATAL, KEPT, LOST

from .startup import keep_snapshot, open_lesson

STRIDE_MS = 400
"""Between the sign that the code is at it and Stop: its first bytecodes are the easy ones."""

# Waits for a text that status or output shows, goes on for `stride`, presses Stop unless that is
# null, and presses Run with other code as soon as that can be.
TRIAL = r"""async ([cell, editor, sign, stride]) => {
  const part = (name) => cell.querySelector(`[data-part=${name}]`);
  const button = (action) => cell.querySelector(`button[data-action=${action}]`);
  const when = (condition) => new Promise((resolve) => {
    const look = () => {
      if (!condition()) return;
      observer.disconnect();
      resolve(performance.now());
    };
    const observer = new MutationObserver(look);
    observer.observe(cell, {attributes: true, childList: true, characterData: true, subtree: true});
    look();
  });
  const usable = () => !['booting', 'running'].includes(cell.dataset.state) &&
    button('run').getAttribute('aria-disabled') === 'false';
  button('run').click();
  await when(() => (part('status').textContent + part('output').textContent).includes(sign));
  if (stride) await new Promise((resolve) => setTimeout(resolve, stride));
  const began = performance.now();
  if (stride !== null) button('stop').click();
  const back = await when(usable);
  editor.focus();
  document.execCommand('selectAll');
  document.execCommand('insertText', false, '1 + 1');
  while (cell.code !== '1 + 1') await new Promise(requestAnimationFrame);
  button('run').click();
  const output = await when(() =>
    cell.dataset.state === 'done' && part('output').textContent === '2\n');
  return [back - began, output - began];
}"""

Trial = tuple[float, float]
"""Seconds to a usable cell, and to the next run's output."""


def stops(browser: Browser, url: str, paced: str, rounds: int) -> Iterator[str]:
    """
    A line for each kind of code, with the interpreter kept from an earlier visit and, where Stop
    may cost the interpreter or comes before it is there, in a first visit; NumPy comes over the
    `paced` line in the case of a package that loads.
    """
    later = browser.new_context()
    keep_snapshot(later, url)
    page = open_lesson(later, url)
    for name, code in {**KEPT, **LOST, **ENDS}.items():
        yield line(f"Stop, {name}", [trial(page, code) for _ in range(rounds)])
    yield line("fatal error", [trial(page, FATAL, stride=None) for _ in range(rounds)])
    later.close()

    def first(address: str, code: str, sign: str = "", stride: int | None = STRIDE_MS) -> Trial:
        context = browser.new_context()
        measured = trial(open_lesson(context, address), code, sign, stride)
        context.close()
        return measured

    for name, code in {**LOST, "3 GB": ENDS["3 GB"]}.items():
        yield line(f"first visit, Stop, {name}", [first(url, code) for _ in range(rounds)])
    fatal = [first(url, FATAL, stride=None) for _ in range(rounds)]
    yield line("first visit, fatal error", fatal)
    boot = [first(url, "while True: pass", "Starting Python") for _ in range(rounds)]
    yield line("first visit, Stop while Python starts", boot)
    package = [first(paced, "import numpy", "Fetching numpy", 0) for _ in range(rounds)]
    yield line("first visit, Stop while NumPy is fetched", package)


def trial(page: Page, code: str, sign: str = "", stride: int | None = STRIDE_MS) -> Trial:
    """One of them, in the first cell of the page."""
    cell = page.locator("napkin-cell").first
    content = cell.locator(".cm-content")
    content.focus()
    content.press("ControlOrMeta+a")
    page.keyboard.insert_text(code)
    sign = sign or ("going" if "'going'" in code else "Running")
    handles = [cell.element_handle(), content.element_handle()]
    back, output = page.evaluate(TRIAL, [*handles, sign, stride])
    return back / 1000, output / 1000


def line(name: str, trials: list[Trial]) -> str:
    usable, output = (
        f"{statistics.median(seconds):.2f} s (most {max(seconds):.2f})"
        for seconds in zip(*trials, strict=True)
    )
    return f"{name:48} usable {usable}, next output {output}  target 2 s"
