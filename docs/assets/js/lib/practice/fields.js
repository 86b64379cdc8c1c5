/**
 * Where a reader answers: one kind of field for each kind of question.
 *
 * @import {Grade, Draw} from "./grade.js"
 * @import {Question} from "./question.js"
 * @typedef {object} Field
 * @property {HTMLElement} element
 * @property {string} given the answer as text, also to be set
 * @property {() => Grade} grade
 * @property {(grade: Grade | null) => void} mark shows beside the parts what is right and wrong
 * @property {(options?: FocusOptions) => void} focus
 * @typedef {{question: Question, draw: Draw | undefined, seed: number, label: string}} Setting
 *   `label` is the id of the element that asks
 */
import { announce } from "../announcer.js";
import { disordered, shuffled } from "./draw.js";
import { gradeChoice, gradeMultiple, gradeOrder, gradeOutput } from "./grade.js";
import { spoken } from "./question.js";

let made = 0;

/** One of several options, or some of them. @implements {Field} */
export class ChoiceField {
  element = document.createElement("fieldset");
  /** @type {Map<number, HTMLInputElement>} by the option's place in the question */
  #inputs = new Map();

  /** @param {Setting} setting */
  constructor({ question, seed, label }) {
    this.options = question.options ?? [];
    this.many = question.kind === "multiple";
    const count = this.options.filter((option) => option.right).length;
    const group = `napkin-choice-${(made += 1)}`;
    this.element.dataset.part = "options";
    this.element.setAttribute("aria-labelledby", label);
    if (this.many) {
      const note = document.createElement("p");
      note.dataset.part = "note";
      note.textContent = `Choose ${count}.`;
      note.id = `${group}-note`;
      this.element.setAttribute("aria-describedby", note.id);
      this.element.append(note);
    }
    for (const place of shuffled(this.options.length, seed)) {
      const row = document.createElement("div");
      row.dataset.part = "option";
      const input = document.createElement("input");
      input.type = this.many ? "checkbox" : "radio";
      input.name = group;
      input.value = String(place);
      input.id = `${group}-${place}`;
      const text = document.createElement("label");
      text.htmlFor = input.id;
      text.innerHTML = this.options[place].text;
      row.append(input, text);
      this.element.append(row);
      this.#inputs.set(place, input);
    }
  }

