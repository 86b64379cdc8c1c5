/**
 * Units as people write them, with what they measure: `GB`, `GiB`, `Gbit/s`, `TFLOP/s`, `$/h`.
 *
 * Decimal prefixes are powers of 1000 (kB = KB = 1000 bytes), Ki, Mi, Gi powers of 1024.
 *
 * @typedef {{scale: number, dimension: string, name: string}} Unit `scale` in units of the
 *   dimension, which is named for its base unit: B, FLOP, s, $, J, W, a noun such as token, or
 *   a rate of two, such as B/s; "" is a plain number
 * @typedef {{kind: "unit", unit: Unit}} UnitRead
 * @typedef {{kind: "which", message: string, names: string[]}} Which
 * @typedef {{kind: "unknown"}} UnknownUnit
 */

import { BINARY, COUNTS, DECIMAL, NOUNS, TIMES, table } from "./unit-tables.js";

/**
 * @param {string} text a cleaned unit, possibly empty
 * @param {Unit} [wanted] what the question asks for: it settles `B`, bytes or billions
 * @returns {UnitRead | Which | UnknownUnit}
 */
export function readUnit(text, wanted) {
  const name = text.replace(/[.,;:!]+$| of .+$/g, "").trim();
  const [above, below] = halves(name);
  if (below === undefined) return readPlain(name, wanted);
  // Over a time it is a count, whatever its letters: tflops/s.
  const top = readPlain(above.replace(/flops$/i, "FLOP"), wanted && upper(wanted));
  if (top.kind === "which") {
    return { ...top, names: top.names.map((each) => `${each}/${below}`) };
  }
  const bottom = readPlain(below, wanted && lower(wanted));
  if (top.kind !== "unit" || bottom.kind !== "unit") return { kind: "unknown" };
  const { scale, dimension } = bottom.unit;
  const rate = dimension ? `${top.unit.dimension}/${dimension}` : top.unit.dimension;
  return unit(top.unit.scale / scale, rate, `${top.unit.name}/${bottom.unit.name}`);
}

/**
 * The unit that a question names, such as B or tokens/s; a noun that is not known counts itself.
 * @param {string} name
 * @returns {Unit}
 */
export function unitNamed(name) {
  // Here B is a byte, never a billion.
  const hint = { scale: 1, dimension: name.includes("/") ? name : "B", name };
  const read = readUnit(name, hint);
  if (read.kind === "unit") return read.unit;
  return { scale: 1, dimension: singular(name), name };
}

/**
 * Whether a number without a unit is open, where the question does not say in what to answer.
 * @param {Unit} wanted
 */
export function needsUnit(wanted) {
  return wanted.scale === 1 && /^(B|s|J|W|FLOP)(\/s)?$/.test(wanted.dimension);
}

/**
 * What people would choose from for a number without a unit.
 * @param {Unit} wanted
 */
export function usualUnits(wanted) {
  const usual = table({
    B: ["B", "kB", "MB", "GB", "GiB", "TB"],
    "B/s": ["MB/s", "GB/s", "TB/s"],
    FLOP: ["FLOP", "MFLOP", "GFLOP", "TFLOP"],
    "FLOP/s": ["FLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s"],
    s: ["µs", "ms", "s", "min", "h", "days"],
    J: ["J", "kJ", "Wh", "kWh"],
    W: ["W", "kW", "MW"],
  });
  return usual[wanted.dimension] ?? [wanted.name];
}

/** What a dimension measures, in words. @param {string} dimension */
export function measured(dimension) {
  const words = table({
    "": "a plain number", B: "a size", "B/s": "a bandwidth", FLOP: "a count of operations",
    "FLOP/s": "a rate of operations", s: "a time", $: "an amount of money", J: "an energy",
    W: "a power",
  });
  if (dimension in words) return words[dimension];
  const [counted, per] = dimension.split("/");
  if (!per) return `a number of ${counted}s`;
  return `a number of ${counted}s per ${per === "s" ? "second" : per}`;
}

/** @param {string} name @returns {[string, string?]} */
function halves(name) {
  const per = /^(.*?) ?(?:\/| per | a (?=second|hour|day)) ?(.+)$/i.exec(name);
  if (per) return [per[1], per[2].replace(/^1 /, "")];
  const packed = /^(.*(?:b|B|t|tok))ps$/.exec(name);
  if (packed) return [packed[1].replace(/(?<=^|[kKMGTP])b$/, "bit").replace(/^t$/, "tokens"), "s"];
  if (/^[kKMGTPEZ]? ?(?:FL)?OPS$/.test(name)) return [name.replace(/ ?(?:FL)?OPS$/, "FLOP"), "s"];
  return [name];
}

