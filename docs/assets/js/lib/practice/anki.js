/**
 * The course's cards for Anki, as a text file and as a package.
 *
 * A note's guid is made of the card's id, so a later export updates the note and leaves its
 * schedule alone. `changed` is when the text last changed: Anki takes an edit over only where that
 * is newer than what it has.
 *
 * @import {PracticeEvent} from "./events.js"
 * @import {Memory} from "./schedule.js"
 */
import { COURSE, CONFIG, MODEL, OPTIONS, SCHEMA, decksJson, modelsJson } from "./anki-schema.js";
import { dayStart } from "./day.js";
import { sqliteFile } from "./sqlite.js";
import { zipOf } from "./zip.js";

/**
 * @typedef {object} Note
 * @property {string} id of the card
 * @property {string} front HTML
 * @property {string} back HTML
 * @property {string} lesson its title
 * @property {string} slug
 * @property {string} url of the paragraph
 * @property {string[]} tags
 * @property {number} changed seconds since 1970
 * @property {Memory} [memory] of the reader, where the schedule is wanted
 * @property {boolean} [suspended]
 * @property {PracticeEvent[]} [answers]
 */

const GUID = "napkin:";
const DAY_SECONDS = 86_400;

/** @param {Note[]} notes @returns {string} for Anki's "Import file", without a schedule */
export function ankiText(notes) {
  const head = [
    "#separator:tab",
    "#html:true",
    "#notetype:Basic",
    "#guid column:1",
    "#deck column:2",
    "#tags column:5",
    "#columns:guid\tdeck\tFront\tBack\ttags",
  ];
  const rows = notes.map((note) =>
    [GUID + note.id, deckOf(note), note.front, note.back + sourceOf(note), tagsOf(note)].map(quoted).join("\t"),
  );
  return [...head, ...rows, ""].join("\n");
}

/**
 * @param {Note[]} notes
 * @param {{now: number, retention: number}} given milliseconds since 1970; the wanted retention
 * @returns {Promise<Blob>} an .apkg
 */
export async function ankiPackage(notes, { now, retention }) {
  const collection = sqliteFile(tablesOf(notes, now, retention));
  return zipOf({ "collection.anki2": collection, media: new TextEncoder().encode("{}") });
}

/**
 * @param {Note[]} notes
 * @param {number} now
 * @param {number} retention
 * @returns {import("./sqlite.js").Table[]}
 */
function tablesOf(notes, now, retention) {
  const seconds = Math.floor(now / 1000);
  // Anki counts due days from the day on which a collection was made.
  const firstDay = Math.min(...notes.map(({ memory }) => (memory?.reps ? memory.lastDay : Infinity)));
  const zero = Number.isFinite(firstDay) ? firstDay : Math.floor(seconds / DAY_SECONDS) - 1;
  const created = Math.floor(dayStart(zero) / 1000);
  const noteRows = [];
  const cardRows = [];
  const logRows = [];
  const used = new Set();
  for (const [index, note] of notes.entries()) {
    const id = MODEL + 1000 + index;
    const fields = [note.front, note.back, sourceOf(note)].join("\x1f");
    const plain = note.front.replace(/<[^>]*>/g, "");
    noteRows.push({ id, values: [null, GUID + note.id, MODEL, note.changed, -1, tagsOf(note), fields, plain, 0, 0, ""] });
    const place = placeOf(note, index, zero, retention);
    cardRows.push({ id, values: [null, id, deckId(note.slug), 0, seconds, -1, ...place] });
    for (const answer of note.answers ?? []) logRows.push(logRow(answer, id, used));
  }
  logRows.sort((a, b) => a.id - b.id);
  const decks = new Map(notes.map((note) => [deckId(note.slug), deckOf(note)]));
  const col = [null, created, now, now, 11, 0, 0, 0, CONFIG, modelsJson(seconds), decksJson(decks, seconds), OPTIONS, "{}"];
  return [
    { name: "col", sql: SCHEMA.col, rows: [{ id: 1, values: col }] },
    { name: "notes", sql: SCHEMA.notes, rows: noteRows },
    { name: "cards", sql: SCHEMA.cards, rows: cardRows },
    { name: "revlog", sql: SCHEMA.revlog, rows: logRows },
    { name: "graves", sql: SCHEMA.graves, rows: [] },
  ];
}

/**
 * type, queue, due, ivl, factor, reps, lapses, left, odue, odid, flags, data of a card.
 * @param {Note} note
 * @param {number} index
 * @param {number} zero the study day from which due days count
 * @param {number} retention
 */
function placeOf({ memory, suspended }, index, zero, retention) {
  if (!memory || memory.phase === "new") return [0, suspended ? -1 : 0, index + 1, 0, 0, 0, 0, 0, 0, 0, 0, "{}"];
  const data = JSON.stringify({ s: rounded(memory.S, 4), d: rounded(memory.D, 3), dr: retention });
  const rest = [2500, memory.reps, memory.lapses];
  if (memory.phase === "review") {
    const interval = Math.max(1, memory.dueDay - memory.lastDay);
    return [2, suspended ? -1 : 2, memory.dueDay - zero, interval, ...rest, 0, 0, 0, 0, data];
  }
  const type = memory.phase === "learning" ? 1 : 3;
  return [type, suspended ? -1 : 1, Math.floor(memory.dueMs / 1000), type === 3 ? 1 : 0, ...rest, 1001, 0, 0, 0, data];
}

/**
 * @param {PracticeEvent} answer
 * @param {number} card
 * @param {Set<number>} used
 */
function logRow({ at, grade = 1, was, after }, card, used) {
  let id = at;
  while (used.has(id)) id += 1;
  used.add(id);
  const interval = !after ? 0 : after.dueMs ? -Math.round((after.dueMs - at) / 1000) : after.dueDay - after.lastDay;
  const type = was === "review" ? 1 : was === "relearning" ? 2 : 0;
  return { id, values: [null, card, -1, grade, interval, 0, 0, 0, type] };
}

/** @param {Note} note */
function deckOf({ lesson }) {
  return `${COURSE}::${lesson}`;
}

/** The same for a lesson for ever. @param {string} slug */
function deckId(slug) {
  let hash = 0x811c9dc5; // FNV-1a, 32 bits
  for (const char of slug) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193);
  return 1_600_000_000_000 + (hash >>> 0);
}

/** @param {Note} note */
function sourceOf({ url, lesson }) {
  return `<p><small><a href="${escaped(url)}">${escaped(lesson)}</a></small></p>`;
}

/** With blanks around: Anki finds a tag only so. @param {Note} note */
function tagsOf({ tags, slug }) {
  return ` ${["napkin", slug, ...tags].join(" ")} `;
}

/** @param {string} text */
function quoted(text) {
  return `"${text.replaceAll('"', '""')}"`;
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** @param {number} value @param {number} digits */
function rounded(value, digits) {
  return Number(value.toFixed(digits));
}
