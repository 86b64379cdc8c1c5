/**
 * Which code stands in a cell: the lesson's, the reader's own, or that of a link; how the reader
 * gets from one to the other, and what of it is kept.
 *
 * @import {Edit} from "./edits.js"
 * @import {Toolbar} from "./toolbar.js"
 */
import { digest, loadEdit, saveEdit, watchEdit } from "./edits.js";
import { sharedCode } from "./share.js";

export class Versions {
  /** What stands in the cell now. */
  code;
  /** It comes from the page's address. */
  #shared = false;
  /** The reader's own code that it took the place of. @type {string | undefined} */
  #earlier;
  #ref;
  #lessonCode;
  #toolbar;
  #show;

  /**
   * @param {string} ref of the cell
   * @param {string} lessonCode
   * @param {Toolbar} toolbar tells which version it is and offers others
   * @param {(code: string) => void} show puts code into the editor; Undo takes it back
   */
  constructor(ref, lessonCode, toolbar, show) {
    this.#ref = ref;
    this.#lessonCode = lessonCode;
    this.code = lessonCode;
    this.#toolbar = toolbar;
    this.#show = show;
  }

  /** Show what the reader wrote here before, and say so when the lesson has changed since. */
  takeKept() {
    const edit = loadEdit(this.#ref);
    if (!edit || edit.code === this.#lessonCode) return;
    this.#adopt(edit.code);
    if (edit.earlier !== undefined) {
      this.#earlier = edit.earlier;
      this.#toolbar.say("Code from a link, as you changed it.");
      this.#offerEarlier(edit.earlier);
    } else if (edit.lesson === digest(this.#lessonCode)) {
      this.#toolbar.say("Your version. Reset brings back the lesson's.");
    } else {
      this.#toolbar.say("The lesson's code has changed since you edited it. This is your version.");
      this.#offerLesson(edit.code);
    }
  }

  /**
   * Follow what another tab does with this cell.
   * @param {AbortSignal} signal ends it
   */
  watch(signal) {
    const take = (/** @type {Edit | null} */ edit) => {
      this.#adopt(edit?.code ?? this.#lessonCode);
      this.#toolbar.say(edit ? "Your version, as just changed in another tab." : "");
    };
    watchEdit(this.#ref, take, signal);
  }

  /**
   * Show the code that the page's address carries; it runs only when the reader says so. What the
   * reader had written here stays kept until the reader changes the shared code.
   * @param {HTMLElement} cell
   */
  async takeShared(cell) {
    try {
      const code = await sharedCode(cell.id);
      if (code === null || code === this.code) return;
      const before = loadEdit(this.#ref);
      this.#shared = true;
      this.#earlier = before?.code;
      this.#adopt(code);
      cell.scrollIntoView({ block: "center" });
      this.#toolbar.say("Code from a link: read it before you run it.");
      const back = () => {
        this.#leaveLink();
        this.#earlier = undefined;
        this.#adopt(before?.code ?? this.#lessonCode);
        saveEdit(this.#ref, before);
        this.#toolbar.say(before ? "Your version." : "");
      };
      this.#toolbar.offer({ action: "dismiss", label: "Discard it", press: back });
    } catch (error) {
      this.#toolbar.say(/** @type {Error} */ (error).message);
    }
  }

  /** @param {string} code as the reader has just typed it */
  edited(code) {
    this.code = code;
    this.#leaveLink();
    if (!saveEdit(this.#ref, code === this.#lessonCode ? null : this.#edit())) {
      this.#toolbar.say("This browser does not keep edits: copy what you want to keep.");
    }
  }

  /** Back to the lesson's code, for good. */
  reset() {
    this.#leaveLink();
    this.#earlier = undefined;
    this.#adopt(this.#lessonCode);
    saveEdit(this.#ref, null);
  }

  /** @param {string} earlier */
  #offerEarlier(earlier) {
    const press = () => {
      this.#earlier = undefined;
      this.#adopt(earlier);
      saveEdit(this.#ref, this.#edit());
      this.#toolbar.say("Your version. Reset brings back the lesson's.");
    };
    this.#toolbar.offer({ action: "my-version", label: "Your earlier version", press });
  }

  /** @param {string} mine */
  #offerLesson(mine) {
    const toLesson = () => {
      this.#adopt(this.#lessonCode);
      this.#toolbar.say("This is the lesson's version.");
      this.#toolbar.offer({ action: "my-version", label: "Your version", press: toMine });
    };
    const toMine = () => {
      this.#adopt(mine);
      this.#toolbar.say("This is your version.");
      this.#toolbar.offer({ action: "lesson-version", label: "Lesson's version", press: toLesson });
    };
    this.#toolbar.offer({ action: "lesson-version", label: "Lesson's version", press: toLesson });
  }

  /** The address stands for the link's code no longer: a reload shows the reader's. */
  #leaveLink() {
    if (!this.#shared) return;
    this.#shared = false;
    history.replaceState(history.state, "", location.pathname + location.search);
  }

  /** @param {string} code */
  #adopt(code) {
    this.code = code;
    this.#show(code);
  }

  /** @returns {Edit} */
  #edit() {
    const edit = { code: this.code, lesson: digest(this.#lessonCode) };
    return this.#earlier === undefined ? edit : { ...edit, earlier: this.#earlier };
  }
}
