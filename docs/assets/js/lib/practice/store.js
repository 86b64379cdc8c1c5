/**
 * The reader's practice: one store for all elements of all pages and tabs.
 *
 * Every change is an event appended to the log; `states` holds what follows for each item. Listen
 * to "change" (`detail.items` is a Set of ids, or null where anything may have changed) and to
 * "notice" (`notices` holds sentences the reader must see).
 *
 * @import {PracticeEvent} from "./events.js"
 * @import {ItemState} from "./fold.js"
 * @import {Log} from "./log-memory.js"
 * @import {Grade, Memory} from "./schedule.js"
 * @import {NoticeName} from "./notices.js"
 * @import {Settings} from "./settings.js"
 * @typedef {Omit<PracticeEvent, "id" | "at" | "offset" | "day">} Draft
 */
import { dayStart, offsetAt, studyDay } from "./day.js";
import { SETTINGS, newId } from "./events.js";
import { fold, inOrder, newState } from "./fold.js";
import { IdbLog } from "./log-idb.js";
import { MemoryLog, StaleAnswer } from "./log-memory.js";
import { markUsed, wasUsed } from "./marker.js";
import { NOTICES } from "./notices.js";
import { dropPending, holdPending, leftPending } from "./pending.js";
import { outcomes } from "./schedule.js";
import { fits, settingsFrom, usualSettings } from "./settings.js";

const SITE = new URL("../../../../", import.meta.url).pathname;
export const DATABASE = `napkin-practice:${SITE}`;
const TAKEN_BACK = new Set(["answer", "bury", "suspend", "resume", "reset", "manual"]);

export class PracticeStore extends EventTarget {
  /** @type {Map<string, ItemState>} */
  states = new Map();
  /** @type {Settings} */
  settings = usualSettings();
  /** @type {Map<NoticeName, string>} */
  notices = new Map();
  /** Events that could not be written, oldest first. @type {PracticeEvent[]} */
  unsaved = [];
  /** Whether what is answered outlives the page. */
  lasting = false;
  /** @type {Log} */
  #log = new MemoryLog();
  /** @type {BroadcastChannel | undefined} */
  #channel;
  /** Writes follow one another. @type {Promise<unknown>} */
  #queue = Promise.resolve();

