/**
 * The reader's practice: one store for all elements of all pages and tabs.
 *
 * Every change is an event appended to the journal; `states` holds what follows for each item. Listen
 * to "change" (`detail.items` is a Set of ids, or null where anything may have changed) and to
 * "notice" (`notices` holds sentences the reader must see).
 *
 * @import {PracticeEvent} from "./events.js"
 * @import {ItemState} from "./fold.js"
 * @import {Log} from "./log-memory.js"
 * @import {Grade} from "./schedule.js"
 * @import {NoticeName} from "./notices.js"
 * @import {Settings} from "./settings.js"
 * @typedef {Omit<PracticeEvent, "id" | "at" | "offset" | "day">} Draft
 */
import { dayStart, offsetAt, studyDay } from "./day.js";
import { SETTINGS, newId } from "./events.js";
import { newState, step } from "./fold.js";
import { Journal } from "./journal.js";
import { StaleAnswer } from "./log-memory.js";
import { markUsed, wasUsed } from "./marker.js";
import { outcomes } from "./schedule.js";
import { fits, settingsFrom, usualSettings } from "./settings.js";

const TAKEN_BACK = new Set(["answer", "bury", "suspend", "resume", "reset", "manual"]);

export class PracticeStore extends EventTarget {
  /** @type {Map<string, ItemState>} */
  states = new Map();
  /** @type {Settings} */
  settings = usualSettings();
  #journal;
  /** Writes follow one another. @type {Promise<unknown>} */
  #queue = Promise.resolve();

