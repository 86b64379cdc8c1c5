/**
 * A question as the build publishes it, in its page and in items.json.
 *
 * @import {Draw} from "./grade.js"
 * @typedef {{text: string, right: boolean, reply: string}} Option HTML
 * @typedef {object} Question
 * @property {string} id
 * @property {"choice" | "multiple" | "number" | "order" | "output"} kind
 * @property {string} hash changes when what is asked does
 * @property {string} lesson
 * @property {string} topic
 * @property {string} question HTML, as are all texts; `{name}` stands for a drawn value
 * @property {string} explanation
 * @property {string} card the card that a miss adds, "" for the question itself
 * @property {string[]} [hints]
 * @property {string[]} [replies] to the known mistakes
 * @property {Option[]} [options]
 * @property {string[]} [items] in the right order
 * @property {string} [code]
 * @property {string} [output]
 * @property {string[]} [mistakes] of an output
 * @property {string} [unit]
 * @property {number} [tolerance]
 * @property {Draw[]} [draws]
 */
import { grouping } from "./numeric.js";

/**
 * An HTML text with a draw's values for its `{names}`: in code as Python reads them, elsewhere
 * with commas. The same as `filled` in pysrc/sitekit/draws.py.
 * @param {string} text
 * @param {Draw | undefined} draw
 */
export function filled(text, draw) {
  if (!draw) return text;
  return text
    .split(/(<code\b.*?<\/code>)/s)
    .map((part, index) =>
      part.replace(/\{([A-Za-z_]\w*)\}/g, (place, name) => {
        if (name === "answer") return escaped(draw.shown);
        if (!Object.hasOwn(draw.values, name)) return place;
        const raw = draw.values[name];
        return escaped(index % 2 || !/^\d{4,}$/.test(raw) ? raw : grouping(raw));
      }),
    )
    .join("");
}

/** An option's text where something follows it: without the full stop. @param {string} html */
export function listed(html) {
  return html.replace(/\.$/, "");
}

/** @param {string} text */
export function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** What HTML says, without its tags. @param {string} html */
export function spoken(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  return (holder.content.textContent ?? "").trim().replace(/\s+/g, " ");
}

/**
 * The draw with these values, as an earlier answer had them.
 * @param {Question} question
 * @param {Record<string, string> | undefined} values
 */
export function drawWith(question, values) {
  const names = Object.keys(values ?? {});
  return question.draws?.find(
    (draw) =>
      names.length === Object.keys(draw.values).length &&
      names.every((name) => draw.values[name] === values?.[name]),
  );
}
