/**
 * Tries the built site in the WebKitGTK of this machine, over WebDriver. Not part of `make test`.
 *
 *   apt-get install webkit2gtk-driver xvfb; mkdir /tmp/trial; cd /tmp/trial
 *   xvfb-run -a node REPOSITORY/tests/engines/webkit.mjs [SITE [CHECK ...]]   (default: build/site, all)
 *
 * In a container WebKit's own sandbox may not start: set WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS=1
 * there. The driver tells nothing of the console, and a window is never narrower than 447 px.
 */
import { execSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { sleep } from "./page.mjs";
import { trial } from "./trial.mjs";

const PORT = 30_000 + (process.pid % 10_000);
const KEYS = { Enter: "\uE007", Tab: "\uE004", Escape: "\uE00C", Shift: "\uE008", Control: "\uE009" };

class WebKit {
  async start() {
    this.driver = spawn("WebKitWebDriver", [`--port=${PORT}`], { stdio: "ignore" });
    await sleep(2000);
    const binary = execSync("ls /usr/lib/*/webkit2gtk-4.*/MiniBrowser", { encoding: "utf8" }).trim();
    const options = { "webkitgtk:browserOptions": { binary, args: ["--automation"] } };
    const { sessionId } = await this.#post("", { capabilities: { alwaysMatch: options } });
    this.session = `/${sessionId}`;
    await this.#post("/timeouts", { script: 300_000, pageLoad: 120_000 });
    await this.resize(1280, 900);
    return this;
  }

  goto = (url) => this.#post("/url", { url });
  resize = (width, height) => this.#post("/window/rect", { width, height });
  problems = () => [];
  /** Its store lives as long as the session: the nearest to a new visit is a page in between. */
  revisit = () => this.goto("about:blank");

  evaluate(look, ...args) {
    const script = `const done = arguments[arguments.length - 1];
      Promise.resolve((${look})(...[...arguments].slice(0, -1))).then(done);`;
    return this.#post("/execute/async", { script, args });
  }

  clickAt(x, y) {
    const actions = [
      { type: "pointerMove", x, y },
      { type: "pointerDown", button: 0 },
      { type: "pointerUp", button: 0 },
    ];
    return this.#post("/actions", { actions: [{ type: "pointer", id: "mouse", actions }] });
  }

  type(text) {
    return this.#keys([...text].flatMap((char) => stroke(char === "\n" ? KEYS.Enter : char)));
  }

  press(chord) {
    const keys = chord.split("+").map((key) => KEYS[key] ?? key);
    const down = keys.map((value) => ({ type: "keyDown", value }));
    return this.#keys([...down, ...keys.reverse().map((value) => ({ type: "keyUp", value }))]);
  }

  async screenshot(path) {
    writeFileSync(path, Buffer.from(await this.#send("GET", "/screenshot"), "base64"));
  }

  async close() {
    await this.#send("DELETE", "");
    this.driver.kill();
  }

  #keys(actions) {
    return this.#post("/actions", { actions: [{ type: "key", id: "keyboard", actions }] });
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

const stroke = (value) => [
  { type: "keyDown", value },
  { type: "keyUp", value },
];

await trial("webkit", () => new WebKit().start());