  /**
   * @param {() => Promise<Log>} [openLog] another log, for tests
   * @param {() => number} [clock]
   */
  constructor(openLog, clock = Date.now) {
    super();
    this.#journal = new Journal(openLog);
    this.#journal.addEventListener("notice", () => this.dispatchEvent(new Event("notice")));
    this.#journal.addEventListener("elsewhere", (event) =>
      this.#heard(/** @type {CustomEvent} */ (event).detail.items),
    );
    this.clock = clock;
  }

  /** Read what is kept. Never fails: where nothing can be kept, the store lasts as long as the page. */
  async open() {
    await this.#journal.open();
    await this.#readAll();
    if (this.lasting && !this.states.size && wasUsed()) this.#journal.tell("lost");
    return this;
  }

  close() {
    this.#journal.close();
  }

  get notices() {
    return this.#journal.notices;
  }

  /** A notice that no longer holds. @param {NoticeName} name */
  withdraw(name) {
    this.#journal.withdraw(name);
  }

  /** Whether what is answered outlives the page. */
  get lasting() {
    return this.#journal.lasting;
  }

  /** Events that could not be written, oldest first. */
  get unsaved() {
    return this.#journal.unsaved;
  }

  /** Kept records that could not be used, as they are. */
  get damaged() {
    return this.#journal.damaged;
  }

  /** Today's study day, by the reader's clock and rollover hour. */
  today() {
    return this.moment().day;
  }

  /** The instant and its study day. */
  moment() {
    const ms = this.clock();
    return { ms, day: studyDay(ms, offsetAt(ms), this.settings.rollover) };
  }

  /** @param {string} item @returns {ItemState} */
  state(item) {
    return this.states.get(item) ?? newState(item);
  }

  /**
   * Append one event: on disk together with the state that follows, or kept in the tab with a
   * notice. Raises StaleAnswer where the answer `expected` is no longer the last one.
   * @param {Draft} draft
   * @param {string} [expected]
   * @returns {Promise<PracticeEvent>}
   */
  append(draft, expected) {
    return this.#inTurn(() => this.#append(draft, expected));
  }

  /**
   * Append several events that rest on nothing, such as a lesson's cards being added, in one step.
   * @param {Draft[]} drafts
   */
  async appendAll(drafts) {
    const { ms, day } = this.moment();
    const events = drafts.map(
      (draft) =>
        /** @type {PracticeEvent} */ ({
          id: newId(ms, this.state(draft.item).last),
          ...draft,
          at: ms,
          offset: offsetAt(ms),
          day,
        }),
    );
    const written = await this.#inTurn(() => this.#journal.appendAll(events));
    markUsed();
    if (written) await this.#readAll();
    else for (const event of events) this.#take(step(this.state(event.item), event));
    this.#tellAll(null);
  }

  /**
   * Grade a card. `expected` is the `answer` of its state as it was shown; where another tab has
   * answered since, StaleAnswer is raised and nothing is written.
   * @param {string} item
   * @param {Grade} grade
   * @param {string} [expected]
   */
  answer(item, grade, expected = this.state(item).answer) {
    const { memory } = this.state(item);
    const { retention } = this.settings;
    const moment = this.moment();
    const after = outcomes(item, memory, moment, { retention })[grade];
    const gap = memory.phase === "new" ? 0 : Math.max(0, moment.day - memory.lastDay);
    /** @type {Draft} */
    const draft = { kind: "answer", item, grade, was: memory.phase, gap, prev: expected, retention, after };
    return this.append(draft, expected);
  }

  /**
   * Take an event back; the state is again what the others make of it.
   * @param {PracticeEvent} event
   */
  undo(event) {
    return this.append({ kind: "undo", item: event.item, of: event.id });
  }

  /** What can be taken back of this study day, oldest first. */
  async undoable() {
    const events = await this.since(dayStart(this.today(), this.settings.rollover));
    const undone = new Set(events.map(({ of }) => of));
    return events.filter(({ id, kind }) => TAKEN_BACK.has(kind) && !undone.has(id));
  }

  /**
   * @template {keyof Settings} K
   * @param {K} key
   * @param {Settings[K]} value
   */
  async choose(key, value) {
    if (!fits(key, value)) throw new RangeError(`${key} cannot be ${JSON.stringify(value)}`);
    await this.append({ kind: "setting", item: SETTINGS, key, value });
  }

  /** All events of an item, in order. @param {string} item */
  eventsOf(item) {
    return this.#journal.ofItem(item);
  }

  /** Events since an instant, in order. @param {number} ms */
  since(ms) {
    return this.#journal.since(ms);
  }

  /** The whole log, in order. */
  all() {
    return this.#journal.all();
  }

  /**
   * Add events from elsewhere; those that are here already change nothing.
   * @param {PracticeEvent[]} events
   * @returns {Promise<number>} how many were new
   */
  async merge(events) {
    const added = await this.#inTurn(() => this.#journal.addAll(events));
    if (added) {
      markUsed();
      await this.#readAll();
      this.#tellAll(null);
    }
    return added;
  }

  /** A small thing kept beside the log, such as when the last backup was made. @param {string} key */
  note(key) {
    return this.#journal.note(key);
  }

  /**
   * @param {string} key
   * @param {any} value
   */
  keepNote(key, value) {
    return this.#journal.keepNote(key, value);
  }

  /**
   * Hear of changes until the signal.
   * @param {(items: Set<string> | null) => void} callback
   * @param {AbortSignal} signal
   */
  subscribe(callback, signal) {
    const hear = (/** @type {Event} */ event) => callback(/** @type {CustomEvent} */ (event).detail.items);
    this.addEventListener("change", hear, { signal });
  }

  /**
   * @param {Draft} draft
   * @param {string} [expected]
   */
  async #append(draft, expected) {
    const { ms, day } = this.moment();
    const before = this.state(draft.item);
    const id = newId(ms, before.last);
    const event = /** @type {PracticeEvent} */ ({ id, ...draft, at: ms, offset: offsetAt(ms), day });
    try {
      this.#take(await this.#journal.append(event, before, expected));
    } catch (error) {
      if (error instanceof StaleAnswer) await this.#refresh([draft.item]);
      throw error;
    }
    markUsed();
    if (draft.item === SETTINGS) await this.#readSettings();
    this.#tellAll(draft.item === SETTINGS ? null : [draft.item]);
    return event;
  }

  /**
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  #inTurn(work) {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => {});
    return result;
  }

  async #readAll() {
    try {
      const [states] = await Promise.all([this.#journal.states(), this.#readSettings()]);
      this.states = new Map(states.map((state) => [state.id, state]));
    } catch {
      this.#journal.tell("blocked");
    }
  }

  async #readSettings() {
    this.settings = settingsFrom(await this.eventsOf(SETTINGS));
  }

  /** Another tab has changed items; null: anything. @param {string[] | null} items */
  async #heard(items) {
    if (items) return this.#refresh(items);
    await this.#readAll();
    this.#changed(null);
  }

  /** @param {string[]} items */
  async #refresh(items) {
    for (const state of await this.#journal.states(items)) this.#take(state);
    this.#changed(items);
  }

  /** @param {ItemState} state */
  #take(state) {
    this.states.set(state.id, state);
  }

  /** Here and in the other tabs. @param {string[] | null} items */
  #tellAll(items) {
    this.#changed(items);
    this.#journal.spread(items);
  }

  /** @param {string[] | null} items */
  #changed(items) {
    this.dispatchEvent(new CustomEvent("change", { detail: { items: items && new Set(items) } }));
  }
}

/** @type {Promise<PracticeStore> | undefined} */
let opened;

/** The store of this page, opened when it is first wanted. */
export function practice() {
  return (opened ??= new PracticeStore().open());
}
