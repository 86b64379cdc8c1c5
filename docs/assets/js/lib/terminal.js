/**
 * What a cell writes, shown as a terminal would: streamed, `\r` goes back to the line's start,
 * ANSI colours, each stream told apart. Only text nodes: `<b>` is shown as typed.
 *
 * @import {Stream} from "./messages.js"
 */
import { figureElement } from "./figures.js";

/** A batch as large as this is shown at once: drawing a larger one would be felt. */
const BATCH_CHARS = 30_000;
/** Text is shown in batches: one change of the page per piece would be slower than the piece. */
const BATCH_MS = 50;

/** Escape sequences, line ends, or a stretch of text without either. */
// eslint-disable-next-line no-control-regex
const TOKEN =
  /\x1b\[([0-9;]*)m|\x1b\[[0-9;?]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]|\r\n|\n|\r|[^\x1b\r\n]+|\x1b/g;

export class Terminal {
  #element;
  /** Of the line that is still being written: one entry a character. @type {string[]} */
  #chars = [];
  /** The class of each of those characters. @type {string[]} */
  #styles = [];
  #column = 0;
  /** @type {Set<string>} */
  #sgr = new Set();
  /** Nodes that show the unfinished line. @type {Element[]} */
  #unfinished = [];
  /** Finished text that is not shown yet. @type {{style: string, text: string}[]} */
  #finished = [];
  /** Characters written since the last batch. */
  #waiting = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** The reader is at the end, and stays there as more comes. */
  #following = true;
  /** Where the box was scrolled to. */
  #top = 0;

  /** @param {HTMLElement} element a scrolling `<pre>` */
  constructor(element) {
    this.#element = element;
    element.addEventListener("scroll", () => this.#scrolled(), { passive: true });
  }

  /** Upwards is the reader's doing; that there is more below may be ours. */
  #scrolled() {
    const { scrollTop, clientHeight, scrollHeight } = this.#element;
    if (scrollTop + clientHeight >= scrollHeight - 4) this.#following = true;
    else if (scrollTop < this.#top) this.#following = false;
    this.#top = scrollTop;
  }

  clear() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#chars = [];
    this.#styles = [];
    this.#column = 0;
    this.#sgr.clear();
    this.#unfinished = [];
    this.#finished = [];
    this.#following = true;
    this.#top = 0;
    this.#element.replaceChildren();
  }

  /**
   * @param {Stream} stream
   * @param {string} text
   */
  write(stream, text) {
    if (stream === "figure") {
      if (this.#chars.length) this.#finishLine();
      this.flush();
      this.#element.append(figureElement(text));
      return;
    }
    // Values, errors and notices begin on a line of their own.
    if (!["stdout", "stderr"].includes(stream) && this.#chars.length && !text.startsWith("\n")) {
      this.#finishLine();
    }
    for (const [token, codes] of text.matchAll(TOKEN)) {
      if (codes !== undefined) this.#colour(codes);
      else if (token === "\n" || token === "\r\n") this.#finishLine();
      else if (token === "\r") this.#column = 0;
      else if (!token.startsWith("\x1b")) this.#put(token, [stream, ...this.#sgr].join(" "));
    }
    this.#waiting += text.length;
    if (this.#waiting > BATCH_CHARS) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), BATCH_MS);
  }

  /** Show everything written so far. */
  flush() {
    this.#waiting = 0;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const box = this.#element;
    this.#unfinished.forEach((node) => node.remove());
    this.#finished.forEach(({ style, text }) => this.#append(style, text));
    this.#finished = [];
    this.#unfinished = this.#lineRuns().map(({ style, text }) => this.#span(style, text));
    box.append(...this.#unfinished);
    // With the frame, which lays the page out in any case.
    requestAnimationFrame(() => {
      if (this.#following) box.scrollTop = box.scrollHeight;
    });
  }

  /**
   * @param {string} text
   * @param {string} style
   */
  #put(text, style) {
    for (const char of text) {
      this.#chars[this.#column] = char;
      this.#styles[this.#column] = style;
      this.#column++;
    }
  }

  #finishLine() {
    const runs = this.#lineRuns();
    const last = runs.at(-1);
    if (last) last.text += "\n";
    else runs.push({ style: "stdout", text: "\n" });
    for (const run of runs) {
      const before = this.#finished.at(-1);
      if (before?.style === run.style) before.text += run.text;
      else this.#finished.push(run);
    }
    this.#chars = [];
    this.#styles = [];
    this.#column = 0;
  }

  /** The unfinished line as stretches of one style. */
  #lineRuns() {
    /** @type {{style: string, text: string}[]} */
    const runs = [];
    let from = 0;
    for (let i = 1; i <= this.#chars.length; i++) {
      if (this.#styles[i] === this.#styles[from] && i < this.#chars.length) continue;
      runs.push({ style: this.#styles[from], text: this.#chars.slice(from, i).join("") });
      from = i;
    }
    return runs;
  }

  /**
   * @param {string} style
   * @param {string} text
   */
  #append(style, text) {
    const last = this.#element.lastElementChild;
    if (last?.className === style && last.lastChild instanceof Text) last.lastChild.appendData(text);
    else this.#element.append(this.#span(style, text));
  }

  /**
   * @param {string} style
   * @param {string} text
   */
  #span(style, text) {
    const span = document.createElement("span");
    span.className = style;
    span.append(document.createTextNode(text));
    return span;
  }

  /** @param {string} codes of an SGR sequence; colours outside the 16 are ignored */
  #colour(codes) {
    const numbers = (codes || "0").split(";").map(Number);
    while (numbers.length) {
      const code = /** @type {number} */ (numbers.shift());
      const drop = (/** @type {RegExp} */ pattern) =>
        this.#sgr.forEach((name) => pattern.test(name) && this.#sgr.delete(name));
      if (code === 0) this.#sgr.clear();
      else if (code === 1) this.#sgr.add("ansi-bold");
      else if (code === 3) this.#sgr.add("ansi-italic");
      else if (code === 4) this.#sgr.add("ansi-underline");
      else if (code === 22) drop(/bold/);
      else if (code === 23) drop(/italic/);
      else if (code === 24) drop(/underline/);
      else if (code === 39) drop(/ansi-fg/);
      else if (code === 49) drop(/ansi-bg/);
      else if (code === 38 || code === 48) numbers.splice(0, numbers[0] === 5 ? 2 : 4);
      else {
        const kind = (code >= 30 && code <= 37) || (code >= 90 && code <= 97) ? "fg" : "bg";
        if (kind === "bg" && !((code >= 40 && code <= 47) || (code >= 100 && code <= 107))) continue;
        drop(new RegExp(`ansi-${kind}`));
        this.#sgr.add(`ansi-${kind}-${code % 10}`);
      }
    }
  }
}
