/**
 * What is to be answered now, and in which order.
 *
 * @import {ItemState} from "./fold.js"
 * @import {Moment} from "./schedule.js"
 * @import {Settings} from "./settings.js"
 * @import {PracticeEvent} from "./events.js"
 *
 * @typedef {object} Queue
 * @property {string[]} learning whose minutes are over
 * @property {string[]} soon in learning, within the next 20 minutes
 * @property {string[]} review due today or before, the most at risk first
 * @property {string[]} fresh new ones, as many as today's limit lets in
 * @property {number} waiting new ones beyond the limit
 * @property {string[]} later due on a day to come, the nearest first
 * @property {number} next the study day of the nearest of those; -1: none
 */
import { retrievability } from "./schedule.js";

export const AHEAD_MS = 20 * 60_000;

/**
 * @param {Iterable<ItemState>} states of the items that the course has and the reader wants to see
 * @param {object} given
 * @param {Moment} given.moment
 * @param {Settings} given.settings
 * @param {number} given.introduced new cards answered today
 * @param {Map<string, number>} given.place of items in the course
 * @returns {Queue}
 */
export function queueOf(states, { moment, settings, introduced, place }) {
  const { ms, day } = moment;
  /** @type {ItemState[]} */
  const learning = [];
  /** @type {ItemState[]} */
  const soon = [];
  /** @type {{state: ItemState, recall: number}[]} */
  const review = [];
  /** @type {ItemState[]} */
  const fresh = [];
  /** @type {ItemState[]} */
  const later = [];
  for (const state of states) {
    if (!state.added || state.suspended || state.buried === day) continue;
    const { memory } = state;
    if (memory.phase === "new") fresh.push(state);
    else if (memory.dueMs) {
      if (memory.dueMs <= ms || memory.lastDay < day) learning.push(state);
      else if (memory.dueMs <= ms + AHEAD_MS) soon.push(state);
      else later.push(state);
    } else if (memory.dueDay <= day) review.push({ state, recall: retrievability(memory, day) });
    else later.push(state);
  }
  const byMs = (/** @type {ItemState} */ a, /** @type {ItemState} */ b) =>
    a.memory.dueMs - b.memory.dueMs || compare(a.id, b.id);
  const more = settings.newToday.day === day ? settings.newToday.more : 0;
  const room = Math.max(0, settings.newPerDay + more - introduced);
  fresh.sort((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0));
  later.sort((a, b) => a.memory.dueDay - b.memory.dueDay || compare(a.id, b.id));
  return {
    learning: learning.sort(byMs).map(idOf),
    soon: soon.sort(byMs).map(idOf),
    review: review.sort((a, b) => a.recall - b.recall || compare(a.state.id, b.state.id)).map(({ state }) => state.id),
    fresh: fresh.slice(0, room).map(idOf),
    waiting: Math.max(0, fresh.length - room),
    later: later.map(idOf),
    next: later.length ? Math.max(day, later[0].memory.dueDay) : -1,
  };
}

/** How many are due now. @param {Queue} queue */
export function dueCount({ learning, review, fresh }) {
  return learning.length + review.length + fresh.length;
}

/**
 * How many new cards were answered for the first time on a day.
 * @param {PracticeEvent[]} events of that day
 * @param {number} day
 */
export function introducedOn(events, day) {
  const undone = new Set(events.map(({ of }) => of));
  const first = events.filter(
    (event) => event.kind === "answer" && event.was === "new" && event.day === day && !undone.has(event.id),
  );
  return new Set(first.map(({ item }) => item)).size;
}

/** @param {ItemState} state */
function idOf({ id }) {
  return id;
}

/** @param {string} a @param {string} b */
function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
