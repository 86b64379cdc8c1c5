/**
 * The Python worker: the only file that knows Pyodide.
 *
 * @import {Boot, FromWorker, Run, Stream, ToWorker} from "../lib/messages.js"
 */
import { Downloads } from "./downloads.js";

/** @type {any} */
let pyodide;
/** @type {any} The Python side, see `pysrc/cellrunner/runner.py`. */
let runner;
/** @type {Boot} */
let boot;
/** The page whose variables the runner holds. */
let page = "";
/** Hidden set-up code that has run with those variables. */
const prepared = new Set();
let runId = 0;

const COURSE_ZIP = "/lib/course.zip";

/** @param {FromWorker} message */
const post = (message) => self.postMessage(message);

self.onmessage = ({ data }) => {
  const message = /** @type {ToWorker} */ (data);
  if (message.type === "boot") {
    boot = message;
    start().then(
      () => post({ type: "ready" }),
      (error) => post({ type: "failed", message: error.message }),
    );
  } else {
    run(message);
  }
};
post({ type: "hello" });

/** Fetch everything at once, start the interpreter, unpack the course's Python. */
async function start() {
  const { config, base } = boot;
  const downloads = trackedDownloads(0);
  const need = (/** @type {string} */ file) => downloads.start(base + file, config.core[file]);
  // Scripts come through the browser's cache: `import()` takes no bytes, so have them there.
  for (const file of ["pyodide.mjs", "pyodide.asm.mjs"]) need(file);
  for (const file of ["pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"]) need(file);
  downloads.start(boot.archiveURL, config.archive);
  for (const name of withDependencies(boot.packages)) {
    downloads.start(base + config.packages[name].file, config.packages[name]);
  }
  const booted = (async () => {
    for (const file of ["pyodide.mjs", "pyodide.asm.mjs"]) await bytes(downloads, base + file);
    const { loadPyodide } = await import(base + "pyodide.mjs");
    pyodide = await loadPyodide({
      indexURL: base,
      lockFileURL: base + "pyodide-lock.json",
      packageBaseUrl: base,
    });
    // Importing from a zip costs no unpacking.
    pyodide.FS.writeFile(COURSE_ZIP, new Uint8Array(await bytes(downloads, boot.archiveURL)));
    pyodide.runPython(`import sys; sys.path.append("${COURSE_ZIP}")`);
    await load(boot.packages, 0);
    const module = pyodide.pyimport("cellrunner.runner");
    runner = module.Runner((/** @type {Stream} */ stream, /** @type {string} */ text) =>
      post({ type: "output", id: runId, stream, text }),
    );
    module.destroy();
  })();
  await Promise.race([booted, downloads.failure]);
}

/**
 * Run one cell.
 * @param {Run} message
 */
async function run({ id, code, setup, name, page: asked }) {
  runId = id;
  try {
    await loadImports(`${setup}\n${code}`, id);
  } catch (error) {
    post({ type: "output", id, stream: "error", text: `${/** @type {Error} */ (error).message}\n` });
    post({ type: "done", id, error: { kind: "ImportError", line: null }, seconds: 0 });
    return;
  }
  if (asked !== page) {
    runner.reset();
    page = asked;
    prepared.clear();
  }
  post({ type: "started", id });
  const began = performance.now();
  if (setup && !prepared.has(setup)) {
    (await runner.run(setup, `${name}, set-up`)).destroy();
    prepared.add(setup);
  }
  const outcome = await runner.run(code, name);
  const failure = outcome.error;
  const error = failure ? { kind: failure.kind, line: failure.line ?? null } : null;
  failure?.destroy();
  outcome.destroy();
  post({ type: "done", id, error, seconds: (performance.now() - began) / 1000 });
}

/**
 * Load what `code` imports and the lock file offers.
 * @param {string} code
 * @param {number} id
 */
async function loadImports(code, id) {
  /** @type {string[]} */
  let imports = [];
  try {
    const found = pyodide.pyodide_py.code.find_imports(code);
    imports = found.toJs();
    found.destroy();
  } catch {
    return; // a syntax error: running the cell tells it better
  }
  const names = Object.entries(boot.config.packages)
    .filter(([, facts]) => facts.imports.some((name) => imports.includes(name)))
    .map(([name]) => name);
  await load(names, id);
}

/**
 * Load packages by name, unless they are loaded.
 * @param {string[]} names
 * @param {number} id
 */
async function load(names, id) {
  const missing = withDependencies(names).filter((name) => !(name in pyodide.loadedPackages));
  if (!missing.length) return;
  const downloads = id ? trackedDownloads(id) : undefined;
  for (const name of downloads ? missing : []) {
    const facts = boot.config.packages[name];
    downloads?.start(boot.base + facts.file, facts);
  }
  const loaded = pyodide.loadPackage(missing, { messageCallback: () => {}, checkIntegrity: false });
  await Promise.race([loaded, downloads?.failure ?? loaded]);
  const left = missing.filter((name) => !(name in pyodide.loadedPackages));
  if (left.length) throw new Error(`${left.join(", ")} could not be loaded`);
}

/**
 * @param {string[]} names
 * @returns {string[]} the known ones among `names`, with all they depend on
 */
function withDependencies(names) {
  /** @type {Set<string>} */
  const all = new Set();
  const add = (/** @type {string} */ name) => {
    const facts = boot.config.packages[name];
    if (!facts || all.has(name)) return;
    all.add(name);
    facts.depends.forEach(add);
  };
  names.forEach(add);
  return [...all];
}

/**
 * Downloads whose files are handed to Pyodide when it fetches them.
 * @param {number} id the run that waits for them, 0 for the boot
 */
function trackedDownloads(id) {
  const downloads = new Downloads(({ loaded, total, names }) => {
    const text = names.length ? `Fetching ${friendly(names)}` : "Starting Python";
    post({ type: "progress", id, text, loaded, total: names.length ? total : 0 });
  });
  self.fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input, self.location.href).href;
    return downloads.take(url) ?? networkFetch(input, init);
  };
  return downloads;
}

const networkFetch = self.fetch.bind(self);

/**
 * @param {Downloads} downloads
 * @param {string} url
 */
async function bytes(downloads, url) {
  const response = await downloads.take(url);
  if (!response) throw new Error(`${url} was not asked for`);
  return response.arrayBuffer();
}

/**
 * What still arrives, as a reader calls it.
 * @param {string[]} files
 */
function friendly(files) {
  const names = files.map((file) => (file.endsWith(".whl") ? file.split("-")[0] : "Python"));
  return [...new Set(names)].join(" and ");
}
