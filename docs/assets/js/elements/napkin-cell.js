/**
 * `<napkin-cell>`: a lesson's code with its recorded output becomes an editor that runs it.
 *
 * What stands in the page already (code, output) stays until something better is there: the
 * editor takes the code's place when it has loaded, live output takes the recorded one's place
 * when a run has begun.
 *
 * @import {Editor} from "../lib/editor.js"
 * @import {Outcome} from "../lib/runtime.js"
 */
import { announce } from "../lib/announcer.js";
import { copyText } from "../lib/clipboard.js";
import { formatProgress, formatSeconds } from "../lib/format.js";
import { forgetNearby, whenNearby } from "../lib/nearby.js";
import { runtime } from "../lib/runtime.js";
import { Terminal } from "../lib/terminal.js";

/** @typedef {"idle" | "booting" | "running" | "done" | "error" | "stopped"} CellState */

const BUTTONS = [
  { action: "run", label: "Run", hint: "Run this cell (Shift+Enter)" },
  { action: "stop", label: "Stop", hint: "Stop the run" },
  { action: "reset", label: "Reset", hint: "Back to the lesson's code and its recorded output" },
  { action: "copy", label: "Copy", hint: "Copy the code" },
];

export class NapkinCell extends HTMLElement {
  /** @type {Editor | null} */
  #editor = null;
  /** @type {Promise<void> | null} */
  #editorLoading = null;
  /** @type {Record<string, HTMLButtonElement>} */
  #buttons = {};
  /** @type {Terminal | null} */
  #terminal = null;
  #lessonCode = "";
  #recorded = { text: "", caption: "" };
  #built = false;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #clock;

  /** @type {CellState} */
  get state() {
    return /** @type {CellState} */ (this.dataset.state);
  }

  /** The code as it would run now: the reader's where there is any. */
  get code() {
    return this.#editor ? this.#editor.code : this.#lessonCode;
  }

