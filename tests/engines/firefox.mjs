/**
 * Tries the built site in the Firefox of this machine, over WebDriver BiDi. Not part of `make test`.
 *
 *   apt-get install firefox-esr; mkdir /tmp/trial; cd /tmp/trial; npm install puppeteer-core
 *   node REPOSITORY/tests/engines/firefox.mjs [SITE [CHECK ...]]      (default: build/site, all)
 */
import { mkdtempSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { trial } from "./trial.mjs";

const { default: puppeteer } = await import(createRequire(`${process.cwd()}/`).resolve("puppeteer-core"));

/** What Firefox says to its console, and to no page, about a worker that was ended in mid-loop. */
const HARMLESS = /uncaught exception: undefined/;

class Firefox {
  #profile = mkdtempSync(`${tmpdir()}/firefox-`);
  #problems = [];

  async start() {
    this.browser = await puppeteer.launch({
      browser: "firefox",
      executablePath: "/usr/bin/firefox-esr",
      userDataDir: this.#profile,
      protocolTimeout: 300_000,
    });
    this.page = (await this.browser.pages())[0] ?? (await this.browser.newPage());
    this.page.on("pageerror", ({ message }) => this.#problems.push(message));
    this.page.on("console", (message) => {
      if (["error", "warn"].includes(message.type())) this.#problems.push(message.text());
    });
    await this.resize(1280, 900);
    return this;
  }

  goto = (url) => this.page.goto(url, { timeout: 120_000 });
  evaluate = (look, ...given) => this.page.evaluate(look, ...given);
  clickAt = (x, y) => this.page.mouse.click(x, y);
  type = (text) => this.page.keyboard.type(text);
  resize = (width, height) => this.page.setViewport({ width, height });
  screenshot = (path) => this.page.screenshot({ path });
  problems = () => this.#problems.splice(0).filter((problem) => !HARMLESS.test(problem));
  close = () => this.browser.close();

  async press(chord) {
    const keys = chord.split("+");
    for (const key of keys) await this.page.keyboard.down(key);
    for (const key of keys.reverse()) await this.page.keyboard.up(key);
  }

  /** The browser, started anew with the same profile. */
  async revisit() {
    await this.close();
    await this.start();
  }
}

await trial("firefox", () => new Firefox().start());
