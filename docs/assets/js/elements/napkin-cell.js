/**
 * `<napkin-cell>`: a lesson's code with its recorded output becomes an editor that runs it.
 *
 * What stands in the page already (code, output) stays until something better is there: the
 * editor takes the code's place when it has loaded, live output takes the recorded one's place
 * when a run has begun.
 *
 * @import {Outcome} from "../lib/jobs.js"
 * @import {CellError} from "../lib/messages.js"
 */
import { announce } from "../lib/announcer.js";
import { copyText } from "../lib/clipboard.js";
import { CodeField } from "../lib/code-field.js";
import { asNotebook, asScript, colabAddress, saveText } from "../lib/download.js";
import { editsKept } from "../lib/edits.js";
import { formatProgress, formatSeconds } from "../lib/format.js";
import { inTurn, leaveTurn } from "../lib/in-turn.js";
import { startQuietly } from "../lib/quiet-start.js";
import { OUTDATED } from "../lib/release.js";
import { runtime } from "../lib/runtime.js";
import { shareLink } from "../lib/share.js";
import { Terminal } from "../lib/terminal.js";
import { RELOAD, Toolbar } from "../lib/toolbar.js";
import { Versions } from "../lib/versions.js";

/** @typedef {"idle" | "booting" | "running" | "done" | "error" | "stopped"} CellState */

const AFTER_STOP = {
  kept: "Variables are kept.",
  lost: "Variables were lost: run the cells above again.",
  none: "",
};
const KEYS = "Ctrl+Space completes, Ctrl+I explains a name; Escape, then Tab, leaves.";

export class NapkinCell extends HTMLElement {
  // These are made by #build, before anything uses them.
  #field = /** @type {CodeField} */ (/** @type {unknown} */ (undefined));
  #toolbar = /** @type {Toolbar} */ (/** @type {unknown} */ (undefined));
  #terminal = /** @type {Terminal} */ (/** @type {unknown} */ (undefined));
  #versions = /** @type {Versions} */ (/** @type {unknown} */ (undefined));
  #recorded = { text: "", caption: "" };
  /** Reset was pressed during a run: it follows when the run has stopped. */
  #resetWanted = false;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #clock;
  /** Ends what listens to the world outside the element. */
  #connected = new AbortController();

  /** @type {CellState} */
  get state() {
    return /** @type {CellState} */ (this.dataset.state);
  }

