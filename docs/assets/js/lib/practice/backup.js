/**
 * The reader's log as a file, and back as a merge: events are united by their id, nothing is
 * replaced, and the same file twice changes nothing.
 *
 * @import {PracticeEvent} from "./events.js"
 * @import {PracticeStore} from "./store.js"
 */
import { dateOf } from "./day.js";
import { flawOf } from "./events.js";

export const FORMAT = "napkin-practice";
export const FORMAT_VERSION = 1;
const REMIND_AFTER_REVIEWS = 50;
const PIECE = 5_000;

/**
 * @param {PracticeEvent[]} events
 * @param {{name?: string, site?: string, day: number, damaged?: unknown[], course?: object}} about
 *   `course` is what else is kept in this browser: code, exercises, guesses, what was read
 * @returns {Blob} JSON, one event a line
 */
export function backupOf(events, { name = "", site = "", day, damaged = [], course = {} }) {
  const made = dateOf(day);
  const about = { format: FORMAT, version: FORMAT_VERSION, name, site, made, damaged, course };
  const head = JSON.stringify(about);
  const pieces = [`${head.slice(0, -1)},\n"events":[\n`];
  for (let from = 0; from < events.length; from += PIECE) {
    const lines = events.slice(from, from + PIECE).map((event) => JSON.stringify(event));
    pieces.push((from ? ",\n" : "") + lines.join(",\n"));
  }
  return new Blob([...pieces, "\n]}\n"], { type: "application/json" });
}

/** @param {string} name @param {number} day */
export function backupFile(name, day) {
  const who = name.normalize("NFKD").replace(/[^\w]+/g, "-").replace(/^-+|-+$/g, "").toLowerCase();
  return `napkin-reviews${who && `-${who}`}-${dateOf(day)}.json`;
}

/**
 * What a backup's text holds. Raises an Error that says what is wrong with the whole file.
 * @param {string} text
 * @returns {{events: PracticeEvent[], skipped: string[], name: string, made: string, course: unknown}}
 */
export function readBackup(text) {
  let content;
  try {
    content = JSON.parse(text);
  } catch {
    throw new Error("This file is no backup: it is not JSON, or it is cut short.");
  }
  if (content?.format !== FORMAT || !Array.isArray(content.events)) {
    throw new Error("This file is no backup of this course's reviews.");
  }
  if (!Number.isInteger(content.version) || content.version > FORMAT_VERSION) {
    throw new Error("This backup was made by a newer version of the site. Reload the page, then try again.");
  }
  /** @type {PracticeEvent[]} */
  const events = [];
  const skipped = [];
  for (const [index, record] of content.events.entries()) {
    const flaw = flawOf(record);
    if (flaw) skipped.push(`record ${index + 1}: ${flaw}`);
    else events.push(record);
  }
  const { name = "", made = "", course } = content;
  return { events, skipped, name: String(name ?? ""), made: String(made ?? ""), course };
}

let asked = false;

/** Ask the browser, once and after a review, not to clear what is kept. */
export async function lastingStorage() {
  if (asked) return;
  asked = true;
  try {
    if (!(await navigator.storage.persisted())) await navigator.storage.persist();
  } catch {
    // An old browser, or one that does not say.
  }
}

/**
 * A sentence where it is time for a backup, else "".
 * @param {PracticeStore} store
 */
export async function backupReminder(store) {
  if (!store.lasting) return "";
  let persisted = false;
  try {
    persisted = await navigator.storage.persisted();
  } catch {
    // not told: as if not
  }
  if (persisted) return "";
  const { reviews = 0 } = (await store.note("backup")) ?? {};
  let now = 0;
  for (const { memory } of store.states.values()) now += memory.reps;
  const since = now - reviews;
  if (since < REMIND_AFTER_REVIEWS) return "";
  return `You have made ${since} reviews since your last backup, and this browser may clear them when space is short.`;
}

/** Remember that a backup was made now. @param {PracticeStore} store */
export async function noteBackup(store) {
  let reviews = 0;
  for (const { memory } of store.states.values()) reviews += memory.reps;
  await store.keepNote("backup", { day: store.today(), reviews });
}
