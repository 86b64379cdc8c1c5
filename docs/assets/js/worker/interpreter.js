/**
 * Starts Pyodide: everything it needs is fetched at once, while it starts.
 *
 * @import {Boot, Delivery, Wanted} from "../lib/messages.js"
 * @import {Tally} from "../lib/downloads.js"
 */
import { Downloads } from "../lib/downloads.js";
import { formatFiles } from "../lib/format.js";
import { own, startFiles, withDependencies } from "../lib/runtime-files.js";
import { Deliveries } from "./deliveries.js";
import { REST_ZIP, offerRest } from "./library.js";
import { unpack } from "./packs.js";
import { deleteSnapshot, findSnapshot, readSnapshot } from "./snapshots.js";

const SCRIPTS = ["pyodide.mjs", "pyodide.asm.mjs"];
const COURSE_ZIP = "/lib/course.zip";
/** A restored interpreter answers within this time, or a plain start replaces it, */
const RESTORE_MS = 10_000;
/** and the script that restores it is here within this: one that hangs is soon told. */
const SCRIPT_MS = 3_000;

/** Imported before a snapshot is taken, so that a restored interpreter has them at once. */
const IMPORTS = `
import sys
sys.path.append("${COURSE_ZIP}")
import pyodide.code
import cellrunner.runner
import cellrunner.exiting
import cellrunner.library
import cellrunner.waiting
cellrunner.exiting.install()
cellrunner.library.install()
cellrunner.waiting.install()
`;

/** Restored interpreters would all draw the same random numbers. */
const FRESH_RANDOMNESS = `
from cellrunner.randomness import fresh_randomness
fresh_randomness()
`;

