/**
 * Files that the page fetches for this thread, which is busy most of the time: see
 * `lib/deliveries.js`.
 *
 * @import {Delivery, Wanted} from "../lib/messages.js"
 */

export class Deliveries {
  /** @type {Map<string, {promise: Promise<ArrayBuffer>, settle: (delivery: Delivery) => void}>} */
  #coming = new Map();
  #ask;

  /** @param {(files: Wanted[]) => void} ask the page */
  constructor(ask) {
    this.#ask = ask;
  }

  /**
   * Have files fetched, unless they are on their way.
   * @param {Wanted[]} files
   */
  order(files) {
    const missing = files.filter(({ url }) => !this.#coming.has(url));
    for (const { url } of missing) this.#expect(url);
    if (missing.length) this.#ask(missing.map(({ url, facts }) => ({ url, facts })));
  }

  /**
   * The content of a file, checked; it is handed over once.
   * @param {Wanted} file
   */
  async content(file) {
    this.order([file]);
    const content = await this.#coming.get(file.url)?.promise;
    this.#coming.delete(file.url);
    return /** @type {ArrayBuffer} */ (content);
  }

  /** @param {Delivery} delivery */
  receive(delivery) {
    this.#coming.get(delivery.url)?.settle(delivery);
  }

  /** @param {string} url */
  #expect(url) {
    let settle = (/** @type {Delivery} */ _) => {};
    /** @type {Promise<ArrayBuffer>} */
    const promise = new Promise((resolve, reject) => {
      settle = (delivery) => {
        if (delivery.content !== null) return resolve(delivery.content);
        this.#coming.delete(url); // the next who wants it tries anew
        reject(new Error(delivery.message));
      };
    });
    promise.catch(() => {}); // who waits for it hears of it
    this.#coming.set(url, { promise, settle });
  }
}
