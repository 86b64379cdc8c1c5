/**
 * `<napkin-exercise>`: code to write, checked in the page. Task, starter, hints and solution stand in
 * the page already; here the starter becomes an editor, hints come one by one, and the solution after
 * success or three tries.
 *
 * @import {ButtonFacts} from "../lib/toolbar.js"
 * @import {Outcome} from "../lib/jobs.js"
 */
import { announce } from "../lib/announcer.js";
import { CodeField } from "../lib/code-field.js";
import { editsKept } from "../lib/edits.js";
import { formatProgress } from "../lib/format.js";
import { inTurn, leaveTurn } from "../lib/in-turn.js";
import { loadKept, saveKept } from "../lib/kept.js";
import { OUTDATED } from "../lib/release.js";
import { runtime } from "../lib/runtime.js";
import { Terminal } from "../lib/terminal.js";
import { RELOAD, Toolbar } from "../lib/toolbar.js";
import { Versions } from "../lib/versions.js";

/** @typedef {"todo" | "passed" | "failed"} ExerciseState */
/** @typedef {{state: ExerciseState, tries: number, hints: number, solution: boolean}} Kept */

const TRIES = 3;

/** @type {ButtonFacts[]} */
const BUTTONS = [
  { action: "check", label: "Check", hint: "Run your code and check it (Shift+Enter)" },
  { action: "stop", label: "Stop", hint: "Stop the check" },
  { action: "hint", label: "Hint", hint: "Show the next hint" },
  { action: "solution", label: "Solution", hint: "Show the solution" },
  { action: "reset", label: "Reset", hint: "Back to the code at the start" },
];

export class NapkinExercise extends HTMLElement {
  // These are made by #build, before anything uses them.
  #field = /** @type {CodeField} */ (/** @type {unknown} */ (undefined));
  #toolbar = /** @type {Toolbar} */ (/** @type {unknown} */ (undefined));
  #terminal = /** @type {Terminal} */ (/** @type {unknown} */ (undefined));
  #versions = /** @type {Versions} */ (/** @type {unknown} */ (undefined));
  #starter = "";
  /** What was checked last: the same again is no new try. */
  #tried = "";
  /** @type {Kept} */
  #kept = { state: "todo", tries: 0, hints: 0, solution: false };
  #connected = new AbortController();

  /** The code as it would be checked now. */
  get code() {
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
  }

  disconnectedCallback() {
    leaveTurn(this);
    this.#connected.abort();
    this.#field?.disconnect();
    if (runtime.owner === this) runtime.stop();
  }

  /** Run the code and the checks on it. */
  async check() {
    if (runtime.owner) return;
    this.#field.mark(null);
    this.#terminal.clear();
    this.#say("");
    this.#toolbar.say(runtime.state === "ready" ? "Checking" : "Starting Python");
    this.#toolbar.offer();
    this.#toolbar.progress(runtime.state === "ready" ? undefined : null);
    /** @type {{passed: boolean, message: string, line: number | null} | null} */
    let verdict = null;
    const running = runtime.run(
      {
        code: this.code,
        setup: "",
        name: this.#name,
        page: location.pathname,
        packages: this.#packages,
        owner: this,
        checks: {
          code: this.querySelector("template")?.content.textContent ?? "",
          names: (this.dataset.names ?? "").split(" ").filter(Boolean),
        },
      },
      {
        progress: ({ text, loaded, total }) => {
          this.#toolbar.say(total ? `${text}: ${formatProgress(loaded, total)}` : `${text}…`);
          this.#toolbar.progress(total ? loaded / total : null);
        },
        started: () => {
          this.#toolbar.say("Checking");
          this.#toolbar.progress(undefined);
        },
        stopping: () => this.#toolbar.say("Stopping…"),
        // Nobody can be asked while a check runs: close the question.
        question: () => runtime.answer(null),
        output: ({ stream, text }) => {
          if (stream === "verdict") verdict = JSON.parse(text);
          else this.#terminal.write(stream, text);
        },
      },
    );
    const outcome = await running;
    this.#terminal.flush();
    this.#toolbar.progress(undefined);
    this.#toolbar.say("");
    if (verdict) this.#judge(verdict, outcome);
    else this.#explain(outcome);
  }

