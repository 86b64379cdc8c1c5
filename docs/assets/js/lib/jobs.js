/**
 * What the Python worker is given to do, one at a time: runs of cells, and calls of functions.
 *
 * @import {CellError, Checks, OutputPiece} from "./messages.js"
 *
 * @typedef {{text: string, loaded: number, total: number}} Progressed
 * @typedef {{status: "done", seconds: number} | (CellError & {status: "error", seconds: number})
 *   | {status: "stopped", variables: "kept" | "lost" | "none"} | {status: "died", message: string} | {status: "failed", message: string}
 *   | {status: "outdated"}} Outcome `failed`: something could not be had; `outdated`: nor will it be, in
 *   this version of the page
 * @typedef {object} Handlers
 * @property {(progress: Progressed) => void} progress
 * @property {() => void} started the cell's code begins to run
 * @property {(piece: OutputPiece) => void} output
 * @property {() => void} stopping Stop has been asked for
 * @property {(prompt: string) => void} question `input()` waits for `answer`
 *
 * @typedef {object} CellCode
 * @property {string} code
 * @property {string} setup hidden code that must have run before, once per set of variables
 * @property {string} name what tracebacks call it
 * @property {string} page variables are shared by all runs with the same page
 * @property {Checks} [checks] the code is an exercise's: it runs apart from the page's variables, and
 *   what the checks say comes as output in the stream `verdict`
 */

/** A call whose worker was lost with it so often is not sent again. */
const MOST_LOSSES = 3;

/** One run of a cell, from the press of the button to its end. */
export class Job {
  /** The worker has it. */
  sent = false;
  started = false;
  stopping = false;
  stoppedAt = 0;
  /** `input()` waits for the reader. */
  asking = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  deadline;
  /** Revoked on Stop, which the worker notices. */
  signalURL = newSignal();

  /**
   * @param {number} id
   * @param {CellCode} cell
   * @param {Handlers} handlers
   * @param {(outcome: Outcome) => void} settle
   */
  constructor(id, cell, handlers, settle) {
    this.id = id;
    this.cell = cell;
    this.handlers = handlers;
    this.settle = settle;
  }
}

/** One call of a Python function, until its value or its error is there. */
export class Call {
  /** How many workers went away with it. */
  losses = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  deadline;
  signalURL = newSignal();
  #end = new AbortController();
  /** Who waits for the call's caller to go need not any more. */
  ended = this.#end.signal;

  /**
   * @param {number} id
   * @param {string} target `module:function`
   * @param {string} json its arguments
   * @param {string[]} packages
   * @param {(progress: Progressed) => void} progress
   */
  constructor(id, target, json, packages, progress) {
    this.id = id;
    this.target = target;
    this.json = json;
    this.packages = packages;
    this.progress = progress;
    /** @type {Promise<any>} */
    this.value = new Promise((resolve, reject) => {
      this.resolve = resolve;
      /** @type {(name: string, message: string) => void} */
      this.reject = (name, message) => reject(Object.assign(new Error(message), { name }));
    });
  }

  /** @returns {boolean} whether it may be tried in a new worker, having lost one */
  survives() {
    return ++this.losses < MOST_LOSSES;
  }

  /** @param {string} json of `cellrunner.calling.answer` */
  returned(json) {
    const { value, error, message } = JSON.parse(json);
    if (error) this.reject(error, message);
    else this.resolve?.(value);
  }

  end() {
    this.#end.abort();
    clearTimeout(this.deadline);
    URL.revokeObjectURL(this.signalURL);
  }
}

/** An address that can be read until it is revoked. */
function newSignal() {
  return URL.createObjectURL(new Blob(["1"]));
}
