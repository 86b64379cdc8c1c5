/**
 * What the log says about the reader's practice. Days are the study days that the events carry, so
 * clock changes and journeys move nothing.
 *
 * @import {PracticeEvent} from "./events.js"
 * @import {ItemState} from "./fold.js"
 */
import { retrievability } from "./schedule.js";

/** Learnt for so many days counts as mature, as in Anki. */
export const MATURE_DAYS = 21;

/** @param {PracticeEvent[]} events @returns {PracticeEvent[]} the answers that were not taken back */
export function answersOf(events) {
  const undone = new Set();
  for (const { kind, of } of events) if (kind === "undo") undone.add(of);
  return events.filter(({ id, kind }) => kind === "answer" && !undone.has(id));
}

/**
 * Cards due on each of the coming days, today first; what is overdue counts for today.
 * @param {Iterable<ItemState>} states
 * @param {number} today
 * @param {number} days
 * @returns {number[]}
 */
export function forecast(states, today, days) {
  const counts = new Array(days).fill(0);
  for (const { added, suspended, memory } of states) {
    if (!added || suspended || memory.phase === "new") continue;
    const index = Math.max(0, memory.dueDay - today);
    if (index < days) counts[index] += 1;
  }
  return counts;
}

/**
 * Answers on each day of a span.
 * @param {PracticeEvent[]} answers
 * @param {number} from
 * @param {number} to
 * @returns {number[]}
 */
export function answersPerDay(answers, from, to) {
  const counts = new Array(to - from + 1).fill(0);
  for (const { day } of answers) if (day >= from && day <= to) counts[day - from] += 1;
  return counts;
}

/**
 * True retention: of the answers to learnt cards that came back after a day or more, how many were
 * remembered. `mature` ones had waited 21 days or more.
 * @param {PracticeEvent[]} answers
 * @param {number} from first study day
 * @returns {{young: Share, mature: Share, all: Share}}
 * @typedef {{remembered: number, asked: number}} Share
 */
export function trueRetention(answers, from) {
  const made = { young: share(), mature: share(), all: share() };
  for (const { day, was, gap = 0, grade = 1 } of answers) {
    if (day < from || was !== "review" || gap < 1) continue;
    for (const one of [gap < MATURE_DAYS ? made.young : made.mature, made.all]) {
      one.asked += 1;
      if (grade > 1) one.remembered += 1;
    }
  }
  return made;
}

/**
 * How far each lesson's cards are.
 * @param {{id: string, lesson: string, kind: string}[]} items
 * @param {(id: string) => ItemState} stateOf
 * @param {number} today
 * @returns {Map<string, Maturity>}
 * @typedef {{cards: number, queued: number, learning: number, young: number, mature: number, recall: number}} Maturity
 *   `recall` is the expected number of learnt cards remembered today
 */
export function maturity(items, stateOf, today) {
  /** @type {Map<string, Maturity>} */
  const lessons = new Map();
  for (const { id, lesson, kind } of items) {
    const { added, memory } = stateOf(id);
    if (kind !== "card" && !added) continue;
    let row = lessons.get(lesson);
    if (!row) lessons.set(lesson, (row = { cards: 0, queued: 0, learning: 0, young: 0, mature: 0, recall: 0 }));
    row.cards += 1;
    if (!added) continue;
    row.queued += 1;
    if (memory.phase === "learning" || memory.phase === "relearning") row.learning += 1;
    if (memory.phase !== "review") continue;
    if (memory.dueDay - memory.lastDay < MATURE_DAYS) row.young += 1;
    else row.mature += 1;
    row.recall += retrievability(memory, today);
  }
  return lessons;
}

/**
 * Days in a row with answers, up to today or yesterday.
 * @param {PracticeEvent[]} answers
 * @param {number} today
 */
export function streak(answers, today) {
  const days = new Set(answers.map(({ day }) => day));
  let day = days.has(today) ? today : today - 1;
  let length = 0;
  while (days.has(day)) {
    length += 1;
    day -= 1;
  }
  return length;
}

/** @returns {Share} */
function share() {
  return { remembered: 0, asked: 0 };
}