  connectedCallback() {
    if (!this.#built) this.#build();
    this.addEventListener("focusin", this.#onIntent);
    this.#part("toolbar").addEventListener("pointerenter", this.#onIntent);
    runtime.addEventListener("change", this.#onRuntimeChange);
    whenNearby(this, () => this.#loadEditor());
    this.#showBusy();
  }

  disconnectedCallback() {
    forgetNearby(this);
    runtime.removeEventListener("change", this.#onRuntimeChange);
    clearInterval(this.#clock);
    // The reader has left for another page: what runs here would keep its cells waiting.
    if (runtime.owner === this) runtime.stop({ restart: false });
  }

  /** Run the cell's code; resolves when it has ended. */
  async run() {
    if (runtime.owner) {
      this.#status(this.#blocked() ?? "This cell is running.");
      return;
    }
    const terminal = (this.#terminal ??= new Terminal(this.#part("output")));
    this.#editor?.mark(null);
    this.#enter("booting", runtime.state === "ready" ? "" : "Starting Python");
    let live = false;
    const goLive = () => {
      if (live) return;
      live = true;
      terminal.clear();
      this.dataset.output = "live";
      this.#part("caption").textContent = "Your output";
    };
    announce(`${this.dataset.title}: running`);
    const outcome = await runtime.run(
      {
        code: this.code,
        setup: this.querySelector("template")?.content.textContent ?? "",
        name: this.#name(),
        page: location.pathname,
        packages: this.#packages(),
        owner: this,
      },
      {
        progress: ({ text, loaded, total }) => {
          this.#status(total ? `${text}: ${formatProgress(loaded, total)}` : `${text}…`);
          this.#progress(total ? loaded / total : null);
        },
        started: () => {
          // Keep the room that the last output took, so that the page does not jump.
          const output = this.#part("output");
          output.style.minHeight = `${output.offsetHeight}px`;
          this.#enter("running", "Running");
          this.#startClock();
        },
        output: ({ stream, text }) => {
          goLive();
          terminal.write(stream, text);
        },
      },
    );
    this.#finish(outcome, goLive, terminal);
  }

  stop() {
    if (runtime.owner === this) runtime.stop({ restart: true });
  }

  /** Back to the lesson's code and its recorded output. */
  reset() {
    this.stop();
    if (this.#editor) {
      this.#editor.code = this.#lessonCode;
      this.#editor.mark(null);
    }
    const output = this.#part("output");
    this.#terminal?.clear();
    output.textContent = this.#recorded.text;
    output.style.minHeight = "";
    this.#part("caption").textContent = this.#recorded.caption;
    this.dataset.output = "recorded";
    this.#enter("idle", "");
    announce(`${this.dataset.title}: reset`);
  }

  async copy() {
    const copied = await copyText(this.code);
    const button = this.#buttons.copy;
    button.textContent = copied ? "Copied" : "Not copied";
    announce(copied ? "Code copied" : "The browser did not allow copying");
    setTimeout(() => (button.textContent = "Copy"), 1500);
  }

  #build() {
    this.#built = true;
    const code = this.#part("code");
    this.#lessonCode = (code.textContent ?? "").replace(/\n$/, "");
    this.#recorded = {
      text: this.#part("output").textContent ?? "",
      caption: this.#part("caption").textContent ?? "",
    };
    const editor = document.createElement("div");
    editor.dataset.part = "editor";
    code.replaceWith(editor);
    editor.append(code);

    const toolbar = document.createElement("div");
    toolbar.dataset.part = "toolbar";
    for (const { action, label, hint } of BUTTONS) {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.action = action;
      button.textContent = label;
      button.title = hint;
      button.setAttribute("aria-label", `${label}: ${this.dataset.title}`);
      button.addEventListener("click", () => this.#press(action));
      this.#buttons[action] = button;
      toolbar.append(button);
    }
    const status = document.createElement("span");
    status.dataset.part = "status";
    const progress = document.createElement("progress");
    progress.hidden = true;
    progress.setAttribute("aria-label", "Progress");
    toolbar.append(progress, status);
    editor.after(toolbar);
  }

  /** @param {string} action */
  #press(action) {
    if (this.#buttons[action].getAttribute("aria-disabled") === "true") {
      this.#status(this.#buttons[action].title);
      return;
    }
    if (action === "run") this.run();
    else if (action === "stop") this.stop();
    else if (action === "reset") this.reset();
    else this.copy();
  }

  /**
   * @param {Outcome} outcome
   * @param {() => void} goLive
   * @param {Terminal} terminal
   */
  #finish(outcome, goLive, terminal) {
    clearInterval(this.#clock);
    const title = this.dataset.title;
    const output = this.#part("output");
    if (outcome.status === "failed") {
      // Nothing ran: what was shown before stays.
      this.#enter("error", `${outcome.message} Check the connection, then try again.`);
      this.#offerRetry();
      announce(`${title}: ${outcome.message}`);
    } else if (outcome.status === "stopped") {
      terminal.flush();
      this.#enter("stopped", "Stopped. Variables were lost: run the cells above again.");
      announce(`${title}: stopped, variables were lost`);
    } else {
      goLive();
      terminal.flush();
      const empty = output.textContent === "";
      const took = formatSeconds(outcome.seconds);
      if (outcome.status === "error") {
        this.#editor?.mark(outcome.line);
        this.#enter("error", `${outcome.kind} after ${took}`);
        announce(`${title}: ${outcome.kind}${outcome.line ? ` in line ${outcome.line}` : ""}`);
      } else {
        this.#enter("done", empty ? `Done in ${took}, nothing printed` : `Done in ${took}`);
        announce(`${title}: done`);
      }
    }
    output.style.minHeight = "";
  }

  #offerRetry() {
    const retry = document.createElement("button");
    retry.type = "button";
    retry.dataset.action = "retry";
    retry.textContent = "Retry";
    retry.addEventListener("click", () => {
      this.#buttons.run.focus();
      this.run();
    });
    this.#part("status").append(" ", retry);
  }

  /**
   * @param {CellState} state
   * @param {string} status
   */
  #enter(state, status) {
    this.dataset.state = state;
    this.#status(status);
    this.#progress(state === "booting" ? null : undefined);
    this.#showBusy();
  }

  /** @param {string} text */
  #status(text) {
    this.#part("status").textContent = text;
  }

  /** @param {number | null | undefined} share null: unknown, undefined: none */
  #progress(share) {
    const bar = /** @type {HTMLProgressElement} */ (this.querySelector("progress"));
    bar.hidden = share === undefined;
    if (typeof share === "number") bar.value = share;
    else bar.removeAttribute("value");
  }

  #startClock() {
    const began = performance.now();
    clearInterval(this.#clock);
    this.#clock = setInterval(() => {
      this.#status(`Running for ${Math.round((performance.now() - began) / 1000)} s`);
    }, 1000);
  }

  /** Why this cell cannot run now; undefined when it can or runs itself. */
  #blocked() {
    if (!runtime.owner || runtime.owner === this) return undefined;
    return "Another cell is running: stop it or wait for it.";
  }

  /** Which buttons can be pressed; others stay focusable and say why not. */
  #showBusy() {
    const mine = runtime.owner === this;
    const hint = (/** @type {string} */ action) =>
      /** @type {{hint: string}} */ (BUTTONS.find((button) => button.action === action)).hint;
    const set = (/** @type {string} */ action, /** @type {string | undefined} */ reason) => {
      const button = this.#buttons[action];
      button.setAttribute("aria-disabled", String(reason !== undefined));
      button.title = reason ?? hint(action);
    };
    set("run", this.#blocked() ?? (mine ? "This cell is running." : undefined));
    set("stop", mine ? undefined : "Nothing to stop: this cell is not running.");
  }

  #onRuntimeChange = () => this.#showBusy();

  #onIntent = () => {
    runtime.warm(this.#packages());
    this.#loadEditor();
  };

  #packages() {
    return (this.dataset.packages ?? "").split(" ").filter(Boolean);
  }

  /** What tracebacks call the cell. */
  #name() {
    return (this.getAttribute("ref") ?? "cell").split("/").pop() ?? "cell";
  }

  #loadEditor() {
    this.#editorLoading ??= this.#mountEditor().catch(() => {
      this.#editorLoading = null; // the code stays readable and runnable; next intent tries again
    });
  }

  async #mountEditor() {
    const { Editor } = await import("../lib/editor.js");
    if (!this.isConnected) {
      this.#editorLoading = null;
      return;
    }
    const host = this.#part("editor");
    const code = this.#part("code");
    const hadFocus = document.activeElement === code;
    this.#editor = new Editor(host, {
      code: this.#lessonCode,
      label: `Python code: ${this.dataset.title}. Escape, then Tab, leaves the editor.`,
      onRun: () => this.#press("run"),
      onChange: () => {},
    });
    code.remove();
    if (hadFocus) this.#editor.focus();
  }

  /** @param {string} name @returns {HTMLElement} */
  #part(name) {
    return /** @type {HTMLElement} */ (this.querySelector(`[data-part="${name}"]`));
  }
}
