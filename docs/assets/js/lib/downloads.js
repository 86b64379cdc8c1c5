/**
 * The runtime's files: fetched side by side, counted, and checked against their digest while
 * Pyodide already works on them. Nothing of the reader's runs before all checks have passed.
 *
 * @import {FileFacts} from "./messages.js"
 */

/** A download on which no byte moves for so long has failed; the page shows it within 10 s. */
const STALL_MS = 7_000;

/**
 * @typedef {{loaded: number, total: number, names: string[]}} Tally
 */

export class Downloads {
  /** @type {Map<string, Promise<Response>>} */
  #responses = new Map();
  /** @type {Map<string, Promise<Blob>>} */
  #checks = new Map();
  /** What still arrives: name by address. @type {Map<string, string>} */
  #open = new Map();
  #loaded = 0;
  #total = 0;
  #abort = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #stall;
  /** Why all that still arrived was given up. @type {Error | null} */
  #stalledBy = null;
  #report;
  /** @type {RequestInit} */
  #init;
  /** @type {(error: Error) => void} */
  #fail = () => {};

  /** Rejects when any download fails: Pyodide itself would wait for ever. @type {Promise<never>} */
  failure = new Promise((_, reject) => (this.#fail = reject));

  /**
   * @param {(tally: Tally) => void} report called as bytes arrive
   * @param {object} [options]
   * @param {boolean} [options.fresh] past all caches, since what they hold has just failed
   */
  constructor(report, { fresh = false } = {}) {
    this.#report = report;
    this.#init = { signal: this.#abort.signal, cache: fresh ? "reload" : "default" };
    this.failure.catch(() => {}); // it may be looked at later
  }

  /**
   * Begin to fetch a file. `take` hands its response over once, unless only its `checked` content
   * is wanted.
   * @param {string} url
   * @param {FileFacts} facts
   * @param {{whole?: boolean}} [how]
   */
  start(url, facts, { whole = false } = {}) {
    const name = /** @type {string} */ (url.split("/").pop());
    this.#open.set(url, name);
    this.#total += facts.bytes;
    const fetched = fetchFromNetwork(url, this.#init).then((response) => {
      if (!response.ok) throw new Error(`the server answered ${response.status}`);
      return response;
    });
    let checked = fetched;
    if (!whole) {
      // Pyodide gets the browser's own response, which it compiles faster than a stream of ours.
      const copied = fetched.then((response) => /** @type {const} */ ([response, response.clone()]));
      const taken = copied.then(([response]) => typed(response, name));
      taken.catch(() => {});
      this.#responses.set(url, taken);
      checked = copied.then(([, copy]) => copy);
    }
    const check = checked.then((response) => this.#check(response, url, name, facts));
    const content = check.catch((error) => {
      this.#open.delete(url);
      throw this.#failed(url, name, this.#stalledBy ?? error);
    });
    content.catch(() => {}); // it may be looked at later
    this.#checks.set(url, content);
    this.#moved();
  }

  /**
   * The response of a started download, its body still arriving; undefined for other URLs.
   * @param {string} url
   */
  take(url) {
    const response = this.#responses.get(url);
    this.#responses.delete(url);
    return response;
  }

  /**
   * The content of a started download, once it has arrived and is the promised one.
   * @param {string} url
   * @returns {Promise<Blob>}
   */
  checked(url) {
    const check = this.#checks.get(url);
    return check ?? Promise.reject(new Error(`${url} was not asked for`));
  }

  /** Resolves when all files have arrived and are the promised ones. */
  async allChecked() {
    await Promise.all(this.#checks.values());
  }

  /** Give up whatever still arrives. */
  cancel() {
    clearTimeout(this.#stall);
    this.#open.clear();
    this.#abort.abort();
  }

  /**
   * @param {Response} response
   * @param {string} url
   * @param {string} name
   * @param {FileFacts} facts
   */
  async #check(response, url, name, facts) {
    /** @type {Uint8Array<ArrayBuffer>[]} */
    const chunks = [];
    const reader = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (response.body).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      this.#loaded += value.byteLength;
      this.#moved();
    }
    const content = new Blob(chunks, { type: contentType(name) });
    const wrong = await mismatch(content, facts);
    if (wrong) throw new Error(wrong);
    this.#open.delete(url);
    this.#moved();
    return content;
  }

  /** Bytes moved: report, and start waiting anew for the next ones. */
  #moved() {
    clearTimeout(this.#stall);
    const names = [...this.#open.values()];
    this.#report({ loaded: this.#loaded, total: this.#total, names });
    if (names.length) this.#stall = setTimeout(() => this.#stalled(), STALL_MS);
  }

  #stalled() {
    this.#stalledBy = new Error(`nothing arrived for ${STALL_MS / 1000} seconds`);
    this.cancel();
  }

  /**
   * @param {string} url
   * @param {string} name
   * @param {unknown} error
   * @returns {Error} what is told
   */
  #failed(url, name, error) {
    const reason = error instanceof Error ? error.message : String(error);
    const told = new Error(`${name} could not be fetched from ${new URL(url).host}: ${reason}`);
    this.#fail(told);
    return told;
  }
}

/**
 * The response as the browser wants it: WebAssembly is only compiled under its own content type.
 * @param {Response} response
 * @param {string} name
 */
function typed(response, name) {
  const type = contentType(name);
  if (!name.endsWith(".wasm") || response.headers.get("content-type") === type) return response;
  return new Response(response.body, { headers: { "content-type": type } });
}

/**
 * What is wrong with the content; empty when it is the promised one.
 * @param {Blob} content
 * @param {FileFacts} facts
 */
async function mismatch(content, facts) {
  if (content.size !== facts.bytes) return `${content.size} bytes arrived instead of ${facts.bytes}`;
  if (!crypto.subtle) return ""; // plain http on a local network: browsers offer no digest
  const digest = await crypto.subtle.digest("SHA-256", await content.arrayBuffer());
  const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex === facts.sha256 ? "" : "its content is not the published file (sha256 differs)";
}

/** @param {string} name */
function contentType(name) {
  if (name.endsWith(".wasm")) return "application/wasm";
  if (name.endsWith(".mjs")) return "text/javascript";
  return name.endsWith(".json") ? "application/json" : "application/octet-stream";
}

const fetchFromNetwork = globalThis.fetch.bind(globalThis);
