/**
 * What happened, one event each: the log of them is the truth, everything else is made from it.
 *
 * @import {Grade, Memory} from "./schedule.js"
 *
 * @typedef {"add" | "answer" | "bury" | "suspend" | "resume" | "reset" | "undo" | "manual" | "attempt" | "setting"} Kind
 *
 * @typedef {object} PracticeEvent
 * @property {string} id sorts by time; the same event has the same id everywhere
 * @property {Kind} kind
 * @property {string} item the card or question; for settings "@settings"
 * @property {number} at milliseconds since 1970
 * @property {number} offset minutes by which local time was ahead of UTC
 * @property {number} day the local study day, never reckoned anew
 * @property {Grade} [grade] answer
 * @property {string} [was] answer: the phase before
 * @property {number} [gap] answer: study days since the one before
 * @property {string} [prev] answer: the answer it stands on, "" for the first
 * @property {number} [retention] answer: what was wanted then
 * @property {Memory} [after] answer: the memory as it was scheduled
 * @property {string} [of] undo: the event that is taken back
 * @property {number} [due] manual: the study day it was moved to
 * @property {string} [key] setting
 * @property {any} [value] setting
 * @property {"right" | "wrong"} [outcome] attempt
 * @property {string} [given] attempt: what the reader answered, as text
 * @property {Record<string, any>} [values] attempt: the numbers that were drawn
 * @property {number} [hints] attempt: how many were shown
 * @property {string} [hash] attempt: which version of the question
 * @property {string} [exam] attempt: the exam that it was part of
 */
import { isMemory } from "./schedule.js";

export const SETTINGS = "@settings";
/** @type {Kind[]} */
const KINDS = ["add", "answer", "bury", "suspend", "resume", "reset", "undo", "manual", "attempt", "setting"];
const EARLIEST = Date.UTC(2020, 0, 1);
const LATEST = Date.UTC(2200, 0, 1);

let lastStamp = 0;

/**
 * A new event's id: later ones sort behind, also within a millisecond and after a clock was set back.
 * @param {number} ms
 * @param {string} [after] an id that it must sort behind
 */
export function newId(ms, after = "") {
  const floor = Math.max(lastStamp, after ? timeOfId(after) : 0);
  lastStamp = Math.max(ms, floor + 1);
  const random = crypto.getRandomValues(new Uint32Array(2));
  const tail = [...random].map((word) => word.toString(36).padStart(7, "0")).join("");
  return `${lastStamp.toString(36).padStart(9, "0")}-${tail.slice(-10)}`;
}

/** @param {string} id */
function timeOfId(id) {
  const ms = parseInt(id.split("-")[0], 36);
  // What a wrong clock of another century left behind is not counted on from.
  return ms < LATEST ? ms : 0;
}

/**
 * Why a value from outside is no event; undefined where it is one.
 * @param {any} value
 * @returns {string | undefined}
 */
export function flawOf(value) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "it is no record";
  const { id, kind, item, at, offset, day } = value;
  if (typeof id !== "string" || !/^[0-9a-z-]{3,40}$/.test(id)) return "it has no usable id";
  if (!KINDS.includes(kind)) return `its kind ${JSON.stringify(kind)} is unknown`;
  if (typeof item !== "string" || !/^@?[a-z0-9-]{1,200}$/.test(item)) return "it names no item";
  if (!(at >= EARLIEST && at <= LATEST)) return "its time is impossible";
  if (!Number.isFinite(offset) || Math.abs(offset) > 16 * 60) return "its time zone is impossible";
  if (!Number.isInteger(day) || Math.abs(day * 86_400_000 - at) > 3 * 86_400_000) {
    return "its day does not fit its time";
  }
  if (kind === "answer") {
    if (![1, 2, 3, 4].includes(value.grade)) return "its grade is not 1 to 4";
    if (value.after !== undefined && !isMemory(value.after)) return "its memory state is damaged";
  }
  if (kind === "undo" && typeof value.of !== "string") return "it does not say what it takes back";
  if (kind === "manual" && !Number.isInteger(value.due)) return "it has no due day";
  if (kind === "setting" && typeof value.key !== "string") return "it names no setting";
  if (kind === "attempt" && !["right", "wrong"].includes(value.outcome)) return "it has no outcome";
  return undefined;
}
