/**
 * An item's state: what follows from its events.
 *
 * @import {PracticeEvent} from "./events.js"
 * @import {Memory, Wish} from "./schedule.js"
 *
 * @typedef {object} ItemState
 * @property {string} id
 * @property {number} added when it came into the queue; 0: it is not in it
 * @property {Memory} memory
 * @property {string} answer the id of the answer that the memory stands on, "" for none
 * @property {string} last the id of the last event that counts
 * @property {boolean} suspended
 * @property {number} buried the study day until whose end it stays away; -1: none
 * @property {number} attempts at a question
 * @property {number} rights among them
 * @property {"right" | "wrong" | ""} outcome of the last attempt
 * @property {number} attemptMs when that was; 0: never
 */
import { RETENTION, answered, isMemory, newMemory } from "./schedule.js";

/** Raised when the same events would give other states: kept states are then made anew. */
export const FOLD_VERSION = 1;

/** @param {string} id @returns {ItemState} */
export function newState(id) {
  return {
    id,
    added: 0,
    memory: newMemory(),
    answer: "",
    last: "",
    suspended: false,
    buried: -1,
    attempts: 0,
    rights: 0,
    outcome: "",
    attemptMs: 0,
  };
}

/** @param {PracticeEvent} a @param {PracticeEvent} b */
export function inOrder(a, b) {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/**
 * The state after all events of one item, whatever order they come in.
 * @param {string} id
 * @param {PracticeEvent[]} events
 * @returns {ItemState}
 */
export function fold(id, events) {
  const undone = new Set(events.filter(({ kind }) => kind === "undo").map(({ of }) => of));
  const counting = events.filter((event) => event.kind !== "undo" && !undone.has(event.id));
  return counting.sort(inOrder).reduce(step, newState(id));
}

/**
 * The state after one more event, which is not an undo: that needs all of them.
 * @param {ItemState} state
 * @param {PracticeEvent} event
 * @returns {ItemState}
 */
export function step(state, event) {
  const next = { ...state, last: event.id };
  switch (event.kind) {
    case "add":
      next.added ||= event.at;
      break;
    case "answer":
      next.added ||= event.at;
      next.memory = memoryAfter(state, event);
      next.answer = event.id;
      next.buried = -1;
      break;
    case "reset":
      next.memory = newMemory();
      next.answer = "";
      break;
    case "manual":
      // Only the date: a moved card is remembered no better for it.
      if (state.memory.phase !== "new") {
        next.memory = { ...state.memory, dueDay: Number(event.due), dueMs: 0 };
      }
      break;
    case "bury":
      next.buried = event.day;
      break;
    case "suspend":
      next.suspended = true;
      break;
    case "resume":
      next.suspended = false;
      next.buried = -1;
      next.added ||= event.at;
      break;
    case "attempt":
      next.attempts += 1;
      next.rights += event.outcome === "right" ? 1 : 0;
      next.outcome = event.outcome ?? "";
      next.attemptMs = event.at;
      break;
  }
  return next;
}

/**
 * As it was scheduled then, where the answer still stands on the same one; else reckoned anew.
 * @param {ItemState} state
 * @param {PracticeEvent} event
 */
function memoryAfter(state, event) {
  if (event.prev === state.answer && isMemory(event.after)) return event.after;
  const wish = { retention: event.retention ?? RETENTION.usual };
  const grade = /** @type {any} */ (event.grade);
  return answered(event.item, state.memory, grade, { ms: event.at, day: event.day }, wish);
}
