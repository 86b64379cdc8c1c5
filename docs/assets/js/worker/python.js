/**
 * The Python worker: takes code, sends output. What it is asked comes from `lib/runtime.js`.
 *
 * @import {Boot, Checks, FromWorker, FunctionCall, Run, Stream, ToWorker} from "../lib/messages.js"
 */
// Every module of this thread by name: all are fetched at once, none waits for another's import.
import "../lib/downloads.js";
import "../lib/format.js";
import "../lib/runtime-files.js";
import "./deliveries.js";
import { Interpreter } from "./interpreter.js";
import "./library.js";
import { Outbox } from "./outbox.js";
import "./packs.js";
import { PolledSignal, readable } from "./signals.js";
import { saveSnapshot, takeSnapshot } from "./snapshots.js";
import { limitStack } from "./stack.js";

/** @type {Interpreter} */
let interpreter;
/** @type {any} The Python side, see `pysrc/cellrunner/runner.py`. */
let runner;
/** @type {Boot} */
let boot;
/** `cellrunner.library.REST`. @type {any} */
let library;
/** `cellrunner.calling.answer`, once asked for. @type {any} */
let answerCall;
/** Names of modules that could be fetched. @type {any} */
let modules;
/** The page whose variables the runner holds. */
let page = "";
/** Hidden set-up code that has run with those variables. */
const prepared = new Set();
let runId = 0;
let busy = false;
/** Code of the reader's or a called function is not at its end. */
let begun = false;
/** `cellrunner.stopping.cancel_all` @type {any} */
let cancelAll;
/** Runs and calls that nobody wants any more. @type {Set<number>} */
const givenUp = new Set();
/** Parts that a package imports on first use, a noticeable moment. @type {Record<string, string[]>} */
const LAZY = { numpy: ["numpy.random", "numpy.linalg"] };
/** Takes the reader's line for `input()`. @type {(text: string | null) => void} */
let answer = () => {};
/** The latest question: tasks that ask at the same time take turns. @type {Promise<unknown>} */
let asked = Promise.resolve();
/** Between being ready and preparing packages: time for a run that waits to arrive. */
const BREATH_MS = 50;
/**
 * What a cell's first run would wait for: the browser compiles of Python what is used, when it is.
 */
const REHEARSAL = "total = 0\nfor i in range(3):\n    total += i\nprint(f'{total / 7:.2f}')\ntotal";
/** Nothing else runs meanwhile. @type {Promise<void>} */
let rehearsal = Promise.resolve();
/** @type {PolledSignal | null} null where Stop comes through shared memory or not at all */
let signal = null;

const outbox = new Outbox((pieces) => self.postMessage({ type: "output", id: runId, pieces }));

/** @param {FromWorker} message */
const post = (message) => {
  outbox.flush(); // what was written before is heard before
  self.postMessage(message);
};

self.onmessage = async ({ data }) => {
  const message = /** @type {ToWorker} */ (data);
  if (message.type === "run" || message.type === "call") {
    try {
      await rehearsal;
      await (message.type === "run" ? run(message) : call(message));
    } catch (error) {
      // An error of the cell's code would be in its outcome: the interpreter itself is gone.
      post({ type: "died", id: message.id, message: String(error).split("\n")[0] });
    }
    return;
  }
  if (message.type === "file") {
    interpreter.receive(message);
    return;
  }
  if (message.type === "prepare") {
    boot.packages = [...new Set([...boot.packages, ...message.packages])];
    if (runner) havePackages(message.packages).catch(() => {}); // else it follows
    return;
  }
  if (message.type === "giveUp") {
    giveUp(message.id);
    return;
  }
  if (message.type === "answer") {
    answer(message.text);
    return;
  }
  if (message.type === "consult") {
    const { source, line, column } = message;
    const json = runner[message.what](source, line, column);
    post({ type: "advice", id: message.id, value: JSON.parse(json) });
    return;
  }
  boot = message;
  try {
    interpreter = new Interpreter(boot, (files) => post({ type: "fetch", files }));
    await interpreter.start((progress) => post({ type: "progress", ...progress }));
    if (boot.forSnapshot) await snapshot();
    else ready();
  } catch (error) {
    post({ type: "failed", message: /** @type {Error} */ (error).message });
  }
};
post({ type: "hello" });

