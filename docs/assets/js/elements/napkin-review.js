/**
 * `<napkin-review>`: all cards that are due, from all lessons, one after the other.
 *
 * @import {Course, Item} from "../lib/practice/items.js"
 * @import {PracticeEvent} from "../lib/practice/events.js"
 * @import {Queue} from "../lib/practice/queue.js"
 * @import {PracticeStore} from "../lib/practice/store.js"
 * @import {Grade} from "../lib/practice/schedule.js"
 */
import { announce } from "../lib/announcer.js";
import { backupReminder, lastingStorage } from "../lib/practice/backup.js";
import { dayName } from "../lib/practice/day.js";
import { button, part } from "../lib/practice/dom.js";
import { currentQueue } from "../lib/practice/due.js";
import { course, facesOf } from "../lib/practice/items.js";
import { lessonMenu } from "../lib/practice/lesson-menu.js";
import { showNotices } from "../lib/practice/notices.js";
import { dueCount } from "../lib/practice/queue.js";
import { GRADE_NAMES } from "../lib/practice/schedule.js";
import { practice } from "../lib/practice/store.js";
import { whyDue } from "../lib/practice/why.js";
import { counted } from "../lib/practice/wording.js";
import { NapkinCard, defineCard } from "./napkin-card.js";

const LOOK_AGAIN_MS = 20_000;
const DID = { answer: "the answer", bury: "burying", suspend: "suspending", resume: "resuming", reset: "the reset", manual: "the new date" };

export class NapkinReview extends HTMLElement {
  #connected = new AbortController();
  // Both are there before anything uses them.
  #store = /** @type {PracticeStore} */ (/** @type {unknown} */ (undefined));
  #course = /** @type {Course} */ (/** @type {unknown} */ (undefined));
  /** @type {Queue | undefined} */
  #queue;
  #lesson = "";
  /** Cards of later days too. */
  #ahead = false;
  /** What is asked now. @type {NapkinCard | undefined} */
  #card;
  /** @type {PracticeEvent[]} */
  #undoable = [];
  #own = 0;

