/**
 * Tries the built site in WebKitGTK, over WebDriver. `make test-engines` starts it; by hand:
 *
 *   xvfb-run -a node tests/engines/webkit.mjs /usr/bin/WebKitWebDriver build/site [CHECK ...]
 *
 * The driver tells nothing of the console, and a window is never narrower than 447 px.
 */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { Driver, soon } from "./driver.mjs";
import { trial } from "./trial.mjs";

const PORT = 30_000 + (process.pid % 10_000);

class WebKit extends Driver {
  async start() {
    // Containers and Ubuntu forbid what its own sandbox needs; here it shows our pages alone.
    const env = { ...process.env, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1" };
    this.driver = spawn(this.program, [`--port=${PORT}`], { stdio: "ignore", env });
    const listens = () => fetch(`http://127.0.0.1:${PORT}/status`).then(() => true, () => false);
    await soon(listens, "WebKitWebDriver does not listen");
    const { sessionId, capabilities } = await this.#post("", { capabilities: {} });
    this.session = `/${sessionId}`;
    this.version = `WebKitGTK ${capabilities.browserVersion}`;
    await this.#post("/timeouts", { script: 300_000, pageLoad: 120_000 });
    await this.resize(1280, 900);
    return this;
  }

  goto = (url) => this.#post("/url", { url });
  perform = (source) => this.#post("/actions", { actions: [source] });
  resize = (width, height) => this.#post("/window/rect", { width, height });
  problems = () => [];
  /** Its store lives as long as the session: the nearest to a new visit is a page in between. */
  revisit = () => this.goto("about:blank");

  evaluate(look, ...args) {
    const script = `const done = arguments[arguments.length - 1];
      Promise.resolve((${look})(...[...arguments].slice(0, -1))).then(done);`;
    return this.#post("/execute/async", { script, args });
  }

  async screenshot(path) {
    writeFileSync(path, Buffer.from(await this.#send("GET", "/screenshot"), "base64"));
  }

  async close() {
    await this.#send("DELETE", "");
    this.driver.kill();
  }

  #post(path, body) {
    return this.#send("POST", path, JSON.stringify(body));
  }

  async #send(method, path, body) {
    const url = `http://127.0.0.1:${PORT}/session${this.session ?? ""}${path}`;
    const { value } = await (await fetch(url, { method, body })).json();
    if (value?.error) throw new Error(`${value.error}: ${value.message}`);
    return value;
  }
}

await trial("webkit", (program) => new WebKit(program).start());
