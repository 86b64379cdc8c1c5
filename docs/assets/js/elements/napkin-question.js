/**
 * `<napkin-question>`: a question that is answered on the page, in a lesson, a mix or an exam.
 *
 * The readable list that the build wrote stays for paper; a form takes its place on the screen.
 * An answer that is not understood is said to be so, and nothing else happens.
 *
 * @import {Field} from "../lib/practice/fields.js"
 * @import {Draw, Grade} from "../lib/practice/grade.js"
 * @import {Question} from "../lib/practice/question.js"
 * @import {PracticeStore} from "../lib/practice/store.js"
 */
import { announce } from "../lib/announcer.js";
import { inTurn, leaveTurn } from "../lib/in-turn.js";
import { keepAttempt, lastAttempt } from "../lib/practice/attempts.js";
import { drawAt, seedOf } from "../lib/practice/draw.js";
import { answerOf } from "../lib/practice/faces.js";
import { ChoiceField, OrderField, OutputField } from "../lib/practice/fields.js";
import { keepDecimalMark, readerSeed } from "../lib/practice/habits.js";
import { NumberField } from "../lib/practice/number-field.js";
import { drawWith, escaped, filled, listed, spoken } from "../lib/practice/question.js";
import { practice } from "../lib/practice/store.js";

const FIELDS = {
  choice: ChoiceField, multiple: ChoiceField, number: NumberField, order: OrderField, output: OutputField,
};

export class NapkinQuestion extends HTMLElement {
  /** What is asked; set before the element is put into a page that does not hold it already. */
  question = /** @type {Question} */ (/** @type {unknown} */ (undefined));
  /** The exam that the question is part of: nothing is said before `finish`. */
  exam = "";
  /** Only answers since then are shown again; others make way for a fresh start. */
  since = 0;
  /** Where the question comes from, to be read up there. @type {{href: string, title: string} | null} */
  source = null;
  #form = document.createElement("form");
  #field = /** @type {Field} */ (/** @type {unknown} */ (undefined));
  /** @type {Draw | undefined} */
  #draw;
  #turn = 0;
  #hints = 0;
  /** What was judged last, so that the same answer does not count twice. @type {string | null} */
  #judged = null;
  #shown = false;
  #touched = false;
  #connected = new AbortController();
  #text = document.createElement("div");
  #parts = document.createElement("div");
  #toolbar = document.createElement("div");
  #feedback = document.createElement("div");
  #explanation = document.createElement("div");
  /** @type {Record<string, HTMLButtonElement>} */
  #buttons = {};

  connectedCallback() {
    // What a page holds comes in turn; who makes a question and hands it over wants it at once.
    if (this.question) this.#connect();
    else inTurn(this, () => this.#connect());
  }

  #connect() {
    this.#connected = new AbortController();
    if (!this.#field) this.#build();
    practice().then((store) => this.#follow(store));
  }

  disconnectedCallback() {
    leaveTurn(this);
    this.#connected.abort();
  }

  /** Judge an exam's answer, and say what it was worth. @returns {Grade["outcome"]} */
  finish() {
    /** @type {Grade} */
    const none = { outcome: "invalid", reply: "Not answered." };
    const grade = this.#touched ? this.#field.grade() : none;
    this.#conclude(grade);
    this.#shown = true;
    this.#explain();
    this.#offer();
    return grade.outcome;
  }

  get outcome() {
    return /** @type {Grade["outcome"] | "open"} */ (this.dataset.state);
  }

  /** The answer as text. */
  get given() {
    return this.#field.given;
  }

  set given(text) {
    this.#touched = true;
    this.#field.given = text;
  }

  /** Whether an exam's answer would not be understood; where it is so, says why. */
  get unclear() {
    const grade = this.#field.grade();
    const unclear = this.#touched && Boolean(this.given.trim()) && grade.outcome === "invalid";
    if (unclear) this.#tell(grade);
    return unclear;
  }

  /** @param {FocusOptions} [options] */
  focus(options) {
    this.#field.focus(options);
  }

  #build() {
    const held = /** @type {HTMLTemplateElement | null} */ (this.querySelector("template[data-part=data]"));
    this.question ??= JSON.parse(held?.content.textContent ?? "{}");
    const { id, kind, hints = [] } = this.question;
    this.id = id;
    this.dataset.kind = kind;
    this.classList.add("napkin-question");
    this.dataset.state = "open";
    const still = /** @type {HTMLElement | null} */ (this.querySelector("[data-part=static]"));
    if (still) still.hidden = true;
    this.#text.dataset.part = "question";
    this.#text.id = `${id}-text`;
    this.#feedback.dataset.part = "feedback";
    this.#explanation.dataset.part = "explanation";
    this.#toolbar.dataset.part = "toolbar";
    this.#form.dataset.part = "form";
    this.#form.noValidate = true;
    this.#form.append(this.#text, this.#parts, this.#toolbar, this.#feedback, this.#explanation);
    this.#button("check", "Check").type = "submit";
    if (hints.length) this.#button("hint", "Hint");
    this.#button("solution", "Show the answer");
    this.#button("another", this.question.draws?.length ? "Other numbers" : "Start again");
    this.#button("card", "Make it a card");
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#check();
    });
    this.#form.addEventListener("input", () => this.#reopen());
    // An exam tells nothing but this: it could not be read.
    this.#form.addEventListener("change", () => this.exam && this.unclear);
    this.#pose(0);
    this.append(this.#form);
    if (!this.exam) this.#restore();
  }