  get chosen() {
    return [...this.#inputs].filter(([, input]) => input.checked).map(([place]) => place).sort((a, b) => a - b);
  }

  get given() {
    return JSON.stringify(this.chosen);
  }

  set given(text) {
    const places = JSON.parse(text || "[]");
    for (const [place, input] of this.#inputs) input.checked = places.includes(place);
  }

  grade() {
    return this.many ? gradeMultiple(this.chosen, this.options) : gradeChoice(this.chosen, this.options);
  }

  /** @param {Grade | null} grade */
  mark(grade) {
    for (const [place, input] of this.#inputs) {
      const row = /** @type {HTMLElement} */ (input.parentElement);
      const judged = grade && grade.outcome !== "invalid" && input.checked;
      if (judged) row.dataset.mark = this.options[place].right ? "right" : "wrong";
      else delete row.dataset.mark;
    }
  }

  /** @param {FocusOptions} [options] */
  focus(options) {
    const all = [...this.#inputs.values()];
    (all.find((input) => input.checked) ?? all[0])?.focus(options);
  }
}

/** Items to be put in order, by buttons: the same with keys, a finger or a mouse. @implements {Field} */
export class OrderField {
  element = document.createElement("ol");
  /** @type {HTMLLIElement[]} by the item's place in the right order */
  #rows = [];

  /** @param {Setting} setting */
  constructor({ question, seed, label }) {
    this.items = question.items ?? [];
    this.element.dataset.part = "items";
    this.element.setAttribute("aria-labelledby", label);
    this.#rows = this.items.map((text, item) => {
      const row = document.createElement("li");
      row.dataset.item = String(item);
      const words = document.createElement("span");
      words.dataset.part = "text";
      words.innerHTML = text;
      const line = document.createElement("div");
      line.dataset.part = "line";
      line.append(words, this.#button(row, "up", -1), this.#button(row, "down", 1));
      row.append(line);
      return row;
    });
    this.order = disordered(this.items.length, seed);
  }

  /** The items as they stand now. @returns {number[]} */
  get order() {
    return [.../** @type {HTMLCollectionOf<HTMLElement>} */ (this.element.children)].map((row) => Number(row.dataset.item));
  }

  set order(order) {
    this.element.append(...order.map((item) => this.#rows[item]));
    this.#ends();
  }

  get given() {
    return JSON.stringify(this.order);
  }

  set given(text) {
    const order = JSON.parse(text);
    if (order.length === this.#rows.length) this.order = order;
  }

  grade() {
    return gradeOrder(this.order);
  }

  /** @param {Grade | null} grade */
  mark(grade) {
    this.order.forEach((item, place) => {
      const line = /** @type {HTMLElement} */ (this.#rows[item].firstElementChild);
      if (grade) line.dataset.mark = item === place ? "right" : "wrong";
      else delete line.dataset.mark;
    });
  }

  /** @param {FocusOptions} [options] */
  focus(options) {
    this.element.querySelector("button")?.focus(options);
  }

  /**
   * @param {HTMLLIElement} row
   * @param {"up" | "down"} way
   * @param {-1 | 1} step
   */
  #button(row, way, step) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.action = way;
    button.textContent = way === "up" ? "↑" : "↓";
    const text = spoken(this.items[Number(row.dataset.item)]);
    button.setAttribute("aria-label", `Move ${way}: ${text}`);
    button.addEventListener("click", () => {
      const neighbour = step < 0 ? row.previousElementSibling : row.nextElementSibling;
      if (!neighbour) return;
      if (step < 0) neighbour.before(row);
      else neighbour.after(row);
      this.#ends();
      button.focus(); // moving an element takes its focus
      this.element.dispatchEvent(new Event("input", { bubbles: true }));
      announce(`${text}: now ${this.order.indexOf(Number(row.dataset.item)) + 1} of ${this.items.length}`);
    });
    return button;
  }

  #ends() {
    const rows = [...this.element.children];
    rows.forEach((row, place) => {
      const [up, down] = row.querySelectorAll("button");
      up.setAttribute("aria-disabled", String(place === 0));
      down.setAttribute("aria-disabled", String(place === rows.length - 1));
    });
  }
}

/** What a piece of code prints. @implements {Field} */
export class OutputField {
  element = document.createElement("div");
  #text = document.createElement("textarea");

  /** @param {Setting} setting */
  constructor({ question, label }) {
    this.question = question;
    this.element.dataset.part = "prediction";
    const code = document.createElement("pre");
    code.dataset.part = "code";
    code.className = "highlight";
    code.tabIndex = 0;
    code.setAttribute("aria-label", "Python code");
    code.innerHTML = `<code>${question.code ?? ""}</code>`;
    const caption = document.createElement("label");
    caption.textContent = "It prints:";
    caption.htmlFor = this.#text.id = `napkin-output-${(made += 1)}`;
    this.#text.rows = 2;
    this.#text.spellcheck = false;
    this.#text.autocapitalize = "off";
    this.#text.setAttribute("autocorrect", "off");
    this.#text.setAttribute("aria-describedby", label);
    this.element.append(code, caption, this.#text);
  }

  get given() {
    return this.#text.value;
  }

  set given(text) {
    this.#text.value = text;
  }

  grade() {
    return gradeOutput(this.given, this.question.output ?? "", this.question.mistakes ?? []);
  }

  mark() {}

  /** @param {FocusOptions} [options] */
  focus(options) {
    this.#text.focus(options);
  }
}
