/**
 * What a wanted retention costs in reviews.
 *
 * @import {ItemState} from "./fold.js"
 * @import {PracticeStore} from "./store.js"
 */
import { intervalFor } from "./schedule.js";

/**
 * Reviews a day, once every learnt card comes back at the wanted retention: the sum of one over
 * each card's interval at its present stability.
 * @param {Iterable<ItemState>} states
 * @param {number} retention
 */
export function reviewsPerDay(states, retention) {
  let sum = 0;
  for (const { added, suspended, memory } of states) {
    if (added && !suspended && memory.phase !== "new") sum += 1 / intervalFor(memory.S, retention);
  }
  return sum;
}

/**
 * The due days that cards already learnt would get: none is moved unless the reader asks for it.
 * @param {Iterable<ItemState>} states
 * @param {number} retention
 * @returns {{id: string, due: number}[]} those that differ by more than chance spreads them
 */
export function moved(states, retention) {
  const found = [];
  for (const { id, added, suspended, memory } of states) {
    if (!added || suspended || memory.phase !== "review") continue;
    const interval = intervalFor(memory.S, retention);
    const due = memory.lastDay + interval;
    if (Math.abs(due - memory.dueDay) > spread(interval)) found.push({ id, due });
  }
  return found;
}

/** Days by which the scheduler spreads an interval, so that cards do not come in a bunch. @param {number} interval */
function spread(interval) {
  const part = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ share) =>
    share * Math.max(0, Math.min(interval, to) - from);
  return Math.ceil(1 + part(2.5, 7, 0.15) + part(7, 20, 0.1) + part(20, Infinity, 0.05));
}

/**
 * Move due dates to the present retention, as the reader has chosen after seeing the load.
 * @param {PracticeStore} store
 */
export async function moveAll(store) {
  const changes = moved(store.states.values(), store.settings.retention);
  await store.appendAll(changes.map(({ id, due }) => ({ kind: "manual", item: id, due })));
}
