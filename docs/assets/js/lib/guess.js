/** Numbers that people guess: how they write them, and how far off they are. */

/** @type {Record<string, number>} */
const SCALES = {
  "": 1,
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  million: 1e6,
  b: 1e9,
  g: 1e9,
  billion: 1e9,
  t: 1e12,
  trillion: 1e12,
};
const GUESS =
  /^(?<number>\d[\d ,_'’\u00a0\u202f]*(?:\.\d+)?|\.\d+|10(?=\^))(?:e(?<e>[-+]?\d+))?(?:[*·×x]?10(?:\^|\*\*)(?<power>[-+]?\d+))?(?:\^(?<bare>[-+]?\d+))?(?<scale>[a-z]*)%?$/;

/**
 * @param {string} text
 * @param {string} [unit] that may stand behind the number, as beside the box
 * @returns {number | null} null where it is not one positive number
 */
export function parseGuess(text, unit = "") {
  const typed = text.trim().toLowerCase();
  const bare = unit && typed.endsWith(unit.toLowerCase()) ? typed.slice(0, -unit.length) : typed;
  const plain = bare
    .trim()
    .replaceAll("−", "-")
    .replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+/g, (run) => `^${run.replace(/./g, (sign) => "0123456789-"["⁰¹²³⁴⁵⁶⁷⁸⁹⁻".indexOf(sign)])}`)
    .replace(/^(?:about|≈|~|\$)\s*/, "")
    .replace(/\s+/g, "");
  const found = GUESS.exec(plain)?.groups;
  if (!found || !(found.scale in SCALES)) return null;
  const number = Number(found.number.replace(/[^\d.]/g, ""));
  const power = Number(found.e ?? 0) + Number(found.power ?? 0);
  const value = (found.bare ? number ** Number(found.bare) : number) * 10 ** power * SCALES[found.scale];
  return Number.isFinite(value) && value > 0 ? value : null;
}

/**
 * To three significant digits, as the site's own Python writes them.
 * @param {number} value above zero
 */
export function formatNumber(value) {
  const power = Math.floor(Math.log10(value));
  const rounded = Number(value.toPrecision(3));
  if (power >= -4 && power < 9) {
    return rounded.toLocaleString("en-US", { maximumFractionDigits: Math.max(0, 2 - power) });
  }
  const [mantissa, exponent] = rounded.toExponential().split("e");
  const raised = exponent.replace("+", "").replace(/./g, (sign) => "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"["0123456789-".indexOf(sign)]);
  return `${mantissa} × 10${raised}`;
}

/**
 * @param {number} guess
 * @param {number} answer
 * @returns {string} how far off it is, said kindly
 */
export function compared(guess, answer) {
  const ratio = guess / answer;
  const off = Math.max(ratio, 1 / ratio);
  if (off < 1.005) return "right on it";
  if (off <= 1.1) return "within 10 %";
  if (off <= 2) return "within a factor of 2";
  return `${formatNumber(Number(off.toPrecision(2)))} times too ${ratio > 1 ? "high" : "low"}`;
}
