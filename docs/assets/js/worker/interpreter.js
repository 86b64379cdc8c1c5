/**
 * Starts Pyodide: everything it needs is fetched at once, while it starts.
 *
 * @import {Ahead, Boot, RuntimeConfig} from "../lib/messages.js"
 * @import {Tally} from "../lib/downloads.js"
 */
import { Downloads } from "../lib/downloads.js";
import { unpack } from "./packs.js";
import { keepFile } from "./runtime-cache.js";
import { deleteSnapshot, findSnapshot, readSnapshot } from "./snapshots.js";

const SCRIPTS = ["pyodide.mjs", "pyodide.asm.mjs"];
/** Ours takes its place: see `#stdlibURL`. */
const REPLACED = "python_stdlib.zip";
const COURSE_ZIP = "/lib/course.zip";
/** A restored interpreter answers within this time, or a plain start replaces it. */
const RESTORE_MS = 10_000;

/** Imported before a snapshot is taken, so that a restored interpreter has them at once. */
const IMPORTS = `
import sys
sys.path.append("${COURSE_ZIP}")
import pyodide.code
import cellrunner.runner
`;

/** More of what cells import, worth having in a snapshot but not worth a first visitor's time. */
const MORE_IMPORTS = `
import bisect, copy, csv, ctypes, datetime, decimal, enum, fractions, functools, hashlib, heapq
import importlib.metadata, io, itertools, json, math, numbers, operator, pathlib, pickle, platform
import random, re, statistics, string, sysconfig, textwrap, time, typing, uuid, warnings
import napkin.adapters, napkin.cheapest, napkin.flops, napkin.formats, napkin.parallel
import napkin.roofline, napkin.scaling, napkin.solve, napkin.speculative, napkin.training_fit
import napkin.training_step
`;

/**
 * @typedef {object} Progress
 * @property {string} text
 * @property {number} loaded
 * @property {number} total 0 where bytes do not apply
 * @typedef {(progress: Progress) => void} Report
 */

/** Downloads whose files Pyodide finds when it fetches their addresses. @type {Set<Downloads>} */
const handedOver = new Set();
const networkFetch = self.fetch.bind(self);
self.fetch = (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input, self.location.href).href;
  for (const downloads of handedOver) {
    const response = downloads.take(url);
    if (response) return response;
  }
  return networkFetch(input, init);
};

export class Interpreter {
  /** @type {any} */
  pyodide;
  /** Whether it came from a snapshot. */
  restored = false;
  #boot;
  /** Packages on their way since the start, before anything asks for them. */
  #early;
  /** @type {Report} */
  #tellEarly = () => {};
  /** Installing is one at a time. @type {Promise<void>} */
  #installing = Promise.resolve();

