/**
 * Schedules in words.
 *
 * @import {Memory, Moment} from "./schedule.js"
 */

/** @param {number} count @param {string} noun */
export function counted(count, noun) {
  return `${count.toLocaleString("en-GB")} ${noun}${count === 1 ? "" : "s"}`;
}

/** @param {number} days @returns {string} such as "3 days" or "4.2 months" */
export function daysInWords(days) {
  if (days < 1) return "today";
  if (days < 61) return counted(Math.round(days), "day");
  if (days < 730) return `${tenths(days / 30.44)} months`;
  return `${tenths(days / 365.25)} years`;
}

/** When a memory comes back, seen from now. @param {Memory} memory @param {Moment} moment */
export function waitInWords(memory, moment) {
  if (!memory.dueMs) return daysInWords(memory.dueDay - moment.day);
  const minutes = Math.max(0, Math.round((memory.dueMs - moment.ms) / 60_000));
  if (minutes < 1) return "now";
  return minutes < 60 ? `${minutes} min` : `${tenths(minutes / 60)} h`;
}

/** @param {Memory} memory @param {Moment} moment @returns {string} a whole phrase: "due today" */
export function dueInWords(memory, moment) {
  if (memory.phase === "new") return "new";
  if (memory.dueMs) return memory.dueMs <= moment.ms ? "due now" : `due in ${waitInWords(memory, moment)}`;
  const days = memory.dueDay - moment.day;
  if (days < 0) return `due since ${counted(-days, "day")}`;
  if (days === 0) return "due today";
  return days === 1 ? "due tomorrow" : `due in ${daysInWords(days)}`;
}

/** @param {number} value */
function tenths(value) {
  return value < 10 ? String(Math.round(value * 10) / 10) : String(Math.round(value));
}
