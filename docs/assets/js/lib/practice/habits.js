/**
 * What is particular to this reader, kept in this browser: a seed, and the decimal mark.
 *
 * @import {DecimalMark} from "./numeric.js"
 */
const SITE = new URL("../../../../", import.meta.url).pathname;

/** A number of this reader's own, so that not all get the same numbers; 0 where it cannot be kept. */
export function readerSeed() {
  const key = `napkin:${SITE}:seed`;
  try {
    const kept = Number(localStorage.getItem(key));
    if (kept) return kept;
    const seed = 1 + Math.floor(Math.random() * 1e9);
    localStorage.setItem(key, String(seed));
    return seed;
  } catch {
    return 0;
  }
}

const MARK = `napkin:${SITE}:decimal-mark`;

/** How the reader marks decimals, once asked. @returns {DecimalMark | null} */
export function decimalMark() {
  try {
    const mark = localStorage.getItem(MARK);
    return mark === "point" || mark === "comma" ? mark : null;
  } catch {
    return null;
  }
}

/** @param {DecimalMark} mark */
export function keepDecimalMark(mark) {
  try {
    localStorage.setItem(MARK, mark);
  } catch {
    // asked again next time
  }
}
