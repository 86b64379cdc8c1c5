/**
 * What a reader does with a lesson's page, in any engine. An engine offers:
 *
 *   goto(url), evaluate(function, ...arguments), clickAt(x, y), type(text), press("Shift+Enter"),
 *   resize(width, height), screenshot(path), revisit(), problems(), close(), version
 *
 * `revisit` gives a page as fresh as the engine can with what an earlier visit stored; `problems`
 * empties and returns what the console has complained about, where the engine tells.
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

const ENDED = /^(done|error|stopped)$/;

export class LessonPage {
  constructor(engine, root) {
    this.engine = engine;
    this.root = root;
    this.url = `${root}lessons/counting-operations/`;
  }

  async open(url = this.url) {
    // Firefox may answer while the page that was there still stands.
    await this.evaluate(() => void (window.left = true));
    await this.engine.goto(url);
    await this.until(() => {
      if (window.left) return false;
      const cells = [...document.querySelectorAll("napkin-cell")];
      return cells.length > 0 && cells.every((cell) => cell.querySelector("button[data-action=run]"));
    });
  }

  evaluate(look, ...given) {
    return this.engine.evaluate(look, ...given);
  }

  /** Wait until a function, which may be asynchronous, returns what is true in the page. */
  async until(look, ...given) {
    for (const end = Date.now() + 180_000; ; await sleep(100)) {
      const found = await this.evaluate(look, ...given);
      if (found) return found;
      assert.ok(Date.now() < end, `never true: ${look} (${given})`);
    }
  }

  /** Click the middle of a part of a cell, after scrolling there. */
  async click(index, selector) {
    const at = () =>
      this.evaluate(
        (index, selector) => {
          const element = document.querySelectorAll("napkin-cell")[index].querySelector(selector);
          element.scrollIntoView({ block: "center", behavior: "instant" });
          const { x, y, width, height } = element.getBoundingClientRect();
          return [Math.round(x + width / 2), Math.round(y + height / 2)];
        },
        index,
        selector,
      );
    await at(); // editors that appear on the way may move it
    await sleep(300);
    await this.engine.clickAt(...(await at()));
  }

  button(index, action) {
    return this.click(index, `button[data-action=${action}]`);
  }

  /** Replace a cell's code, by typing. */
  async write(index, text) {
    await this.click(index, "[data-part=editor]");
    await this.until(
      (index) =>
        document.querySelectorAll("napkin-cell")[index].querySelector("[data-part=editor]").shadowRoot !== null,
      index,
    );
    await this.click(index, "[data-part=editor]");
    await this.engine.press("Control+a");
    await this.engine.type(text);
  }

  /** The state, code, status and output of a cell. */
  cell(index) {
    return this.evaluate((index) => {
      const cell = document.querySelectorAll("napkin-cell")[index];
      const text = (name) => cell.querySelector(`[data-part=${name}]`).textContent;
      const { state } = cell.dataset;
      return { state, code: cell.code, status: text("status"), output: text("output"), name: cell.getAttribute("ref") };
    }, index);
  }

  async ended(index) {
    for (const end = Date.now() + 240_000; ; await sleep(100)) {
      const cell = await this.cell(index);
      if (ENDED.test(cell.state)) return cell;
      assert.ok(Date.now() < end, `cell ${index} has not ended: ${cell.status}`);
    }
  }

  async run(index) {
    await this.button(index, "run");
    return this.ended(index);
  }

  /** Milliseconds from a click on a button until the cell ends, told from inside the page. */
  timed(index, action = "run") {
    return this.evaluate(
      (index, action) =>
        new Promise((resolve) => {
          const cell = document.querySelectorAll("napkin-cell")[index];
          const began = performance.now();
          new MutationObserver((_, observer) => {
            if (!["done", "error", "stopped"].includes(cell.dataset.state)) return;
            observer.disconnect();
            resolve(Math.round(performance.now() - began));
          }).observe(cell, { attributes: true, attributeFilter: ["data-state"] });
          cell.querySelector(`button[data-action=${action}]`).click();
        }),
      index,
      action,
    );
  }

  /** Whether Python came from the snapshot. */
  restored() {
    return this.evaluate(
      async (url) => (await import(url)).runtime.restored,
      `${this.root}assets/js/lib/runtime.js`,
    );
  }

  /** Wait until the first visit has kept all it keeps: the snapshot and the runtime's files. */
  async kept() {
    await this.until(async () => {
      const keys = async (name) => (await (await caches.open(name)).keys()).length;
      return (await keys("napkin-snapshots")) === 1 && (await keys("napkin-runtime")) >= 8;
    });
    await sleep(1000);
  }

  /** What has the focus: a button's action, or "editor". */
  focus() {
    return this.evaluate(() => {
      const { activeElement } = document;
      return activeElement.dataset.part ?? activeElement.dataset.action ?? activeElement.localName;
    });
  }
}
