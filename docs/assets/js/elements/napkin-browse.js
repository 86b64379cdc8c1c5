/**
 * `<napkin-browse>`: all cards of the course, to look through and to search.
 *
 * @import {Course, Item} from "../lib/practice/items.js"
 * @import {PracticeStore} from "../lib/practice/store.js"
 */
import { announce } from "../lib/announcer.js";
import { button, part } from "../lib/practice/dom.js";
import { course, facesOf, textOf } from "../lib/practice/items.js";
import { lessonMenu } from "../lib/practice/lesson-menu.js";
import { practice } from "../lib/practice/store.js";
import { reasons } from "../lib/practice/why.js";
import { counted, dueInWords } from "../lib/practice/wording.js";

const PAGE = 12;
/** @type {Record<string, (state: import("../lib/practice/fold.js").ItemState, day: number) => boolean>} */
const STATUS = {
  "Any status": () => true,
  "Not in the queue": ({ added }) => !added,
  New: ({ added, memory }) => added > 0 && memory.phase === "new",
  "Being learnt": ({ memory }) => memory.phase === "learning" || memory.phase === "relearning",
  Learnt: ({ memory }) => memory.phase === "review",
  "Due today": ({ memory, suspended }, day) => !suspended && memory.phase !== "new" && memory.dueDay <= day,
  "Forgotten often": ({ memory }) => memory.lapses >= 8,
  Suspended: ({ suspended }) => suspended,
};

export class NapkinBrowse extends HTMLElement {
  #connected = new AbortController();
  #store = /** @type {PracticeStore} */ (/** @type {unknown} */ (undefined));
  #course = /** @type {Course} */ (/** @type {unknown} */ (undefined));
  #lesson = "";
  #words = "";
  #status = "Any status";
  #shown = PAGE;
  /** The words of each item, for the search. @type {Map<string, string>} */
  #texts = new Map();

  async connectedCallback() {
    this.#connected = new AbortController();
    const { signal } = this.#connected;
    this.#store = await practice();
    try {
      this.#course = await course();
    } catch {
      return; // the review element says so
    }
    if (signal.aborted) return;
    this.#build();
    this.#store.subscribe((items) => this.#changed(items), signal);
    this.#render();
  }

  disconnectedCallback() {
    this.#connected.abort();
  }

  #build() {
    const filters = part("div", "filters");
    const search = document.createElement("input");
    search.type = "search";
    search.addEventListener("input", () => this.#filter(() => (this.#words = search.value.toLowerCase())));
    const label = document.createElement("label");
    label.append("Search ", search);
    const status = document.createElement("select");
    for (const name of Object.keys(STATUS)) status.append(new Option(name, name));
    status.addEventListener("change", () => this.#filter(() => (this.#status = status.value)));
    const statusLabel = document.createElement("label");
    statusLabel.append("Status ", status);
    const menu = lessonMenu(this.#course, "Lesson", (lesson) => this.#filter(() => (this.#lesson = lesson)));
    filters.append(label, menu, statusLabel);
    const count = part("p", "note");
    count.setAttribute("role", "status");
    this.replaceChildren(filters, count, part("div", "list"), part("div", "row"));
  }

  /** @param {() => void} change */
  #filter(change) {
    change();
    this.#shown = PAGE;
    this.#render();
  }

  #matching() {
    const fits = STATUS[this.#status];
    const day = this.#store.today();
    const words = this.#words.split(/\s+/).filter(Boolean);
    return this.#course.items.filter((item) => {
      if (this.#lesson && item.lesson !== this.#lesson) return false;
      const state = this.#store.state(item.id);
      if (item.kind !== "card" && !state.added) return false; // a question that was made a card
      if (!fits(state, day)) return false;
      return words.every((word) => this.#textOf(item).includes(word));
    });
  }

  /** @param {Item} item */
  #textOf(item) {
    let text = this.#texts.get(item.id);
    if (text === undefined) {
      const { front, back } = facesOf(item);
      text = `${item.id} ${item.tags.join(" ")} ${plain(front)} ${plain(back)}`.toLowerCase();
      this.#texts.set(item.id, text);
    }
    return text;
  }