/** @param {string} name @param {Unit} [wanted] @returns {UnitRead | Which | UnknownUnit} */
function readPlain(name, wanted) {
  if (!name) return unit(1, "", "");
  const size = readSize(name, wanted);
  const scale = Object.hasOwn(COUNTS, name);
  // 7B is seven billion, unless bytes are asked for; there, 14 G lacks its unit.
  if (scale && wanted?.dimension !== "B") return unit(COUNTS[name], "", name);
  if (size) return size;
  return readWork(name, wanted) ?? readOther(name, wanted) ?? readCount(name, wanted);
}

/** @param {string} name @param {Unit} [wanted] @returns {UnitRead | Which | undefined} */
function readSize(name, wanted) {
  const match = /^([kKMGTPE]|[KkMGTP]i|(?:kilo|mega|giga|tera|peta|exa|kibi|mebi|gibi|tebi|pebi)?)[ -]?(B|b|bytes?|bits?|Bytes?|Bits?)$/i.exec(name);
  if (match) {
    const prefix = inCase(match[1]);
    const scale = DECIMAL[prefix] ?? BINARY[prefix];
    const symbol = shortPrefix(prefix);
    if (match[2] === "b" && !/i$/.test(prefix) && prefix !== "kilo") {
      const big = symbol.replace("K", "k");
      return which(`Is ${name} bytes or bits?`, [`${big}B`, `${big}bit`]);
    }
    const bits = /^bit/i.test(match[2]);
    return unit(bits ? scale / 8 : scale, "B", `${symbol}${bits ? "bit" : "B"}`);
  }
  const prefix = inCase(name);
  if (wanted?.dimension !== "B" || !/^[kKMGTPE]i?$/.test(prefix)) return undefined;
  const letter = prefix[0].toUpperCase();
  if (prefix.endsWith("i")) return which(`Is ${name} bytes or bits?`, [`${letter}iB`, `${letter}ibit`]);
  const decimal = letter === "K" ? "kB" : `${letter}B`;
  return which(`Is ${name} ${decimal} or ${letter}iB?`, [decimal, `${letter}iB`]);
}

/** @param {string} prefix @returns {string} with the letters in their usual case */
function inCase(prefix) {
  if (prefix.length > 2) return prefix.toLowerCase();
  if (/^[mgtpe]i?$/i.test(prefix)) return prefix[0].toUpperCase() + prefix.slice(1).toLowerCase();
  return prefix.replace(/I$/, "i");
}

/** @param {string} prefix @returns {string} */
function shortPrefix(prefix) {
  if (prefix.length < 3) return prefix.replace(/^K$/, "k").replace(/^ki$/, "Ki");
  const short = prefix.endsWith("bi") ? `${prefix[0].toUpperCase()}i` : prefix[0].toUpperCase();
  return short.replace(/^K$/, "k");
}

/** @param {string} name @param {Unit} [wanted] @returns {UnitRead | Which | undefined} */
function readWork(name, wanted) {
  const pattern =
    /^([kKMGTPEZ]|kilo|mega|giga|tera|peta|exa|zetta|[mgtpez])?[ -]?(FLOP|FLOPs|FLOPS|flop|flops|OPs?|ops?|operations?|MACs?|multiply-adds?)$/i;
  const match = pattern.exec(name);
  if (!match) {
    const days = /^([kMGTPE])F(?:LOPs?\/s)?[- ]days?$/.exec(name);
    return days ? unit(DECIMAL[days[1]] * 86400, "FLOP", `${days[1]}FLOP/s-days`) : undefined;
  }
  const symbol = shortPrefix(inCase(match[1] ?? ""));
  const scale = DECIMAL[symbol];
  const word = match[2];
  if (/^mac|^multiply/i.test(word)) return unit(2 * scale, "FLOP", `${symbol}MAC`);
  // FLOPS is a rate, FLOPs a count, and flops could be either; so could FLOPs for a rate.
  const either = word === "FLOPs" ? wanted?.dimension === "FLOP/s" : /^flops$/i.test(word);
  if (either) {
    return which(`Is ${name} a count or a rate?`, [`${symbol}FLOP`, `${symbol}FLOP/s`]);
  }
  return unit(scale, "FLOP", `${symbol}FLOP`);
}

