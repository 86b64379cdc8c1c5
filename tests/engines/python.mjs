/** Checks of a trial: what Python does in the page beyond printing, and under a strict policy. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

const PLOT = "import matplotlib.pyplot as plt; plt.plot([1, 4, 9], label='squares'); plt.legend(); plt.show()";
const FLOOD = "exec('for n in range(100_000): print(n)\\nwhile True: pass')";

/** The size in pixels of the figure that a cell has drawn, and what is said of it. */
async function figure(page) {
  await page.write(0, PLOT);
  const { state, output } = await page.run(0);
  assert.equal(state, "done", output);
  const [width, height, alt] = await page.evaluate(() => {
    const figure = document.querySelector("napkin-cell [data-part=output] figure");
    const { width, height } = figure.querySelector("svg").getBoundingClientRect();
    return [Math.round(width), Math.round(height), figure.getAttribute("aria-label")];
  });
  assert.ok(width > 200 && height > 100, `${width} x ${height} px`);
  return `${width} x ${height} px: ${alt}`;
}

/** Stop a cell that runs; what it says. */
async function stop(page) {
  const ms = await page.timed(0, "stop");
  const { status } = await page.cell(0);
  assert.ok(ms < 2000, `stopped after ${ms} ms`);
  assert.match(status, /kept/);
  return `${ms} ms`;
}

export const pythonChecks = {
  async "a figure"({ page }) {
    await page.open();
    return figure(page);
  },

  async "a question of Python's"({ page, engine }) {
    await page.open();
    await page.write(0, "print('Hello', input('Name? '), input('From? '))");
    await page.button(0, "run");
    const asked = (prompt) => {
      const field = document.querySelector("napkin-cell [data-part=question] input");
      return document.activeElement === field && field.closest("label").textContent.startsWith(prompt);
    };
    await page.until(
      () =>
        document.querySelector("napkin-cell [data-part=question]") !== null ||
        document.querySelector("napkin-cell").dataset.state === "error",
    );
    const { state, output } = await page.cell(0);
    if (state === "error") {
      // The stack cannot be switched there.
      assert.equal(await page.evaluate(() => "Suspending" in WebAssembly), false, output);
      assert.match(output, /put the value into the code/);
      return "told that this browser cannot wait";
    }
    for (const [prompt, answer] of [["Name?", "Ada"], ["From?", "London"]]) {
      await page.until(asked, prompt);
      await engine.type(answer);
      await engine.press("Enter");
    }
    assert.equal((await page.ended(0)).output, "Name? Ada\nFrom? London\nHello Ada London\n");
    return "asked twice and answered by keyboard alone";
  },

  async "completion"({ page, engine }) {
    await page.open();
    await page.write(0, "wavelength = 500");
    await page.run(0);
    const offered = (label) =>
      [...document.querySelectorAll("napkin-cell [data-part=editor]")]
        .flatMap((editor) => [...(editor.shadowRoot?.querySelectorAll("[role=option]") ?? [])])
        .some((option) => option.textContent.includes(label));
    await page.write(1, "wavel");
    await page.until(offered, "wavelength");
    await sleep(300); // at first the list ignores keys, for those who type fast
    await engine.press("Enter");
    assert.equal((await page.cell(1)).code, "wavelength");
    await engine.type(".bit_l");
    await page.until(offered, "bit_length");
    await engine.press("Escape");
    for (const index of [0, 1]) await page.button(index, "reset");
    return "a variable and its method, as they are in Python now";
  },

  async "a flood"({ page }) {
    await page.open();
    await page.write(0, FLOOD);
    await page.button(0, "run");
    const cut = () => document.querySelector("napkin-cell [data-part=output]").textContent.includes("cut here");
    await page.until(cut);
    const lines = (await page.cell(0)).output.split("\n").length;
    assert.ok(lines < 10_010, `${lines} lines`);
    return `cut after ${lines - 2} lines, stopped after ${await stop(page)}`;
  },

  async "a strict policy"({ page, engine, server }) {
    const serveAs = async (...options) => {
      await engine.goto("about:blank"); // nothing is being fetched
      await server.stop();
      await server.start(...options);
    };
    await serveAs("--strict");
    try {
      await page.open();
      const policy = await page.evaluate(async () => {
        window.violations = [];
        document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
          violations.push(`${violatedDirective}: ${blockedURI}`));
        return (await fetch(location.href)).headers.get("content-security-policy");
      });
      assert.match(policy, /script-src 'self' 'wasm-unsafe-eval'/);
      await page.evaluate(() => {
        const inline = document.createElement("script");
        inline.textContent = "window.forbidden = true";
        document.body.append(inline);
      });
      await page.until(() => violations.splice(0).length);
      assert.equal(await page.evaluate(() => "forbidden" in window), false);
      engine.problems();
      const drawn = await figure(page);
      await page.write(0, "while True: pass");
      await page.button(0, "run");
      await page.until(() => document.querySelector("napkin-cell").dataset.state === "running");
      await sleep(500);
      const stopped = await stop(page);
      assert.deepEqual(await page.evaluate(() => violations), []);
      return `figure of ${drawn}; stopped after ${stopped}`;
    } finally {
      await serveAs();
    }
  },
};
