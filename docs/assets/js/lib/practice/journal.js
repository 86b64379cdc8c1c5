/**
 * The log as it can be kept here and now: in the database, or where that is in the way, in this tab
 * until it can be written. No event is lost on the way: what is not in the database yet is held
 * outside it, and brought in by the next visit.
 *
 * Listen to "notice" (`notices` holds sentences the reader must see) and to "elsewhere": another
 * tab has changed items (`detail.items`: an array of ids, or null for anything).
 *
 * @import {PracticeEvent} from "./events.js"
 * @import {ItemState} from "./fold.js"
 * @import {Log} from "./log-memory.js"
 * @import {NoticeName} from "./notices.js"
 */
import { fold, inOrder, step } from "./fold.js";
import { IdbLog } from "./log-idb.js";
import { MemoryLog, StaleAnswer } from "./log-memory.js";
import { NOTICES } from "./notices.js";
import { dropPending, holdPending, leftPending } from "./pending.js";

const SITE = new URL("../../../../", import.meta.url).pathname;
const DATABASE = `napkin-practice:${SITE}`;

export class Journal extends EventTarget {
  /** @type {Map<NoticeName, string>} */
  notices = new Map();
  /** Events that could not be written, oldest first. @type {PracticeEvent[]} */
  unsaved = [];
  /** Whether what is written outlives the page. */
  lasting = false;
  /** @type {Log} */
  #log = new MemoryLog();
  #watching = false;
  /** The page was left, and may come back. */
  #away = false;
  /** @type {BroadcastChannel | undefined} */
  #channel;