function ready() {
  const { pyodide, restored } = interpreter;
  // Nothing that waits for the interpreter would ever hear that it is gone.
  pyodide._api.on_fatal = (/** @type {unknown} */ error) =>
    post({ type: "died", id: runId, message: String(error).split("\n")[0] });
  limitStack(pyodide);
  const module = pyodide.pyimport("cellrunner.runner");
  runner = module.Runner((/** @type {Stream} */ stream, /** @type {string} */ text) =>
    outbox.write(stream, text),
  );
  module.destroy();
  library = pyodide.pyimport("cellrunner.library").REST;
  cancelAll = pyodide.pyimport("cellrunner.stopping").cancel_all;
  listenForStop();
  post({ type: "ready", restored });
  const names = Object.values(boot.config.packs).flatMap(({ imports }) => imports);
  modules = pyodide.toPy(names);
  setTimeout(prepare, BREATH_MS);
}

/**
 * `input()`: the page asks the reader; Python waits where the engine lets it.
 * @param {string} prompt
 * @returns {Promise<string | null>}
 */
function ask(prompt) {
  const id = runId;
  /** @type {Promise<string | null>} */
  const answered = asked.then(() => {
    if (id !== runId || !begun) return null; // the cell has ended without its answer
    post({ type: "question", id, prompt });
    return new Promise((resolve) => (answer = resolve));
  });
  asked = answered;
  return answered;
}

/**
 * Have all ready that the page's cells import, then the rest of the library; a run that came first
 * goes first.
 */
async function prepare() {
  try {
    await havePackages(boot.packages);
    if (!busy) await (rehearsal = rehearse().catch(() => {}));
    await interpreter.loadRest();
  } catch {
    // What fails here fails in the cell that needs it, visibly.
  }
}

/** @param {string[]} names */
async function havePackages(names) {
  await interpreter.load(names);
  for (const name of names) {
    const imports = boot.config.packs[name]?.imports ?? [];
    const modules = [...imports, ...(LAZY[name] ?? [])];
    const code = modules.map((module) => `import ${module}`).join("\n");
    if (!busy) interpreter.pyodide.runPython(code);
  }
}

/** Run a cell that nobody sees, apart from all others. */
async function rehearse() {
  const { pyodide } = interpreter;
  pyodide.pyodide_py.code.find_imports(REHEARSAL).destroy();
  const module = pyodide.pyimport("cellrunner.runner");
  const unseen = module.Runner(() => {});
  module.destroy();
  try {
    (await unseen.run.callKwargs(REHEARSAL, "rehearsal", { available: modules, ask })).destroy();
  } finally {
    pyodide.runPython("import linecache; linecache.cache.pop('<rehearsal>', None)");
    unseen.destroy();
  }
}

function listenForStop() {
  const { pyodide } = interpreter;
  if (boot.sharedSignal) {
    pyodide.setInterruptBuffer(new Uint8Array(boot.sharedSignal));
  } else if (readable(boot.probeURL)) {
    signal = new PolledSignal(() => outbox.sendDue());
    pyodide.setInterruptBuffer(signal);
  }
}

async function snapshot() {
  const memory = takeSnapshot(interpreter.pyodide);
  if (memory) await saveSnapshot(boot.snapshotKey, memory);
  post({ type: "saved", bytes: memory ? memory.byteLength : 0 });
}

/**
 * Run one cell.
 * @param {Run} message
 */
