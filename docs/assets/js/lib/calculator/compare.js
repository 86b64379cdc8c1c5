/**
 * A pinned result beside the present one: what was asked differently, and every row of both.
 *
 * @import {Calculation, Row} from "./copying.js"
 */

/**
 * @param {Calculation} pinned
 * @param {Calculation} now
 * @returns {HTMLElement} a table of both
 */
export function comparison(pinned, now) {
  const table = document.createElement("table");
  table.className = "napkin-grid";
  table.createCaption().textContent = "Pinned beside now";
  const head = table.createTHead().insertRow();
  head.append(...["", "Pinned", "Now", "Now ÷ pinned"].map((text) => headCell("col", text)));
  const body = table.createTBody();
  for (const [index, { label, text }] of now.inputs.entries()) {
    const before = pinned.inputs[index]?.text ?? "";
    if (before !== text) line(body, label, before, text, "");
  }
  const old = rowsOf(pinned);
  const present = rowsOf(now);
  for (const key of new Set([...old.keys(), ...present.keys()])) {
    const [before, after] = [old.get(key), present.get(key)];
    const label = (after ?? before)?.label ?? key;
    line(body, label, before?.text ?? "–", after?.text ?? "–", ratio(before, after));
  }
  const box = document.createElement("div");
  box.className = "napkin-scroll";
  box.append(table);
  return box;
}

/** @param {Calculation} calculation @returns {Map<string, Row>} */
function rowsOf({ parts }) {
  const [headline, ...rows] = parts.flatMap(({ rows }) => rows);
  // The total is often the headline: once is enough.
  const others = rows.filter((row) => row.key !== "total" || row.value !== headline.value);
  return new Map([headline, ...others].map((row) => /** @type {const} */ ([row.key, row])));
}

/**
 * @param {Row | undefined} before
 * @param {Row | undefined} after
 */
function ratio(before, after) {
  if (typeof before?.value !== "number" || typeof after?.value !== "number" || !before.value) return "";
  const factor = after.value / before.value;
  return factor === 1 ? "same" : `× ${Number(factor.toPrecision(3)).toLocaleString("en", { maximumSignificantDigits: 3 })}`;
}

/**
 * @param {HTMLTableSectionElement} body
 * @param {string} label
 * @param {string[]} cells
 */
function line(body, label, ...cells) {
  const row = body.insertRow();
  row.append(headCell("row", label));
  for (const text of cells) {
    const cell = row.insertCell();
    cell.className = "number";
    cell.textContent = text;
  }
}

/** @param {string} scope @param {string} text */
function headCell(scope, text) {
  const cell = document.createElement(text ? "th" : "td");
  if (text) cell.setAttribute("scope", scope);
  cell.textContent = text;
  if (scope === "col") cell.className = "number";
  return cell;
}
