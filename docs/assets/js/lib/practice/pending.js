/**
 * Events on their way into the database: a tab that is closed at once leaves them here, and the
 * next visit brings them in. Written at once, where the database takes its time.
 *
 * @import {PracticeEvent} from "./events.js"
 */
import { flawOf } from "./events.js";

const SITE = new URL("../../../../", import.meta.url).pathname;
const PREFIX = `napkin:${SITE}:pending:`;

/** @param {PracticeEvent} event */
export function holdPending(event) {
  try {
    localStorage.setItem(PREFIX + event.id, JSON.stringify(event));
  } catch {
    // no room there either: the database is on its own
  }
}

/** @param {string} id */
export function dropPending(id) {
  try {
    localStorage.removeItem(PREFIX + id);
  } catch {
    // blocked: then nothing is held
  }
}

/** What earlier tabs left behind. @returns {PracticeEvent[]} */
export function leftPending() {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
    return keys.flatMap((key) => {
      const event = parsed(localStorage.getItem(key));
      if (!flawOf(event)) return [event];
      localStorage.removeItem(key);
      return [];
    });
  } catch {
    return [];
  }
}

/** @param {string | null} text */
function parsed(text) {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}
