/**
 * A log that lasts as long as the page: for browsers that keep nothing.
 *
 * @import {PracticeEvent} from "./events.js"
 * @import {ItemState} from "./fold.js"
 */
import { flawOf } from "./events.js";
import { fold, inOrder, newState, step } from "./fold.js";

/** @typedef {{record: any, flaw: string}} Damaged a kept record that cannot be used, as it is */

/** Another tab has answered the card since it was shown here. */
export class StaleAnswer extends Error {}

/**
 * What a store keeps its events in. `expected` is the answer that a new one stands on.
 * @typedef {object} Log
 * @property {(event: PracticeEvent, expected?: string) => Promise<ItemState>} append in one step:
 *   the event and the state that follows; raises StaleAnswer
 * @property {(events: PracticeEvent[]) => Promise<{added: number, items: Set<string>}>} addAll
 *   those that are not there yet
 * @property {(item: string) => Promise<PracticeEvent[]>} ofItem in order
 * @property {(ms: number) => Promise<PracticeEvent[]>} since in order
 * @property {() => Promise<PracticeEvent[]>} all in order
 * @property {(items?: Iterable<string>) => Promise<ItemState[]>} states
 * @property {(key: string) => Promise<any>} note a small thing kept beside the log
 * @property {(key: string, value: any) => Promise<void>} keepNote
 * @property {Damaged[]} damaged met so far
 * @property {() => void} close
 */

/** @implements {Log} */
export class MemoryLog {
  /** @type {Damaged[]} */
  damaged = [];
  /** @type {Map<string, PracticeEvent>} */
  #events = new Map();
  /** @type {Map<string, ItemState>} */
  #states = new Map();
  /** @type {Map<string, any>} */
  #notes = new Map();

  /**
   * @param {PracticeEvent} event
   * @param {string} [expected]
   */
  async append(event, expected) {
    const before = this.#states.get(event.item) ?? newState(event.item);
    if (expected !== undefined && before.answer !== expected) throw new StaleAnswer();
    this.#events.set(event.id, event);
    return this.#keep(event.kind === "undo" ? await this.#folded(event.item) : step(before, event));
  }

  /** @param {PracticeEvent[]} events */
  async addAll(events) {
    const fresh = events.filter(({ id }) => !this.#events.has(id));
    for (const event of fresh) this.#events.set(event.id, event);
    const items = new Set(fresh.map(({ item }) => item));
    for (const item of items) this.#keep(await this.#folded(item));
    return { added: fresh.length, items };
  }

  /** @param {string} item */
  async ofItem(item) {
    return (await this.all()).filter((event) => event.item === item);
  }

  /** @param {number} ms */
  async since(ms) {
    return (await this.all()).filter(({ at }) => at >= ms);
  }

  async all() {
    return [...this.#events.values()].sort(inOrder);
  }

  /** @param {Iterable<string>} [items] */
  async states(items = this.#states.keys()) {
    return [...items].map((id) => this.#states.get(id) ?? newState(id));
  }

  /** @param {string} key */
  async note(key) {
    return this.#notes.get(key);
  }

  /**
   * @param {string} key
   * @param {any} value
   */
  async keepNote(key, value) {
    this.#notes.set(key, value);
  }

  close() {}

  /** @param {string} item */
  async #folded(item) {
    return fold(item, await this.ofItem(item));
  }

  /** @param {ItemState} state */
  #keep(state) {
    this.#states.set(state.id, state);
    return state;
  }
}

/**
 * Those that are usable; the others are remembered as damaged, and left where they are.
 * @param {any[]} records
 * @param {Damaged[]} damaged
 * @returns {PracticeEvent[]}
 */
export function usable(records, damaged) {
  return records.filter((record) => {
    const flaw = flawOf(record);
    if (flaw && !damaged.some((known) => known.record.id === record?.id)) damaged.push({ record, flaw });
    return !flaw;
  });
}