  #build() {
    const title = this.dataset.title ?? "exercise";
    this.#field = new CodeField(this.#part("code"), {
      label: `Your code: ${title}`,
      onRun: () => this.check(),
      onEdit: (code) => {
        this.#versions.edited(code);
        this.#say(""); // it was said of other code
      },
    });
    this.#starter = this.#field.code;
    this.#toolbar = new Toolbar(title, (action) => this.#press(action), {
      kind: "Exercise",
      main: BUTTONS,
      more: [],
    });
    const feedback = document.createElement("p");
    feedback.dataset.part = "feedback";
    const output = document.createElement("pre");
    output.dataset.part = "output";
    output.tabIndex = 0;
    output.setAttribute("aria-label", `Output: ${title}`);
    this.#field.element.after(this.#toolbar.element, feedback, output);
    this.#terminal = new Terminal(output);
    const show = (/** @type {string} */ text) => (this.#field.code = text);
    this.#versions = new Versions(`exercise:${this.#ref}`, this.#starter, this.#toolbar, show);
    this.#versions.takeKept();
    this.#kept = { ...this.#kept, .../** @type {Partial<Kept>} */ (loadKept(this.#keptName) ?? {}) };
    this.#show();
  }

  /** @param {string} action */
  #press(action) {
    if (action === "check") this.check();
    else if (action === "stop") runtime.stop();
    else if (action === "hint") this.#hint();
    else if (action === "solution") this.#solution();
    else if (action === "reset") this.#reset();
  }

  /**
   * @param {{passed: boolean, message: string, line: number | null}} verdict
   * @param {Outcome} outcome
   */
  #judge({ passed, message, line }, outcome) {
    const at = line ?? (outcome.status === "error" ? outcome.line : null);
    if (!passed) this.#field.mark(at);
    const fresh = !passed && this.code !== this.#starter && this.code !== this.#tried;
    this.#tried = this.code;
    const tries = this.#kept.tries + (fresh ? 1 : 0);
    this.#keep({ state: passed ? "passed" : "failed", tries });
    const unlocked = fresh && tries === TRIES ? " You may look at the solution now." : "";
    this.#say(`${message}${unlocked}`);
    this.#announce(`${passed ? "Passed" : "Not yet"}. ${message}${unlocked}`);
  }

  /**
   * There is no verdict: say why.
   * @param {Outcome} outcome
   */
  #explain(outcome) {
    let told = "";
    if (outcome.status === "stopped") {
      const lost = outcome.variables === "lost" ? " The page's cells lost their variables." : "";
      told = `Stopped before the check ended.${lost}`;
    } else if (outcome.status === "failed" || outcome.status === "died") {
      told = `${outcome.message.replace(/\.?$/, ".")} Check again.`;
    } else if (outcome.status === "outdated") {
      told = `${OUTDATED} ${editsKept()}`;
      this.#toolbar.offer(RELOAD);
    } else {
      told = "The check did not end. Check again.";
    }
    this.#toolbar.say(told);
    this.#announce(told);
  }

  /** @param {string} sentence on how the check went; nobody wants it who has left the page */
  #announce(sentence) {
    if (this.isConnected) announce(sentence);
  }

  #hint() {
    this.#keep({ hints: this.#kept.hints + 1 });
    const hint = this.#hints[this.#kept.hints - 1];
    hint.open = true;
    announce(hint.textContent ?? "");
  }

  #solution() {
    this.#keep({ solution: true });
    const solution = this.#details("solution")[0];
    solution.open = true;
    solution.querySelector("summary")?.focus();
  }

  #reset() {
    if (runtime.owner === this) runtime.stop();
    this.#versions.reset();
    this.#terminal.clear();
    // What was earned stays: the solution stays within reach.
    const tries = this.#open ? TRIES : this.#kept.tries;
    this.#keep({ state: "todo", hints: 0, solution: false, tries });
    this.#toolbar.say("");
    this.#say("");
    announce(`${this.dataset.title}: reset`);
  }

  /** Whether the solution may be seen. */
  get #open() {
    return this.#kept.state === "passed" || this.#kept.tries >= TRIES || this.#kept.solution;
  }

  /** @param {Partial<Kept>} change */
  #keep(change) {
    this.#kept = { ...this.#kept, ...change };
    saveKept(this.#keptName, this.#kept);
    this.#show();
  }

  #show() {
    const { state, hints, solution, tries } = this.#kept;
    this.dataset.state = state;
    this.#hints.forEach((hint, i) => (hint.hidden = i >= hints));
    this.#details("solution")[0].hidden = !solution;
    this.#toolbar.enable("hint", hints < this.#hints.length ? undefined : "All hints are shown.");
    const left = TRIES - tries;
    const wait = `The solution comes when you have passed, or after ${left} more ${left === 1 ? "try" : "tries"}.`;
    this.#toolbar.enable("solution", this.#open ? undefined : wait);
    if (state === "passed" && !this.#part("feedback").textContent) this.#say("Passed.");
  }

  /** @param {string} message with code between backticks */
  #say(message) {
    const parts = message.split("`").map((text, i) => {
      if (i % 2 === 0) return text;
      const code = document.createElement("code");
      code.textContent = text;
      return code;
    });
    this.#part("feedback").replaceChildren(...parts);
  }

  #showBusy() {
    const mine = runtime.owner === this;
    const other = "Another cell is running: stop it or wait for it.";
    const busy = mine ? "The check is running." : runtime.owner ? other : undefined;
    this.#toolbar.enable("check", busy);
    this.#toolbar.enable("stop", mine ? undefined : "Nothing to stop: no check is running.");
  }

  #intend() {
    runtime.warm(this.#packages);
    this.#field.load();
  }

  get #ref() {
    return this.getAttribute("ref") ?? "";
  }

  get #name() {
    return this.#ref.split("/").pop() || "exercise";
  }

  get #keptName() {
    return `exercise:${this.#ref}`;
  }

  get #packages() {
    return (this.dataset.packages ?? "").split(" ").filter(Boolean);
  }

  get #hints() {
    return this.#details("hint");
  }

  /** @param {string} part @returns {HTMLDetailsElement[]} */
  #details(part) {
    return [.../** @type {NodeListOf<HTMLDetailsElement>} */ (this.querySelectorAll(`details[data-part="${part}"]`))];
  }

  /** @param {string} name @returns {HTMLElement} */
  #part(name) {
    return /** @type {HTMLElement} */ (this.querySelector(`[data-part="${name}"]`));
  }
}
