/**
 * The page's side of the Python worker: one worker for all cells of all pages, alive across
 * instant navigation. What it does is tracked here; a busy worker is never asked.
 *
 * @import {CellCode, Handlers, Outcome, Progressed} from "./jobs.js"
 * @import {Fetch, FromWorker, Progress, Ready, ToWorker} from "./messages.js"
 */
import { deliver } from "./deliveries.js";
import { formatFiles } from "./format.js";
import { Call, Job } from "./jobs.js";
import { OUTDATED, isOutdated } from "./release.js";
import { forgetRuntime } from "./runtime-cache.js";
import { bootMessage, newWorker } from "./worker.js";

/** A worker whose script does not even start within this time is given up, */
const HELLO_MS = 8_000;
/** and so is one that says nothing for this long while it starts Python, as a slow phone may. */
const START_MS = 60_000;
/** Python gets this long to stop by itself, keeping its variables. */
const GRACE_MS = 1_200;
/** A second press within this time is the same press. */
const SAME_PRESS_MS = 500;

/** @typedef {"off" | "booting" | "ready" | "busy"} State */

/** Fires `change` whenever `state` or `owner` changes. */
class Runtime extends EventTarget {
  /** @type {State} */
  state = "off";
  /** What runs at the moment, as given to `run`. @type {unknown} */
  owner = null;
  /** Whether the interpreter came from a snapshot. */
  restored = false;

  /** @type {Worker | null} */
  #worker = null;
  /** Ends what is fetched for it. */
  #workerGone = new AbortController();
  /** @type {Promise<void> | null} */
  #booted = null;
  /** @type {(error: Error) => void} */
  #bootFailed = () => {};
  /** Runs out when a worker that starts says nothing. @type {ReturnType<typeof setTimeout> | undefined} */
  #silence;
  /** Packages to start with after a Stop that cost the interpreter. @type {string[]} */
  #packages = [];
  /** Those that the worker has or was asked to get ready. @type {Set<string>} */
  #prepared = new Set();
  /** Each worker's own: a Stop that one never heard is not for the next. @type {SharedArrayBuffer | null} */
  #sharedSignal = null;
  /** Whether the interpreter has run anything that a loss of it would lose. */
  #used = false;
  /** @type {Job | null} */
  #job = null;
  /** Calls that have no answer yet, oldest first. @type {Map<number, Call>} */
  #calls = new Map();
  /** The one that the worker has. @type {Call | null} */
  #calling = null;
  /** The last start failed: what caches hold is not to be trusted. */
  #fresh = false;
  /** @type {Progress | null} */
  #progress = null;
  #nextId = 1;
  /** Who waits for advice. @type {Map<number, (value: any) => void>} */
  #advice = new Map();

