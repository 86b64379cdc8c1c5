/** What the parts of units are worth: prefixes, counts, times, and the names of things. */

/**
 * A table without what every object has: a reader may write any word.
 * @template T
 * @param {Record<string, T>} entries
 * @returns {Record<string, T>}
 */
export function table(entries) {
  return Object.assign(Object.create(null), entries);
}

export const DECIMAL = table({
  "": 1, k: 1e3, K: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18, Z: 1e21,
  kilo: 1e3, mega: 1e6, giga: 1e9, tera: 1e12, peta: 1e15, exa: 1e18, zetta: 1e21,
});
export const BINARY = table({
  Ki: 2 ** 10, ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50,
  kibi: 2 ** 10, mebi: 2 ** 20, gibi: 2 ** 30, tebi: 2 ** 40, pebi: 2 ** 50,
});
export const COUNTS = table({
  k: 1e3, K: 1e3, M: 1e6, G: 1e9, B: 1e9, T: 1e12, P: 1e15, E: 1e18,
  Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30,
  thousand: 1e3, million: 1e6, mn: 1e6, mio: 1e6, billion: 1e9, bn: 1e9, trillion: 1e12, tn: 1e12,
});
export const TIMES = /** @type {[RegExp, number, string][]} */ ([
  [/^ns$|^nanosec(ond)?s?$/, 1e-9, "ns"],
  [/^us$|^microsec(ond)?s?$/, 1e-6, "µs"],
  [/^ms$|^millisec(ond)?s?$/, 1e-3, "ms"],
  [/^s$|^secs?$|^seconds?$/i, 1, "s"],
  [/^mins?$|^minutes?$/i, 60, "min"],
  [/^h$|^hrs?$|^hours?$/i, 3600, "h"],
  [/^d$|^days?$/i, 86400, "days"],
  [/^wks?$|^weeks?$/i, 604800, "weeks"],
  [/^y$|^yrs?$|^years?$/i, 365 * 86400, "years"],
]);
export const NOUNS = table({
  tok: "token", tokens: "token", toks: "token",
  param: "parameter", params: "parameter", parameters: "parameter", weight: "parameter", weights: "parameter",
  gpu: "GPU", gpus: "GPU", accelerators: "GPU",
});
