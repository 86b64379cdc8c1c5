/**
 * Study days: whole numbers that count local calendar days, each beginning at the rollover hour.
 *
 * Day 0 is 1 January 1970. A review keeps the number that was right where and when it was made, so
 * neither a journey nor a clock change rewrites what has been.
 */

export const DAY_MS = 86_400_000;
export const ROLLOVER_HOUR = 4;

/** @param {number} ms @returns {number} minutes by which local time is ahead of UTC then */
export function offsetAt(ms) {
  return 0 - new Date(ms).getTimezoneOffset();
}

/**
 * @param {number} ms since 1970, UTC
 * @param {number} [offset] minutes ahead of UTC
 * @param {number} [rollover] hour at which a day begins
 * @returns {number} the study day
 */
export function studyDay(ms, offset = offsetAt(ms), rollover = ROLLOVER_HOUR) {
  if (!Number.isFinite(ms) || !Number.isFinite(offset)) throw new RangeError(`no moment: ${ms}`);
  return Math.floor((ms + offset * 60_000 - rollover * 3_600_000) / DAY_MS);
}

/**
 * When a study day begins, in this browser's time zone.
 * @param {number} day
 * @param {number} [rollover]
 */
export function dayStart(day, rollover = ROLLOVER_HOUR) {
  const utc = new Date(day * DAY_MS);
  return new Date(utc.getUTCFullYear(), utc.getUTCMonth(), utc.getUTCDate(), rollover).getTime();
}

/** Noon UTC of a study day: what a scheduler that counts UTC dates is told. @param {number} day */
export function noonOf(day) {
  return new Date(day * DAY_MS + DAY_MS / 2);
}

/** @param {number} day @returns {number} 0 for Monday to 6 for Sunday */
export function weekdayOf(day) {
  return (((day + 3) % 7) + 7) % 7; // 1 January 1970 was a Thursday
}

/** @param {number} day @returns {string} such as "2026-11-29" */
export function dateOf(day) {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** @param {number} day @returns {string} such as "29 Nov 2026" */
export function dayName(day) {
  const format = { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" };
  return noonOf(day).toLocaleDateString("en-GB", /** @type {any} */ (format));
}
