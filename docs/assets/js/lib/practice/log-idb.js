/**
 * The log in IndexedDB. An event and the state that follows are written in one transaction, so a
 * closed tab leaves either both or none.
 *
 * @import {IDBPDatabase} from "idb"
 * @import {PracticeEvent} from "./events.js"
 * @import {ItemState} from "./fold.js"
 * @import {Damaged, Log} from "./log-memory.js"
 */
import { openDB } from "../../../vendor/practice.js";
import { FOLD_VERSION, fold, newState, step } from "./fold.js";
import { StaleAnswer, usable } from "./log-memory.js";
import { isMemory } from "./schedule.js";

const SCHEMA_VERSION = 1;
const OPEN_WITHIN_MS = 5_000;

/**
 * What the database tells of itself.
 * @typedef {object} Told
 * @property {() => void} [blocked] another tab with an older version must be closed first
 * @property {() => void} [superseded] a newer version opened it: this tab must be reloaded
 * @property {() => void} [terminated] the browser closed it
 * @property {(log: Log) => void} [late] it has answered after all
 */

/** @implements {Log} */
export class IdbLog {
  /** @type {Damaged[]} */
  damaged = [];

  /** @type {Set<any>} */
  #open = new Set();

  /** @param {IDBPDatabase<any>} db */
  constructor(db) {
    this.db = db;
  }

  /**
   * Raises where the browser does not allow it, or does not answer.
   * @param {string} name
   * @param {Told} [told]
   */
  static async open(name, told = {}) {
    let late = false;
    const opening = openDB(name, SCHEMA_VERSION, {
      upgrade(db, from) {
        if (from < 1) {
          db.createObjectStore("events", { keyPath: "id" }).createIndex("item", "item");
          db.createObjectStore("states", { keyPath: "id" });
          db.createObjectStore("notes");
        }
      },
      blocked: told.blocked,
      blocking(_from, _to, event) {
        /** @type {IDBDatabase} */ (event.target).close();
        told.superseded?.();
      },
      terminated: told.terminated,
    });
    const ready = opening.then(async (db) => {
      const log = new IdbLog(db);
      if ((await log.note("fold")) !== FOLD_VERSION) await log.foldAnew();
      return log;
    });
    ready.then((log) => (late ? told.late?.(log) : undefined)).catch(() => {});
    await new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        late = true;
        reject(new Error("the browser's storage does not answer"));
      }, OPEN_WITHIN_MS);
      opening.then(resolve, reject).finally(() => clearTimeout(timer));
    });
    return ready;
  }

  /**
   * @param {PracticeEvent} event
   * @param {string} [expected]
   */
  async append(event, expected) {
    const tx = this.#begin("readwrite", "events", "states");
    const events = tx.objectStore("events");
    const states = tx.objectStore("states");
    const write = async () => {
      const kept = await states.get(event.item);
      const before = isState(kept) ? kept : fold(event.item, usable(await events.index("item").getAll(event.item), this.damaged));
      // Another tab may have found it on its way and brought it in.
      if (await events.getKey(event.id)) return before;
      if (expected !== undefined && before.answer !== expected) throw new StaleAnswer();
      await events.add(event);
      const after =
        event.kind === "undo"
          ? fold(event.item, usable(await events.index("item").getAll(event.item), this.damaged))
          : step(before, event);
      await states.put(after);
      return after;
    };
    return inTransaction(tx, write);
  }

  /** @param {PracticeEvent[]} incoming */
  async addAll(incoming) {
    const tx = this.#begin("readwrite", "events", "states");
    const events = tx.objectStore("events");
    const states = tx.objectStore("states");
    return inTransaction(tx, async () => {
      const known = new Set(await events.getAllKeys());
      const fresh = incoming.filter(({ id }) => !known.has(id));
      const items = new Set(fresh.map(({ item }) => item));
      for (const event of fresh) events.put(event).catch(() => {}); // the transaction fails with it
      for (const item of items) {
        await states.put(fold(item, usable(await events.index("item").getAll(item), this.damaged)));
      }
      return { added: fresh.length, items };
    });
  }

  /** Make all states from the events, as after an upgrade of how they follow. */
  async foldAnew() {
    /** @type {Map<string, PracticeEvent[]>} */
    const byItem = new Map();
    for (const event of await this.all()) {
      const own = byItem.get(event.item);
      if (own) own.push(event);
      else byItem.set(event.item, [event]);
    }
    const tx = this.#begin("readwrite", "states", "notes");
    await inTransaction(tx, async () => {
      const states = tx.objectStore("states");
      await states.clear();
      for (const [item, events] of byItem) states.put(fold(item, events)).catch(() => {});
      await tx.objectStore("notes").put(FOLD_VERSION, "fold");
    });
  }

  /** @param {IDBTransactionMode} mode @param {string[]} stores @returns {any} */
  #begin(mode, ...stores) {
    const tx = this.db.transaction(stores, mode);
    this.#open.add(tx);
    const end = () => this.#open.delete(tx);
    tx.done.then(end, end);
    return tx;
  }

  /** A store to read from. @param {string} name */
  #store(name) {
    return this.#begin("readonly", name).objectStore(name);
  }

  /** @param {string} item */
  async ofItem(item) {
    return usable(await this.#store("events").index("item").getAll(item), this.damaged);
  }

  /** @param {number} ms */
  async since(ms) {
    const from = IDBKeyRange.lowerBound(ms.toString(36).padStart(9, "0"));
    return usable(await this.#store("events").getAll(from), this.damaged);
  }

  async all() {
    return usable(await this.#store("events").getAll(), this.damaged);
  }

  /** @param {Iterable<string>} [items] */
  async states(items) {
    const kept = items
      ? await Promise.all([...items].map(async (id) => (await this.#store("states").get(id)) ?? newState(id)))
      : await this.#store("states").getAll();
    const broken = kept.filter((/** @type {any} */ state) => !isState(state));
    if (!broken.length) return kept;
    const mended = new Map();
    for (const { id } of broken) mended.set(id, fold(id, await this.ofItem(id)));
    return kept.map((/** @type {any} */ state) => mended.get(state.id) ?? state);
  }

  /** @param {string} key */
  async note(key) {
    return this.#store("notes").get(key);
  }

  /**
   * @param {string} key
   * @param {any} value
   */
  async keepNote(key, value) {
    const tx = this.#begin("readwrite", "notes");
    await inTransaction(tx, () => tx.objectStore("notes").put(value, key));
  }

  /** What is under way is given up: whoever asked for it hears that it failed. */
  close() {
    for (const tx of this.#open) {
      try {
        tx.abort();
      } catch {
        // it has just ended
      }
    }
    this.db.close();
  }
}

/**
 * The work's result once all of it is on disk; nothing is written where any of it failed.
 * @template T
 * @param {any} tx
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function inTransaction(tx, work) {
  const done = tx.done.then(
    () => undefined,
    (/** @type {unknown} */ error) => error ?? new Error("the transaction was given up"),
  );
  try {
    const result = await work();
    const error = await done;
    if (error) throw error;
    return result;
  } catch (error) {
    try {
      tx.abort();
    } catch {
      // it has ended already
    }
    await done;
    throw error;
  }
}

/**
 * @param {any} value
 * @returns {value is ItemState}
 */
function isState(value) {
  return (
    typeof value?.id === "string" &&
    typeof value.answer === "string" &&
    Number.isFinite(value.added) &&
    Number.isFinite(value.buried) &&
    isMemory(value.memory)
  );
}
