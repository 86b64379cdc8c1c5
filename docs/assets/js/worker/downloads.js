/**
 * The runtime's files: fetched side by side, counted, checked against their digest, and handed
 * to Pyodide while they arrive.
 *
 * @import {FileFacts} from "../lib/messages.js"
 */

/** A download on which no byte moves for so long has failed; the page shows it within 10 s. */
const STALL_MS = 7_000;

/** @typedef {{loaded: number, total: number, names: string[]}} Tally */

export class Downloads {
  /** @type {Map<string, Promise<Response>>} */
  #waiting = new Map();
  /** @type {Map<string, {name: string, loaded: number, total: number}>} */
  #open = new Map();
  #loaded = 0;
  #total = 0;
  #abort = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #stall;
  /** @type {(tally: Tally) => void} */
  #report;
  /** @type {(error: Error) => void} */
  #fail = () => {};

  /** Rejects when any download fails: Pyodide itself would wait for ever. */
  failure = new Promise((_, reject) => (this.#fail = reject));

  /** @type {RequestInit} */
  #init;
  /** @type {((url: string, content: Blob, type: string) => Promise<void>) | undefined} */
  #keep;
  /** @type {Promise<void>[]} */
  #keeping = [];

  /**
   * @param {(tally: Tally) => void} report called as bytes arrive
   * @param {object} [options]
   * @param {boolean} [options.fresh] past all caches, since what they hold has just failed
   * @param {(url: string, content: Blob, type: string) => Promise<void>} [options.keep] gets
   *   each file once it is checked
   */
  constructor(report, { fresh = false, keep } = {}) {
    this.#report = report;
    this.#init = { signal: this.#abort.signal, cache: fresh ? "reload" : "default" };
    this.#keep = keep;
    this.failure.catch(() => {}); // it may be looked at later
  }

  /**
   * Begin to fetch a file; `take` hands it over once.
   * @param {string} url
   * @param {FileFacts} facts
   */
  start(url, facts) {
    const name = /** @type {string} */ (url.split("/").pop());
    this.#open.set(url, { name, loaded: 0, total: facts.bytes });
    this.#total += facts.bytes;
    const response = this.#fetch(url, name, facts);
    response.catch(() => {}); // reported through `failure`
    this.#waiting.set(url, response);
    this.#moved();
  }

  /**
   * The response of a started download, its body still arriving; undefined for other URLs.
   * @param {string} url
   */
  take(url) {
    const response = this.#waiting.get(url);
    this.#waiting.delete(url);
    return response;
  }

  /** @param {string} url */
  has(url) {
    return this.#waiting.has(url);
  }

  /** Resolves when everything that arrived so far has been kept, or could not be. */
  async kept() {
    await Promise.allSettled(this.#keeping);
  }

  /** Give up whatever still arrives. */
  cancel() {
    clearTimeout(this.#stall);
    this.#abort.abort();
  }

  /**
   * @param {string} url
   * @param {string} name
   * @param {FileFacts} facts
   */
  async #fetch(url, name, facts) {
    try {
      const response = await fetchFromNetwork(url, this.#init);
      if (!response.ok) throw new Error(`the server answered ${response.status}`);
      this.#moved();
      const headers = { "content-type": contentType(name) };
      const body = /** @type {ReadableStream<Uint8Array>} */ (response.body);
      return new Response(body.pipeThrough(this.#checked(url, name, facts)), { headers });
    } catch (error) {
      throw this.#failed(url, name, error);
    }
  }

  /**
   * Passes bytes on, counts them, and fails the stream when they are not the promised ones.
   * @param {string} url
   * @param {string} name
   * @param {FileFacts} facts
   * @returns {TransformStream<Uint8Array, Uint8Array>}
   */
  #checked(url, name, facts) {
    /** @type {Uint8Array[]} */
    const chunks = [];
    const entry = /** @type {{loaded: number}} */ (this.#open.get(url));
    // No back pressure: what is not needed yet arrives all the same.
    const room = new CountQueuingStrategy({ highWaterMark: Infinity });
    const transformer = /** @type {Transformer<Uint8Array, Uint8Array>} */ ({
      transform: (chunk, controller) => {
        chunks.push(chunk.slice());
        entry.loaded += chunk.byteLength;
        this.#loaded += chunk.byteLength;
        this.#moved();
        controller.enqueue(chunk);
      },
      flush: async (controller) => {
        const content = new Blob(/** @type {BlobPart[]} */ (chunks));
        const wrong = await mismatch(content, facts);
        if (wrong) controller.error(this.#failed(url, name, new Error(wrong)));
        else if (this.#keep) this.#keeping.push(this.#keep(url, content, contentType(name)));
        this.#open.delete(url);
        this.#moved();
      },
    });
    return new TransformStream(transformer, undefined, room);
  }

  /** Bytes moved: report, and start waiting anew for the next ones. */
  #moved() {
    clearTimeout(this.#stall);
    const names = [...this.#open.values()].map((entry) => entry.name);
    this.#report({ loaded: this.#loaded, total: this.#total, names });
    if (names.length) this.#stall = setTimeout(() => this.#stalled(), STALL_MS);
  }

  #stalled() {
    const [url, entry] = /** @type {[string, {name: string}]} */ ([...this.#open][0]);
    this.#failed(url, entry.name, new Error(`nothing arrived for ${STALL_MS / 1000} seconds`));
    this.cancel();
  }

  /**
   * @param {string} url
   * @param {string} name
   * @param {unknown} error
   */
  #failed(url, name, error) {
    const reason = error instanceof Error ? error.message : String(error);
    const told = new Error(`${name} could not be fetched from ${new URL(url).host}: ${reason}`);
    this.#fail(told);
    return told;
  }
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
