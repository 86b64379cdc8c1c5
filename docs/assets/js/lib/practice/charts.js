/** Small charts as SVG; each stands beside a table with the same numbers. */
import { dayName, weekdayOf } from "./day.js";

const SVG = "http://www.w3.org/2000/svg";
const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/**
 * @param {string} tag
 * @param {Record<string, string | number>} [attributes]
 * @param {(Node | string)[]} children
 */
function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/**
 * @param {number[]} counts
 * @param {(index: number) => string} name of a bar
 * @param {string} label of the whole
 */
export function bars(counts, name, label) {
  const width = 600;
  const height = 110;
  const most = Math.max(1, ...counts);
  const step = width / counts.length;
  const drawn = counts.map((count, index) => {
    const tall = (count / most) * (height - 14);
    const box = { class: "bar", x: index * step + 1, y: height - tall, width: Math.max(1, step - 2), height: tall };
    return svg("rect", box, svg("title", {}, `${name(index)}: ${count}`));
  });
  const top = svg("text", { x: 0, y: 9 }, `most: ${most}`);
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, top, ...drawn);
}

/**
 * A year of days, a column a week, Monday on top.
 * @param {number[]} counts the last one is today's
 * @param {number} today
 * @param {string} label
 */
export function heatmap(counts, today, label) {
  const first = today - counts.length + 1;
  const most = Math.max(1, ...counts);
  const size = 11;
  const lead = weekdayOf(first);
  const drawn = counts.map((count, index) => {
    const place = lead + index;
    const level = count === 0 ? 0 : Math.max(1, Math.ceil((4 * count) / most));
    const box = {
      class: `level-${level}`,
      "data-day": first + index,
      x: Math.floor(place / 7) * size,
      y: (place % 7) * size,
      width: size - 2,
      height: size - 2,
    };
    const when = `${WEEKDAYS[weekdayOf(first + index)]}, ${dayName(first + index)}`;
    return svg("rect", box, svg("title", {}, `${when}: ${count}`));
  });
  const weeks = Math.ceil((lead + counts.length) / 7);
  return svg("svg", { viewBox: `0 0 ${weeks * size} ${7 * size}`, role: "img", "aria-label": label }, ...drawn);
}

/**
 * @param {string[]} head
 * @param {(string | number)[][]} rows
 * @param {string} caption
 */
export function table(head, rows, caption) {
  const place = document.createElement("div");
  place.dataset.part = "scroll";
  place.tabIndex = 0;
  place.setAttribute("role", "region");
  place.setAttribute("aria-label", caption);
  const made = document.createElement("table");
  const top = made.createTHead().insertRow();
  const numeric = rows[0]?.map((cell) => typeof cell === "number" || /^[\d–-]/.test(cell)) ?? [];
  for (const [index, text] of head.entries()) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = text;
    if (numeric[index]) cell.className = "number";
    top.append(cell);
  }
  const body = made.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    for (const [index, text] of row.entries()) {
      const cell = line.insertCell();
      cell.textContent = typeof text === "number" ? text.toLocaleString("en-GB") : text;
      if (numeric[index]) cell.className = "number";
    }
  }
  place.append(made);
  return place;
}
