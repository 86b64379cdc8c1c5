/**
 * A question as a card: what is asked in front, the answer and why behind.
 *
 * @import {Question} from "./question.js"
 */
import { drawAt, seedOf, shuffled } from "./draw.js";
import { escaped, filled, listed } from "./question.js";

/**
 * @param {Question} question
 * @param {number} day a number question has other numbers on another day
 * @returns {{front: string, back: string}} HTML
 */
export function questionFaces(question, day) {
  const { id, kind, options = [], items = [], code = "", draws = [] } = question;
  const seed = seedOf(id);
  const draw = draws[drawAt(draws.length, seed, Math.abs(day) % 1000)];
  const places = shuffled(options.length || items.length, seed);
  const parts = options.length ? options.map(({ text }) => text) : items;
  const list = parts.length ? `<ul>${places.map((place) => `<li>${parts[place]}</li>`).join("")}</ul>` : "";
  const shown = kind === "output" ? `<pre class="highlight"><code>${code}</code></pre>` : list;
  return {
    front: filled(question.question, draw) + shown,
    back: answerOf(question, draw) + filled(question.explanation, draw),
  };
}

/**
 * @param {Question} question
 * @param {import("./grade.js").Draw | undefined} draw
 * @returns {string} HTML
 */
export function answerOf({ kind, items = [], options = [], output = "" }, draw) {
  if (kind === "number") return `<p>Answer: <strong>${escaped(draw?.shown ?? "")}</strong></p>`;
  if (kind === "order") return `<ol>${items.map((item) => `<li>${item}</li>`).join("")}</ol>`;
  if (kind === "output") return `<pre>\n${escaped(output)}</pre>`;
  const right = options.filter((option) => option.right).map(({ text }) => listed(text));
  return `<p>Answer: <strong>${right.join("</strong>; <strong>")}</strong></p>`;
}
