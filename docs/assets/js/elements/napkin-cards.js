/**
 * `<napkin-cards>`: a lesson's cards. Answer them now, or put them into the queue for later;
 * what was forgotten can be tried again at once.
 *
 * @import {NapkinCard} from "./napkin-card.js"
 * @import {PracticeStore} from "../lib/practice/store.js"
 */
import { announce } from "../lib/announcer.js";
import { button, part } from "../lib/practice/dom.js";
import { ROOT } from "../lib/practice/items.js";
import { watchDue } from "../lib/practice/due.js";
import { practice } from "../lib/practice/store.js";
import { counted, dueInWords } from "../lib/practice/wording.js";
import { defineCard } from "./napkin-card.js";

export class NapkinCards extends HTMLElement {
  #connected = new AbortController();
  /** @type {PracticeStore | undefined} */
  #store;
  /** Answered here with Again since the page was opened. @type {Set<string>} */
  #forgotten = new Set();
  /** @type {HTMLElement | undefined} */
  #foot;

  get cards() {
    return /** @type {NapkinCard[]} */ ([...this.querySelectorAll("napkin-card")]);
  }

  async connectedCallback() {
    this.#connected = new AbortController();
    const { signal } = this.#connected;
    defineCard();
    this.#store = await practice();
    if (signal.aborted) return;
    this.#build();
    this.addEventListener("graded", (event) => this.#graded(/** @type {CustomEvent} */ (event)), { signal });
    this.addEventListener("stale", () => this.#render(), { signal });
    this.#store.subscribe(() => this.#render(), signal);
    watchDue((count) => this.#showDue(count), signal);
    this.#render();
  }

  disconnectedCallback() {
    this.#connected.abort();
  }

  #build() {
    if (this.#foot) return;
    this.#foot = part("div", "foot");
    const add = button("add", "", () => this.#addAll());
    const retry = button("retry", "", () => this.#retry());
    const link = document.createElement("a");
    link.dataset.part = "due-link";
    link.href = new URL("practice/flashcards/", ROOT).href;
    link.textContent = "Review all due cards";
    link.append(" ", part("span", "due-count"));
    this.#foot.append(add, retry, link);
    this.append(this.#foot);
    for (const card of this.cards) {
      card.append(part("p", "card-status"));
    }
  }

  #render() {
    const store = /** @type {PracticeStore} */ (this.#store);
    const moment = store.moment();
    for (const card of this.cards) {
      const { added, suspended, memory } = store.state(card.id);
      const status = /** @type {HTMLElement} */ (card.querySelector("[data-part=card-status]"));
      if (suspended) status.textContent = "Suspended";
      else if (!added) status.textContent = "";
      else if (memory.phase === "new") status.textContent = "In your queue";
      else status.textContent = `In your queue, ${dueInWords(memory, moment)}`;
    }
    const missing = this.cards.filter(({ id }) => !store.state(id).added).length;
    const add = this.#button("add");
    add.hidden = missing === 0;
    add.textContent = missing === this.cards.length ? "Add all to my queue" : `Add the other ${missing} to my queue`;
    const retry = this.#button("retry");
    retry.hidden = this.#forgotten.size === 0;
    retry.textContent = `Try again (${this.#forgotten.size} to retry)`;
  }

  /** @param {CustomEvent} event */
  #graded({ target, detail }) {
    const card = /** @type {NapkinCard} */ (target);
    if (detail.grade === 1) this.#forgotten.add(card.id);
    else this.#forgotten.delete(card.id);
    const controls = /** @type {HTMLElement} */ (card.querySelector("[data-part=controls]"));
    const undo = button("undo", "Undo", async () => {
      this.#forgotten.delete(card.id);
      await this.#store?.undo(detail.event);
      card.ask();
      announce("Answer taken back.");
      /** @type {HTMLElement | null} */ (card.querySelector("[data-action=show]"))?.focus();
    });
    controls.replaceChildren(undo);
    undo.focus({ preventScroll: true });
    this.#render();
  }

  async #addAll() {
    const store = /** @type {PracticeStore} */ (this.#store);
    const fresh = this.cards.filter(({ id }) => !store.state(id).added);
    await store.appendAll(fresh.map(({ id }) => ({ kind: "add", item: id })));
    announce(`${counted(fresh.length, "card")} added to your queue.`);
    /** @type {HTMLElement | null} */ (this.querySelector("[data-part=due-link]"))?.focus();
  }

  #retry() {
    const again = this.cards.filter(({ id }) => this.#forgotten.has(id));
    for (const card of again) card.ask();
    this.#forgotten.clear();
    this.#render();
    const first = again[0]?.querySelector("[data-action=show]");
    /** @type {HTMLElement | null | undefined} */ (first)?.focus();
  }

  /** @param {number} count */
  #showDue(count) {
    const shown = this.querySelector("[data-part=foot] [data-part=due-count]");
    if (shown) shown.textContent = `(${count})`;
  }

  /** @param {string} action */
  #button(action) {
    return /** @type {HTMLButtonElement} */ (this.querySelector(`[data-part=foot] [data-action=${action}]`));
  }
}