/** More of what cells import, worth having in a snapshot but not worth a first visitor's time. */
const MORE_IMPORTS = `
import bisect, copy, csv, ctypes, datetime, decimal, enum, fractions, functools, hashlib, heapq
import importlib.metadata, io, itertools, json, math, numbers, operator, pathlib, pickle, platform
import random, re, statistics, string, sysconfig, textwrap, time, typing, uuid, warnings
import cellrunner.calling, cellrunner.names, cellrunner.randomness
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
  #deliveries;
  /** Packages that are there or on their way. @type {Map<string, Promise<void>>} */
  #packages = new Map();
  /** @type {Promise<void> | null} */
  #restLoading = null;

  /**
   * @param {Boot} boot
   * @param {(files: Wanted[]) => void} askPage to fetch files
   */
  constructor(boot, askPage) {
    this.#boot = boot;
    this.#deliveries = new Deliveries(askPage);
    offerRest(this.#own("rest"));
  }

  /**
   * Start, from a snapshot where there is one.
   * @param {Report} report
   */
  async start(report) {
    const { restore, snapshotKey } = this.#boot;
    const stored = restore ? await findSnapshot(snapshotKey) : null;
    if (stored) {
      this.#orderMore();
      await this.#restore(stored).catch(() => {});
    }
    if (this.restored) return;
    await this.#startPlainly(report);
    // Where a plain start fails too, the snapshot is not to blame.
    if (stored) await deleteSnapshot(snapshotKey);
  }

  /** @param {Delivery} delivery */
  receive(delivery) {
    this.#deliveries.receive(delivery);
  }

  /** The course's Python, and the packages that will be wanted. */
  #orderMore() {
    const names = withDependencies(this.#boot.packages, this.#boot.config);
    this.#deliveries.order([this.#own("archive"), ...names.map((name) => this.#pack(name))]);
  }

  /**
   * Load packages by name, with all they depend on, unless they are there.
   * @param {string[]} names
   */
  async load(names) {
    const { config } = this.#boot;
    const all = withDependencies(names, config);
    const missing = all.filter((name) => !this.#packages.has(name));
    this.#deliveries.order(missing.map((name) => this.#pack(name)));
    for (const name of missing) {
      const installed = this.#install(name);
      this.#packages.set(name, installed);
      installed.catch(() => this.#packages.delete(name)); // the next try fetches anew
    }
    await Promise.all(all.map((name) => this.#packages.get(name)));
    if (all.some((name) => config.packs[name].rest)) await this.loadRest();
  }

  /** Load the rest of the standard library, unless it is there. */
  loadRest() {
    this.#restLoading ??= this.#deliveries.content(this.#own("rest")).then(
      (content) => this.pyodide.FS.writeFile(REST_ZIP, new Uint8Array(content)),
      (error) => {
        this.#restLoading = null; // the next try fetches anew
        throw error;
      },
    );
    return /** @type {Promise<void>} */ (this.#restLoading);
  }

  /** @param {Report} report */
  async #startPlainly(report) {
    const { base, forSnapshot } = this.#boot;
    const downloads = this.#newDownloads(report);
    for (const { url, facts } of startFiles(this.#boot)) downloads.start(url, facts);
    // The rest is next in line: on a slow connection it would only delay what the start waits for,
    // and it arrives in the time that the interpreter takes to start. When the library is here all
    // nearly is, and this thread still free to notice.
    downloads.checked(this.#stdlibURL).then(() => this.#orderMore(), () => {});
    const started = (async () => {
      // Scripts come through the browser's cache: `import()` takes no bytes, so have them there.
      for (const file of SCRIPTS) await downloads.checked(base + file);
      const { loadPyodide } = await import(base + SCRIPTS[0]);
      const pyodide = await loadPyodide(this.#options({ _makeSnapshot: forSnapshot }));
      await this.#addCourse(pyodide);
      pyodide.runPython(IMPORTS);
      await downloads.allChecked();
      this.pyodide = pyodide;
      if (!forSnapshot) return;
      await this.loadRest();
      pyodide.runPython(MORE_IMPORTS);
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
   * Start from a snapshot; rejects where that fails. The files were checked when it was made; now
   * they come as the browser has them, with the machine code it may have kept for them.
   * @param {Response} stored
   */
  async #restore(stored) {
    const { base } = this.#boot;
    import(base + SCRIPTS[1]).catch(() => {}); // beside the first, which would ask for it later
    const [{ loadPyodide }, memory] = await Promise.all([
      within(SCRIPT_MS, import(base + SCRIPTS[0])),
      readSnapshot(stored),
    ]);
    const pyodide = await within(RESTORE_MS, loadPyodide(this.#options({ _loadSnapshot: memory })));
    await this.#addCourse(pyodide);
    pyodide.runPython(FRESH_RANDOMNESS);
    this.pyodide = pyodide;
    this.restored = true;
  }

  /** @param {any} pyodide */
  async #addCourse(pyodide) {
    const content = await this.#deliveries.content(this.#own("archive"));
    pyodide.FS.writeFile(COURSE_ZIP, new Uint8Array(content));
  }

  /** @param {Report} report */
  #newDownloads(report) {
    const tell = (/** @type {Tally} */ { loaded, total, names }) => {
      const text = names.length ? `Fetching ${formatFiles(names)}` : "Starting Python";
      report({ text, loaded, total: names.length ? total : 0 });
    };
    const downloads = new Downloads(tell, { fresh: this.#boot.fresh });
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

  /** The standard library, compiled. */
  get #stdlibURL() {
    return this.#own("stdlib").url;
  }

  /** @param {string} name of a package, which those that it depends on may follow */
  async #install(name) {
    const { FS, _api } = this.pyodide;
    const content = await this.#deliveries.content(this.#pack(name));
    await unpack(new Response(content), FS, _api.sitepackages);
    this.pyodide.loadedPackages[name] = "pack";
    this.pyodide.runPython("import importlib; importlib.invalidate_caches()");
  }

  /** @param {"archive" | "rest" | "stdlib"} name */
  #own(name) {
    return own(this.#boot.config[name], this.#boot.siteBase);
  }

  /** @param {string} name */
  #pack(name) {
    return own(this.#boot.config.packs[name], this.#boot.siteBase);
  }
}

/** @param {Downloads} downloads */
function forget(downloads) {
  downloads.cancel();
  handedOver.delete(downloads);
}

/**
 * @template T
 * @param {number} ms
 * @param {Promise<T>} promise
 * @returns {Promise<T>} the same, but rejects when it takes longer
 */
function within(ms, promise) {
  let timer = 0;
  const late = new Promise((_, reject) => {
    timer = setTimeout(reject, ms, new Error("late"));
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