  /** The code as it would run now: the reader's where there is any. */
  get code() {
    if (!this.#toolbar) this.#build();
    return this.#versions.code;
  }

  connectedCallback() {
    inTurn(this, () => this.#connect());
  }

  #connect() {
    if (!this.#toolbar) this.#build();
    this.#connected = new AbortController();
    const { signal } = this.#connected;
    this.addEventListener("focusin", () => this.#intend(), { signal });
    this.#toolbar.element.addEventListener("pointerenter", () => this.#intend(), { signal });
    runtime.addEventListener("change", () => this.#showBusy(), { signal });
    this.#versions.watch(this, signal);
    this.#field.connect();
    this.#showBusy();
    this.#versions.takeShared(this);
    startQuietly(packagesOf(pageCells()));
  }

  disconnectedCallback() {
    leaveTurn(this);
    this.#connected.abort();
    this.#field?.disconnect();
    clearInterval(this.#clock);
    // The reader has left for another page: what runs here would keep its cells waiting.
    if (runtime.owner === this) runtime.stop();
  }

  /**
   * Run the cell's code; resolves when it has ended.
   * @returns {Promise<boolean>} whether it ended well
   */
  async run() {
    if (!this.#toolbar) this.#build();
    if (runtime.owner || this.state === "running") {
      this.#toolbar.say(this.#blocked() ?? "This cell is running.");
      return false;
    }
    this.#field.mark(null);
    const output = this.#part("output");
    const room = output.offsetHeight; // now, before anything changes: later it costs a layout
    this.#enter("booting", runtime.state === "ready" ? "" : "Starting Python");
    this.#announce("running");
    let live = false;
    const goLive = () => {
      if (live) return;
      live = true;
      this.#terminal.clear();
      this.dataset.output = "live";
      this.#part("caption").textContent = "Your output";
    };
    const outcome = await runtime.run(
      {
        code: this.code,
        setup: this.querySelector("template")?.content.textContent ?? "",
        name: this.#name,
        page: location.pathname,
        packages: packagesOf([this]),
        owner: this,
      },
      {
        progress: ({ text, loaded, total }) => {
          this.#toolbar.say(total ? `${text}: ${formatProgress(loaded, total)}` : `${text}…`);
          this.#toolbar.progress(total ? loaded / total : null);
        },
        started: () => {
          // Keep the room that the last output took, so that the page does not jump.
          output.style.minHeight = `${room}px`;
          if (this.dataset.output === "live") this.#terminal.clear();
          this.#enter("running", "Running");
          this.#startClock();
        },
        stopping: () => {
          clearInterval(this.#clock);
          this.#toolbar.say("Stopping…");
        },
        question: (prompt) => {
          goLive();
          this.#terminal.flush();
          this.#ask(prompt);
        },
        output: ({ stream, text }) => {
          goLive();
          this.#terminal.write(stream, text);
        },
      },
    );
    await this.#terminal.flush();
    this.#finish(outcome, goLive);
    return outcome.status === "done";
  }

  /**
   * A row for the answer to `input()`; Python writes question and answer itself.
   * @param {string} prompt
   */
  #ask(prompt) {
    const form = document.createElement("form");
    form.dataset.part = "question";
    const label = document.createElement("label");
    const field = document.createElement("input");
    const send = document.createElement("button");
    field.type = "text";
    field.autocomplete = "off";
    field.spellcheck = false;
    field.setAttribute("autocapitalize", "off");
    field.setAttribute("autocorrect", "off");
    send.textContent = "Answer";
    label.append(prompt || "Python asks for a line:", " ", field);
    form.append(label, send);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#closeQuestion(true);
      this.#toolbar.say("Running");
      runtime.answer(field.value);
    });
    this.#part("output").after(form);
    this.#toolbar.say("Python waits for your answer.");
    // Only a reader who is still at this cell wants the field.
    if (this.contains(document.activeElement)) field.focus();
    this.#announce(`asks ${prompt}`);
  }

  /**
   * The focus does not go with the field: the reader stays in the cell, for the next question.
   * @param {boolean} [answered] by the reader, who is here then, even where buttons take no focus
   */
  #closeQuestion(answered = false) {
    const form = this.#question;
    if (answered || form?.contains(document.activeElement)) {
      this.#part("output").focus({ preventScroll: true });
    }
    form?.remove();
  }

  get #question() {
    return this.querySelector("form[data-part=question]");
  }

  stop() {
    if (runtime.owner === this) runtime.stop();
  }

  /** Back to the lesson's code and its recorded output. */
  reset() {
    if (runtime.owner === this || this.state === "running") {
      this.#resetWanted = true;
      runtime.stop();
      return;
    }
    this.#resetWanted = false;
    this.#versions.reset();
    this.#dropLink();
    this.#terminal.clear();
    const output = this.#part("output");
    output.textContent = this.#recorded.text;
    output.style.minHeight = "";
    this.#part("caption").textContent = this.#recorded.caption;
    this.dataset.output = "recorded";
    this.#enter("idle", "");
    this.#announce("reset");
  }

  #build() {
    const title = this.dataset.title ?? "cell";
    this.#field = new CodeField(this.#part("code"), {
      label: `Python code: ${title}`,
      onRun: () => this.run(),
      onEdit: (code) => this.#versions.edited(code),
    });
    const { element, code } = this.#field;
    const output = this.#part("output");
    this.#recorded = {
      text: output.textContent ?? "",
      caption: this.#part("caption").textContent ?? "",
    };
    this.#terminal = new Terminal(output);
    this.#toolbar = new Toolbar(title, (action) => this.#press(action));
    element.after(this.#toolbar.element);
    element.addEventListener("focusin", () => {
      if (this.#field.editable && !this.#toolbar.said) this.#toolbar.say(KEYS);
    });
    element.addEventListener("focusout", () => {
      if (this.#toolbar.said === KEYS) this.#toolbar.say("");
    });
    const show = (/** @type {string} */ text) => (this.#field.code = text);
    this.#versions = new Versions(this.#ref, code, this.#toolbar, show);
    this.#versions.takeKept();
  }

  /** @param {string} action */
  #press(action) {
    if (action === "run") this.run();
    else if (action === "stop") this.stop();
    else if (action === "reset") this.reset();
    else if (action === "copy") this.#copy(action, this.code);
    else if (action === "run-above") runInOrder(this.#above());
    else if (action === "run-all") runInOrder(pageCells());
    else if (action === "restart") {
      runtime.restart();
      this.#toolbar.say("Python is as at the beginning: run the cells from the top.");
    } else if (action === "share") this.#share();
    else if (action === "script") saveText(`${this.#slug}.py`, "text/x-python", asScript(sources()));
    else if (action === "colab") open(colabAddress(this.#slug), "_blank", "noopener");
    else if (action === "notebook") {
      saveText(`${this.#slug}.ipynb`, "application/x-ipynb+json", asNotebook(sources()));
    }
  }

  /**
   * @param {string} action
   * @param {string | Promise<string>} text
   */
  async #copy(action, text) {
    const copied = await copyText(text);
    this.#toolbar.flash(action, copied ? "Copied" : "Not copied");
    announce(copied ? "Copied" : "The browser did not allow copying");
    return copied;
  }

  async #share() {
    this.#dropLink();
    const link = shareLink(this.id, this.code);
    try {
      if (!(await this.#copy("share", link))) this.#showLink(await link);
    } catch (error) {
      this.#toolbar.say(/** @type {Error} */ (error).message);
    }
  }

  /** @param {string} link to be copied by hand */
  #showLink(link) {
    const row = document.createElement("label");
    const field = document.createElement("input");
    row.dataset.part = "link";
    field.readOnly = true;
    field.value = link;
    row.append("Copy this link by hand:", " ", field);
    this.#toolbar.element.after(row);
    field.select();
  }

  #dropLink() {
    this.querySelector("[data-part=link]")?.remove();
  }

  /** @param {string} sentence about this cell; nobody wants it who has left the page */
  #announce(sentence) {
    if (this.isConnected) announce(`${this.dataset.title}: ${sentence}`);
  }

  /**
   * @param {Outcome} outcome
   * @param {() => void} goLive
   */
  #finish(outcome, goLive) {
    clearInterval(this.#clock);
    this.#closeQuestion();
    this.#terminal.flush();
    if (outcome.status === "failed") {
      // Nothing ran: what was shown before stays.
      const reason = outcome.message.replace(/\.?$/, ".");
      this.#enter("error", `${reason} Check the connection, then try again.`);
      this.#toolbar.offer({ action: "retry", label: "Retry", press: () => this.run() });
      this.#announce(outcome.message);
    } else if (outcome.status === "outdated") {
      this.#enter("error", `${OUTDATED} ${editsKept()}`);
      this.#toolbar.offer(RELOAD);
      this.#announce(OUTDATED);
    } else if (outcome.status === "died") {
      goLive();
      this.#terminal.write("error", `Python broke down: ${outcome.message}\n`);
      this.#terminal.flush();
      this.#enter("error", "Python starts anew. Variables were lost: run the cells above again.");
      this.#announce("Python broke down, variables were lost");
    } else if (outcome.status === "stopped") {
      const told = `Stopped. ${AFTER_STOP[outcome.variables]}`.trim();
      this.#enter("stopped", told);
      this.#announce(told);
    } else {
      goLive();
      this.#terminal.flush();
      const took = formatSeconds(outcome.seconds);
      if (outcome.status === "error") {
        this.#field.mark(outcome.line);
        this.#enter("error", `${outcome.kind} after ${took}`);
        this.#explainMissing(outcome);
        this.#announce(outcome.kind + (outcome.line ? ` in line ${outcome.line}` : ""));
      } else {
        const empty = this.#part("output").childNodes.length === 0;
        this.#enter("done", empty ? `Done in ${took}, nothing printed` : `Done in ${took}`);
        this.#announce("done");
      }
    }
    this.#part("output").style.minHeight = "";
    if (this.#resetWanted) this.reset();
  }

  /**
   * A cell above may define the name that was missing, or have been run before the reader was on
   * another page.
   * @param {CellError} error
   */
  async #explainMissing({ missingName: name, cleared }) {
    const above = this.#above();
    if (!name || !(cleared || above.length)) return;
    const codes = above.map(({ code }) => code);
    const defined = await runtime.call("cellrunner.names:is_defined", [name, codes]).catch(() => false);
    if (this.state !== "error") return;
    if (!defined) {
      if (cleared) this.#toolbar.say(`${name} is gone: a page's variables are cleared when another page's cells run.`);
      return;
    }
    this.#toolbar.say(`${name} is defined in a cell above.`);
    this.#toolbar.offer({
      action: "run-above-first",
      label: "Run the cells above first",
      press: () => runInOrder([...above, this]),
    });
  }

  /**
   * @param {CellState} state
   * @param {string} status
   */
  #enter(state, status) {
    this.dataset.state = state;
    this.#toolbar.say(status);
    this.#toolbar.progress(state === "booting" ? null : undefined);
    this.#toolbar.offer();
    this.#showBusy();
  }

  #startClock() {
    const began = performance.now();
    clearInterval(this.#clock);
    this.#clock = setInterval(() => {
      if (this.#question) return; // what the reader is asked stands there
      this.#toolbar.say(`Running for ${Math.round((performance.now() - began) / 1000)} s`);
    }, 1000);
  }

  /** Why this cell cannot run now; undefined when it can or runs itself. */
  #blocked() {
    if (!runtime.owner || runtime.owner === this) return undefined;
    return "Another cell is running: stop it or wait for it.";
  }

  #showBusy() {
    const mine = runtime.owner === this;
    const busy = this.#blocked() ?? (mine ? "This cell is running." : undefined);
    this.#toolbar.enable("run", busy);
    this.#toolbar.enable("run-all", busy);
    const first = this.#above().length === 0 ? "There is no cell above this one." : undefined;
    this.#toolbar.enable("run-above", busy ?? first);
    this.#toolbar.enable("stop", mine ? undefined : "Nothing to stop: this cell is not running.");
  }

  /** The reader comes near: have ready what a run needs. */
  #intend() {
    runtime.warm(packagesOf([this]));
    this.#field.load();
  }

  /** The cells above this one. */
  #above() {
    const cells = pageCells();
    return cells.slice(0, cells.indexOf(this));
  }

  get #ref() {
    return this.getAttribute("ref") ?? "";
  }

  get #slug() {
    return this.#ref.split("/")[0] || "lesson";
  }

  /** What tracebacks call the cell. */
  get #name() {
    return this.#ref.split("/").pop() || "cell";
  }

  /** @param {string} name @returns {HTMLElement} */
  #part(name) {
    return /** @type {HTMLElement} */ (this.querySelector(`[data-part="${name}"]`));
  }
}

/** @returns {NapkinCell[]} the cells of the page, in order */
function pageCells() {
  return [.../** @type {NodeListOf<NapkinCell>} */ (document.querySelectorAll("napkin-cell"))];
}

/** @param {HTMLElement[]} cells */
function packagesOf(cells) {
  const names = cells.flatMap((cell) => (cell.dataset.packages ?? "").split(" "));
  return [...new Set(names.filter(Boolean))];
}

function sources() {
  return pageCells().map((cell) => {
    const name = cell.getAttribute("ref")?.split("/").pop() ?? "cell";
    const setup = cell.querySelector("template")?.content.textContent;
    return { name, code: setup ? `${setup}\n\n${cell.code}` : cell.code };
  });
}

/**
 * Run cells one after the other, until one does not end well.
 * @param {NapkinCell[]} cells
 */
async function runInOrder(cells) {
  for (const cell of cells) {
    if (!cell.isConnected || !(await cell.run())) return;
  }
}
