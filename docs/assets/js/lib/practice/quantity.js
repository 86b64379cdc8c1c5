/**
 * An answer as people write it: a number and perhaps a unit, read in what the question asks for.
 *
 * @import {DecimalMark} from "./numeric.js"
 * @import {Unit} from "./units.js"
 * @typedef {{label: string, text: string, mark?: DecimalMark}} Choice `text` is the answer anew,
 *   with one reading; `mark` is what choosing it says about the reader's decimals
 * @typedef {{kind: "quantity", value: number, number: number, unit: Unit, shown: string,
 *   other?: Choice}} Quantity `value` in the wanted unit's dimension; `other` is a reading that
 *   the reader's decimal mark has ruled out
 * @typedef {{kind: "choose", message: string, choices: Choice[]}} Choose
 * @typedef {{kind: "unreadable", message: string}} Unreadable
 */
import { clean, printed, readNumber, typed, unreadable } from "./numeric.js";
import { measured, needsUnit, readUnit, usualUnits } from "./units.js";

/**
 * @param {string} given
 * @param {Unit} wanted
 * @param {{asked?: Unit | null, mark?: DecimalMark | null, text?: string}} [context] `asked`: the
 *   unit that the question names, such as GB in "How many GB", for a number without one; `text`:
 *   what is asked, whose words may follow a plain number, as in "27 machine-hours"
 * @returns {Quantity | Choose | Unreadable}
 */
export function readQuantity(given, wanted, { asked = null, mark = null, text: words = "" } = {}) {
  let text = clean(given);
  if (!text) return unreadable("Write a number first.");
  if (/[€£¥]|\b(EUR|GBP)\b/.test(text)) return unreadable("Prices here are in US dollars.");
  const money = /^([-+]?) ?(?:US ?)?\$ ?|^([-+]?) ?USD ?/.exec(text);
  if (money) text = (money[1] ?? money[2] ?? "") + text.slice(money[0].length);
  const clock = wanted.dimension === "s" ? readClock(text) : null;
  if (clock !== null) return quantity(clock, { scale: 1, dimension: "s", name: "s" });

  const hasScale = (/** @type {string} */ rest) => scaling(rest, wanted, asked);
  const number = readNumber(text, mark, hasScale);
  if (number.kind === "unreadable") return number;
  const rest = money ? withDollar(number.rest) : number.rest;
  if (number.kind === "either") {
    return {
      kind: "choose",
      message: `${text.slice(0, text.length - number.rest.length).trim()} can be read in two ways. Which do you mean?`,
      choices: number.values.map(({ value, mark }) => ({
        label: worded(value, mark), text: `${typed(value)} ${rest}`.trim(), mark,
      })),
    };
  }
  const read = withUnit(number.value, rest, wanted, asked, words);
  if (read.kind !== "quantity" || number.alternative === undefined) return read;
  const other = typed(number.alternative);
  return { ...read, other: { label: printed(number.alternative), text: `${other} ${rest}`.trim() } };
}

/**
 * A number with what follows it.
 * @param {number} value
 * @param {string} rest
 * @param {Unit} wanted
 * @param {Unit | null} asked
 * @param {string} words
 * @returns {Quantity | Choose | Unreadable}
 */
function withUnit(value, rest, wanted, asked, words) {
  if (!rest) return plain(value, wanted, asked);
  const unit = readUnit(rest, wanted);
  if (wanted.name === "" && !(unit.kind === "unit" && unit.unit.dimension === "")) {
    if (saidIn(rest, words)) return quantity(value, { scale: 1, dimension: "", name: rest });
    return unreadable(`The question asks for a plain number: I read ${printed(value)}, but not "${rest}".`);
  }
  if (unit.kind === "which") {
    const choices = unit.names.map((name) => `${typed(value)} ${name}`);
    return {
      kind: "choose", message: unit.message, choices: choices.map((text) => ({ label: text, text })),
    };
  }
  if (unit.kind === "unknown") {
    const parts = wanted.dimension === "s" ? readParts(value, rest) : null;
    if (parts !== null) return quantity(parts, { scale: 1, dimension: "s", name: "s" });
    const usual = usualUnits(wanted).filter(Boolean);
    const known = usual.length ? ` Units known here: ${usual.join(", ")}.` : "";
    return unreadable(`I read ${printed(value)}, but not "${rest}".${known}`);
  }
  const read = quantity(value, unit.unit);
  return Number.isFinite(read.value) ? read : unreadable("That is too large to be meant.");
}

/**
 * The unit that a question's text asks for, such as GB in "How many GB are ...".
 * @param {string} question
 * @param {Unit} wanted
 * @returns {Unit | null} null where the text names none that fits
 */
