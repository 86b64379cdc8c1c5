/**
 * Which code stands in a cell: the lesson's, the reader's own, or that of a link; how the reader
 * gets from one to the other, and what of it is kept.
 *
 * Code that the reader wrote goes only when the reader refuses it. What takes its place, be it the
 * lesson's code or a link's, sets it aside, and it stays kept and offered.
 *
 * @import {Edit} from "./edits.js"
 * @import {Toolbar, Way} from "./toolbar.js"
 */
import { digest, loadEdit, saveEdit, watchEdit } from "./edits.js";
import { sharedCode } from "./share.js";

export class Versions {
  /** The reader's code, or the lesson's where there is none. @type {string} */
  #mine;
  /** Code of the reader's that something took the place of, the latest first. @type {string[]} */
  #aside = [];
  /** What stands before `#mine`, as it came from the page's address. @type {string | null} */
  #link = null;
  /** The address's fragment that it came in. */
  #fragment = "";
  /** The digest of the lesson's code. */
  #lesson;
  /** The same of the lesson's code that the reader started from. */
  #basis;
  /** Whether the browser has kept the latest. */
  #kept = true;
  #ref;
  #lessonCode;
  #toolbar;
  #show;

  /**
   * @param {string} ref of the cell
   * @param {string} lessonCode
   * @param {Pick<Toolbar, "say" | "offerVersions">} toolbar tells which version it is and offers others
   * @param {(code: string) => void} show puts code into the editor; Undo takes it back
   */
  constructor(ref, lessonCode, toolbar, show) {
    this.#ref = ref;
    this.#lessonCode = lessonCode;
    this.#mine = lessonCode;
    this.#lesson = this.#basis = digest(lessonCode);
    this.#toolbar = toolbar;
    this.#show = show;
  }

  /** What stands in the cell now. */
  get code() {
    return this.#link ?? this.#mine;
  }

  /** Show what the reader wrote here before, and say so when the lesson has changed since. */
  takeKept() {
    this.#take(loadEdit(this.#ref));
    if (this.#changed) {
      this.#toolbar.say("The lesson's code has changed since you edited it. This is your version.");
    } else this.#sayMine();
  }

  /**
   * Follow what another tab does with this cell, and what the page's address comes to carry for it.
   * @param {HTMLElement} cell
   * @param {AbortSignal} signal ends it
   */
  watch(cell, signal) {
    const take = (/** @type {Edit | null} */ edit) => {
      const before = this.#mine;
      this.#take(edit);
      if (this.#link === null && this.#mine !== before) {
        this.#toolbar.say(this.#isMine ? "Your version, as just changed in another tab." : "");
      }
    };
    watchEdit(this.#ref, take, signal);
    addEventListener("hashchange", () => this.takeShared(cell), { signal });
  }

  /**
   * Show the code that the page's address carries; it runs only when the reader says so.
   * @param {HTMLElement} cell
   */
  async takeShared(cell) {
    const fragment = location.hash;
    try {
      const code = await sharedCode(cell.id);
      if (code === null || code === this.code || location.hash !== fragment) return;
      this.#link = code;
      this.#fragment = fragment;
      this.#show(code);
      cell.scrollIntoView({ block: "center" });
      this.#toolbar.say("Code from a link: read it before you run it.");
      this.#offer();
    } catch (error) {
      this.#toolbar.say(/** @type {Error} */ (error).message);
    }
  }

  /** @param {string} code as the reader has just typed it */
  edited(code) {
    if (this.#link !== null) this.#setAside();
    this.#mine = code;
    this.#keep();
  }

  /** Back to the lesson's code. */
  reset() {
    this.#setAside();
    this.#mine = this.#lessonCode;
    this.#basis = this.#lesson;
    this.#keep();
    this.#show(this.code);
  }

  get #isMine() {
    return this.#mine !== this.#lessonCode;
  }

  /** Whether the lesson's code is another now, and the reader has not taken it yet. */
  get #changed() {
    return this.#isMine && this.#basis !== this.#lesson;
  }

  /** @param {Edit | null} edit as it is kept */
  #take(edit) {
    const before = this.code;
    const unkept = this.#kept ? [] : [this.#mine];
    this.#mine = edit?.code ?? this.#lessonCode;
    this.#basis = edit?.lesson ?? this.#lesson;
    this.#aside = this.#others([...unkept, ...(edit?.earlier ?? [])]);
    this.#kept = true;
    if (this.code !== before) this.#show(this.code);
    this.#offer();
  }

  /** Something takes the place of the reader's code. */
  #setAside() {
    this.#aside.unshift(this.#mine);
    this.#leaveLink();
  }

  #keep() {
    this.#aside = this.#others(this.#aside);
    const code = this.#isMine ? this.#mine : null;
    const edit = { code, lesson: this.#basis, earlier: this.#aside };
    this.#kept = saveEdit(this.#ref, code !== null || this.#aside.length ? edit : null);
    this.#offer();
    if (!this.#kept) {
      this.#toolbar.say("This browser does not keep edits: copy what you want to keep.");
    }
  }

  /** @param {string[]} codes */
  #others(codes) {
    return [...new Set(codes)].filter((code) => code !== this.#mine && code !== this.#lessonCode);
  }

  #sayMine() {
    this.#toolbar.say(this.#isMine ? "Your version. Reset brings back the lesson's." : "");
  }

  /** The ways from what stands in the cell to what else there is. */
  #offer() {
    /** @type {Way[]} */
    const ways = [];
    if (this.#link !== null) {
      const press = () => {
        this.#leaveLink();
        this.#show(this.code);
        this.#sayMine();
        this.#offer();
      };
      ways.push({ action: "dismiss", label: "Discard the link's code", press });
    } else if (this.#changed) {
      ways.push({ action: "lesson-version", label: "Lesson's version", press: () => this.reset() });
    }
    const count = this.#aside.length;
    if (count && this.#link === null) {
      const other = this.#isMine ? "other " : "";
      const label = `Your ${other}${count > 1 ? `versions (${count})` : "version"}`;
      ways.push({ action: "my-version", label, press: () => this.#swap() });
      ways.push({ action: "forget", label: count > 1 ? "Forget them" : "Forget it", press: () => this.#forget() });
    }
    this.#toolbar.offerVersions(...ways);
  }

  /** The reader's latest code set aside, in the place of what stands here; pressed again, the next. */
  #swap() {
    const [next, ...rest] = this.#aside;
    this.#aside = [...rest, this.#mine];
    this.#mine = next;
    this.#keep();
    this.#show(this.code);
    if (this.#kept) this.#sayMine();
  }

  #forget() {
    this.#aside = [];
    this.#keep();
  }

  /** The address stands for the link's code no longer: a reload shows the reader's. */
  #leaveLink() {
    if (this.#link !== null && location.hash === this.#fragment) {
      history.replaceState(history.state, "", location.pathname + location.search);
    }
    this.#link = null;
  }
}
