/**
 * Gathers what Python writes: in a flood, a message for each write would drown the page's thread.
 *
 * Python keeps this thread busy, so what is held back goes out with the next write, when Python
 * looks for Stop, when the thread is free, or before any other message. Ordinary writes are not
 * held back at all: after them, Python may be busy for long with something that does none of this.
 *
 * @import {OutputPiece, Stream} from "../lib/messages.js"
 */

const WINDOW_MS = 100;
/** So many writes in that time go out one by one. */
const ORDINARY = 200;

export class Outbox {
  #send;
  /** @type {OutputPiece[]} */
  #held = [];
  /** Of this stretch of time: when it began, and what was sent in it. */
  #began = -Infinity;
  #sent = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {(pieces: OutputPiece[]) => void} send */
  constructor(send) {
    this.#send = send;
  }

  /**
   * @param {Stream} stream
   * @param {string} text
   */
  write(stream, text) {
    const last = this.#held.at(-1);
    if (last?.stream === stream && stream !== "figure") last.text += text;
    else this.#held.push({ stream, text });
    if (this.#isDue() || this.#sent < ORDINARY) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), WINDOW_MS);
  }

  /** Send what has been held back for long enough. */
  sendDue() {
    if (this.#held.length && this.#isDue()) this.flush();
  }

  /** Send all that is held back. */
  flush() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#held.length) return;
    if (this.#isDue()) {
      this.#began = performance.now();
      this.#sent = 0;
    }
    this.#sent++;
    this.#send(this.#held);
    this.#held = [];
  }

  #isDue() {
    return performance.now() - this.#began >= WINDOW_MS;
  }
}