  /**
   * Have ready what a run that may follow waits for: the interpreter and packages. Never rejects.
   * @param {string[]} packages
   */
  warm(packages) {
    this.#boot(packages).catch(() => {});
    const more = packages.filter((name) => !this.#prepared.has(name));
    if (!more.length) return;
    for (const name of more) this.#prepared.add(name);
    this.#post({ type: "prepare", packages: more });
  }

  /**
   * Run a piece of code after all code given before it.
   *
   * @param {CellCode & {packages: string[], owner: unknown}} what `packages` are what it imports,
   *   fetched along with the interpreter
   * @param {Handlers} handlers
   * @returns {Promise<Outcome>} never rejects
   */
  async run({ packages, owner, ...cell }, handlers) {
    if (this.#job) return { status: "failed", message: "Another cell is running." };
    return new Promise((resolve) => {
      const settle = (/** @type {Outcome} */ outcome) => this.#settle(job, outcome, resolve);
      const job = new Job(this.#nextId++, cell, handlers, settle);
      this.#job = job;
      this.#packages = packages;
      if (this.#progress) handlers.progress(this.#progress);
      this.#set(this.state === "ready" ? "busy" : this.state, owner);
      this.#boot(packages).then(
        () => this.#advance(),
        (error) => this.#missed(job, error.message),
      );
    });
  }

  /**
   * Call a function of the shipped Python with JSON-able arguments, apart from all cells'
   * variables. It waits for a cell that runs, and is sent anew where Stop cost the interpreter.
   *
   * @param {string} target `module:function`, as in "napkin.forms:answer"; may be a coroutine function
   * @param {unknown[]} args
   * @param {object} [options]
   * @param {string[]} [options.packages] what it needs besides the course's own Python
   * @param {(progress: Progressed) => void} [options.progress]
   * @param {AbortSignal} [options.signal] ends the call, however busy Python is with it
   * @returns {Promise<any>} what it returned; rejects with an Error whose `name` is the Python
   *   exception's type, "Unavailable" where Python or a package could not be had, "Outdated" where
   *   no further try will have it in this page, "Died" where the call cost the interpreter, or
   *   "AbortError"
   */
  call(target, args, { packages = [], progress = () => {}, signal } = {}) {
    const call = new Call(this.#nextId++, target, JSON.stringify(args), packages, progress);
    this.#calls.set(call.id, call);
    if (this.#progress) progress(this.#progress);
    if (signal?.aborted) this.#cancel(call);
    signal?.addEventListener("abort", () => this.#cancel(call), { signal: call.ended });
    this.#bootForCalls();
    return call.value;
  }

  /**
   * End what runs. First Python is asked, and keeps its variables; after a while, or when asked
   * again, the worker goes and all variables with it. A start that goes on is of use to the next.
   */
  stop() {
    const job = this.#job;
    if (!job) return;
    if (!job.sent) {
      job.settle({ status: "stopped", variables: this.#variables });
      return;
    }
    if (job.stopping && performance.now() - job.stoppedAt < SAME_PRESS_MS) return;
    if (job.stopping) {
      this.restart();
      return;
    }
    job.stopping = true;
    job.stoppedAt = performance.now();
    job.handlers.stopping();
    this.#post({ type: "giveUp", id: job.id });
    if (job.asking) this.answer(null);
    if (job.started) this.#interrupt(job.signalURL);
    job.deadline = setTimeout(() => this.restart(), GRACE_MS);
  }

  /** @param {string} signalURL of the code that runs */
  #interrupt(signalURL) {
    if (this.#sharedSignal) new Uint8Array(this.#sharedSignal)[0] = 2;
    URL.revokeObjectURL(signalURL);
  }

  /** What becomes of variables where the interpreter stays. @returns {"kept" | "none"} */
  get #variables() {
    return this.#used ? "kept" : "none";
  }

  /**
   * The reader's line for `input()`.
   * @param {string | null} text
   */
  answer(text) {
    if (this.#job) this.#job.asking = false;
    this.#post({ type: "answer", text });
  }

  /**
   * Ask about code, with what is defined in Python now; null when Python is not at hand.
   * @param {"completions" | "documentation"} what
   * @param {string} source
   * @param {number} line 1-based
   * @param {number} column 0-based
   * @returns {Promise<any>}
   */
  consult(what, source, line, column) {
    if (this.state !== "ready") return Promise.resolve(null);
    const id = this.#nextId++;
    this.#post({ type: "consult", id, what, source, line, column });
    return new Promise((resolve) => this.#advice.set(id, resolve));
  }

  /** End what runs, and begin with a new interpreter: variables, modules and files are gone. */
  restart() {
    const job = this.#job;
    const variables = this.#used ? "lost" : "none";
    this.#discard();
    job?.settle({ status: "stopped", variables });
    this.#bootForCalls();
    this.warm(this.#packages);
  }

  /** Give the worker what is next in line: the cell that waits, else the oldest call. */
  #advance() {
    const { state } = this;
    if (this.#calling || this.#job?.sent || (state !== "ready" && state !== "busy")) return;
    if (this.#sharedSignal) new Uint8Array(this.#sharedSignal)[0] = 0;
    if (this.#job) {
      const { id, cell, signalURL } = this.#job;
      this.#job.sent = true;
      this.#post({ type: "run", id, ...cell, signalURL });
      return;
    }
    const [call] = this.#calls.values();
    if (!call) return;
    this.#calling = call;
    const { id, target, json, packages, signalURL } = call;
    this.#post({ type: "call", id, target, json, packages, signalURL });
  }

  /** Calls that wait need an interpreter; without one they fail. */
  #bootForCalls() {
    if (!this.#calls.size) return;
    const packages = [...this.#calls.values()].flatMap((call) => call.packages);
    this.#boot([...new Set(packages)]).then(
      () => this.#advance(),
      (error) => {
        for (const call of this.#calls.values()) {
          this.#endCall(call);
          refuse(call, error.message);
        }
      },
    );
  }

  /**
   * What a run needs could not be had.
   * @param {Job} job
   * @param {string} message
   */
  async #missed(job, message) {
    const outdated = await isOutdated();
    if (job.stopping) job.settle({ status: "stopped", variables: this.#variables });
    else job.settle(outdated ? { status: "outdated" } : { status: "failed", message });
  }

  /** @param {Call} call whose caller wants no answer any more */
  #cancel(call) {
    if (!this.#calls.has(call.id)) return;
    call.reject("AbortError", "The call was given up.");
    if (this.#calling !== call) {
      this.#endCall(call);
      return;
    }
    this.#post({ type: "giveUp", id: call.id });
    this.#interrupt(call.signalURL);
    call.deadline = setTimeout(() => {
      this.#endCall(call);
      this.restart();
    }, GRACE_MS);
  }

  /** @param {Call} call */
  #endCall(call) {
    call.end();
    this.#calls.delete(call.id);
    if (this.#calling === call) this.#calling = null;
  }

  /** @param {string[]} packages */
  #boot(packages) {
    this.#booted ??= new Promise((resolve, reject) => {
      this.#bootFailed = (error) => {
        this.#fresh = true;
        this.#discard();
        reject(error);
      };
      this.#set("booting", this.owner);
      const worker = newWorker("napkin-python");
      this.#worker = worker;
      this.#sharedSignal = globalThis.crossOriginIsolated ? new SharedArrayBuffer(1) : null;
      this.#prepared = new Set(packages);
      this.#expectWord(HELLO_MS);
      worker.onerror = (event) => {
        event.preventDefault();
        // Later errors are of code that a cell left behind: its interpreter is not harmed.
        if (worker !== this.#worker || this.state !== "booting") return;
        this.#bootFailed(new Error(event.message || "The Python worker could not be loaded."));
      };
      worker.onmessage = ({ data }) => {
        if (worker !== this.#worker) return; // under way when it was stopped
        const message = /** @type {FromWorker} */ (data);
        if (this.state === "booting") this.#expectWord(START_MS);
        if (message.type === "ready") {
          this.#ready(message);
          resolve();
        } else {
          this.#receive(message);
        }
      };
      this.#post(bootMessage({ packages, fresh: this.#fresh, sharedSignal: this.#sharedSignal }));
    });
    return this.#booted;
  }

  /** @param {number} ms within which the worker that starts is to say something */
  #expectWord(ms) {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(
      () => this.#bootFailed(new Error(`Python did not start: nothing heard for ${ms / 1000} seconds.`)),
      ms,
    );
  }

  /** @param {Ready} message */
  #ready({ restored }) {
    clearTimeout(this.#silence);
    this.#progress = null;
    if (this.#fresh) forgetRuntime().catch(() => {}); // it may be what failed; it is kept anew
    this.#fresh = false;
    this.restored = restored;
    this.#set(this.#job ? "busy" : "ready", this.owner);
  }

  /** @param {Fetch} message */
  #fetch({ files }) {
    const worker = /** @type {Worker} */ (this.#worker);
    deliver(worker, files, this.#workerGone.signal, ({ loaded, total, names }) => {
      if (worker !== this.#worker || this.state === "booting") return; // it tells of the start
      const text = names.length ? `Fetching ${formatFiles(names)}` : "Unpacking";
      this.#tell({ text, loaded, total: names.length ? total : 0 });
    });
  }

  /** @param {Progressed} progress of what those wait for who wait */
  #tell(progress) {
    if (this.#job && !this.#job.started) this.#job.handlers.progress(progress);
    for (const call of this.#calls.values()) call.progress(progress);
  }

  /** @param {FromWorker} message */
  #receive(message) {
    const job = this.#job;
    if (message.type === "failed") {
      if (this.state === "booting") this.#bootFailed(new Error(message.message));
    } else if (message.type === "fetch") {
      this.#fetch(message);
    } else if (message.type === "progress") {
      this.#progress = message;
      this.#tell(message);
    } else if (message.type === "advice") {
      this.#advice.get(message.id)?.(message.value);
      this.#advice.delete(message.id);
    } else if (message.type === "returned") {
      const call = this.#calls.get(message.id);
      if (!call) return; // it was given up
      this.#endCall(call);
      if (message.json === null) refuse(call, message.message);
      else call.returned(message.json);
      this.#advance();
    } else if (message.type === "givenUp") {
      if (message.id === job?.id) job.settle({ status: "stopped", variables: this.#variables });
      else if (message.id === this.#calling?.id) this.#endCall(this.#calling);
      this.#advance();
    } else if (message.type === "died") {
      this.#discard();
      job?.settle({ status: "died", message: message.message });
      if (job) this.warm(this.#packages); // one that died by itself would die again, and again
      this.#bootForCalls();
    } else if (!job || !("id" in message) || message.id !== job.id) {
      return; // of a run that ended
    } else if (message.type === "started") {
      job.started = true;
      this.#used = true;
      if (job.stopping) this.#interrupt(job.signalURL); // it began before it heard of that
      else job.handlers.started();
    } else if (message.type === "output") {
      // What Pyodide itself writes of a call that it gave up is no news to the reader.
      const told = message.pieces.filter(({ stream }) => !job.stopping || stream !== "stderr");
      for (const piece of told) job.handlers.output(piece);
    } else if (message.type === "unavailable") {
      this.#missed(job, message.message);
    } else if (message.type === "question") {
      job.asking = true;
      if (job.stopping) this.answer(null);
      else job.handlers.question(message.prompt);
    } else if (message.type === "done") {
      const { error, seconds } = message;
      if (job.stopping) job.settle({ status: "stopped", variables: "kept" });
      else if (error) job.settle({ status: "error", seconds, ...error });
      else job.settle({ status: "done", seconds });
    }
  }

  /** Drop the worker; the next boot starts a new one, since a worker keeps failed imports. */
  #discard() {
    clearTimeout(this.#silence);
    this.#used = false;
    this.#worker?.terminate();
    this.#worker = null;
    this.#workerGone.abort();
    this.#workerGone = new AbortController();
    this.#booted = null;
    this.#progress = null;
    this.#advice.forEach((resolve) => resolve(null));
    this.#advice.clear();
    const call = this.#calling;
    this.#calling = null; // sent anew, unless it was the call that cost the worker
    if (call && !call.survives()) {
      this.#endCall(call);
      call.reject("Died", "Python broke down.");
    }
    this.#set("off", this.owner);
  }

  /**
   * @param {Job} job
   * @param {Outcome} outcome
   * @param {(outcome: Outcome) => void} resolve
   */
  #settle(job, outcome, resolve) {
    clearTimeout(job.deadline);
    URL.revokeObjectURL(job.signalURL);
    if (this.#job === job) {
      this.#job = null;
      this.#set(this.state === "busy" ? "ready" : this.state, null);
    }
    resolve(outcome);
    this.#advance();
  }

  /**
   * @param {State} state
   * @param {unknown} owner
   */
  #set(state, owner) {
    if (state === this.state && owner === this.owner) return;
    this.state = state;
    this.owner = owner;
    this.dispatchEvent(new Event("change"));
  }

  /** @param {ToWorker} message */
  #post(message) {
    this.#worker?.postMessage(message);
  }
}

/**
 * @param {Call} call for which something could not be had
 * @param {string} message
 */
async function refuse(call, message) {
  if (await isOutdated()) call.reject("Outdated", OUTDATED);
  else call.reject("Unavailable", message);
}

export const runtime = new Runtime();