  #render() {
    const found = this.#matching();
    const visible = found.slice(0, this.#shown);
    this.#part("note").textContent = `${counted(found.length, "card")}${found.length > visible.length ? `, the first ${visible.length} shown` : ""}`;
    this.#part("list").replaceChildren(...visible.map((item) => this.#row(item)));
    const row = this.#part("row");
    row.replaceChildren();
    if (found.length > visible.length) {
      row.append(
        button("more", "Show more", () => {
          this.#shown += PAGE;
          this.#render();
        }),
      );
    }
  }

  /** @param {Set<string> | null} items */
  #changed(items) {
    if (!items) {
      this.#render();
      return;
    }
    for (const id of items) {
      const row = this.querySelector(`details[data-item="${id}"]`);
      const item = this.#course.byId.get(id);
      if (!row || !item) continue;
      this.#showStatus(row, item);
      if (/** @type {HTMLDetailsElement} */ (row).open) this.#open(/** @type {HTMLDetailsElement} */ (row), item);
    }
  }

  /** @param {Item} item */
  #row(item) {
    const details = document.createElement("details");
    details.dataset.item = item.id;
    const summary = document.createElement("summary");
    summary.append(plain(facesOf(item).front), " ", part("span", "item-status"));
    details.append(summary);
    this.#showStatus(details, item);
    details.addEventListener("toggle", () => {
      if (details.open) this.#open(details, item);
    });
    return details;
  }

  /**
   * @param {Element} row
   * @param {Item} item
   */
  #showStatus(row, item) {
    const { added, suspended, memory } = this.#store.state(item.id);
    const words = suspended ? "suspended" : added ? dueInWords(memory, this.#store.moment()) : "not in your queue";
    const place = row.querySelector("[data-part=item-status]");
    if (place) place.textContent = `(${words})`;
  }

  /**
   * @param {HTMLDetailsElement} details
   * @param {Item} item
   */
  async #open(details, item) {
    const { front, back } = facesOf(item);
    const body = part("div", "body");
    const faces = part("div", "faces");
    faces.innerHTML = `${front}${back}`;
    const source = part("p", "source");
    const link = document.createElement("a");
    link.href = this.#course.urlOf(item);
    link.textContent = this.#course.sourceOf(item);
    source.append("From: ", link);
    const list = document.createElement("ul");
    for (const reason of await reasons(this.#store, item.id)) {
      const line = document.createElement("li");
      line.textContent = reason;
      list.append(line);
    }
    const row = part("div", "row");
    row.append(...this.#actions(item));
    const had = details.querySelector("[data-part=body]");
    const focused = had?.contains(document.activeElement);
    had?.remove();
    body.append(faces, source, ...(this.#store.state(item.id).added ? [list] : []), row);
    details.append(body);
    if (focused) /** @type {HTMLElement | null} */ (row.querySelector("button"))?.focus();
  }

  /** @param {Item} item */
  #actions({ id }) {
    const { added, suspended, memory } = this.#store.state(id);
    const day = this.#store.today();
    /** @param {string} action @param {string} label @param {import("../lib/practice/store.js").Draft} draft */
    const does = (action, label, draft) =>
      button(action, label, async () => {
        await this.#store.append(draft);
        announce(`${label}: done.`);
      });
    if (suspended) return [does("resume", "Resume", { kind: "resume", item: id })];
    if (!added) return [does("add", "Add to my queue", { kind: "add", item: id })];
    const actions = [does("suspend", "Suspend", { kind: "suspend", item: id })];
    if (memory.phase === "review" && memory.dueDay > day) {
      actions.push(does("manual", "Make it due today", { kind: "manual", item: id, due: day }));
    }
    if (memory.phase !== "new") actions.push(does("reset", "Start it anew", { kind: "reset", item: id }));
    return actions;
  }

  /** @param {string} name */
  #part(name) {
    return /** @type {HTMLElement} */ (this.querySelector(`:scope > [data-part=${name}]`));
  }
}

/** @param {string} html @returns {string} in one line */
function plain(html) {
  return textOf(html).replace(/\s+/g, " ");
}
