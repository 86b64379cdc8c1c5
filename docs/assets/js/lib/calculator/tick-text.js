/** What a chart's axes say. */

/** @import {Axis} from "./drawing.js" */

const COUNTS = ["", "k", "M", "B", "T"];
const PREFIXES = ["", "k", "M", "G", "T", "P", "E"];

/**
 * A tick, short: "1 GB", "10k", "1 P", "1e21". Units that would be long stand in the axis's name.
 * @param {number} value
 * @param {string} unit as the axis has it
 */
export function tickText(value, unit) {
  if (unit === "B") return `${scaled(value, PREFIXES, " ")}B`;
  if (unit.endsWith("/s") && value >= 1e6) return scaled(value, PREFIXES, " ");
  const far = (unit === "FLOP" && value >= 1e6) || value >= 1e15 || (value !== 0 && Math.abs(value) < 1e-4);
  if (far) return short(value).toExponential().replace("e+", "e");
  return value >= 10_000 ? scaled(value, COUNTS) : short(value).toLocaleString("en-US", { maximumFractionDigits: 6 });
}

/**
 * The axis's label with the unit that its ticks leave out.
 * @param {Axis} axis
 */
export function axisName({ label, unit }) {
  const said = unit === "" || unit === "B" || label.toLowerCase().endsWith(unit);
  return said ? label : `${label} (${unit})`;
}

/**
 * @param {number} value
 * @param {string[]} prefixes of a thousand each
 * @param {string} [gap] before the prefix
 */
function scaled(value, prefixes, gap = "") {
  const size = Math.abs(short(value));
  const power = size < 1 ? 0 : Math.min(Math.floor(Math.log10(size) / 3 + 1e-9), prefixes.length - 1);
  return `${short(value / 1000 ** power)}${gap}${prefixes[power]}`;
}

/** Three significant digits. @param {number} value */
function short(value) {
  return Number(value.toPrecision(3));
}
