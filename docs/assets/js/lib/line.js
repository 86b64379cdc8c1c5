/**
 * The line that is being written, as stretches of text of one style, each with the element that
 * shows it. Characters are code points; the cursor may stand anywhere and overwrites what is there.
 */

/** Of one stretch: a browser lays text out anew where it changed, and long text takes long. */
export const RUN_CHARS = 2_000;
/**
 * Text stands in blocks of about this size, of which the browser lays out those in sight only: lines
 * in blocks one below the other, the rest of a longer line in blocks side by side.
 */
export const BLOCK_CHARS = 4_000;
/** A cursor is moved no further past the end: a terminal's stops at its edge, too. */
const MOST_COLUMNS = 500;

/**
 * @typedef {object} Run
 * @property {string} text
 * @property {string} style
 * @property {number} length in characters
 * @property {HTMLElement | null} node
 * @property {boolean} changed since it was last shown
 * @property {boolean} far from its line's beginning
 */

export class Line {
  /** @type {Run[]} */
  runs = [];
  #length = 0;
  #column = 0;

  /**
   * Write at the cursor.
   * @param {string} text at most RUN_CHARS characters, no line ends
   * @param {string} style
   */
  put(text, style) {
    const length = lengthOf(text);
    const missing = this.#column - this.#length;
    if (missing > 0) this.#append(" ".repeat(missing), "stdout", missing);
    if (this.#column === this.#length) {
      this.#append(text, style, length);
    } else {
      const run = newRun(text, style, length);
      this.#replace(this.#column, this.#column + length, run);
    }
    this.#column += length;
  }

  /** @param {number} column the first is 0 */
  moveTo(column) {
    const most = Math.max(MOST_COLUMNS, this.#length);
    this.#column = Math.min(Math.max(column, 0), most);
  }

  /** @param {number} columns negative: back */
  moveBy(columns) {
    this.moveTo(this.#column + columns);
  }

  /** @param {number} what as in `ESC [ what K`: 0 from the cursor on, 1 up to it, 2 all */
  erase(what) {
    const blank = Math.min(this.#column + 1, this.#length);
    if (what === 0) this.#replace(this.#column, this.#length);
    else if (what === 2) this.#replace(0, this.#length);
    else if (what === 1 && blank) {
      this.#replace(0, blank, newRun(" ".repeat(blank), "stdout", blank));
    }
  }

  /** Begin a new line; the finished one's stretches. */
  finish() {
    const { runs } = this;
    const last = runs.at(-1);
    if (last) {
      last.text += "\n";
      last.length++;
      last.changed = true;
    } else {
      runs.push(newRun("\n", "stdout", 1));
    }
    this.runs = [];
    this.#length = this.#column = 0;
    return runs;
  }

  get isEmpty() {
    return this.#length === 0;
  }

  /**
   * @param {string} text
   * @param {string} style
   * @param {number} length
   */
  #append(text, style, length) {
    const last = this.runs.at(-1);
    this.#length += length;
    if (last?.style === style && last.length + length <= RUN_CHARS) {
      last.text += text;
      last.length += length;
      last.changed = true;
    } else {
      this.runs.push(newRun(text, style, length, this.#length - length > BLOCK_CHARS));
    }
  }

  /**
   * @param {number} from
   * @param {number} to may lie past the end
   * @param {Run[]} runs take the place
   */
  #replace(from, to, ...runs) {
    if (from >= this.#length) return;
    // What comes after another stretch is shown after it: all are shown anew.
    for (const run of this.runs) {
      run.node?.remove();
      run.node = null;
      run.changed = true;
    }
    const end = Math.min(to, this.#length);
    const first = this.#cutAt(from);
    const last = this.#cutAt(end);
    this.runs.splice(first, last - first, ...runs);
    const added = runs.reduce((sum, { length }) => sum + length, 0);
    this.#length += added - (end - from);
  }

  /**
   * Let a stretch begin at a column; its place.
   * @param {number} column
   */
  #cutAt(column) {
    let start = this.#length;
    for (let i = this.runs.length - 1; i >= 0; i--) {
      const run = this.runs[i];
      start -= run.length;
      if (start > column) continue;
      const kept = column - start;
      if (kept === 0) return i;
      if (kept === run.length) return i + 1;
      const chars = [...run.text];
      const before = { ...run, text: chars.slice(0, kept).join(""), length: kept };
      const after = { ...run, text: chars.slice(kept).join(""), length: run.length - kept };
      this.runs.splice(i, 1, before, after);
      return i + 1;
    }
    return 0;
  }
}

/**
 * A stretch that the page does not show yet.
 * @param {string} text
 * @param {string} style
 * @param {number} length
 * @param {boolean} [far]
 * @returns {Run}
 */
function newRun(text, style, length, far = false) {
  return { text, style, length, node: null, changed: true, far };
}

/** @param {string} text */
function lengthOf(text) {
  return /[\ud800-\udfff]/.test(text) ? [...text].length : text.length;
}
