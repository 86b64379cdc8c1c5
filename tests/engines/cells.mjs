/** Checks of a trial: cells as their readers use them, on a first and on a second visit. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { judged } from "./server.mjs";

const PURE = 0;
const NUMPY = 4;

export const cellChecks = {
  // First, so that what works without a network was visited once.
  async "no network"({ page, server, engine }) {
    await page.open();
    await page.timed(NUMPY);
    await page.kept();
    await server.stop();
    try {
      await engine.revisit();
      engine.problems();
      await page.open();
      const header = await page.evaluate(() => getComputedStyle(document.querySelector(".md-header")).position);
      assert.equal(header, "sticky", "the page has lost its styles");
      const ms = await page.timed(NUMPY);
      assert.equal((await page.cell(NUMPY)).state, "done");
      await engine.goto(`${page.root}never-visited/`);
      assert.match(await page.evaluate(() => document.body.innerText), /No network/);
      return `NumPy after ${ms} ms`;
    } finally {
      await server.start();
      await page.open();
      await page.run(PURE);
    }
  },

  async "recorded outputs"({ page }) {
    await page.open();
    const outputs = {};
    const count = await page.evaluate(() => document.querySelectorAll("napkin-cell").length);
    for (let index = 0; index < count; index++) {
      const { name, output, state } = await page.run(index);
      assert.equal(state, "done", `${name}: ${output}`);
      outputs[name.split("/")[1]] = output;
    }
    assert.deepEqual(judged("counting-operations", outputs), []);
    return `${count} cells, ${outputs["fair-timer"].split("\n")[0]}\n${outputs.timer}`;
  },

  async "click to output"({ page, engine }) {
    await page.open();
    await page.evaluate(() => caches.delete("napkin-snapshots"));
    await page.open();
    const told = [`without a snapshot ${await page.timed(PURE)} ms, then NumPy ${await page.timed(NUMPY)} ms`];
    told.push(`again ${await page.timed(PURE)} and ${await page.timed(NUMPY)} ms`);
    await page.kept();
    for (const [what, cell] of [["pure", PURE], ["NumPy", NUMPY]]) {
      for (const seconds of [0, 12]) {
        await engine.revisit();
        await page.open();
        await sleep(seconds * 1000);
        told.push(`second visit, ${what}, click after ${seconds} s: ${await page.timed(cell)} ms`);
        assert.ok(await page.restored(), "did not start from the snapshot");
      }
    }
    return told.join("; ");
  },

  async stop({ page }) {
    await page.open();
    const told = [];
    for (const [code, kept] of [
      ["while True: pass", true],
      ["while True: print(1)", true],
      ["import asyncio; await asyncio.sleep(600)", true],
      ["sum(range(10**11))", false],
      ["import time; time.sleep(600)", null], // kept where the engine puts Python aside
    ]) {
      await page.write(1, "kept = 42");
      await page.run(1);
      await page.write(0, code);
      await page.button(0, "run");
      await page.until(() => document.querySelector("napkin-cell").dataset.state === "running");
      await sleep(1500);
      const ms = await page.timed(0, "stop");
      const { status } = await page.cell(0);
      const keeps = kept ?? /kept/.test(status);
      assert.ok(ms < 2000, `${code} took ${ms} ms to stop`);
      assert.match(status, keeps ? /kept/ : /lost/, code);
      await page.write(0, "kept");
      assert.match((await page.run(0)).output, keeps ? /^42\n/ : /NameError/, code);
      told.push(`${code}: ${ms} ms`);
    }
    return told.join("; ");
  },

  async keyboard({ page, engine }) {
    await page.open();
    await page.write(0, "x = 2\n'sfpn'");
    await engine.press("Shift+Enter");
    assert.equal((await page.ended(0)).output, "'sfpn'\n");
    assert.equal(await page.focus(), "editor");
    await engine.press("Tab");
    assert.equal((await page.cell(0)).code, "x = 2\n    'sfpn'");
    await engine.press("Control+z");
    assert.equal((await page.cell(0)).code, "x = 2\n'sfpn'");
    await engine.press("Control+a"); // a selection, which Escape also undoes
    for (const [key, focus] of [["Escape", "editor"], ["Tab", "run"], ["Tab", "stop"]]) {
      await engine.press(key);
      assert.equal(await page.focus(), focus, key);
    }
    return "Shift+Enter, Tab, undo, Escape then Tab";
  },

  async "instant navigation"({ page }) {
    await page.open();
    await page.evaluate(() => {
      window.made = [];
      window.Worker = class extends Worker {
        constructor(url, options) {
          super(url, options);
          made.push(options?.name);
        }
      };
    });
    await page.write(0, "1 + 1");
    await page.run(0);
    for (let times = 0; times < 10; times++) {
      const name = times % 2 ? "Counting operations" : "Changes";
      await page.evaluate((name) => {
        const links = [...document.querySelectorAll(".md-sidebar--primary a")];
        links.find((link) => link.textContent.trim() === name).click();
      }, name);
      await page.until((name) => document.querySelector("h1")?.textContent.includes(name), name);
      await sleep(300);
    }
    await page.write(0, "40 + 2");
    assert.equal((await page.run(0)).output, "42\n");
    const padding = await page.evaluate(() => {
      const editor = document.querySelector("napkin-cell [data-part=editor]").shadowRoot;
      return getComputedStyle(editor.querySelector(".cm-line")).paddingLeft;
    });
    assert.notEqual(padding, "0px", "the editor lost its styles");
    const made = await page.evaluate(() => made.filter((name) => name === "napkin-python").length);
    assert.ok(made <= 1, `${made} workers`); // none where Python had started quietly before
    return "one worker, editor styled";
  },

  async "edits and links"({ page, engine }) {
    const code = "print('mine é')";
    await page.open();
    await page.write(0, code);
    await page.open();
    assert.equal((await page.cell(0)).code, code);
    await page.button(0, "more");
    await page.button(0, "share");
    // Refused where the page has let the reader's press go by: WebKit is strict about it.
    const share = "napkin-cell button[data-action=share]";
    const said = await page.until(
      (share) => /.*copied/i.exec(document.querySelector(share).textContent)?.[0],
      share,
    );
    assert.equal(said, "Copied");
    await page.write(1, "#");
    await engine.press("Control+v");
    await page.until(() => document.querySelectorAll("napkin-cell")[1].code.includes("#cell-dot-product="));
    const link = (await page.cell(1)).code.slice(1);
    for (const index of [0, 1]) await page.button(index, "reset");
    await engine.goto("about:blank");
    await page.open(link);
    await page.until((code) => document.querySelector("napkin-cell").code === code, code);
    assert.equal((await page.cell(0)).state, "idle");
    assert.equal((await page.run(0)).output, "mine é\n");
    const log = ["log = ['a']", "log.append('b')", "print(log)"];
    for (const [index, line] of log.entries()) await page.write(index, line);
    await page.button(2, "more");
    await page.button(2, "run-above");
    await page.ended(1);
    assert.equal((await page.run(2)).output, "['a', 'b']\n");
    for (const index of log.keys()) await page.button(index, "reset");
    return "edit kept, link copied, pasted and opened, all above run";
  },

  async pictures({ page, engine, folder }) {
    mkdirSync(folder, { recursive: true });
    for (const [scheme, width] of [["default", 1280], ["slate", 1280], ["default", 390]]) {
      await engine.resize(width, 900);
      await page.open();
      await page.evaluate((scheme) => {
        const choices = [...document.querySelectorAll("input[name=__palette]")];
        choices.findLast((choice) => choice.dataset.mdColorScheme === scheme).click();
      }, scheme);
      await page.write(0, "def f(n): return n / 0\nf(1)");
      await page.run(0);
      await sleep(1000);
      await engine.screenshot(`${folder}/${scheme}-${width}.png`);
      await page.button(0, "reset");
    }
    await engine.resize(1280, 900);
    return `to be looked at: ${folder}`;
  },
};