/** @param {string} name @param {Unit} [wanted] @returns {UnitRead | Which | undefined} */
function readOther(name, wanted) {
  for (const [pattern, scale, symbol] of TIMES) if (pattern.test(name)) return unit(scale, "s", symbol);
  if (name === "m" && wanted?.dimension === "s") return which("Is m minutes or milliseconds?", ["min", "ms"]);
  if (/^(US ?)?\$$|^USD$|^dollars?$/i.test(name)) return unit(1, "$", "$");
  if (/^(cents?|ct|¢)$/i.test(name)) return unit(0.01, "$", "cents");
  if (/^(%|percent|per cent|pct)$/i.test(name)) return unit(0.01, "", "%");
  if (/^(x|\*|times|-?fold|times as (much|many|large|fast))$/i.test(name)) return unit(1, "", "times");
  const energy = /^([kMGT]?)(J|Wh|W)$/.exec(name);
  if (energy) {
    const scale = DECIMAL[energy[1]] * (energy[2] === "Wh" ? 3600 : 1);
    return unit(scale, energy[2] === "W" ? "W" : "J", name);
  }
  if (/^joules?$/i.test(name)) return unit(1, "J", "J");
  if (/^watts?$/i.test(name)) return unit(1, "W", "W");
  return undefined;
}

/** Things that are counted: `B parameters`, `million tokens`. @param {string} name @param {Unit} [wanted] @returns {UnitRead | Which | UnknownUnit} */
function readCount(name, wanted) {
  const match = /^(?:([A-Za-z]+) )?(.+)$/.exec(name);
  const prefix = match?.[1] ?? "";
  const scaled = Object.hasOwn(COUNTS, prefix);
  const noun = (scaled && match?.[2]) || name;
  const scale = scaled ? COUNTS[prefix] : 1;
  const shown = scaled ? `${prefix} ${noun}` : noun;
  const short = /^([kMBT])(tok|tokens?|params?|parameters?)$/.exec(name);
  if (short) return unit(COUNTS[short[1]], NOUNS[short[2]] ?? singular(short[2]), name);
  if (Object.hasOwn(COUNTS, noun.toLowerCase()) && !scaled) return unit(COUNTS[noun.toLowerCase()], "", noun);
  if (name === "t" && wanted?.dimension === "token") return unit(1, "token", "tokens");
  const things = NOUNS[noun.toLowerCase()] ?? singular(noun);
  const known = Object.values(NOUNS).includes(things);
  const plain = (/** @type {string} */ each) => each.toLowerCase().replace(/[- ]/g, "");
  if (known || (wanted && plain(things) === plain(wanted.dimension))) {
    return unit(scale, known ? things : /** @type {Unit} */ (wanted).dimension, shown);
  }
  if (scaled) {
    const rest = readPlain(noun, wanted);
    if (rest.kind === "unit") return unit(scale * rest.unit.scale, rest.unit.dimension, shown);
  }
  if (wanted && COUNTS[name.toUpperCase()] && name.length === 1) {
    const letter = name === "k" ? "k" : name.toUpperCase();
    return which(`Is ${name} ${letter}, for ${spelled(letter)}?`, [letter]);
  }
  return { kind: "unknown" };
}

/** @param {string} letter */
function spelled(letter) {
  const words = table({
    k: "thousand", M: "million", G: "10^9", B: "billion", T: "trillion",
  });
  return words[letter] ?? `10^${Math.log10(COUNTS[letter])}`;
}

/** @param {string} noun */
function singular(noun) {
  return noun.length > 2 ? noun.replace(/s$/, "") : noun;
}

/** @param {Unit} wanted @returns {Unit} */
function upper(wanted) {
  return { ...wanted, dimension: wanted.dimension.split("/")[0] };
}

/** @param {Unit} wanted @returns {Unit} */
function lower(wanted) {
  return { ...wanted, dimension: wanted.dimension.split("/")[1] ?? "" };
}

/** @param {number} scale @param {string} dimension @param {string} name @returns {UnitRead} */
function unit(scale, dimension, name) {
  return { kind: "unit", unit: { scale, dimension, name } };
}

/** @param {string} message @param {string[]} names @returns {Which} */
function which(message, names) {
  return { kind: "which", message, names };
}
