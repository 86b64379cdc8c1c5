/**
 * `<napkin-card>`: a question whose answer is shown when asked for, and then graded.
 *
 * The answer stays out of the accessibility tree until then. Where a card stands (in a lesson, on
 * the review page) decides what follows: it hears "graded" and "failed" events.
 *
 * @import {PracticeStore} from "../lib/practice/store.js"
 * @import {Grade, Memory} from "../lib/practice/schedule.js"
 */
import { announce } from "../lib/announcer.js";
import { button } from "../lib/practice/dom.js";
import { StaleAnswer } from "../lib/practice/log-memory.js";
import { GRADES, GRADE_NAMES, outcomes } from "../lib/practice/schedule.js";
import { practice } from "../lib/practice/store.js";
import { waitInWords } from "../lib/practice/wording.js";

/** The elements that hold cards need it defined. */
export function defineCard() {
  if (!customElements.get("napkin-card")) customElements.define("napkin-card", NapkinCard);
}

/** A press so soon after the answer appeared was meant for the button before. */
const GUARD_MS = 250;
/** @type {Grade[]} */
const TWO_GRADES = [1, 3];
const TWO_NAMES = { 1: "Forgot", 2: "", 3: "Remembered", 4: "" };

export class NapkinCard extends HTMLElement {
  #built = false;
  #shownAt = 0;
  #busy = false;
  /** What the buttons promise, and the answer they stand on. @type {Record<Grade, Memory> | undefined} */
  #promised;
  #expected = "";
  /** @type {PracticeStore | undefined} */
  #store;

  /** @type {"asked" | "shown" | "done"} */
  get state() {
    return /** @type {any} */ (this.dataset.state ?? "asked");
  }

  connectedCallback() {
    this.#build();
  }

  /** Make it anew for a question, on the review page. @param {string} id @param {string} front @param {string} back HTML */
  static of(id, front, back) {
    const card = /** @type {NapkinCard} */ (document.createElement("napkin-card"));
    card.id = id;
    card.className = "napkin-card";
    const face = document.createElement("div");
    face.dataset.part = "front";
    face.innerHTML = front;
    const answer = document.createElement("div");
    answer.dataset.part = "back";
    answer.innerHTML = back;
    card.append(face, answer);
    return card;
  }

  /** Ask: the answer out of sight. */
  ask() {
    this.dataset.state = "asked";
    this.#part("back").hidden = true;
    this.#part("controls").replaceChildren(this.#button("show", "Show answer", () => this.show()));
  }

  /** Show the answer, and the grades with the interval that each gives. */
  async show() {
    if (this.state !== "asked") return;
    this.#store = await practice();
    if (this.state !== "asked") return;
    this.dataset.state = "shown";
    const back = this.#part("back");
    back.hidden = false;
    this.#shownAt = performance.now();
    const state = this.#store.state(this.id);
    const moment = this.#store.moment();
    this.#expected = state.answer;
    this.#promised = outcomes(this.id, state.memory, moment, { retention: this.#store.settings.retention });
    this.#part("controls").replaceChildren(...this.#gradeButtons());
    back.focus();
  }

  /** @param {Grade} grade */
  async grade(grade) {
    if (this.state !== "shown" || this.#busy || !this.#store) return;
    if (performance.now() - this.#shownAt < GUARD_MS) return;
    this.#busy = true;
    try {
      const event = await this.#store.answer(this.id, grade, this.#expected);
      const { memory } = this.#store.state(this.id);
      this.dataset.state = "done";
      const when = waitInWords(memory, this.#store.moment());
      announce(`${GRADE_NAMES[grade]}: comes back ${when === "now" ? when : `in ${when}`}.`);
      this.dispatchEvent(new CustomEvent("graded", { bubbles: true, detail: { grade, event } }));
    } catch (error) {
      if (!(error instanceof StaleAnswer)) throw error;
      announce("Already answered in another tab.");
      this.dispatchEvent(new CustomEvent("stale", { bubbles: true }));
    } finally {
      this.#busy = false;
    }
  }

  #build() {
    if (this.#built) return;
    this.#built = true;
    const back = this.#part("back");
    // In a lesson it stands in a <details>, for readers without scripts.
    const details = back.closest("details");
    if (details && this.contains(details)) details.replaceWith(back);
    back.tabIndex = -1;
    back.setAttribute("role", "group");
    back.setAttribute("aria-label", "Answer");
    const controls = document.createElement("div");
    controls.dataset.part = "controls";
    back.after(controls);
    this.ask();
  }

  #gradeButtons() {
    const { settings } = /** @type {PracticeStore} */ (this.#store);
    const two = settings.buttons === 2;
    return (two ? TWO_GRADES : GRADES).map((grade) => {
      const name = (two ? TWO_NAMES : GRADE_NAMES)[grade];
      const made = this.#button(GRADE_NAMES[grade].toLowerCase(), name, () => this.grade(grade));
      const memory = /** @type {Record<Grade, Memory>} */ (this.#promised)[grade];
      const wait = document.createElement("small");
      wait.dataset.part = "interval";
      wait.textContent = waitInWords(memory, /** @type {PracticeStore} */ (this.#store).moment());
      made.append(" ", wait);
      if (grade === 2) made.title = "You knew it, with effort. If you had forgotten it, press Again.";
      if (grade === 1) made.title = "You had forgotten it.";
      return made;
    });
  }

  /**
   * @param {string} action
   * @param {string} label
   * @param {() => void} press
   */
  #button(action, label, press) {
    const made = button(action, label, press);
    // A key that is held down is one press.
    made.addEventListener("keydown", (event) => {
      if (event.repeat && (event.key === "Enter" || event.key === " ")) event.preventDefault();
    });
    return made;
  }

  /** @param {string} name */
  #part(name) {
    return /** @type {HTMLElement} */ (this.querySelector(`[data-part=${name}]`));
  }
}
