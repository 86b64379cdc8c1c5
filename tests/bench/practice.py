"""`python -m tests.bench.practice`: 5,000 cards and 100,000 reviews, measured now on this machine.

Needs a built site. Targets: the review page usable within 1 s, an answer within 50 ms, a backup
within 2 s, on two cores.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from sitekit.paths import ROOT
from sitekit.provision.chromium import find_chromium

from .host import host

SITE = ROOT / "build" / "site"
CARDS, REVIEWS = 5_000, 100_000
ROUNDS = 7

FILL = """async ([cards, reviews, base]) => {
  const { practice } = await import(base + 'assets/js/lib/practice/store.js');
  const { answered, newMemory } = await import(base + 'assets/js/lib/practice/schedule.js');
  const store = await practice();
  const { ms, day } = store.moment();
  const DAY = 86_400_000;
  const turns = reviews / cards;
  const events = [];
  for (let card = 0; card < cards; card += 1) {
    let memory = newMemory();
    let prev = '';
    for (let turn = 0; turn < turns; turn += 1) {
      const ago = Math.max(1, 400 - turn * 20 - card % 20);
      const at = ms - ago * DAY + card;
      const grade = (card + turn) % 9 ? 3 : 1;
      const moment = { ms: at, day: day - ago };
      const after = answered(`c-${card}`, memory, grade, moment, { retention: 0.9 });
      const id = `${at.toString(36).padStart(9, '0')}-${card}x${turn}`;
      events.push({ id, kind: 'answer', item: `c-${card}`, at, offset: 0, day: day - ago, grade,
        was: memory.phase, gap: 20, prev, retention: 0.9, after });
      memory = after;
      prev = id;
    }
  }
  const began = performance.now();
  await store.merge(events);
  return performance.now() - began;
}"""

USABLE = """() => new Promise(resolve => {
  const look = () => document.querySelector('napkin-review [data-action=show]')
    ? resolve(performance.now()) : requestAnimationFrame(look);
  look();
})"""

# From the press to the next card on the screen, and to the answer on disk.
ANSWER = """async () => {
  const review = document.querySelector('napkin-review');
  const card = review.querySelector('napkin-card');
  await card.show();
  await new Promise(done => setTimeout(done, 300));
  const began = performance.now();
  const kept = new Promise(done => card.addEventListener('graded',
    () => done(performance.now() - began), { once: true }));
  const asked = new Promise(done => new MutationObserver((_, watch) => {
    if (review.querySelector('napkin-card') === card) return;
    watch.disconnect();
    requestAnimationFrame(() => done(performance.now() - began));
  }).observe(review, { childList: true, subtree: true }));
  card.querySelector('[data-action=good]').click();
  return Promise.all([kept, asked]);
}"""

BACKUP = """async (base) => {
  const { practice } = await import(base + 'assets/js/lib/practice/store.js');
  const { backupOf } = await import(base + 'assets/js/lib/practice/backup.js');
  const store = await practice();
  const began = performance.now();
  const blob = backupOf(await store.all(), { day: store.today() });
  return [performance.now() - began, blob.size];
}"""


def course() -> str:
    """items.json of a course with so many cards."""
    items = [
        {
            "id": f"c-{card}", "kind": "card", "hash": "0", "lesson": "counting-operations",
            "anchor": "", "heading": "", "tags": [], "front": f"<p>Question {card}?</p>",
            "back": "<p>" + "An answer of usual length. " * 5 + "</p>",
        }
        for card in range(CARDS)
    ]
    lesson = {"title": "Counting operations", "url": "lessons/counting-operations/"}
    return json.dumps({"format": 1, "lessons": {"counting-operations": lesson}, "items": items})


def large_site(folder: Path) -> Path:
    """The built site, with that course in place of ours."""
    site = folder / "site"
    shutil.copytree(SITE, site, copy_function=os.symlink)
    items = site / "assets" / "practice" / "items.json"
    items.unlink()
    items.write_text(course(), "utf-8")
    return site


def told(name: str, times: list[float], target: str) -> None:
    middle, least, most = statistics.median(times), min(times), max(times)
    print(f"{name:44} {middle:7.0f} ms ({least:.0f}-{most:.0f})  target {target}", flush=True)


def measure(page: Page, url: str) -> None:
    """Fill the store, then visit, answer and back up."""
    page.goto(url + "practice/flashcards/")
    page.locator("napkin-review [data-part=due-count]").wait_for()
    told("restore all of them from a backup", [page.evaluate(FILL, [CARDS, REVIEWS, url])], "none")
    usable = []
    for _ in range(ROUNDS):
        page.reload(wait_until="commit")
        usable.append(page.evaluate(USABLE))
    told("review page usable, from the start of loading", usable, "1,000")
    kept, asked = zip(*(page.evaluate(ANSWER) for _ in range(4 * ROUNDS)), strict=True)
    told("an answer on disk", list(kept), "50")
    told("the next card asked", list(asked), "50")
    backups = [page.evaluate(BACKUP, url) for _ in range(ROUNDS)]
    told(f"a backup of {backups[0][1] / 1e6:.0f} MB", [b[0] for b in backups], "2,000")


def main() -> None:
    """Measure and print."""
    with (
        tempfile.TemporaryDirectory() as folder,
        sync_playwright() as playwright,
        host(large_site(Path(folder))) as url,
    ):
        browser = playwright.chromium.launch(executable_path=str(find_chromium()))
        print(
            f"Chromium {browser.version}, {platform.system()} {platform.machine()}, "
            f"{os.cpu_count()} cores; {CARDS:,} cards, {REVIEWS:,} reviews; median (least-most)"
        )
        context = browser.new_context(service_workers="block", bypass_csp=True)
        measure(context.new_page(), url)
        browser.close()


if __name__ == "__main__":
    main()
