/**
 * A calculation as text, Markdown or JSON, taken from what the page shows: so the default result
 * can be copied before Python has started.
 *
 * @typedef {{key: string, label: string, value: number | string, text: string, working: string}} Row
 * @typedef {{title: string, rows: Row[]}} Part
 * @typedef {object} Calculation
 * @property {string} title
 * @property {string} link
 * @property {{name: string, label: string, text: string}[]} inputs
 * @property {string} sentence
 * @property {Part[]} parts the headline first, under the title of the calculator
 * @property {string[]} notes
 */

/**
 * What a result says.
 * @param {Element} result
 * @returns {Pick<Calculation, "sentence" | "parts" | "notes">}
 */
export function readResult(result) {
  const parts = [...result.querySelectorAll("table.napkin-parts")].map((table) => ({
    title: text(table, "caption"),
    rows: [...table.querySelectorAll("tr[data-row]")].map(row),
  }));
  const headline = result.querySelector("[data-part=headline]");
  if (headline) parts.unshift({ title: "", rows: [row(headline)] });
  const notes = [...result.querySelectorAll("[data-part=notes] li")].map((note) => note.textContent ?? "");
  return { sentence: text(result, "[data-part=sentence]"), parts, notes };
}

/** @param {Element} element of one row @returns {Row} */
function row(element) {
  const value = /** @type {HTMLElement} */ (element.querySelector("[data-value]"));
  const number = Number(value.dataset.value);
  const label = element.querySelector("[data-part=label]") ?? element.querySelector("th");
  return {
    key: /** @type {HTMLElement} */ (element).dataset.row ?? "",
    label: label?.firstChild?.textContent ?? "",
    value: Number.isNaN(number) ? (value.dataset.value ?? "") : number,
    text: value.textContent ?? "",
    working: text(element, "[data-part=working]"),
  };
}

/** @param {Element} element @param {string} selector */
function text(element, selector) {
  return element.querySelector(selector)?.textContent ?? "";
}

/** @type {Record<string, (calculation: Calculation) => string>} */
export const FORMATS = {
  text: ({ title, link, inputs, sentence, parts, notes }) =>
    [
      title,
      ...inputs.map(({ label, text }) => `  ${label}: ${text}`),
      "",
      sentence,
      ...parts.flatMap(({ title, rows }) => ["", ...(title ? [title] : []), ...aligned(rows)]),
      ...notes.map((note) => `Note: ${note}`),
      link,
    ].join("\n"),
  markdown: ({ title, link, inputs, sentence, parts, notes }) =>
    [
      `**${cell(title)}** ([link](${link}))`,
      "",
      ...inputs.map(({ label, text }) => `- ${cell(label)}: ${cell(text)}`),
      "",
      cell(sentence),
      "",
      "| Part | Value | Working |",
      "| --- | ---: | --- |",
      ...parts.flatMap(({ rows }) =>
        rows.map(({ label, text, working }) => `| ${cell(label)} | ${cell(text)} | ${cell(working)} |`),
      ),
      ...(notes.length ? ["", ...notes.map((note) => `- ${cell(note)}`)] : []),
    ].join("\n"),
  json: ({ title, link, inputs, sentence, parts, notes }) =>
    JSON.stringify(
      { title, link, inputs: Object.fromEntries(inputs.map(({ name, text }) => [name, text])), sentence, parts, notes },
      null,
      2,
    ),
};

/** @param {Row[]} rows */
function aligned(rows) {
  const labels = Math.max(...rows.map(({ label }) => label.length));
  const values = Math.max(...rows.map(({ text }) => text.length));
  return rows.map(({ label, text, working }) =>
    `${label.padEnd(labels)}  ${text.padStart(values)}   ${working}`.trimEnd(),
  );
}

/** Text for a cell of a Markdown table. @param {string} words */
function cell(words) {
  return words.replaceAll("\n", " ").replace(/[\\|*_`<\[]/g, "\\$&");
}
