/**
 * What a cell writes, shown as a terminal would: streamed, `\r` goes back to the line's start,
 * ANSI colours, each stream told apart. Only text nodes: `<b>` is shown as typed.
 *
 * A flood is drawn in slices, so that the page answers meanwhile.
 *
 * @import {Run} from "./line.js"
 * @import {Stream} from "./messages.js"
 */
import { Attributes } from "./ansi.js";
import { drawFigure } from "./figures.js";
import { BLOCK_CHARS, Line, RUN_CHARS } from "./line.js";

/** Of one slice; where nobody sees the page, timers are rare, and a slice takes all. */
const SLICE_MS = 6;
/** Between two slices: about a frame. */
const PAUSE_MS = 16;
/** A reader who scrolls on after this long has begun anew. */
const REST_MS = 500;
/** An escape sequence that is longer has lost its end. */
const LONGEST_SEQUENCE = 4_096;

/**
 * Escape sequences (ECMA-48: control sequences, strings such as a title or a link, others), control
 * characters, or a stretch of text without either.
 */
const TOKEN = new RegExp(
  String.raw`\x1b\[([0-?]*)[ -/]*([@-~])|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]|` +
    String.raw`\r\n|([^\x00-\x08\x0a-\x1f\x7f-\x9f]{1,${RUN_CHARS}})|[^]`,
  "uy",
);
/** At a text's end: the next text may bring the rest. */
const UNFINISHED = /\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)$/;

export class Terminal {
  #element;
  /** What is not drawn yet. @type {{stream: Stream, text: string}[]} */
  #queue = [];
  /** How far the first of those is drawn. */
  #done = 0;
  /** The beginning of an escape sequence, at the end of what was drawn. */
  #rest = "";
  #attributes = new Attributes();
  #line = new Line();
  /** Stretches of finished lines that the page does not show as they are. @type {Run[]} */
  #changed = [];
  /** The last stretch of the last finished line. @type {Run | null} */
  #last = null;
  /** The block of lines that the next stretch of text goes into. @type {HTMLElement | null} */
  #lines = null;
  /** That block, or the one in it that holds a part of its last line. @type {HTMLElement | null} */
  #block = null;
  #blockChars = 0;
  /** The last stretch of text that was put into the page. @type {Run | null} */
  #previous = null;
  /** A line has begun since the reader was last kept at the end. */
  #grown = false;
  /** Goes on with a figure, until it says that all of it is there. @type {((until: number) => boolean) | null} */
  #figure = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** When the last slice was drawn. */
  #drawnAt = 0;
  /** The reader is at the end, and stays there as more comes. */
  #following = true;
  /** Where the box was scrolled to. */
  #top = 0;
  #scrolledAt = 0;
  /** A screen before the end as it was when the reader began to go down. @type {number | null} */
  #goal = null;

  /** @param {HTMLElement} element a scrolling `<pre>` */
  constructor(element) {
    this.#element = element;
    element.addEventListener("scroll", () => this.#scrolled(), { passive: true });
  }

  /**
   * Upwards is the reader's doing; that there is more below may be ours. Who goes down to a screen
   * from where the end was when that began wants to be there: it may move faster than they do.
   */
  #scrolled() {
    const { scrollTop, clientHeight, scrollHeight } = this.#element;
    const now = performance.now();
    const down = scrollTop > this.#top;
    if (!down || now - this.#scrolledAt > REST_MS) this.#goal = null;
    if (down) this.#goal ??= scrollHeight - clientHeight;
    const end = this.#goal ?? scrollHeight - 4;
    if (scrollTop + clientHeight >= end) this.#following = true;
    else if (scrollTop < this.#top) this.#following = false;
    this.#scrolledAt = now;
    this.#top = scrollTop;
  }

  clear() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#queue = [];
    this.#done = 0;
    this.#rest = "";
    this.#attributes.reset();
    this.#line = new Line();
    this.#changed = [];
    this.#last = null;
    this.#lines = this.#block = null;
    this.#previous = null;
    this.#figure = null;
    this.#following = true;
    this.#top = 0;
    this.#goal = null;
    this.#element.replaceChildren();
  }

  /**
   * @param {Stream} stream
   * @param {string} text
   */
  write(stream, text) {
    this.#queue.push({ stream, text });
    this.#schedule();
  }

  /** Show everything written so far. Resolves when it is there: at once, unless it is a flood. */
  async flush() {
    this.#draw();
    while (this.#isBehind) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      this.#draw();
    }
  }

  get #isBehind() {
    return this.#queue.length > 0 || this.#figure !== null;
  }