  /** @param {string} action @param {string} label */
  #button(action, label) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.action = action;
    button.textContent = label;
    button.addEventListener("click", () => this.#press(action));
    this.#toolbar.append(button);
    this.#buttons[action] = button;
    return button;
  }

  /** @param {string} action */
  #press(action) {
    if (action === "hint") this.#hint();
    else if (action === "solution") this.#solve();
    else if (action === "another") this.#again();
    else if (action === "card") this.#makeCard();
  }

  /**
   * Ask, with fresh numbers and a fresh order.
   * @param {number} turn
   * @param {Draw} [draw] those of an earlier answer
   */
  #pose(turn, draw) {
    const { question } = this;
    const seed = seedOf(readerSeed(), this.exam, question.id);
    const draws = question.draws ?? [];
    this.#turn = turn;
    this.#draw = draw ?? draws[drawAt(draws.length, seed, turn)];
    this.#hints = 0;
    this.#judged = null;
    this.#shown = false;
    this.#touched = false;
    this.#text.innerHTML = filled(question.question, this.#draw);
    const setting = { question, draw: this.#draw, seed: seedOf(seed, turn), label: this.#text.id };
    this.#field = new FIELDS[question.kind](setting);
    this.#parts.replaceChildren(this.#field.element);
    this.#open();
  }

  /** Back to no judgement. */
  #open() {
    this.dataset.state = "open";
    this.#feedback.replaceChildren();
    this.#explanation.replaceChildren();
    this.#field.mark(null);
    this.#offer();
  }

  /** The reader changes the answer. */
  #reopen() {
    this.#touched = true;
    if (this.#shown) return;
    if (this.exam) this.#feedback.replaceChildren();
    if (this.exam || this.dataset.state === "open") return;
    this.dataset.state = "open";
    this.#feedback.replaceChildren();
    this.#explanation.replaceChildren();
    this.#field.mark(null);
    this.#offer();
  }

  /** Show the buttons that make sense now. */
  #offer() {
    const { state } = this.dataset;
    const { hints = [] } = this.question;
    const ended = state === "right" || this.#shown;
    const { check, hint, solution, another, card } = this.#buttons;
    check.hidden = Boolean(this.exam) || ended;
    if (hint) {
      hint.hidden = Boolean(this.exam) || ended || this.#hints >= hints.length;
      hint.textContent = this.#hints ? "Next hint" : "Hint";
    }
    solution.hidden = Boolean(this.exam) || this.#shown || state !== "wrong";
    const fresh = Boolean(this.question.draws?.length) && state !== "invalid";
    another.hidden = Boolean(this.exam) || !(ended || fresh);
    card.hidden = !(this.#shown || state === "wrong");
  }

  #check() {
    if (this.exam && this.unclear) announce(spoken(this.#feedback.innerHTML));
    if (this.exam || this.#shown) return;
    const grade = this.#field.grade();
    const given = this.#field.given;
    if (grade.outcome !== "invalid" && given === this.#judged) return;
    const stood = document.activeElement === this.#buttons.check;
    this.#conclude(grade);
    const read = grade.reading ? `Read as ${grade.reading}. ` : "";
    const wrong = grade.outcome === "wrong" ? "Wrong. " : "";
    announce(read + wrong + spoken(this.#feedback.innerHTML));
    if (stood && this.#buttons.check.hidden) this.#step();
  }

  /** Show a judgement, and keep it where it is one. @param {Grade} grade */
  #conclude(grade) {
    this.#show(grade);
    if (grade.outcome === "invalid") return;
    const { outcome } = grade;
    const { id, hash } = this.question;
    this.#judged = this.#field.given;
    keepAttempt({
      item: id, outcome, given: this.#judged, values: this.#draw?.values ?? {}, turn: this.#turn,
      hints: this.#hints, hash, ...(this.exam && { exam: this.exam }),
    });
    this.dispatchEvent(new CustomEvent("napkin-answered", { bubbles: true, detail: { outcome } }));
  }

  /** @param {Grade} grade */
  #show(grade) {
    this.dataset.state = grade.outcome;
    this.#field.mark(grade);
    this.#tell(grade);
    if (grade.outcome === "right") this.#explain();
    this.#offer();
  }

  /** @param {Grade} grade */
  #tell(grade) {
    this.#feedback.innerHTML = this.#reply(grade);
    const choices = [...(grade.choices ?? []), ...(grade.other ? [grade.other] : [])];
    if (choices.length) {
      const row = document.createElement("p");
      row.dataset.part = "choices";
      if (grade.other) row.append("Not what you meant? ");
      row.append(...choices.map((choice) => this.#choice(choice)));
      this.#feedback.append(row);
    }
  }

  /** @param {import("../lib/practice/quantity.js").Choice} choice */
  #choice(choice) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.action = "choose";
    button.textContent = choice.label;
    button.addEventListener("click", () => {
      if (choice.mark) keepDecimalMark(choice.mark);
      this.given = choice.text;
      this.#field.focus(); // the button goes
      this.#form.dispatchEvent(new Event("input", { bubbles: true }));
      this.#check();
    });
    return button;
  }

  /** What is said to an answer. @param {Grade} grade @returns {string} HTML */
  #reply(grade) {
    const { options = [], replies = [], kind } = this.question;
    const said = grade.mistake === undefined ? escaped(grade.reply) : filled(replies[grade.mistake], this.#draw);
    const field = this.#field;
    if (!(field instanceof ChoiceField) || grade.outcome === "invalid") return `<p>${said}</p>`;
    if (kind === "choice") return `<p>${options[field.chosen[0]].reply}</p>`;
    const rows = field.chosen.map((place) => `<li>${listed(options[place].text)}: ${options[place].reply}</li>`);
    return `<p>${said}</p><ul>${rows.join("")}</ul>`;
  }

  /** Show the answer and why it is the answer. */
  #explain() {
    const { kind, explanation } = this.question;
    // A number may be near enough, and then the exact one is news.
    const known = this.dataset.state === "right" && kind !== "number";
    const answer = known ? "" : answerOf(this.question, this.#draw);
    this.#explanation.innerHTML = answer + filled(explanation, this.#draw);
    if (!this.source) return;
    const link = document.createElement("a");
    link.href = this.source.href;
    link.textContent = this.source.title;
    const row = document.createElement("p");
    row.append("Read up: ", link);
    this.#explanation.append(row);
  }

  #hint() {
    const { hints = [] } = this.question;
    const text = filled(hints[this.#hints], this.#draw);
    this.#hints += 1;
    this.dataset.state = "open";
    const row = document.createElement("p");
    row.dataset.part = "hint";
    row.innerHTML = text;
    this.#feedback.append(row);
    announce(`Hint: ${spoken(text)}`);
    this.#handOver(this.#buttons.hint);
  }

  #solve() {
    this.#shown = true;
    this.#explain();
    announce(spoken(this.#explanation.innerHTML));
    this.#handOver(this.#buttons.solution);
  }

  #again() {
    this.#pose(this.#turn + 1);
    this.#field.focus();
  }

  /** A button that has done its work goes; who stood on it stands on the next one. @param {HTMLButtonElement} button */
  #handOver(button) {
    const stood = document.activeElement === button;
    this.#offer();
    if (stood && button.hidden) this.#step();
  }

  /** On to the next button there is. */
  #step() {
    const next = Object.values(this.#buttons).find((each) => !each.hidden);
    if (next) next.focus();
    else this.#field.focus();
  }

  async #makeCard() {
    const store = await practice();
    if (store.state(this.#card).added) return;
    await store.append({ kind: "add", item: this.#card });
    announce("Added to your cards");
  }

  /** The card that a miss adds. */
  get #card() {
    return this.question.card || this.question.id;
  }

  /** The button says whether the card is in the queue already. @param {PracticeStore} store */
  #follow(store) {
    const show = () => {
      const has = Boolean(store.state(this.#card).added);
      this.#buttons.card.textContent = has ? "In your cards" : "Make it a card";
      this.#buttons.card.setAttribute("aria-disabled", String(has));
    };
    show();
    store.subscribe(show, this.#connected.signal);
  }

  /** Show what was answered before, and how it was judged. */
  async #restore() {
    const last = await lastAttempt(this.question.id);
    if (!last || this.#touched || this.#turn) return;
    if (last.at < this.since) {
      this.#pose((last.turn ?? 0) + 1);
      return;
    }
    if (last.hash !== this.question.hash) return;
    const draw = drawWith(this.question, last.values);
    if (this.question.draws && !draw) return;
    this.#pose(last.turn ?? 0, draw);
    try {
      this.#field.given = last.given ?? "";
    } catch {
      return; // not what this field writes
    }
    const grade = this.#field.grade();
    if (grade.outcome === "invalid") return;
    this.#hints = last.hints ?? 0;
    this.#judged = this.#field.given;
    this.#show(grade);
  }
}