  /** @param {() => Promise<Log>} [openLog] another log, for tests */
  constructor(openLog) {
    super();
    this.openLog = openLog ?? (() => this.#openDatabase());
  }

  /** Never fails: where nothing can be kept, the journal lasts as long as the page. */
  async open() {
    try {
      this.#log = await this.openLog();
      this.lasting = true;
    } catch (error) {
      this.#tellWhy(error);
    }
    await this.#bringIn();
  }

  close() {
    this.#channel?.close();
    this.#log.close();
  }

  /** Kept records that could not be used, as they are. */
  get damaged() {
    return this.#log.damaged;
  }

  /**
   * Write one event, with the state that follows. Raises StaleAnswer where the answer `expected` is
   * no longer the last one.
   * @param {PracticeEvent} event
   * @param {ItemState} before the state as far as this tab knows
   * @param {string} [expected]
   * @returns {Promise<ItemState>}
   */
  async append(event, before, expected) {
    holdPending(event);
    try {
      await this.#saveUnsaved();
      const after = await this.#log.append(event, expected);
      if (this.lasting) dropPending(event.id);
      return after;
    } catch (error) {
      if (error instanceof StaleAnswer) {
        dropPending(event.id);
        throw error;
      }
      this.#keepInTab(event);
      return this.#stateWith(event, before);
    }
  }

  /**
   * Write events; those that are here already change nothing. Raises where it cannot be done.
   * @param {PracticeEvent[]} events
   * @returns {Promise<number>} how many were new
   */
  async addAll(events) {
    await this.#saveUnsaved();
    return (await this.#log.addAll(events)).added;
  }

  /**
   * The same for events of this tab, which are kept in it where they cannot be written.
   * @param {PracticeEvent[]} events
   * @returns {Promise<boolean>} whether they were written
   */
  async appendAll(events) {
    for (const event of events) holdPending(event);
    try {
      await this.#saveUnsaved();
      await this.#log.addAll(events);
    } catch {
      for (const event of events) this.#keepInTab(event);
      return false;
    }
    if (this.lasting) for (const { id } of events) dropPending(id);
    return true;
  }

  /** All events of an item, in order. @param {string} item */
  async ofItem(item) {
    const own = this.unsaved.filter((event) => event.item === item);
    return [...(await this.#log.ofItem(item)), ...own].sort(inOrder);
  }

  /**
   * Events since an instant, in order; those of this tab where the others cannot be read.
   * @param {number} ms
   */
  async since(ms) {
    const own = this.unsaved.filter(({ at }) => at >= ms);
    return [...(await this.#log.since(ms).catch(() => [])), ...own].sort(inOrder);
  }

  /** The whole log, in order. */
  async all() {
    const events = [...(await this.#log.all()), ...this.unsaved].sort(inOrder);
    if (this.damaged.length) this.tell("damaged");
    return events;
  }

  /** @param {Iterable<string>} [items] all of them where none are named */
  async states(items) {
    const kept = await this.#log.states(items);
    if (!this.unsaved.length) return kept;
    const byId = new Map(kept.map((state) => [state.id, state]));
    for (const { item } of this.unsaved) {
      if (!items || byId.has(item)) byId.set(item, fold(item, await this.ofItem(item)));
    }
    return [...byId.values()];
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

  /** Tell the other tabs. @param {string[] | null} items */
  spread(items) {
    this.#channel?.postMessage({ items });
  }

  /** @param {NoticeName} name */
  tell(name) {
    // A tab that must be reloaded anyway needs to know nothing else.
    if (this.notices.has(name) || this.notices.has("superseded")) return;
    this.notices.set(name, NOTICES[name]);
    this.dispatchEvent(new Event("notice"));
  }

  /** What is no longer so. @param {NoticeName[]} names */
  withdraw(...names) {
    for (const name of names) this.notices.delete(name);
    this.dispatchEvent(new Event("notice"));
  }

  /** @param {any} error from opening the database */
  #tellWhy(error) {
    if (error?.name === "VersionError") this.tell("newer");
    else if (!this.notices.has("waiting")) this.tell("blocked");
  }

  /** What could not be written before may be written now. */
  async #saveUnsaved() {
    if (!this.unsaved.length) return;
    await this.#log.addAll(this.unsaved);
    for (const { id } of this.unsaved) dropPending(id);
    this.unsaved = [];
    this.withdraw("unsaved");
  }

  /** @param {PracticeEvent} event */
  #keepInTab(event) {
    this.unsaved.push(event);
    this.tell("unsaved");
  }

  /** @param {PracticeEvent} event @param {ItemState} before */
  async #stateWith(event, before) {
    try {
      return fold(event.item, await this.ofItem(event.item));
    } catch {
      return event.kind === "undo" ? before : step(before, event);
    }
  }

  /** What a closed tab left on its way; it stays held where this journal does not last either. */
  async #bringIn() {
    const left = leftPending();
    if (!left.length) return;
    try {
      await this.#log.addAll(left);
      if (this.lasting) for (const { id } of left) dropPending(id);
    } catch {
      // still no room: they stay where they are
    }
  }

  async #openDatabase() {
    if (!this.#watching) this.#watch();
    const log = await IdbLog.open(DATABASE, {
      blocked: () => this.tell("waiting"),
      superseded: () => this.tell("superseded"),
      terminated: () => this.#reopen(),
      late: (log) => this.#adopt(log),
    });
    if (this.#away) log.close();
    return log;
  }

  /** The database answers after all: what was done meanwhile goes into it. @param {Log} log */
  async #adopt(log) {
    this.unsaved = [...(await this.#log.all()), ...this.unsaved];
    this.#log = log;
    this.lasting = true;
    this.withdraw("waiting", "blocked");
    await this.#saveUnsaved().catch(() => this.tell("unsaved"));
    this.#heard(null);
  }

  /** The database was closed: what is appended next needs it again. */
  async #reopen() {
    try {
      this.#log = await this.#openDatabase();
      await this.#saveUnsaved();
    } catch (error) {
      this.#tellWhy(error);
    }
    this.#heard(null);
  }

  #watch() {
    this.#watching = true;
    // A page that the browser puts aside to come back to must hold no database: in WebKit, what it
    // had begun would keep all later pages waiting.
    addEventListener("pagehide", () => {
      this.#away = true;
      this.#log.close();
    });
    addEventListener("pageshow", ({ persisted }) => {
      this.#away = false;
      if (persisted) this.#reopen();
    });
    if (typeof BroadcastChannel !== "function") return;
    this.#channel = new BroadcastChannel(DATABASE);
    this.#channel.onmessage = ({ data }) => this.#heard(data.items);
  }

  /** @param {string[] | null} items */
  #heard(items) {
    this.dispatchEvent(new CustomEvent("elsewhere", { detail: { items } }));
  }
}