export function askedUnit(question, wanted) {
  if (wanted.scale !== 1) return wanted;
  for (const match of question.matchAll(/how many ((?:[A-Za-zµ$%]+\/)?[A-Za-zµ$%]+)( per \w+)?/gi)) {
    for (const name of [match[1] + (match[2] ?? ""), match[1]]) {
      const read = readUnit(name, wanted);
      if (read.kind === "unit" && read.unit.dimension === wanted.dimension) return read.unit;
    }
  }
  return null;
}

/**
 * A number without a unit.
 * @param {number} value
 * @param {Unit} wanted
 * @param {Unit | null} asked
 * @returns {Quantity | Choose}
 */
function plain(value, wanted, asked) {
  const unit = asked ?? wanted;
  if (unit.name === "%" && Math.abs(value) <= 1 && value !== 0) {
    return choices(`Is ${printed(value)} a share of one, or per cent?`, [
      `${typed(value * 100)} %`, `${typed(value)} %`,
    ]);
  }
  if (asked || !needsUnit(wanted)) return quantity(value, unit);
  const message = `${printed(value)} of what? The question asks for ${measured(wanted.dimension)}.`;
  return choices(message, usualUnits(wanted).map((name) => `${typed(value)} ${name}`));
}

/** @param {string} message @param {string[]} texts @returns {Choose} */
function choices(message, texts) {
  return { kind: "choose", message, choices: texts.map((text) => ({ label: text, text })) };
}

/**
 * @param {number} number
 * @param {Unit} unit
 * @returns {Quantity}
 */
function quantity(number, unit) {
  const value = number * unit.scale;
  let shown = `${printed(number)} ${unit.name}`.trim();
  if (unit.dimension === "$") shown = `$${printed(value)}`;
  else if (unit.name.startsWith("$/")) shown = `$${printed(number)}${unit.name.slice(1)}`;
  return { kind: "quantity", value, number, unit, shown: shown.replace("$-", "-$") };
}

/**
 * Whether all words of a unit stand in the question, in the singular or the plural.
 * @param {string} unit
 * @param {string} question
 */
function saidIn(unit, question) {
  const stems = (/** @type {string} */ text) =>
    (text.toLowerCase().match(/[\p{L}\p{N}µ$-]+/gu) ?? []).map((word) => word.replace(/s$/, ""));
  const known = new Set(stems(question).flatMap((word) => [word, ...word.split("-")]));
  const said = stems(unit).filter((word) => !/^(per|a|an|of|the)$/.test(word));
  return said.length > 0 && said.every((word) => known.has(word));
}

/** A dollar sign in front belongs to the unit behind: `$2/h`, `$1.2M`. @param {string} rest */
function withDollar(rest) {
  const [, above, below] = /** @type {RegExpExecArray} */ (/^(.*?)((?:\/|\bper ).*)?$/.exec(rest));
  return `${above} $ ${below ?? ""}`.trim();
}

/**
 * Whether what follows a number, or what the question asks in, is a unit with a prefix.
 * @param {string} rest
 * @param {Unit} wanted
 * @param {Unit | null} asked
 */
function scaling(rest, wanted, asked) {
  const name = rest.trim();
  if (!name) return asked !== null && asked.scale !== 1;
  const unit = readUnit(name, wanted);
  return unit.kind === "which" || (unit.kind === "unit" && unit.unit.scale !== 1);
}

/** `1:30:00` in seconds. @param {string} text */
function readClock(text) {
  const match = /^(\d+):([0-5]\d):([0-5]\d)$/.exec(text);
  return match && Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3]);
}

/**
 * Times of several parts, large to small: `1 h 30 min`.
 * @param {number} first
 * @param {string} rest
 * @returns {number | null} seconds
 */
function readParts(first, rest) {
  const seconds = { scale: 1, dimension: "s", name: "s" };
  let total = 0;
  let last = Infinity;
  for (const [, number, word] of `${first} ${rest}`.matchAll(/([\d.]+) ?([a-z]+),?(?: and)? ?|.+/gi)) {
    // 1h30m has one reading.
    const unit = word && readUnit(word === "m" && last === 3600 ? "min" : word, seconds);
    if (!unit || unit.kind !== "unit" || unit.unit.dimension !== "s") return null;
    if (unit.unit.scale >= last) return null;
    total += Number(number) * unit.unit.scale;
    last = unit.unit.scale;
  }
  return total;
}

/** @param {number} value @param {DecimalMark} mark */
function worded(value, mark) {
  return Number.isInteger(value) && mark === "point" ? `${printed(value)} (thousands)` : printed(value);
}
