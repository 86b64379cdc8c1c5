/**
 * What a reader may choose, with what holds before; kept as events, so a backup carries it.
 *
 * @import {PracticeEvent} from "./events.js"
 *
 * @typedef {object} Settings
 * @property {number} retention share of answers that shall be remembered
 * @property {number} newPerDay new cards a day
 * @property {{day: number, more: number}} newToday more of them, on this day only
 * @property {number} rollover hour at which a study day begins
 * @property {2 | 4} buttons
 * @property {string} name of the reader, for the backup's file name
 */
import { ROLLOVER_HOUR } from "./day.js";
import { RETENTION } from "./schedule.js";

/** @returns {Settings} */
export function usualSettings() {
  return {
    retention: RETENTION.usual,
    newPerDay: 15,
    newToday: { day: -1, more: 0 },
    rollover: ROLLOVER_HOUR,
    buttons: 4,
    name: "",
  };
}

/** @type {Record<keyof Settings, (value: any) => boolean>} */
const FITS = {
  retention: (value) => typeof value === "number" && value >= RETENTION.least && value <= RETENTION.most,
  newPerDay: (value) => Number.isInteger(value) && value >= 0 && value <= 9999,
  newToday: (value) => Number.isInteger(value?.day) && Number.isInteger(value?.more),
  rollover: (value) => Number.isInteger(value) && value >= 0 && value <= 23,
  buttons: (value) => value === 2 || value === 4,
  name: (value) => typeof value === "string" && value.length <= 60,
};

/**
 * @param {string} key
 * @param {any} value
 * @returns {key is keyof Settings}
 */
export function fits(key, value) {
  return Object.hasOwn(FITS, key) && FITS[/** @type {keyof Settings} */ (key)](value);
}

/**
 * @param {PracticeEvent[]} events in order
 * @returns {Settings}
 */
export function settingsFrom(events) {
  const settings = usualSettings();
  for (const { key = "", value } of events) {
    if (fits(key, value)) /** @type {any} */ (settings)[key] = value;
  }
  return settings;
}
