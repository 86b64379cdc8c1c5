/**
 * When a card comes back: FSRS-6 by `ts-fsrs`, told what it needs to be right.
 *
 * `ts-fsrs` counts days by UTC date, lets invalid dates pass, exceeds its own longest interval and
 * fuzzes by the clock. So it only ever sees noon UTC of a study day, its answers are checked and
 * clamped, and the fuzz is seeded by the card: what a button promises is what is kept.
 */
import { GenSeedStrategyWithCardId, StrategyMode, fsrs } from "../../../vendor/practice.js";
import { DAY_MS, noonOf } from "./day.js";

/** @typedef {1 | 2 | 3 | 4} Grade again, hard, good, easy */
/** @typedef {"new" | "learning" | "review" | "relearning"} Phase */

/**
 * What is known about a memory. Days are study days.
 * @typedef {object} Memory
 * @property {Phase} phase
 * @property {number} S stability: days until recall falls to 90 %
 * @property {number} D difficulty, 1 to 10
 * @property {number} step of the learning or relearning steps
 * @property {number} reps answers so far
 * @property {number} lapses times forgotten after having been learnt
 * @property {number} lastDay of the last answer; -1 before the first
 * @property {number} lastMs
 * @property {number} dueDay
 * @property {number} dueMs in (re)learning: the moment it is due; else 0, and the day counts
 *
 * @typedef {{ms: number, day: number}} Moment an instant and its study day
 * @typedef {{retention: number, longest?: number, fuzz?: boolean, weights?: number[]}} Wish
 */

export const VERSION = "fsrs-6";
export const LONGEST_INTERVAL = 36_500;
export const RETENTION = { least: 0.7, most: 0.97, usual: 0.9 };
/** @type {Phase[]} in the order of ts-fsrs' State */
const PHASES = ["new", "learning", "review", "relearning"];
/** @type {Grade[]} */
export const GRADES = [1, 2, 3, 4];
export const GRADE_NAMES = { 1: "Again", 2: "Hard", 3: "Good", 4: "Easy" };

/** @returns {Memory} of a card that was never answered */
export function newMemory() {
  return { phase: "new", S: 0, D: 0, step: 0, reps: 0, lapses: 0, lastDay: -1, lastMs: 0, dueDay: 0, dueMs: 0 };
}

/** @type {Map<string, ReturnType<typeof fsrs>>} */
const schedulers = new Map();

/** @param {Wish} wish */
function schedulerFor({ retention, longest = LONGEST_INTERVAL, fuzz = true, weights }) {
  if (!(retention >= 0.5 && retention < 1)) throw new RangeError(`no retention: ${retention}`);
  if (weights && (weights.length !== 21 || !weights.every(Number.isFinite))) {
    throw new RangeError("FSRS-6 has 21 finite weights");
  }
  const key = JSON.stringify([retention, longest, fuzz, weights]);
  let made = schedulers.get(key);
  if (!made) {
    made = fsrs({
      request_retention: retention,
      maximum_interval: longest,
      enable_fuzz: fuzz,
      ...(weights && { w: weights }),
    });
    made.useStrategy(StrategyMode.SEED, /** @type {any} */ (GenSeedStrategyWithCardId("id")));
    schedulers.set(key, made);
  }
  return made;
}

/**
 * The memory after an answer.
 * @param {string} id of the card, which seeds the fuzz
 * @param {Memory} memory
 * @param {Grade} grade
 * @param {Moment} moment
 * @param {Wish} wish
 * @returns {Memory}
 */
export function answered(id, memory, grade, moment, wish) {
  return outcomes(id, memory, moment, wish)[grade];
}

/**
 * The memory after each of the four answers, in order Again ≤ Hard ≤ Good ≤ Easy.
 * @param {string} id
 * @param {Memory} memory
 * @param {Moment} moment
 * @param {Wish} wish
 * @returns {Record<Grade, Memory>}
 */
export function outcomes(id, memory, moment, wish) {
  if (!Number.isFinite(moment.ms) || !Number.isFinite(moment.day)) {
    throw new RangeError("an answer needs a moment");
  }
  // A clock that was set back is not a journey in time.
  const day = Math.max(moment.day, memory.lastDay);
  const now = noonOf(day);
  const shown = schedulerFor(wish).repeat(/** @type {any} */ (cardOf(id, memory, now)), now);
  const most = wish.longest ?? LONGEST_INTERVAL;
  const made = /** @type {Record<Grade, Memory>} */ ({});
  for (const grade of GRADES) {
    made[grade] = memoryOf(/** @type {any} */ (shown)[grade].card, memory, { ms: moment.ms, day }, most);
  }
  return made;
}

/**
 * @param {string} id
 * @param {Memory} memory
 * @param {Date} now
 */
function cardOf(id, memory, now) {
  const asked = memory.phase !== "new";
  return {
    id,
    due: asked ? noonOf(memory.dueDay) : now,
    stability: memory.S,
    difficulty: memory.D,
    elapsed_days: 0,
    scheduled_days: asked ? Math.max(0, memory.dueDay - memory.lastDay) : 0,
    learning_steps: memory.step,
    reps: memory.reps,
    lapses: memory.lapses,
    state: PHASES.indexOf(memory.phase),
    last_review: asked ? noonOf(memory.lastDay) : undefined,
  };
}

/**
 * @param {any} card by ts-fsrs
 * @param {Memory} before
 * @param {Moment} moment
 * @param {number} longest
 * @returns {Memory}
 */
function memoryOf(card, before, { ms, day }, longest) {
  const wait = card.due.getTime() - noonOf(day).getTime();
  const phase = PHASES[card.state];
  const days = phase === "review" ? Math.min(longest, Math.max(1, Math.round(wait / DAY_MS))) : 0;
  const made = {
    phase,
    S: card.stability,
    D: card.difficulty,
    step: card.learning_steps,
    reps: before.reps + 1,
    lapses: card.lapses,
    lastDay: day,
    lastMs: ms,
    dueDay: day + days,
    dueMs: phase === "review" ? 0 : ms + wait,
  };
  for (const [name, value] of Object.entries(made)) {
    if (name !== "phase" && !Number.isFinite(value)) throw new RangeError(`${name} is ${value}`);
  }
  return made;
}

/**
 * How likely the card is remembered on a day, 0 to 1; 0 for a new one.
 * @param {Memory} memory
 * @param {number} day
 */
export function retrievability(memory, day) {
  if (memory.phase === "new" || !(memory.S > 0)) return 0;
  const elapsed = Math.max(0, day - memory.lastDay);
  return schedulerFor({ retention: RETENTION.usual }).forgetting_curve(elapsed, memory.S);
}

/**
 * Days after which a memory of stability S has fallen to the wanted retention, at least 1.
 * @param {number} S
 * @param {number} retention
 */
export function intervalFor(S, retention) {
  return schedulerFor({ retention, fuzz: false }).next_interval(S, 0);
}

/**
 * Whether a kept value is a memory with which one can go on.
 * @param {any} value
 * @returns {value is Memory}
 */
export function isMemory(value) {
  if (typeof value !== "object" || value === null || !PHASES.includes(value.phase)) return false;
  const numbers = ["S", "D", "step", "reps", "lapses", "lastDay", "lastMs", "dueDay", "dueMs"];
  if (!numbers.every((name) => Number.isFinite(value[name]))) return false;
  return value.phase === "new" || (value.S > 0 && value.D >= 1 && value.D <= 10);
}
