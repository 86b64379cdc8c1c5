/**
 * The code of a cell or an exercise: what the build wrote, until an editor has its place.
 *
 * @import {Editor} from "./editor.js"
 */
import { readCodeMirror } from "./codemirror.js";
import { forgetNearby, whenNearby } from "./nearby.js";
import { runtime } from "./runtime.js";

export class CodeField {
  /** Stands where the code stood. */
  element = document.createElement("div");
  /** Shows the code without an editor. */
  #static;
  #label;
  #onRun;
  #onEdit;
  /** @type {Editor | null} */
  #editor = null;
  /** @type {Promise<void> | null} */
  #loading = null;
  #code;
  /** The line where the last run failed. @type {number | null} */
  #marked = null;

  /**
   * @param {HTMLElement} written by the build
   * @param {object} options
   * @param {string} options.label what a screen reader calls the editor
   * @param {() => void} options.onRun the reader wants it run
   * @param {(code: string) => void} options.onEdit the reader changed it
   */
  constructor(written, { label, onRun, onEdit }) {
    this.#static = written;
    this.#label = `${label}. Escape, then Tab, leaves the editor.`;
    this.#onRun = onRun;
    this.#onEdit = onEdit;
    this.#code = (written.textContent ?? "").replace(/\n$/, "");
    this.element.dataset.part = "editor";
    written.replaceWith(this.element);
    this.element.append(written);
  }

  get code() {
    return this.#code;
  }

  /** Takes the place of what stands there; Undo takes it back. */
  set code(code) {
    this.mark(null);
    if (code === this.#code) return;
    this.#code = code;
    if (this.#editor) this.#editor.code = code;
    else this.#static.textContent = `${code}\n`;
  }

  /** Whether the reader can write in it. */
  get editable() {
    return this.#editor !== null;
  }

  /** @param {number | null} line 1-based, null to unmark */
  mark(line) {
    this.#marked = line;
    this.#editor?.mark(line);
  }

  /** While the page shows it: have an editor when it comes near the screen. */
  connect() {
    whenNearby(this.element, () => this.load());
  }

  /** The page was left: let the editor go, whose listeners would hold on to it. */
  disconnect() {
    forgetNearby(this.element);
    // An element that only moves is back at once, and keeps its editor.
    queueMicrotask(() => this.element.isConnected || this.#drop());
  }

  /** The reader comes near. */
  load() {
    this.#loading ??= this.#mount().catch(() => {
      this.#loading = null; // the code stays readable and runnable; the next intent tries again
    });
  }

  async #mount() {
    await readCodeMirror();
    const { Editor } = await import("./editor.js");
    const editor = await Editor.mount(this.element, {
      code: this.#code,
      label: this.#label,
      consult: (what, source, line, column) => runtime.consult(what, source, line, column),
      onRun: this.#onRun,
      onEdit: (code) => {
        this.#code = code;
        this.#marked = null;
        this.#onEdit(code);
      },
    });
    this.#editor = editor;
    if (!this.element.isConnected) {
      this.#drop();
      return;
    }
    // What has happened meanwhile.
    if (editor.code !== this.#code) editor.code = this.#code;
    if (this.#marked) editor.mark(this.#marked);
    const hadFocus = document.activeElement === this.#static;
    this.#static.remove();
    if (hadFocus) editor.focus();
  }

  #drop() {
    if (!this.#editor) return;
    this.#static.textContent = `${this.#code}\n`;
    this.#editor.destroy();
    this.#editor = null;
    this.#loading = null;
    this.element.append(this.#static);
  }
}
