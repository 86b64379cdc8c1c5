/**
 * What the reader answered, kept in the practice log.
 *
 * A tab may be closed the moment after an answer, before the database has it. So each attempt is
 * first put down where writing is immediate, and taken from there by the next page if need be.
 *
 * @import {PracticeEvent} from "./events.js"
 * @typedef {object} Attempt
 * @property {string} item
 * @property {"right" | "wrong"} outcome
 * @property {string} given
 * @property {Record<string, string>} values the numbers that were drawn
 * @property {number} turn how many times the question had been started anew
 * @property {number} hints
 * @property {string} hash of the question
 * @property {string} [exam]
 * @property {string} [ticket] tells this attempt from all others
 */
import { practice } from "./store.js";

const SITE = new URL("../../../../", import.meta.url).pathname;
const PENDING = `napkin:${SITE}:attempt:`;

/** @type {Promise<void> | undefined} */
let recovered;

/**
 * Keep an attempt; resolves when the log has it.
 * @param {Attempt} attempt
 */
export async function keepAttempt(attempt) {
  const ticket = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 10)}`;
  const event = { ...attempt, kind: /** @type {const} */ ("attempt"), ticket };
  putDown(ticket, event);
  const store = await practice();
  await store.append(event);
  if (store.lasting && !store.unsaved.length) takeAway(ticket);
}

/**
 * The last attempt at a question, if there is one.
 * @param {string} item
 * @returns {Promise<(PracticeEvent & Partial<Attempt>) | undefined>}
 */
export async function lastAttempt(item) {
  await recover();
  const store = await practice();
  if (!store.state(item).attempts) return undefined;
  const events = await store.eventsOf(item);
  return events.filter(({ kind }) => kind === "attempt").at(-1);
}

/** Bring what an earlier page had no time to keep into the log; once per page. */
export function recover() {
  return (recovered ??= takeUp());
}

async function takeUp() {
  for (const [key, event] of leftBehind()) {
    const store = await practice();
    const known = await store.eventsOf(event.item);
    if (!known.some((each) => /** @type {any} */ (each).ticket === event.ticket)) await store.append(event);
    if (store.lasting && !store.unsaved.length) takeAway(key);
  }
}

/** @returns {[string, any][]} ticket and event */
function leftBehind() {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(PENDING)).sort();
    return keys.flatMap((key) => {
      try {
        const event = JSON.parse(localStorage.getItem(key) ?? "");
        const whole = typeof event.item === "string" && ["right", "wrong"].includes(event.outcome);
        if (whole && typeof event.ticket === "string") return [[event.ticket, event]];
      } catch {
        // damaged: it says nothing that could be kept
      }
      localStorage.removeItem(key);
      return [];
    });
  } catch {
    return []; // storage is blocked
  }
}

/** @param {string} ticket @param {unknown} event */
function putDown(ticket, event) {
  try {
    localStorage.setItem(PENDING + ticket, JSON.stringify(event));
  } catch {
    // blocked or full: then the log alone has it
  }
}

/** @param {string} ticket */
function takeAway(ticket) {
  try {
    localStorage.removeItem(PENDING + ticket);
  } catch {
    // blocked
  }
}