  #schedule() {
    const wait = this.#drawnAt + PAUSE_MS - performance.now();
    this.#timer ??= setTimeout(() => this.#draw(), Math.max(wait, 0));
  }

  /** Draw a slice of what waits. */
  #draw() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const until = document.hidden ? Infinity : performance.now() + SLICE_MS;
    while (this.#isBehind && performance.now() < until) {
      if (this.#figure?.(until)) this.#figure = null;
      else if (!this.#figure) this.#take(until);
    }
    this.#show();
    this.#drawnAt = performance.now();
    if (this.#isBehind) this.#schedule();
  }

  /**
   * Take of the first text in the queue what there is time for.
   * @param {number} until
   */
  #take(until) {
    const [{ stream, text }] = this.#queue;
    if (stream === "figure") {
      if (!this.#line.isEmpty) this.#finishLine();
      this.#show();
      const { figure, draw } = drawFigure(text);
      this.#element.append(figure);
      this.#grown = true;
      this.#last = this.#lines = this.#block = null; // what follows stands below it
      this.#figure = draw;
      this.#queue.shift();
      return;
    }
    if (this.#done === 0) {
      this.#begin(stream, text);
      this.#queue[0].text = this.#rest + text;
      this.#rest = "";
    }
    const whole = this.#queue[0].text;
    const unfinished = UNFINISHED.exec(whole.slice(-LONGEST_SEQUENCE));
    const end = whole.length - (unfinished ? unfinished[0].length : 0);
    for (let tokens = 1; this.#done < end; tokens++) {
      TOKEN.lastIndex = this.#done;
      const [token, parameters, final, plain] = /** @type {RegExpExecArray} */ (TOKEN.exec(whole));
      this.#done += token.length;
      if (plain) this.#line.put(plain, stream + this.#attributes.style);
      else this.#control(token, parameters, final);
      if (tokens % 50 === 0 && performance.now() > until) return;
    }
    this.#rest = whole.slice(end);
    this.#done = 0;
    this.#queue.shift();
  }

  /**
   * Values, errors and notices begin on a line of their own, in no colours but theirs.
   * @param {Stream} stream
   * @param {string} text
   */
  #begin(stream, text) {
    if (stream === "stdout" || stream === "stderr") return;
    this.#attributes.reset();
    this.#rest = "";
    if (!this.#line.isEmpty && !text.startsWith("\n")) this.#finishLine();
  }

  /**
   * Do as a control sequence or character says; what has no place here does nothing.
   * @param {string} token
   * @param {string} [parameters] of a sequence
   * @param {string} [final] what it does
   */
  #control(token, parameters = "", final = "") {
    const line = this.#line;
    if (final && /^[\d;:]*$/.test(parameters)) {
      const number = parseInt(parameters, 10) || 0;
      if (final === "m") this.#attributes.apply(parameters);
      else if (final === "K") line.erase(number);
      else if (final === "C") line.moveBy(number || 1);
      else if (final === "D") line.moveBy(-(number || 1));
      else if (final === "G") line.moveTo(number - 1);
    } else if (token === "\r") line.moveTo(0);
    else if (token === "\b") line.moveBy(-1);
    else if (token === "\n" || token === "\r\n" || token === "\v" || token === "\f") this.#finishLine();
  }

  #finishLine() {
    this.#grown = true;
    for (const run of this.#line.finish()) {
      const last = this.#last;
      if (!run.node && last?.style === run.style && !last.far && last.length + run.length <= RUN_CHARS) {
        last.text += run.text;
        last.length += run.length;
        if (!last.changed) this.#changed.push(last);
        last.changed = true;
      } else {
        this.#changed.push(run);
        this.#last = run;
      }
    }
  }

  /** Bring the page up to date; whatever is new stands at its end. */
  #show() {
    for (const run of [...this.#changed, ...this.#line.runs]) {
      if (!run.changed) continue;
      run.changed = false;
      if (run.node) /** @type {Text} */ (run.node.firstChild).data = run.text;
      else this.#append(run);
    }
    this.#changed = [];
    this.#tellSize();
    if (this.#grown) this.#keepAtEnd(); // else there is nowhere to go, and asking costs a layout
    this.#grown = false;
  }

  /** @param {Run} run */
  #append(run) {
    const atStart = this.#previous?.text.endsWith("\n") ?? true;
    const full = this.#blockChars > BLOCK_CHARS;
    const inLine = this.#block !== this.#lines;
    if (!this.#lines || (atStart && (full || inLine))) {
      this.#tellSize();
      this.#lines = this.#block = blockOf("lines");
      this.#element.append(this.#lines);
      this.#blockChars = 0;
    } else if (run.far && (full || !inLine)) {
      this.#tellSize();
      this.#block = blockOf("part");
      this.#lines.append(this.#block);
      this.#blockChars = 0;
    }
    this.#grown ||= atStart;
    run.node = elementOf(run);
    /** @type {HTMLElement} */ (this.#block).append(run.node);
    this.#blockChars += run.length;
    this.#previous = run;
  }

  /** How much room the block takes, for as long as the browser does not lay it out. */
  #tellSize() {
    const block = this.#block;
    if (!block) return;
    const text = block.textContent ?? "";
    this.#blockChars = text.length; // stretches grow
    if (block === this.#lines) {
      const ends = text.split("\n").length - 1;
      block.style.setProperty("--rows", String(text.endsWith("\n") ? ends : ends + 1));
    } else {
      block.style.setProperty("--columns", String(text.length));
    }
  }

  #keepAtEnd() {
    // With the frame, which lays the page out in any case.
    requestAnimationFrame(() => {
      if (this.#following) this.#element.scrollTop = this.#element.scrollHeight;
    });
  }
}

/** @param {"lines" | "part"} kind */
function blockOf(kind) {
  const block = document.createElement("span");
  block.className = kind;
  return block;
}

/** @param {Run} run */
function elementOf({ style, text }) {
  const [names, colour, ground] = style.split("|");
  const span = document.createElement("span");
  span.className = names;
  if (colour) span.style.setProperty("--ansi-text", colour);
  if (ground) span.style.setProperty("--ansi-ground", ground);
  span.append(document.createTextNode(text));
  return span;
}
