/**
 * How the page's Stop reaches Python while Python keeps this thread busy.
 *
 * Where the page is cross-origin isolated, through shared memory. Elsewhere the page makes a
 * `blob:` address for each run and revokes it on Stop; Python's interpreter looks into the
 * interrupt buffer every few bytecodes, and the buffer, which is no array but an object with a
 * getter, looks now and then whether the address can still be read.
 */

const POLL_MS = 100;
/** What Python's signal machinery calls SIGINT. */
const SIGINT = 2;

export class PolledSignal {
  #url = "";
  #next = 0;
  #meanwhile;

  /** @param {() => void} meanwhile called now and then while Python keeps the thread busy */
  constructor(meanwhile) {
    this.#meanwhile = meanwhile;
  }

  /** @param {string} url lives until Stop; empty: no run to stop */
  watch(url) {
    this.#url = url;
    this.#next = performance.now() + POLL_MS;
  }

  get 0() {
    if (!this.#url) return 0;
    const now = performance.now();
    if (now < this.#next) return 0;
    this.#next = now + POLL_MS;
    this.#meanwhile();
    if (readable(this.#url)) return 0;
    this.#url = ""; // once: the code may catch the interrupt and go on
    return SIGINT;
  }

  set 0(value) {
    // Python acknowledges a signal by writing 0.
  }
}

/**
 * Whether a `blob:` address can be read; false, too, where a policy forbids to ask.
 * @param {string} url
 */
export function readable(url) {
  try {
    const request = new XMLHttpRequest();
    request.open("GET", url, false);
    request.overrideMimeType("text/plain"); // Firefox would parse it as XML, and log that it is none
    request.send();
    return request.status === 200;
  } catch {
    return false;
  }
}
