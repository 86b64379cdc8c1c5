/**
 * Tries the built site in a Firefox, over WebDriver BiDi. `make test-engines` starts it; by hand:
 *
 *   node tests/engines/firefox.mjs /usr/bin/firefox-esr build/site [CHECK ...]
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import WebSocket from "ws";
import { Driver, soon } from "./driver.mjs";
import { trial } from "./trial.mjs";

/** What Firefox says of a worker that was ended in mid-loop, and of requests that a page left cut off. */
const HARMLESS = /uncaught exception: undefined|Failed to load ‘’. A ServiceWorker intercepted/;

/** Not in /tmp, which Ubuntu's Firefox, a snap, does not see. */
const PROFILE = resolve("build/engines/firefox/profile");

class Firefox extends Driver {
  #problems = [];
  #asked = new Map();

  constructor(program) {
    super(program);
    rmSync(PROFILE, { recursive: true, force: true });
    mkdirSync(PROFILE, { recursive: true });
  }

  async start() {
    const options = ["--headless", "--remote-debugging-port=0", "--profile", PROFILE];
    this.process = spawn(this.program, options, { stdio: ["ignore", "ignore", "pipe"] });
    let told = "";
    this.process.stderr.on("data", (data) => (told += data));
    const address = () => /WebDriver BiDi listening on (ws:\S+)/.exec(told)?.[1];
    const url = await soon(address, "Firefox does not listen");
    this.socket = new WebSocket(`${url}/session`);
    this.socket.on("message", (data) => this.#hear(JSON.parse(data)));
    await once(this.socket, "open");
    const { capabilities } = await this.#ask("session.new", { capabilities: {} });
    this.version = `Firefox ${capabilities.browserVersion}`;
    await this.#ask("session.subscribe", { events: ["log.entryAdded"] });
    [{ context: this.context }] = (await this.#ask("browsingContext.getTree", {})).contexts;
    await this.resize(1280, 900);
    return this;
  }

  goto = (url) => this.#here("browsingContext.navigate", { url, wait: "complete" });
  perform = (source) => this.#here("input.performActions", { actions: [source] });
  resize = (width, height) => this.#here("browsingContext.setViewport", { viewport: { width, height } });
  problems = () => this.#problems.splice(0).filter((problem) => !HARMLESS.test(problem));

  async evaluate(look, ...given) {
    const { result, exceptionDetails } = await this.#ask("script.callFunction", {
      target: { context: this.context },
      functionDeclaration: `async (given) => JSON.stringify([await (${look})(...JSON.parse(given))])`,
      arguments: [{ type: "string", value: JSON.stringify(given) }],
      awaitPromise: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return JSON.parse(result.value)[0];
  }

  async screenshot(path) {
    const { data } = await this.#here("browsingContext.captureScreenshot", {});
    writeFileSync(path, Buffer.from(data, "base64"));
  }

  /** The browser, started anew with the same profile. */
  async revisit() {
    await this.close();
    await this.start();
  }

  async close() {
    const ended = once(this.process, "exit");
    await this.#ask("browser.close", {});
    await ended;
  }

  #here(method, params) {
    return this.#ask(method, { context: this.context, ...params });
  }

  #ask(method, params) {
    const id = this.#asked.size + 1;
    this.socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => this.#asked.set(id, { resolve, reject }));
  }

  #hear({ type, id, result, error, message, params }) {
    if (type === "success") this.#asked.get(id).resolve(result);
    else if (type === "error") this.#asked.get(id)?.reject(new Error(`${error}: ${message}`));
    // Others come from Firefox's own windows.
    else if (params.source.context !== this.context) return;
    else if (["error", "warn"].includes(params.level)) this.#problems.push(params.text);
  }
}

await trial("firefox", (program) => new Firefox(program).start());
