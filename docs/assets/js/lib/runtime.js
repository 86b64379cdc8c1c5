/**
 * The page's side of the Python worker: one worker for all cells of all pages, alive across
 * instant navigation. What it does is tracked here; a busy worker is never asked.
 *
 * @import {Done, FromWorker, OutputPiece, Progress, RuntimeConfig, ToWorker} from "./messages.js"
 */
import config from "../../runtime/config.js";

/** A worker whose script does not even start within this time is given up. */
const HELLO_MS = 8_000;

const CONFIG_URL = new URL("../../runtime/config.js", import.meta.url);
const WORKER_URL = new URL("../worker/python.js", import.meta.url);

/**
 * @typedef {"off" | "booting" | "ready" | "busy"} State
 * @typedef {{status: "done", seconds: number} | {status: "error", seconds: number, line: number | null, kind: string}
 *   | {status: "stopped"} | {status: "failed", message: string}} Outcome
 * @typedef {object} Handlers
 * @property {(progress: {text: string, loaded: number, total: number}) => void} progress
 * @property {() => void} started the cell's code begins to run
 * @property {(piece: OutputPiece) => void} output
 *
 * @typedef {object} Job
 * @property {number} id
 * @property {Handlers} handlers
 * @property {(outcome: Outcome) => void} settle
 */

/** Fires `change` whenever `state` or `owner` changes. */
class Runtime extends EventTarget {
  /** @type {State} */
  state = "off";
  /** What runs at the moment, as given to `run`. @type {unknown} */
  owner = null;

  /** @type {Worker | null} */
  #worker = null;
  /** @type {Promise<void> | null} */
  #booted = null;
  /** @type {(error: Error) => void} */
  #bootFailed = () => {};
  /** @type {Job | null} */
  #job = null;
  /** @type {Progress | null} */
  #progress = null;
  #nextId = 1;

  /**
   * Start the interpreter, so that a run that may follow waits less. Never rejects.
   * @param {string[]} packages
   */
  warm(packages) {
    this.#boot(packages).catch(() => {});
  }

  /**
   * Run a piece of code after all code given before it.
   *
   * @param {object} what
   * @param {string} what.code
   * @param {string} what.setup hidden code that must have run before, once per set of variables
   * @param {string} what.name what tracebacks call it
   * @param {string} what.page variables are shared by all runs with the same page
   * @param {string[]} what.packages what it imports, fetched along with the interpreter
   * @param {unknown} what.owner
   * @param {Handlers} handlers
   * @returns {Promise<Outcome>} never rejects
   */
  async run({ code, setup, name, page, packages, owner }, handlers) {
    if (this.owner && this.owner !== owner) {
      return { status: "failed", message: "Another cell is running." };
    }
    const id = this.#nextId++;
    return new Promise((settle) => {
      const job = { id, handlers, settle: (/** @type {Outcome} */ outcome) => this.#settle(job, outcome, settle) };
      this.#job = job;
      if (this.#progress) handlers.progress(this.#progress);
      this.#set(this.state === "ready" ? "busy" : this.state, owner);
      this.#boot(packages).then(
        () => {
          if (this.#job !== job) return; // stopped while booting
          this.#set("busy", owner);
          this.#post({ type: "run", id, code, setup, name, page });
        },
        (error) => job.settle({ status: "failed", message: error.message }),
      );
    });
  }

  /**
   * End what runs, whatever it is. The worker goes, and all variables with it.
   * @param {{restart: boolean}} options whether to start a new interpreter at once
   */
  stop({ restart }) {
    const job = this.#job;
    this.#discard();
    job?.settle({ status: "stopped" });
    if (restart) this.warm([]);
  }

  /** @param {string[]} packages */
  #boot(packages) {
    this.#booted ??= new Promise((resolve, reject) => {
      this.#bootFailed = (error) => {
        this.#discard();
        reject(error);
      };
      this.#set("booting", this.owner);
      const worker = new Worker(WORKER_URL, { type: "module", name: "napkin-python" });
      this.#worker = worker;
      const silent = setTimeout(
        () => this.#bootFailed(new Error("The Python worker did not start.")),
        HELLO_MS,
      );
      worker.onerror = (event) => {
        event.preventDefault();
        clearTimeout(silent);
        this.#crashed(event.message || "The Python worker could not be loaded.");
      };
      worker.onmessage = ({ data }) => {
        if (worker !== this.#worker) return; // a message that was under way when it was stopped
        const message = /** @type {FromWorker} */ (data);
        if (message.type === "hello") clearTimeout(silent);
        if (message.type === "ready") {
          this.#progress = null;
          this.#set(this.#job ? "busy" : "ready", this.owner);
          resolve();
        } else {
          this.#receive(message);
        }
      };
      const base = new URL(config.base, CONFIG_URL).href;
      const archiveURL = new URL(config.archive.file, CONFIG_URL).href;
      this.#post({ type: "boot", config, base, archiveURL, packages });
    });
    return this.#booted;
  }

  /** @param {FromWorker} message */
  #receive(message) {
    const job = this.#job;
    if (message.type === "failed") {
      this.#bootFailed(new Error(message.message));
    } else if (message.type === "progress") {
      if (message.id === 0) this.#progress = message;
      if (message.id === 0 || message.id === job?.id) job?.handlers.progress(message);
    } else if (!job || !("id" in message) || message.id !== job.id) {
      return; // of a run that ended
    } else if (message.type === "started") {
      job.handlers.started();
    } else if (message.type === "output") {
      job.handlers.output(message);
    } else if (message.type === "done") {
      const { error, seconds } = message;
      job.settle(error ? { status: "error", seconds, ...error } : { status: "done", seconds });
    }
  }

  /**
   * The worker broke down: while booting, that is a failed boot, later a failed run.
   * @param {string} reason
   */
  #crashed(reason) {
    const job = this.#job;
    if (this.state === "booting") {
      this.#bootFailed(new Error(reason));
    } else {
      this.#discard();
      job?.settle({ status: "failed", message: `Python stopped working: ${reason}` });
    }
  }

  /** Drop the worker; the next boot starts a new one, since a worker keeps failed imports. */
  #discard() {
    this.#worker?.terminate();
    this.#worker = null;
    this.#booted = null;
    this.#progress = null;
    this.#set("off", this.owner);
  }

  /**
   * @param {Job} job
   * @param {Outcome} outcome
   * @param {(outcome: Outcome) => void} resolve
   */
  #settle(job, outcome, resolve) {
    if (this.#job === job) {
      this.#job = null;
      this.#set(this.state === "busy" ? "ready" : this.state, null);
    }
    resolve(outcome);
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

export const runtime = new Runtime();
