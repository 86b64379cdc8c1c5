/**
 * Numbers as people write them: `1.5e9`, `1.5×10⁹`, `1,500,000`, `3/4`, `−2`.
 *
 * What has two readings (`1,500`: fifteen hundred or one and a half?) is neither guessed nor
 * refused: both are handed back, to be asked about.
 *
 * @typedef {"point" | "comma"} DecimalMark how the reader marks decimals, once known
 * @typedef {{kind: "number", value: number, rest: string, alternative?: number}} NumberRead
 *   `rest` is what follows; `alternative` is the other reading that `mark` has ruled out
 * @typedef {{kind: "either", values: {value: number, mark: DecimalMark}[], rest: string}} TwoReadings
 * @typedef {{kind: "unreadable", message: string}} Unreadable
 */

const MAX_LENGTH = 80;
const MAX_EXPONENT = 300;
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** One spelling each for minus, times, blanks, powers and micro: the grammar stays small. */
const SPELLINGS = /** @type {[RegExp, string][]} */ ([
  [/[\u200b-\u200f\u202a-\u202e\u2060\ufeff`]/g, ""],
  [/[−‐‑‒–—﹣－]/g, "-"],
  [/\\(?:times|cdot)(?![a-z])|[×✕✖⨯·⋅∙•∗]/g, "*"],
  [/\*\*/g, "^"],
  [/[’‘ʼ′]/g, "'"],
  [/[⁄∕÷]/g, "/"],
  [/[µμ]/g, "u"],
  [/\^\s*[{(]\s*([-+]?\s*\d+)\s*[})]/g, "^$1"],
  [/\s+/g, " "],
  [/^ ?(?:=|≈|~|≃|≅|about|around|roughly|approx\.?|approximately|ca\.?) ?/i, ""],
]);

/**
 * The text in one spelling.
 * @param {string} text
 */
export function clean(text) {
  // Before NFKC, which would make 109 of 10⁹ and 11/2 of 1½.
  let plain = text.replace(/(?<=[\d)])[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+/g, (power) => {
    const sign = power.startsWith("⁻") ? "-" : "";
    return `^${sign}${[...power].map((c) => SUPERSCRIPTS.indexOf(c)).filter((n) => n >= 0).join("")}`;
  });
  plain = plain.replace(/(?<=\d) ?(?=[¼½¾⅐-⅞])/g, " ").normalize("NFKC");
  for (const [pattern, spelling] of SPELLINGS) plain = plain.replace(pattern, spelling);
  return plain.trim();
}

const DIGITS = String.raw`(?:\d+(?:[ _,.']\d+)*|[.,]\d+)`;
const POWER = String.raw`\^ ?([-+]? ?\d+)`;
const NUMBER = new RegExp(
  String.raw`^([-+]?) ?(${DIGITS})([.,](?!\d))?` +
    String.raw`(?: ?[eE] ?([-+]? ?\d+)| ?[*xX] ?(?:(10|2) ?${POWER}|1[eE]([-+]?\d+)))?`,
);
const BARE_POWER = new RegExp(String.raw`^([-+]?) ?(10|2) ?${POWER}`);
const MIXED = /^([-+]?) ?(\d+) (\d{1,2}) ?\/ ?(\d{1,2})(?!\d)/;

/**
 * The number that a cleaned text starts with.
 * @param {string} text
 * @param {DecimalMark | null} mark the reader's decimal mark, where it has been asked
 * @param {(rest: string) => boolean} scaled whether what follows is a scale, as in `3.125 GB`:
 *   nobody groups digits there with a point
 * @returns {NumberRead | TwoReadings | Unreadable}
 */
export function readNumber(text, mark = null, scaled = () => false) {
  if (!text) return unreadable("Write a number first.");
  if (text.length > MAX_LENGTH) return unreadable("That is too long to be one number.");
  const mixed = MIXED.exec(text);
  if (mixed && Number(mixed[3]) < Number(mixed[4])) {
    const [whole, part, parts] = mixed.slice(2).map(Number);
    return finished(signed(mixed[1], whole + part / parts), text.slice(mixed[0].length));
  }
  const bare = BARE_POWER.exec(text);
  if (bare) {
    const value = raised(Number(bare[2]), bare[3]);
    if (value === null) return tooLarge();
    return finished(signed(bare[1], value), text.slice(bare[0].length));
  }
  const match = NUMBER.exec(text);
  if (!match) return unreadable("Start with a number, such as 14, 1.5e9 or 1.5×10^9.");
  const [whole, sign, digits, , exponent, base, power, tens] = match;
  const rest = text.slice(whole.length);
  const factor =
    base === "2" ? raised(2, power) : raised(10, exponent ?? power ?? tens ?? "0");
  if (factor === null) return tooLarge();
  const multiplied = Boolean(exponent ?? power ?? tens);
  const read = grouped(digits, multiplied ? ".," : scaled(rest) ? "." : "");
  if (read === null) {
    return unreadable(
      `The digits of ${digits} are in no known order: write them as 1234567.8 or 1,234,567.8.`,
    );
  }
  // Through text, so that 1.5 with exponent 9 is exactly what Python has.
  const times = (/** @type {string} */ decimal) =>
    signed(sign, base === "2" ? Number(decimal) * factor : Number(`${decimal}e${exponentOf(factor)}`));
  if (read.length === 1) return fraction(times(read[0].decimal), rest);
  const chosen = mark && read.find((reading) => reading.mark === mark);
  if (chosen) {
    const other = read.find((reading) => reading !== chosen);
    const result = fraction(times(chosen.decimal), rest);
    return result.kind === "number" && other
      ? { ...result, alternative: times(other.decimal) }
      : result;
  }
  const values = read.map(({ decimal, mark }) => ({ value: times(decimal), mark }));
  return { kind: "either", values, rest: rest.trim() };
}

/**
 * The readings of grouped digits, each as plain decimal text; null where there is none.
 * @param {string} digits
 * @param {string} decimals the signs that mark decimals here and nothing else
 * @returns {{decimal: string, mark: DecimalMark}[] | null}
 */
function grouped(digits, decimals) {
  const marks = digits.match(/[^\d]/g) ?? [];
  const last = marks.at(-1);
  const point = { decimal: digits.replace(",", "."), mark: markOf(last) };
  if (!last) return [point];
  if (marks.length === 1 && (last === "." || last === ",")) {
    const [before, after] = digits.split(last);
    const groups = after.length === 3 && /^[1-9]\d{0,2}$/.test(before);
    if (!groups || decimals.includes(last)) return [point];
    return [
      { decimal: before + after, mark: last === "," ? "point" : "comma" },
      point,
    ];
  }
  const decimal = (last === "." || last === ",") && marks.filter((m) => m === last).length === 1;
  const separators = new Set(decimal ? marks.slice(0, -1) : marks);
  const end = decimal ? digits.lastIndexOf(last) : digits.length;
  const parts = digits.slice(0, end).split(/[ _,.']/);
  const inThrees = parts.slice(1).every((part) => part.length === 3) && /^.{1,3}$/.test(parts[0]);
  // As in India: 1,00,000.
  const lakhs =
    parts.length > 2 && parts.at(-1)?.length === 3 && parts.slice(1, -1).every((p) => p.length === 2);
  if (separators.size !== 1 || !(inThrees || (lakhs && parts[0].length <= 2))) return null;
  const tail = decimal ? `.${digits.slice(end + 1)}` : "";
  return [{ decimal: parts.join("") + tail, mark: "point" }];
}

/** @param {string | undefined} last @returns {DecimalMark} */
function markOf(last) {
  return last === "," ? "comma" : "point";
}

/**
 * What follows the number may make a fraction of it: 3/4.
 * @param {number} value
 * @param {string} rest
 * @returns {NumberRead | Unreadable}
 */
function fraction(value, rest) {
  const over = /^ ?\/ ?(\d+(?:\.\d+)?)(?![\d.,]| ?[*^])/.exec(rest);
  if (!over) return finished(value, rest);
  if (Number(over[1]) === 0) return unreadable("Nothing can be divided by zero.");
  return finished(value / Number(over[1]), rest.slice(over[0].length));
}

/**
 * @param {number} value
 * @param {string} rest
 * @returns {NumberRead | Unreadable}
 */
function finished(value, rest) {
  if (!Number.isFinite(value)) return tooLarge();
  const after = rest.trim();
  if (/^(?:[+^/(]|-(?!fold)|\*.)/.test(after) && !/^\/ ?[a-z]/i.test(after)) {
    return unreadable("Write the result as one number, not the sum that leads to it.");
  }
  if (/^[\d_,.;:']/.test(after)) return unreadable("Write one number: what follows it is not clear.");
  return { kind: "number", value, rest: after };
}

/** @param {string} sign @param {number} value */
function signed(sign, value) {
  return sign === "-" ? -value : value;
}

/** @param {number} base @param {string} power */
function raised(base, power) {
  const exponent = Number(power.replace(/[ +]/g, ""));
  if (Math.abs(exponent) > MAX_EXPONENT) return null;
  return base === 10 ? Number(`1e${exponent}`) : base ** exponent;
}

/** @param {number} factor a power of ten */
function exponentOf(factor) {
  return Math.round(Math.log10(factor));
}

/** @returns {Unreadable} */
function tooLarge() {
  return unreadable(`That is beyond 10^±${MAX_EXPONENT}.`);
}

/** @param {string} message @returns {Unreadable} */
export function unreadable(message) {
  return { kind: "unreadable", message };
}

/**
 * A number as this site prints them.
 * @param {number} value
 */
export function printed(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-4) {
    return Number(value.toPrecision(6)).toExponential().replace("e+", "e");
  }
  if (Number.isInteger(value)) return grouping(String(value));
  const [whole, part] = String(Number(value.toPrecision(size < 1 ? 6 : 10))).split(".");
  return part ? `${grouping(whole)}.${part}` : grouping(whole);
}

/** @param {string} whole digits; from four on they are grouped */
export function grouping(whole) {
  return whole.replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/**
 * A number as one would type it, with one reading: no grouping, and never three decimals.
 * @param {number} value
 */
export function typed(value) {
  const text = String(value);
  return /^-?\d+\.\d{3}$/.test(text) ? `${text}0` : text;
}
