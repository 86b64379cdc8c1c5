/**
 * Where a number is written, with its unit, in whatever way; says below how it was read.
 *
 * @import {Field, Setting} from "./fields.js"
 * @import {Draw} from "./grade.js"
 */
import { gradeNumber } from "./grade.js";
import { decimalMark } from "./habits.js";
import { askedUnit, readQuantity } from "./quantity.js";
import { spoken } from "./question.js";
import { unitNamed } from "./units.js";

let made = 0;

/** @implements {Field} */
export class NumberField {
  element = document.createElement("div");
  #input = document.createElement("input");
  #reading = document.createElement("span");

  /** @param {Setting} setting */
  constructor({ question, draw, label }) {
    const unit = question.unit ?? "";
    const { tolerance = 0 } = question;
    this.draw = /** @type {Draw} */ (draw);
    const text = spoken(question.question);
    this.rule = { unit, tolerance, asked: askedUnit(text, unitNamed(unit)), text };
    this.element.dataset.part = "number";
    const caption = document.createElement("label");
    const input = this.#input;
    input.id = `napkin-number-${(made += 1)}`;
    this.#reading.id = `${input.id}-reading`;
    this.#reading.dataset.part = "reading";
    caption.htmlFor = input.id;
    caption.textContent = "Your answer";
    input.type = "text";
    input.autocomplete = "off";
    input.spellcheck = false;
    input.autocapitalize = "off";
    input.enterKeyHint = "done";
    input.setAttribute("aria-describedby", `${label} ${this.#reading.id}`);
    input.addEventListener("input", () => this.#echo());
    this.element.append(caption, input, this.#reading);
    const name = this.rule.asked?.name;
    if (name && name !== "$") input.placeholder = `in ${name}`;
    else if (unit && unit !== "$") input.placeholder = "with its unit";
  }

  get given() {
    return this.#input.value;
  }

  set given(text) {
    this.#input.value = text;
    this.#echo();
  }

  grade() {
    return gradeNumber(this.given, this.rule, this.draw, decimalMark());
  }

  mark() {}

  /** @param {FocusOptions} [options] */
  focus(options) {
    this.#input.focus(options);
  }

  /** What cannot be read yet may only be half written, so nothing is said about it here. */
  #echo() {
    const { unit, asked, text } = this.rule;
    const read = readQuantity(this.given, unitNamed(unit), { asked, mark: decimalMark(), text });
    this.#reading.textContent = read.kind === "quantity" ? `read as ${read.shown}` : "";
  }
}