async function run({ id, code, setup, name, page: asked, signalURL, checks }) {
  if (givenUp.has(id)) return;
  runId = id;
  busy = true;
  try {
    await loadImports(`${setup}\n${code}`);
    if (checks) await loadImports(checks.code);
  } catch (error) {
    if (givenUp.has(id)) return;
    post({ type: "unavailable", id, message: /** @type {Error} */ (error).message });
    busy = false;
    return;
  }
  if (givenUp.has(id)) return; // another may run by now
  if (asked !== page && !checks) {
    runner.turn_to(asked);
    page = asked;
    prepared.clear();
  }
  post({ type: "started", id });
  signal?.watch(signalURL);
  const began = performance.now();
  const preparing = setup && !prepared.has(setup);
  let outcome = preparing ? await ended(runner.run(setup, `${name}, set-up`)) : null;
  const ready = !preparing || (outcome && !outcome.error);
  if (ready) {
    outcome?.destroy();
    if (setup) prepared.add(setup);
    outcome = checks
      ? await check(code, name, checks)
      : await ended(runner.run.callKwargs(code, name, { available: modules, ask }));
  }
  answer(null); // a task that the cell did not wait for may still ask
  const seconds = (performance.now() - began) / 1000;
  signal?.watch("");
  busy = false;
  if (!outcome) {
    post({ type: "givenUp", id });
    return;
  }
  const failure = outcome.error;
  const missingName = failure?.missing_name ?? "";
  const error = failure && {
    kind: failure.kind,
    line: (ready && failure.line) || null, // the set-up's lines are not shown
    missingName,
    cleared: Boolean(missingName) && runner.was_cleared(missingName),
  };
  failure?.destroy();
  outcome.destroy();
  post({ type: "done", id, error: error ?? null, seconds });
}

/**
 * Call one function.
 * @param {FunctionCall} message
 */
async function call({ id, target, json, packages, signalURL }) {
  if (givenUp.has(id)) return;
  runId = id;
  busy = true;
  try {
    await interpreter.load(packages);
  } catch (error) {
    if (givenUp.has(id)) return;
    post({ type: "returned", id, json: null, message: /** @type {Error} */ (error).message });
    busy = false;
    return;
  }
  if (givenUp.has(id)) return;
  answerCall ??= interpreter.pyodide.pyimport("cellrunner.calling").answer;
  signal?.watch(signalURL);
  const returned = await ended(answerCall(target, json));
  signal?.watch("");
  busy = false;
  post(returned ? { type: "returned", id, json: returned } : { type: "givenUp", id });
}

/**
 * Run an exercise's code and the checks on it, apart from the page's variables.
 * @param {string} code
 * @param {string} name
 * @param {Checks} checks
 */
async function check(code, name, checks) {
  const names = interpreter.pyodide.toPy(checks.names);
  try {
    return await ended(runner.check.callKwargs(code, name, checks.code, names, { available: modules }));
  } finally {
    names.destroy();
  }
}

/**
 * What a coroutine of Python returns; until then `giveUp` can end it: null where it was cancelled
 * before it began or after its last word.
 * @param {any} coroutine
 */
async function ended(coroutine) {
  begun = true;
  try {
    return await coroutine;
  } catch (error) {
    if (/** @type {any} */ (error).type === "CancelledError") return null;
    throw error;
  } finally {
    begun = false;
  }
}

/**
 * Python keeps this thread from hearing of it while code runs: code that is here now has not
 * begun, or awaits. Its signal is put down, which would reach Python among its own machinery.
 * @param {number} id
 */
function giveUp(id) {
  if (begun) {
    signal?.watch("");
    if (boot.sharedSignal) new Uint8Array(boot.sharedSignal)[0] = 0;
    cancelAll();
  } else {
    givenUp.add(id);
    busy = false;
    post({ type: "givenUp", id });
  }
}

/**
 * Load what `code` imports, as far as there is such a package.
 * @param {string} code
 */
async function loadImports(code) {
  /** @type {string[]} */
  let imports = [];
  let rest = false;
  try {
    const found = interpreter.pyodide.pyodide_py.code.find_imports(code);
    imports = found.toJs();
    rest = library.wanted(found);
    found.destroy();
    if (imports.includes("tinytorch")) imports.push("numpy"); // which it is built on
  } catch {
    return; // a syntax error: running the cell tells it better
  }
  const names = Object.entries(boot.config.packs)
    .filter(([, facts]) => facts.imports.some((name) => imports.includes(name)))
    .map(([name]) => name);
  await interpreter.load(names);
  if (rest) await interpreter.loadRest();
}
