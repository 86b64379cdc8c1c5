/**
 * Starts Pyodide: everything it needs is fetched at once, while it starts.
 *
 * @import {Boot, Delivery, NamedFile, RuntimeConfig, Wanted} from "../lib/messages.js"
 * @import {Tally} from "../lib/downloads.js"
 */
import { Downloads } from "../lib/downloads.js";
import { formatFiles } from "../lib/format.js";
import { Deliveries } from "./deliveries.js";
import { REST_ZIP, offerRest } from "./library.js";
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
import cellrunner.library
cellrunner.library.install()
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
  /** Installing is one at a time. @type {Promise<void>} */
  #installing = Promise.resolve();
  /** @type {Promise<void> | null} */
  #restLoading = null;

  /**
   * @param {Boot} boot
   * @param {(files: Wanted[]) => void} askPage to fetch files
   */
  constructor(boot, askPage) {
    this.#boot = boot;
    this.#deliveries = new Deliveries(askPage, boot.forSnapshot ? keepFile : undefined);
    offerRest(this.#own(boot.config.rest));
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
      await this.#restore(stored);
    }
    if (!this.pyodide) await this.#startPlainly(report);
  }

  /** @param {Delivery} delivery */
  receive(delivery) {
    this.#deliveries.receive(delivery);
  }

  /** The course's Python, and the packages that will be wanted. */
  #orderMore() {
    const { config, packages } = this.#boot;
    const names = withDependencies(packages, config);
    const packs = names.map((name) => this.#own(config.packs[name]));
    this.#deliveries.order([this.#own(config.archive), ...packs]);
  }

  /**
   * Load packages by name, with all they depend on, unless they are there.
   * @param {string[]} names
   */
  load(names) {
    const before = this.#installing.catch(() => {}); // its own caller hears of a failure
    this.#installing = before.then(() => this.#load(names));
    return this.#installing;
  }

  /** Load the rest of the standard library, unless it is there. */
  loadRest() {
    this.#restLoading ??= this.#deliveries.content(this.#own(this.#boot.config.rest)).then(
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
    const { base, config, forSnapshot } = this.#boot;
    const downloads = this.#newDownloads(report);
    for (const [file, facts] of Object.entries(config.core)) {
      if (file !== REPLACED) downloads.start(base + file, facts);
    }
    downloads.start(this.#stdlibURL, config.stdlib);
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
   * Start from a snapshot, or forget it. The files were checked when it was made; now they come
   * as the browser has them, with the machine code it may have kept for them.
   * @param {Response} stored
   */
  async #restore(stored) {
    const { base, snapshotKey } = this.#boot;
    let timer;
    try {
      import(base + SCRIPTS[1]).catch(() => {}); // beside the first, which would ask for it later
      const [{ loadPyodide }, memory] = await Promise.all([
        import(base + SCRIPTS[0]),
        readSnapshot(stored),
      ]);
      const late = new Promise((_, reject) => {
        timer = setTimeout(reject, RESTORE_MS, new Error("late"));
      });
      const restored = loadPyodide(this.#options({ _loadSnapshot: memory }));
      const pyodide = await Promise.race([restored, late]);
      await this.#addCourse(pyodide);
      pyodide.runPython(FRESH_RANDOMNESS);
      this.pyodide = pyodide;
      this.restored = true;
    } catch {
      await deleteSnapshot(snapshotKey);
    }
    clearTimeout(timer);
  }

  /** @param {any} pyodide */
  async #addCourse(pyodide) {
    const content = await this.#deliveries.content(this.#own(this.#boot.config.archive));
    pyodide.FS.writeFile(COURSE_ZIP, new Uint8Array(content));
  }

  /** Fetch what no start needs and let it go: what was fetched is kept for use without a network. */
  async keepPackages() {
    const { packages, config } = this.#boot;
    for (const name of withDependencies(packages, config)) {
      await this.#deliveries.content(this.#own(config.packs[name]));
    }
  }

  /** @param {Report} report */
  #newDownloads(report) {
    const tell = (/** @type {Tally} */ { loaded, total, names }) => {
      const text = names.length ? `Fetching ${formatFiles(names)}` : "Starting Python";
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
    return this.#own(this.#boot.config.stdlib).url;
  }

  /** @param {string[]} names */
  async #load(names) {
    const { pyodide } = this;
    const { config } = this.#boot;
    const missing = withDependencies(names, config).filter(
      (name) => !(name in pyodide.loadedPackages),
    );
    if (!missing.length) return;
    const packs = missing.map((name) => config.packs[name]);
    this.#deliveries.order(packs.map((pack) => this.#own(pack)));
    for (const [index, name] of missing.entries()) {
      const content = await this.#deliveries.content(this.#own(packs[index]));
      await unpack(new Response(content), pyodide.FS, pyodide._api.sitepackages);
      pyodide.loadedPackages[name] = "pack";
    }
    pyodide.runPython("import importlib; importlib.invalidate_caches()");
    if (packs.some(({ rest }) => rest)) await this.loadRest();
  }

  /**
   * A file of this site's own, as the page is asked for it.
   * @param {NamedFile} facts
   * @returns {Wanted}
   */
  #own(facts) {
    return { url: this.#boot.siteBase + facts.file, facts };
  }
}

/** @param {Downloads} downloads */
function forget(downloads) {
  downloads.cancel();
  handedOver.delete(downloads);
}

/**
 * @param {string[]} names
 * @param {RuntimeConfig} config
 * @returns {string[]} the known ones among `names`, each after those it depends on
 */
function withDependencies(names, config) {
  /** @type {Set<string>} */
  const all = new Set();
  const add = (/** @type {string} */ name) => {
    const facts = config.packs[name];
    if (!facts || all.has(name)) return;
    facts.depends.forEach(add);
    all.add(name);
  };
  names.forEach(add);
  return [...all];
}