  /**
   * @param {() => Promise<Log>} [openLog] another log, for tests
   * @param {() => number} [clock]
   */
  constructor(openLog, clock = Date.now) {
    super();
    this.openLog = openLog ?? (() => this.#openDatabase());
    this.clock = clock;
  }

  /** Read what is kept. Never fails: where nothing can be kept, the store lasts as long as the page. */
  async open() {
    try {
      this.#log = await this.openLog();
      this.lasting = true;
    } catch {
      this.#log = new MemoryLog();
      this.#notice("blocked");
    }
    if (this.lasting) await this.#bringIn();
    await this.#readAll();
    if (this.lasting && !this.states.size && wasUsed()) this.#notice("lost");
    return this;
  }

  close() {
    this.#channel?.close();
    this.#log.close();
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
    const work = this.#queue.then(() => this.#append(draft, expected));
    this.#queue = work.catch(() => {});
    return work;
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
    try {
      await this.merge(events);
    } catch {
      for (const event of events) await this.#keepInTab(event);
      this.#changed(null);
    }
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
  async eventsOf(item) {
    const own = this.unsaved.filter((event) => event.item === item);
    return [...(await this.#log.ofItem(item)), ...own].sort(inOrder);
  }

  /** Events since an instant, in order. @param {number} ms */
  async since(ms) {
    const own = this.unsaved.filter(({ at }) => at >= ms);
    return [...(await this.#log.since(ms)), ...own].sort(inOrder);
  }

  /** The whole log, in order. */
  async all() {
    const events = [...(await this.#log.all()), ...this.unsaved].sort(inOrder);
    if (this.damaged.length) this.#notice("damaged");
    return events;
  }

  /** Kept records that could not be used, as they are. */
  get damaged() {
    return this.#log.damaged;
  }

  /**
   * Add events from elsewhere; those that are here already change nothing.
   * @param {PracticeEvent[]} events
   * @returns {Promise<number>} how many were new
   */
  async merge(events) {
    const work = this.#queue.then(() => this.#log.addAll(events));
    this.#queue = work.catch(() => {});
    const { added } = await work;
    if (added) {
      markUsed();
      await this.#readAll();
      this.#changed(null);
      this.#channel?.postMessage({ items: null });
    }
    return added;
  }

  /** A small thing kept beside the log, such as when the last backup was made. @param {string} key */
  async note(key) {
    return this.#log.note(key).catch(() => undefined);
  }

  /**
   * @param {string} key
   * @param {any} value
   */
  async keepNote(key, value) {
    await this.#log.keepNote(key, value).catch(() => {});
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
    holdPending(event);
    try {
      await this.#saveUnsaved();
      this.#take(await this.#log.append(event, expected));
      dropPending(event.id);
    } catch (error) {
      if (error instanceof StaleAnswer) {
        dropPending(event.id);
        await this.#refresh(new Set([draft.item]));
        throw error;
      }
      await this.#keepInTab(event);
    }
    if (draft.item === SETTINGS) await this.#readSettings();
    markUsed();
    const items = new Set([draft.item]);
    this.#changed(draft.item === SETTINGS ? null : items);
    this.#channel?.postMessage({ items: draft.item === SETTINGS ? null : [...items] });
    return event;
  }

  /** What could not be written before may be written now. */
  async #saveUnsaved() {
    if (!this.unsaved.length) return;
    await this.#log.addAll(this.unsaved);
    for (const { id } of this.unsaved) dropPending(id);
    this.unsaved = [];
    this.notices.delete("unsaved");
    this.dispatchEvent(new Event("notice"));
  }

  /** @param {PracticeEvent} event */
  async #keepInTab(event) {
    this.unsaved.push(event);
    this.#notice("unsaved");
    const kept = await this.#log.ofItem(event.item).catch(() => []);
    this.#take(fold(event.item, [...kept, ...this.unsaved.filter(({ item }) => item === event.item)]));
  }

  /** What a closed tab left on its way. */
  async #bringIn() {
    const left = leftPending();
    if (!left.length) return;
    try {
      await this.#log.addAll(left);
      for (const { id } of left) dropPending(id);
    } catch {
      // still no room: they stay where they are
    }
  }

  async #readAll() {
    try {
      const [states] = await Promise.all([this.#log.states(), this.#readSettings()]);
      this.states = new Map(states.map((state) => [state.id, state]));
    } catch {
      this.#notice("blocked");
    }
  }

  async #readSettings() {
    this.settings = settingsFrom(await this.eventsOf(SETTINGS));
  }

  /** @param {Set<string>} items read again, as another tab has changed them */
  async #refresh(items) {
    for (const state of await this.#log.states(items)) this.#take(state);
    this.#changed(items);
  }

  /** @param {ItemState} state */
  #take(state) {
    this.states.set(state.id, state);
  }

  #listen() {
    this.#channel = new BroadcastChannel(DATABASE);
    this.#channel.onmessage = async ({ data }) => {
      if (data.items) await this.#refresh(new Set(data.items));
      else {
        await this.#readAll();
        this.#changed(null);
      }
    };
  }

  /** @param {Set<string> | null} items */
  #changed(items) {
    this.dispatchEvent(new CustomEvent("change", { detail: { items } }));
  }

  /** @param {NoticeName} name */
  #notice(name) {
    if (this.notices.has(name)) return;
    this.notices.set(name, NOTICES[name]);
    this.dispatchEvent(new Event("notice"));
  }

  async #openDatabase() {
    if (!this.#channel && typeof BroadcastChannel === "function") this.#listen();
    return IdbLog.open(DATABASE, {
      blocked: () => this.#notice("waiting"),
      superseded: () => this.#notice("superseded"),
      terminated: () => this.#reopen(),
    });
  }

  /** The browser closed the database: what is appended next needs it again. */
  async #reopen() {
    try {
      this.#log = await this.#openDatabase();
    } catch {
      this.#notice("blocked");
    }
  }
}

/** @type {Promise<PracticeStore> | undefined} */
let opened;

/** The store of this page, opened when it is first wanted. */
export function practice() {
  return (opened ??= new PracticeStore().open());
}
