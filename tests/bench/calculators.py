"""From a reader's input to the new result in the page, once Python runs, for every calculator."""

from __future__ import annotations

import statistics
from itertools import islice

from playwright.sync_api import Browser

from napkin.fields import Amount, Text
from napkin.forms import calculator
from tests.samples import TOOLS, references

# Each text differs from the one before, so that nothing is remembered.
MEASURE = """async ([name, texts]) => {
  const element = document.querySelector('napkin-calculator');
  const control = element.querySelector(`[name=${name}]`);
  const result = element.querySelector('[data-part=result]');
  const times = [];
  for (const text of texts) {
    control.value = text;
    const began = performance.now();
    const done = new Promise((resolve) => {
      const observer = new MutationObserver(() => (observer.disconnect(), resolve()));
      observer.observe(result, { childList: true });
    });
    control.dispatchEvent(new Event('input', { bubbles: true }));
    await done;
    times.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  return times;
}"""


def input_to_result(browser: Browser, url: str, rounds: int) -> list[str]:
    """A line for each calculator: median and most, in ms."""
    lines = []
    context = browser.new_context()
    for tool in TOOLS:
        form = calculator(references(tool)[0])
        field = next(one for one in form.fields if isinstance(one.reader, (Amount, Text)))
        low = int(field.reader.low) if isinstance(field.reader, Amount) else 0
        numbers = (str(low + number) for number in range(1, 500))
        answered = (text for text in numbers if form.answer({field.name: text})["answer"])
        texts = list(islice(answered, 4 * rounds + 1))
        page = context.new_page()
        page.goto(f"{url}tools/{tool.stem}/")
        control = page.locator(f"napkin-calculator [name={field.name}]")
        control.fill(texts[0])
        page.locator("napkin-calculator[data-state=ready]").wait_for(timeout=60_000)
        page.wait_for_timeout(500)
        times = page.evaluate(MEASURE, [field.name, texts[1:]])
        lines.append(
            f"{'input to result, ' + tool.stem:44} {statistics.median(times):7.0f} ms"
            f"  (least {min(times):.0f}, most {max(times):.0f})"
        )
        page.close()
    context.close()
    return lines