  /** What the page fetches for this thread: resolvers of the contents to come. */
  #ahead = /** @type {Map<string, {content: Promise<ArrayBuffer | null>, take: (content: ArrayBuffer | null) => void}>} */ (
    new Map()
  );
  #askPage;

  /**
   * @param {Boot} boot
   * @param {(files: Ahead["files"]) => void} askPage to fetch files while this thread is busy
   */
  constructor(boot, askPage) {
    this.#boot = boot;
    this.#askPage = askPage;
    this.#early = this.#newDownloads((progress) => this.#tellEarly(progress));
  }

  /**
   * Start, from a snapshot where there is one.
   * @param {Report} report
   */
  async start(report) {
    const { restore, snapshotKey } = this.#boot;
    const stored = restore ? await findSnapshot(snapshotKey) : null;
    if (stored) {
      this.#fetchEarly();
      await this.#restore(stored);
    }
    if (!this.pyodide) await this.#startPlainly(report);
  }

  /**
   * A file that the page has fetched; null where it could not.
   * @param {string} url
   * @param {ArrayBuffer | null} content
   */
  take(url, content) {
    this.#ahead.get(url)?.take(content);
  }

  /** Fetch the packages that the start was told of. */
  #fetchEarly() {
    const { packages, config } = this.#boot;
    for (const name of withDependencies(packages, config)) this.#fetchPackage(this.#early, name);
  }

  /** Let the page fetch them. */
  #fetchAhead() {
    const { packages, config } = this.#boot;
    const files = withDependencies(packages, config).map((name) => this.#source(name));
    for (const { url } of files) {
      let take = (/** @type {ArrayBuffer | null} */ _) => {};
      /** @type {Promise<ArrayBuffer | null>} */
      const content = new Promise((resolve) => (take = resolve));
      this.#ahead.set(url, { content, take });
    }
    if (files.length) this.#askPage(files.map(({ url, facts }) => ({ url, facts })));
  }

  /**
   * Load packages by name, with all they depend on, unless they are there.
   * @param {string[]} names
   * @param {Report} report
   */
  load(names, report) {
    const before = this.#installing.catch(() => {}); // its own caller hears of a failure
    this.#installing = before.then(() => this.#load(names, report));
    return this.#installing;
  }

  /** @param {Report} report */
  async #startPlainly(report) {
    const { base, config, archiveURL, forSnapshot } = this.#boot;
    const downloads = this.#newDownloads(report);
    for (const [file, facts] of Object.entries(config.core)) {
      if (file !== REPLACED) downloads.start(base + file, facts);
    }
    downloads.start(this.#stdlibURL, config.stdlib);
    downloads.start(archiveURL, config.archive);
    // Packages are next in line: on a slow connection they would only delay what the start waits
    // for, and they arrive in the time that the interpreter takes to start. When the library is
    // here the rest nearly is, and this thread still free to notice.
    downloads.checked(this.#stdlibURL).then(
      () => (forSnapshot ? this.#fetchEarly() : this.#fetchAhead()),
      () => {},
    );
    const started = (async () => {
      // Scripts come through the browser's cache: `import()` takes no bytes, so have them there.
      for (const file of SCRIPTS) await downloads.checked(base + file);
      const { loadPyodide } = await import(base + SCRIPTS[0]);
      const pyodide = await loadPyodide(this.#options({ _makeSnapshot: forSnapshot }));
      await downloads.checked(archiveURL);
      pyodide.FS.writeFile(COURSE_ZIP, await bytes(downloads, archiveURL));
      pyodide.runPython(IMPORTS + (forSnapshot ? MORE_IMPORTS : ""));
      await downloads.allChecked();
      this.pyodide = pyodide;
    })();
    try {
      await Promise.race([started, downloads.failure]);
    } catch (error) {
      // A wrong file may have broken the start before its digest was known: tell of the file.
      await Promise.race([downloads.allChecked().catch(() => downloads.failure), downloads.failure]);
      throw error;
    } finally {
      forget(downloads);
    }
  }

  /**
   * Start from a snapshot, or forget it. The files were checked when it was made; now they come
   * as the browser has them, with the machine code it may have kept for them.
   * @param {Response} stored
   */
  async #restore(stored) {
    const { base, snapshotKey, archiveURL, config } = this.#boot;
    const downloads = this.#newDownloads(() => {});
    let timer;
    try {
      downloads.start(archiveURL, config.archive);
      import(base + SCRIPTS[1]).catch(() => {}); // beside the first, which would ask for it later
      const [{ loadPyodide }, memory] = await Promise.all([
        import(base + SCRIPTS[0]),
        readSnapshot(stored),
      ]);
      const late = new Promise((_, reject) => {
        timer = setTimeout(reject, RESTORE_MS, new Error("late"));
      });
      const restored = loadPyodide(this.#options({ _loadSnapshot: memory }));
      const pyodide = await Promise.race([restored, late, downloads.failure]);
      await downloads.checked(archiveURL);
      pyodide.FS.writeFile(COURSE_ZIP, await bytes(downloads, archiveURL));
      pyodide.runPython(RESEED);
      this.pyodide = pyodide;
      this.restored = true;
    } catch {
      await deleteSnapshot(snapshotKey);
    }
    clearTimeout(timer);
    forget(downloads);
  }

  /**
   * Fetch the packages and let them go: what was fetched is kept for use without a network.
   */
  async keepPackages() {
    const { packages, config } = this.#boot;
    for (const name of withDependencies(packages, config)) {
      await this.#early.checked(this.#source(name).url);
    }
  }

  /** @param {Report} report */
  #newDownloads(report) {
    const tell = (/** @type {Tally} */ { loaded, total, names }) => {
      const text = names.length ? `Fetching ${friendly(names)}` : "Starting Python";
      report({ text, loaded, total: names.length ? total : 0 });
    };
    const { fresh, forSnapshot } = this.#boot;
    const downloads = new Downloads(tell, { fresh, keep: forSnapshot ? keepFile : undefined });
    handedOver.add(downloads);
    return downloads;
  }

  /** @param {object} more */
  #options(more) {
    const { base } = this.#boot;
    return {
      indexURL: base,
      stdLibURL: this.#stdlibURL,
      lockFileURL: `${base}pyodide-lock.json`,
      packageBaseUrl: base,
      ...more,
    };
  }

  /** The standard library, compiled: Python would compile the official one's modules anew. */
  get #stdlibURL() {
    return this.#boot.packBase + this.#boot.config.stdlib.file;
  }

  /**
   * @param {string[]} names
   * @param {Report} report
   */
  async #load(names, report) {
    const missing = withDependencies(names, this.#boot.config).filter(
      (name) => !(name in this.pyodide.loadedPackages),
    );
    if (!missing.length) return;
    const downloads = this.#newDownloads(report);
    this.#tellEarly = report;
    /** @type {Map<string, ArrayBuffer>} */
    const here = new Map();
    for (const name of missing) {
      const { url } = this.#source(name);
      const ahead = this.#ahead.get(url);
      if (ahead) report({ text: `Fetching ${friendly([url])}`, loaded: 0, total: 0 });
      const content = await ahead?.content;
      this.#ahead.delete(url);
      if (content) here.set(url, content);
      else if (!this.#early.has(url)) this.#fetchPackage(downloads, name);
    }
    try {
      const failures = [downloads.failure, this.#early.failure];
      await Promise.race([this.#install(missing, downloads, here), ...failures]);
    } catch (error) {
      forget(this.#early); // the next try fetches anew
      this.#early = this.#newDownloads((progress) => this.#tellEarly(progress));
      throw error;
    } finally {
      this.#tellEarly = () => {};
      forget(downloads);
    }
  }

  /**
   * @param {Downloads} downloads
   * @param {string} name
   */
  #fetchPackage(downloads, name) {
    const { url, facts } = this.#source(name);
    downloads.start(url, facts);
  }

  /**
   * Where a package comes from: our own pack where there is one, else the official wheel.
   * @param {string} name
   */
  #source(name) {
    const { base, config, packBase } = this.#boot;
    const pack = config.packs?.[name];
    if (pack) return { url: packBase + pack.file, facts: pack, packed: true };
    const wheel = config.packages[name];
    return { url: base + wheel.file, facts: wheel, packed: false };
  }

  /**
   * @param {string[]} names
   * @param {Downloads} downloads
   * @param {Map<string, ArrayBuffer>} here what has arrived through the page
   */
  async #install(names, downloads, here) {
    const { pyodide } = this;
    const wheels = [];
    for (const name of names) {
      const { url, packed } = this.#source(name);
      if (!packed) {
        wheels.push(name);
        continue;
      }
      const content = here.get(url);
      const response = content
        ? new Response(content)
        : await (downloads.take(url) ?? this.#early.take(url));
      if (!response) throw new Error(`${name} was not asked for`);
      await Promise.all([
        unpack(response, pyodide.FS, pyodide._api.sitepackages),
        downloads.checked(url),
        this.#early.checked(url),
      ]);
      pyodide.loadedPackages[name] = "pack";
    }
    if (wheels.length) {
      const quiet = { messageCallback: () => {}, errorCallback: () => {}, checkIntegrity: false };
      await pyodide.loadPackage(wheels, quiet);
      const left = wheels.filter((name) => !(name in pyodide.loadedPackages));
      if (left.length) throw new Error(`${left.join(", ")} could not be loaded`);
    }
    pyodide.runPython("import importlib; importlib.invalidate_caches()");
  }
}

/** @param {Downloads} downloads */
function forget(downloads) {
  downloads.cancel();
  handedOver.delete(downloads);
}

/** A restored interpreter would draw the same random numbers each time. */
const RESEED = "import random; random.seed()";

/**
 * @param {string[]} names
 * @param {RuntimeConfig} config
 * @returns {string[]} the known ones among `names`, each after those it depends on
 */
function withDependencies(names, config) {
  /** @type {Set<string>} */
  const all = new Set();
  const add = (/** @type {string} */ name) => {
    const facts = config.packages[name];
    if (!facts || all.has(name)) return;
    facts.depends.forEach(add);
    all.add(name);
  };
  names.forEach(add);
  return [...all];
}

/**
 * @param {Downloads} downloads
 * @param {string} url
 */
async function bytes(downloads, url) {
  const response = await downloads.take(url);
  if (!response) throw new Error(`${url} was not asked for`);
  return new Uint8Array(await response.arrayBuffer());
}

/**
 * What still arrives, as a reader calls it.
 * @param {string[]} files
 */
function friendly(files) {
  const names = files.map((file) => {
    const [name] = /** @type {string} */ (file.split("/").pop()).split("-");
    return /\.(whl|pack)$/.test(file) ? name : "Python";
  });
  const [first, ...others] = new Set(names);
  return others.length > 1 ? `${first} and ${others.length} more` : [first, ...others].join(" and ");
}
