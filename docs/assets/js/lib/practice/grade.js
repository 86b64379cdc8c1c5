/**
 * Answers judged: right, wrong, or not understood, which never counts as wrong.
 *
 * @import {Choice} from "./quantity.js"
 * @import {DecimalMark} from "./numeric.js"
 * @import {Unit} from "./units.js"
 * @typedef {object} Draw one set of numbers for a question, worked out by Python
 * @property {Record<string, string>} values as the text shows them
 * @property {number} answer in the question's unit
 * @property {string} shown the answer with its unit
 * @property {number[]} mistakes
 * @typedef {object} Grade
 * @property {"right" | "wrong" | "invalid"} outcome
 * @property {string} reply plain text; where it is the question's own, `mistake` says which
 * @property {number} [mistake] index of the known mistake
 * @property {string} [reading] how a number was read
 * @property {Choice[]} [choices] what the reader may mean
 * @property {Choice} [other] another reading than the one taken
 */
import { printed } from "./numeric.js";
import { readQuantity } from "./quantity.js";
import { measured, unitNamed } from "./units.js";

/** Two numbers that differ by no more than rounding does. */
const ROUNDING = 4 * Number.EPSILON;

/**
 * @param {string} given
 * @param {{unit: string, tolerance: number, asked: Unit | null, text?: string}} question
 * @param {Draw} draw
 * @param {DecimalMark | null} [mark] the reader's decimal mark
 * @returns {Grade}
 */
export function gradeNumber(given, question, draw, mark = null) {
  const wanted = unitNamed(question.unit);
  const read = readQuantity(given, wanted, { asked: question.asked, mark, text: question.text });
  if (read.kind === "unreadable") return { outcome: "invalid", reply: read.message };
  if (read.kind === "choose") {
    return { outcome: "invalid", reply: read.message, choices: read.choices };
  }
  const answer = draw.answer * wanted.scale;
  const { tolerance } = question;
  const close = (/** @type {number} */ value, /** @type {number} */ target) =>
    within(value, target, tolerance);
  const about = { reading: read.shown, other: read.other };
  const { unit, value, number } = read;
  // A number alone, or with a scale such as B for 10^9, is in what was asked for.
  const fits = unit.dimension === wanted.dimension || unit.dimension === "";
  const inWanted = unit.dimension === "" && !isPlain(wanted) ? value * wanted.scale : value;
  if (!fits) {
    const digits = close(number * wanted.scale, answer) || sameDigits(number, draw.answer, tolerance);
    // The unit never begins the sentence: `ms` with a capital would be another unit.
    const named = (/** @type {Unit} */ { dimension, name }) => {
      const words = measured(dimension);
      if (name === "%") return "a percentage";
      return name && !words.includes("number of") ? `${words} (${name})` : words;
    };
    const reply =
      `${digits ? "The number is right, but that" : "That"} is ${named(unit)}; ` +
      `the question asks for ${named(wanted)}.`;
    return { outcome: "wrong", reply, ...about };
  }
  if (close(inWanted, answer)) return { outcome: "right", reply: "Right.", ...about };
  const mistake = draw.mistakes.findIndex((each) => close(inWanted, each * wanted.scale));
  if (mistake >= 0) return { outcome: "wrong", reply: "", mistake, ...about };
  const reply = slip(inWanted, answer, unit, wanted, tolerance) ?? "Not this.";
  return { outcome: "wrong", reply, ...about };
}

/**
 * Whether `value` is `target` within a relative tolerance, ends included. There is no hidden
 * allowance but that for rounding, so that 0 is never taken for 1.6e-19.
 * @param {number} value
 * @param {number} target
 * @param {number} tolerance
 */
export function within(value, target, tolerance) {
  return Math.abs(value - target) <= (tolerance + ROUNDING) * Math.abs(target);
}

/**
 * What a wrong number says about the way to it; undefined where it says nothing.
 * @param {number} value
 * @param {number} answer
 * @param {Unit} unit
 * @param {Unit} wanted
 * @param {number} tolerance
 */