  async connectedCallback() {
    this.#connected = new AbortController();
    const { signal } = this.#connected;
    defineCard();
    const opening = practice(); // while the course is fetched
    try {
      this.#course = await course();
    } catch {
      if (!signal.aborted) this.#failed();
      return;
    }
    const store = await opening;
    if (signal.aborted) return;
    this.#store = store;
    this.#build();
    showNotices(this.#part("notices"), store, signal);
    store.subscribe((items) => this.#heard(items), signal);
    this.addEventListener("graded", () => this.#graded(), { signal });
    this.addEventListener("stale", () => this.#next(), { signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    const timer = setInterval(() => this.#look(), LOOK_AGAIN_MS);
    signal.addEventListener("abort", () => clearInterval(timer));
    await this.#next({ quietly: true });
  }

  disconnectedCallback() {
    this.#connected.abort();
  }

  #failed() {
    const retry = button("retry", "Try again", () => {
      this.replaceChildren();
      this.connectedCallback();
    });
    const told = document.createElement("p");
    told.textContent = "The cards could not be loaded. Check the connection, then try again. ";
    told.append(retry);
    this.replaceChildren(told);
  }

  #build() {
    const bar = part("div", "bar");
    const count = part("p", "due-count");
    const menu = lessonMenu(this.#course, "Lesson", (lesson) => {
      this.#lesson = lesson;
      this.#next({ quietly: true });
    });
    bar.append(count, menu);
    const tools = part("div", "tools");
    tools.append(
      button("undo", "Undo", () => this.#undo()),
      button("bury", "Bury until tomorrow", () => this.#set("bury")),
      button("suspend", "Suspend", () => this.#set("suspend")),
    );
    const keys = part("p", "keys");
    keys.textContent = "Keys: space shows the answer and then means Good, 1 to 4 grade, u undoes.";
    this.replaceChildren(part("div", "notices"), bar, part("div", "stage"), tools, keys);
  }

  /** Ask the next card, or say that there is none. @param {{quietly?: boolean, first?: string}} [how] */
  async #next({ quietly = false, first = "" } = {}) {
    const queue = await this.#readQueue();
    const order = [...queue.learning, ...queue.review, ...queue.fresh, ...queue.soon, ...(this.#ahead ? this.#aheadOf(queue) : [])];
    const id = first && this.#course.byId.has(first) ? first : order[0];
    const item = id === undefined ? undefined : this.#course.byId.get(id);
    if (item) this.#ask(item);
    else this.#rest(quietly);
    await this.#showCounts();
    if (quietly) return;
    const target = this.querySelector("[data-action=show]") ?? this.querySelector("[data-part=rest]");
    /** @type {HTMLElement | null} */ (target)?.focus({ preventScroll: true });
  }

  async #readQueue() {
    const wanted = (/** @type {string} */ lesson) => !this.#lesson || lesson === this.#lesson;
    return (this.#queue = await currentQueue(this.#store, this.#course, wanted));
  }

  /** @param {Item} item */
  #ask(item) {
    const { front, back } = facesOf(item, this.#store.today());
    const card = NapkinCard.of(item.id, front, back);
    const source = part("p", "source");
    const link = document.createElement("a");
    link.href = this.#course.urlOf(item);
    link.textContent = this.#course.sourceOf(item);
    source.append("From: ", link);
    this.#card = card;
    this.#part("stage").replaceChildren(card, source, whyDue(this.#store, item.id));
    card.querySelector("[data-action=show]")?.setAttribute("aria-describedby", "napkin-front");
    /** @type {HTMLElement} */ (card.querySelector("[data-part=front]")).id = "napkin-front";
    this.dataset.state = "asking";
  }

  /** Those of later days, each once a day. @param {Queue} queue */
  #aheadOf({ later }) {
    const day = this.#store.today();
    return later.filter((id) => this.#store.state(id).memory.lastDay < day);
  }

  /** Nothing is due. @param {boolean} quietly */
  #rest(quietly) {
    const queue = /** @type {Queue} */ (this.#queue);
    this.#card = undefined;
    this.dataset.state = "done";
    const rest = part("div", "rest");
    rest.tabIndex = -1;
    const told = document.createElement("p");
    const added = [...this.#store.states.values()].some(({ id, added }) => added && this.#course.byId.has(id));
    if (!added) told.textContent = "Your queue is empty. Answer cards in a lesson, or add a whole lesson here:";
    else if (queue.next >= 0) told.textContent = `All done for now. The next card is due on ${dayName(queue.next)}.`;
    else told.textContent = "All done. Nothing else is in your queue.";
    rest.append(told);
    if (queue.waiting) {
      const more = Math.min(queue.waiting, 10);
      rest.append(button("more-new", `${counted(more, "more new card")} today`, () => this.#moreNew(more)));
    }
    const ahead = this.#aheadOf(queue).length;
    if (ahead && !this.#ahead) {
      const label = `Learn ahead (${counted(ahead, "card")})`;
      rest.append(button("ahead", label, () => {
        this.#ahead = true;
        this.#next();
      }));
    }
    rest.append(...this.#lessonButtons());
    this.#part("stage").replaceChildren(rest);
    if (!quietly) announce(told.textContent);
    this.#remind(rest);
  }

  /** @param {HTMLElement} rest */
  async #remind(rest) {
    const reminder = await backupReminder(this.#store);
    if (!reminder) return;
    const told = part("p", "reminder");
    const link = document.createElement("a");
    link.href = "#backup-and-anki";
    link.textContent = "Download a backup";
    told.append(`${reminder} `, link, ".");
    rest.append(told);
  }

  /** Lessons with cards that are not in the queue yet. */
  #lessonButtons() {
    const buttons = [];
    for (const [slug, { title }] of this.#course.lessons) {
      if (this.#lesson && slug !== this.#lesson) continue;
      const missing = this.#course.items.filter(
        ({ id, kind, lesson }) => kind === "card" && lesson === slug && !this.#store.state(id).added,
      );
      if (!missing.length) continue;
      const label = `Add ${counted(missing.length, "card")}: ${title}`;
      buttons.push(button("add-lesson", label, async () => {
        await this.#doing(() => this.#store.appendAll(missing.map(({ id }) => ({ kind: "add", item: id }))));
        this.#next();
      }));
    }
    return buttons;
  }

  /** @param {number} more */
  async #moreNew(more) {
    const day = this.#store.today();
    const { newToday } = this.#store.settings;
    const before = newToday.day === day ? newToday.more : 0;
    await this.#store.choose("newToday", { day, more: before + more });
    await this.#next();
  }

  async #graded() {
    lastingStorage();
    await this.#next();
  }

  /** @param {"bury" | "suspend"} kind */
  async #set(kind) {
    if (!this.#card) return;
    await this.#doing(() => this.#store.append({ kind, item: /** @type {NapkinCard} */ (this.#card).id }));
    announce(kind === "bury" ? "Away until tomorrow." : "Suspended.");
    await this.#next();
  }

  async #undo() {
    const event = (await this.#store.undoable()).at(-1);
    if (!event) return;
    await this.#doing(() => this.#store.undo(event));
    announce(`Undone: ${describe(event)}.`);
    await this.#next({ first: event.item });
  }

  /** Do what must not be taken for another tab's doing. @param {() => Promise<unknown>} work */
  async #doing(work) {
    this.#own += 1;
    try {
      await work();
    } finally {
      this.#own -= 1;
    }
  }

  /** Something changed here, in another element or in another tab. @param {Set<string> | null} items */
  async #heard(items) {
    const asked = this.#card?.id;
    if (this.#own > 0 || this.#card?.state === "shown") return; // what we do is followed by #next
    if (asked && items?.has(asked)) await this.#next({ quietly: true });
    else await this.#look();
  }

  /** Counts as of now; an idle page asks again when a card comes due. */
  async #look() {
    const queue = await this.#readQueue();
    if (!this.#card && dueCount(queue) + queue.soon.length && this.#own === 0) await this.#next({ quietly: true });
    else await this.#showCounts();
  }

  async #showCounts() {
    const { learning, review, fresh, soon } = /** @type {Queue} */ (this.#queue);
    const due = learning.length + review.length + fresh.length;
    const parts = [`${review.length} to review`, `${fresh.length} new`];
    const minutes = learning.length + soon.length;
    if (minutes) parts.splice(1, 0, `${minutes} to repeat within minutes`);
    this.#part("due-count").textContent = `${counted(due, "card")} due: ${parts.join(", ")}`;
    this.#undoable = await this.#store.undoable();
    const last = this.#undoable.at(-1);
    const undo = this.#tool("undo");
    undo.disabled = !last;
    undo.title = last ? `Take back ${DID[/** @type {keyof typeof DID} */ (last.kind)]}: ${describe(last)}` : "Nothing to take back today";
    for (const name of ["bury", "suspend"]) this.#tool(name).disabled = !this.#card;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {HTMLElement} */ (event.composedPath()[0] ?? event.target);
    if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.closest?.("input, textarea, select, [contenteditable], [role=textbox], [role=dialog]")) return;
    const busy = target.closest?.("button, a, summary, label, [role=button]");
    if (event.key === "u") {
      event.preventDefault();
      this.#undo();
    } else if (event.key === " " && !busy && this.#card) {
      event.preventDefault();
      if (this.#card.state === "asked") this.#card.show();
      else this.#card.grade(3);
    } else if (/^[1-4]$/.test(event.key) && this.#card?.state === "shown") {
      event.preventDefault();
      this.#card.grade(/** @type {Grade} */ (Number(event.key)));
    }
  }

  /** @param {string} action */
  #tool(action) {
    return /** @type {HTMLButtonElement} */ (this.querySelector(`[data-part=tools] [data-action=${action}]`));
  }

  /** @param {string} name */
  #part(name) {
    return /** @type {HTMLElement} */ (this.querySelector(`[data-part=${name}]`));
  }
}

/** @param {PracticeEvent} event */
function describe({ kind, grade }) {
  return kind === "answer" && grade ? GRADE_NAMES[grade] : DID[/** @type {keyof typeof DID} */ (kind)];
}
