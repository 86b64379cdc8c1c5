/**
 * `<napkin-mix>`: questions of all lessons, chosen by topic and weakness, to practise or as an exam.
 *
 * @import {Course} from "../lib/practice/items.js"
 * @import {Question} from "../lib/practice/question.js"
 * @import {Session} from "../lib/practice/session.js"
 * @import {PracticeStore} from "../lib/practice/store.js"
 */
import { announce } from "../lib/announcer.js";
import { recover } from "../lib/practice/attempts.js";
import { button } from "../lib/practice/dom.js";
import { course } from "../lib/practice/items.js";
import { MixForm } from "../lib/practice/mix-form.js";
import { MixResult } from "../lib/practice/mix-result.js";
import { chosen } from "../lib/practice/scores.js";
import { keepSession, keptSession } from "../lib/practice/session.js";
import { practice } from "../lib/practice/store.js";
import { NapkinQuestion } from "./napkin-question.js";

if (!customElements.get("napkin-question")) customElements.define("napkin-question", NapkinQuestion);

export class NapkinMix extends HTMLElement {
  #course = /** @type {Course} */ (/** @type {unknown} */ (undefined));
  #store = /** @type {PracticeStore} */ (/** @type {unknown} */ (undefined));
  /** @type {Session | null} */
  #session = null;
  /** @type {NapkinQuestion[]} */
  #questions = [];
  #warned = false;
  #connected = new AbortController();
  #status = document.createElement("p");
  #clock = document.createElement("span");
  #note = document.createElement("span");

  connectedCallback() {
    this.#connected = new AbortController();
    this.#load();
  }

  disconnectedCallback() {
    this.#connected.abort();
    this.replaceChildren();
  }

  async #load() {
    const { signal } = this.#connected;
    try {
      await recover();
      [this.#course, this.#store] = await Promise.all([course(), practice()]);
    } catch {
      this.#fail();
      return;
    }
    if (signal.aborted) return;
    const session = keptSession();
    if (session && this.#bank.some(({ id }) => session.ids.includes(id))) this.#run(session);
    else this.#prepare();
  }

  #fail() {
    const retry = button("retry", "Try again", () => this.#load());
    const told = document.createElement("p");
    told.textContent = "The questions could not be loaded. Check the connection. ";
    told.append(retry);
    this.replaceChildren(told);
  }

  /** All that can be asked. */
  get #bank() {
    const questions = this.#course.items.filter(({ kind }) => kind !== "card");
    return /** @type {Question[]} */ (/** @type {unknown} */ (questions));
  }