function slip(value, answer, unit, wanted, tolerance) {
  if (!answer || !value) return undefined;
  const ratio = value / answer;
  const precision = Math.min(tolerance || 0.005, 0.005);
  const is = (/** @type {number} */ factor) => within(ratio, factor, precision);
  const bytes = /^B(\/|$)/.test(wanted.dimension);
  if (is(-1)) return "The size is right, the sign is not.";
  if (bytes && is(8)) return "That is 8 times the answer: 8 bits are one byte.";
  if (bytes && is(1 / 8)) return "That is an eighth of the answer: a byte has 8 bits.";
  if (bytes) {
    const scale = unit.scale > 1 ? unit.scale : Math.abs(answer);
    const power = Math.floor(Math.log10(scale) / 3);
    const gap = (1024 / 1000) ** power;
    if (power > 0 && (is(gap) || is(1 / gap))) {
      const [decimal, binary] = [`${" kMGTPE"[power]}B`, `${" KMGTPE"[power]}iB`];
      return `Mind the unit: ${decimal} is 10^${3 * power} bytes, ${binary} is 2^${10 * power}.`;
    }
  }
  const tens = Math.round(Math.log10(Math.abs(ratio)));
  if (ratio > 0 && tens !== 0 && is(10 ** tens)) {
    const factor = printed(10 ** Math.abs(tens));
    const side = tens > 0 ? "large" : "small";
    return tens % 3 === 0
      ? `The digits are right, but ${unit.name && unit.scale !== 1 ? `in ${unit.name} ` : ""}it is ${factor} times too ${side}: check the unit and its prefix.`
      : `The digits are right, but it is ${factor} times too ${side}.`;
  }
  if (is(2)) return "That is twice the answer: look for a factor of 2 too many.";
  if (is(1 / 2)) return "That is half the answer: a factor of 2 is missing.";
  if (/(^|\/)s$/.test(wanted.dimension)) {
    if (is(60) || is(1 / 60) || is(3600) || is(1 / 3600)) return "Mind the time: 60 seconds are a minute, 3,600 an hour.";
  }
  return undefined;
}

/** @param {number} number @param {number} answer @param {number} tolerance */
function sameDigits(number, answer, tolerance) {
  if (!number || !answer) return false;
  const ratio = Math.abs(number / answer);
  return within(ratio, 1000 ** Math.round(Math.log10(ratio) / 3), tolerance);
}

/** @param {Unit} unit */
function isPlain(unit) {
  return unit.dimension === "";
}

/**
 * @param {number[]} chosen
 * @param {{right?: boolean}[]} options
 * @returns {Grade}
 */
export function gradeChoice(chosen, options) {
  if (chosen.length === 0) return { outcome: "invalid", reply: "Choose an answer first." };
  return { outcome: options[chosen[0]]?.right ? "right" : "wrong", reply: "" };
}

/**
 * @param {number[]} chosen
 * @param {{right?: boolean}[]} options
 * @returns {Grade}
 */
export function gradeMultiple(chosen, options) {
  const count = options.filter((option) => option.right).length;
  if (chosen.length !== count) {
    return { outcome: "invalid", reply: `Choose ${count}; you have chosen ${chosen.length}.` };
  }
  const hits = chosen.filter((index) => options[index]?.right).length;
  if (hits === count) return { outcome: "right", reply: "Right." };
  return { outcome: "wrong", reply: `${hits} of your ${count} choices ${hits === 1 ? "is" : "are"} right.` };
}

/**
 * @param {number[]} order the items' places in the right order, as the reader has put them
 * @returns {Grade}
 */
export function gradeOrder(order) {
  const placed = order.filter((item, place) => item === place).length;
  if (placed === order.length) return { outcome: "right", reply: "Right." };
  return { outcome: "wrong", reply: `${placed} of ${order.length} stand in the right place.` };
}

/**
 * @param {string} given
 * @param {string} output
 * @param {string[]} mistakes
 * @returns {Grade}
 */
export function gradeOutput(given, output, mistakes) {
  const text = trimmed(given);
  if (!text) return { outcome: "invalid", reply: "Write what the code prints first." };
  if (text === trimmed(output)) return { outcome: "right", reply: "Right." };
  const mistake = mistakes.findIndex((each) => trimmed(each) === text);
  if (mistake >= 0) return { outcome: "wrong", reply: "", mistake };
  const bare = (/** @type {string} */ each) => each.replace(/[\s,_'"]/g, "");
  if (bare(text) === bare(trimmed(output))) {
    return { outcome: "wrong", reply: "Nearly: blanks, commas or quotes are not as Python prints them." };
  }
  return { outcome: "wrong", reply: "It prints something else." };
}

/** Without blanks at the ends of lines, or lines without text around them. @param {string} text */
function trimmed(text) {
  return text
    .normalize("NFKC")
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/−/g, "-")
    .split(/\r?\n/)
    .map((line) => line.trim())
    .join("\n")
    .trim();
}