  /** Choose what to be asked. */
  #prepare() {
    this.#session = null;
    this.dataset.state = "open";
    const form = new MixForm(this.#course, this.#bank, (id) => this.#store.state(id));
    form.element.addEventListener("submit", (event) => {
      event.preventDefault();
      const wish = form.wish;
      const now = Date.now();
      const picked = chosen(wish.questions, (id) => this.#store.state(id), { ...wish, seed: now });
      if (!picked.length) return form.say("No question fits: choose another lesson, topic or order.");
      this.#run({
        id: `x${now.toString(36)}`, mode: wish.mode, ids: picked.map(({ id }) => id), place: 0,
        began: now, ends: wish.minutes ? now + wish.minutes * 60_000 : 0, given: {},
      });
      this.#face(this.#questions[0]);
    });
    this.replaceChildren(form.element);
  }

  /** Ask. @param {Session} session */
  #run(session) {
    this.#session = session;
    this.#warned = false;
    this.dataset.state = "running";
    const bank = new Map(this.#bank.map((question) => [question.id, question]));
    // One that has left the course since is left out.
    const asked = session.ids.flatMap((id) => bank.get(id) ?? []);
    session.place = Math.min(Math.max(session.place, 0), asked.length - 1);
    this.#questions = asked.map((question) => this.#element(question, session));
    const bar = document.createElement("div");
    bar.dataset.part = "toolbar";
    bar.append(
      button("previous", "Back", () => this.#go(-1)),
      button("next", "Next", () => this.#go(1)),
      button("finish", session.mode === "exam" ? "Hand in" : "End", () => this.#handIn()),
      this.#note,
    );
    this.#note.dataset.part = "note";
    this.#note.textContent = "";
    this.#status.dataset.part = "status";
    this.#clock.dataset.part = "clock";
    this.#clock.textContent = "";
    const head = document.createElement("div");
    head.dataset.part = "head";
    head.append(this.#status, this.#clock);
    this.replaceChildren(head, ...this.#questions, bar);
    if (session.mode === "exam") this.#resume(session);
    keepSession(session);
    this.#show();
    if (session.ends) this.#watch(session);
  }

  /** @param {Question} question @param {Session} session */
  #element(question, session) {
    const element = new NapkinQuestion();
    const item = this.#course.byId.get(question.id);
    element.question = question;
    if (item) element.source = { href: this.#course.urlOf(item), title: this.#course.sourceOf(item) };
    element.since = session.began;
    if (session.mode === "exam") element.exam = session.id;
    return element;
  }

  /** What was answered before a reload, and whatever is answered from now on. @param {Session} session */
  #resume(session) {
    for (const question of this.#questions) {
      const { id } = question.question;
      if (session.given[id] !== undefined) question.given = session.given[id];
      question.addEventListener("input", () => {
        session.given[id] = question.given;
        keepSession(session);
        this.#show();
      });
    }
  }

  /** @param {number} step */
  #go(step) {
    const session = /** @type {Session} */ (this.#session);
    session.place += step;
    keepSession(session);
    this.#show();
    this.#face(this.#questions[session.place]);
    announce(this.#status.textContent ?? "");
  }

  #show() {
    const { place, given, mode } = /** @type {Session} */ (this.#session);
    const last = this.#questions.length - 1;
    this.#questions.forEach((question, each) => (question.hidden = each !== place));
    this.#status.textContent = `Question ${place + 1} of ${last + 1}`;
    const [previous, next] = this.querySelectorAll(":scope > [data-part=toolbar] > button");
    previous.toggleAttribute("hidden", place === 0);
    next.toggleAttribute("hidden", place === last);
    const open = this.#questions.filter(({ question }) => given[question.id] === undefined).length;
    if (mode === "exam") this.#note.textContent = open ? `${open} not answered yet` : "all answered";
  }

  /** Count down. @param {Session} session */
  #watch(session) {
    const { signal } = this.#connected;
    const minutes = () => Math.ceil((session.ends - Date.now()) / 60_000);
    let told = minutes();
    const tick = () => {
      if (this.#session !== session || signal.aborted) return clearInterval(timer);
      const left = Math.max(0, Math.ceil((session.ends - Date.now()) / 1000));
      const text = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left`;
      if (this.#clock.textContent !== text) this.#clock.textContent = text;
      if (left === 0) return this.#finish("Time is up.");
      if (minutes() < told && (told = minutes()) <= 5) announce(`${told} min left`);
    };
    const timer = setInterval(tick, 500);
    signal.addEventListener("abort", () => clearInterval(timer));
    tick();
  }

  /** What could not be read is asked about once, since it would not count. */
  #handIn() {
    const session = /** @type {Session} */ (this.#session);
    const unclear = session.mode === "exam" ? this.#questions.findIndex((each) => each.unclear) : -1;
    if (unclear < 0 || this.#warned) return this.#finish();
    this.#warned = true;
    this.#go(unclear - session.place);
    this.#note.textContent = `Question ${unclear + 1} could not be read, and would not count.`;
    announce(this.#note.textContent);
  }

  /** @param {string} [why] */
  #finish(why = "") {
    const session = /** @type {Session} */ (this.#session);
    this.#session = null;
    keepSession(null);
    const exam = session.mode === "exam";
    if (exam) for (const question of this.#questions) question.finish();
    const asked = this.#questions.filter(({ outcome }) => exam || /right|wrong/.test(outcome));
    this.dataset.state = "done";
    for (const question of this.#questions) question.hidden = false;
    const result = new MixResult(this.#course, asked, this.#store, why);
    const bar = document.createElement("div");
    bar.dataset.part = "toolbar";
    bar.append(...result.buttons, button("new", "Choose anew", () => this.#prepare()));
    this.replaceChildren(result.element, bar, ...asked);
    this.#face(result.element);
    announce(result.summary);
  }

  /** Put the reader before what comes now: on the screen and with the keys. @param {HTMLElement} element */
  #face(element) {
    element.focus({ preventScroll: true });
    const { top } = this.getBoundingClientRect();
    const { bottom } = element.getBoundingClientRect();
    if (top < 60 || bottom > innerHeight) this.scrollIntoView();
  }
}
