/** Chance that can be repeated: a question's numbers and the order of its options. */

/**
 * A stream of numbers in [0, 1) that its seed fixes (mulberry32).
 * @param {number} seed
 */
export function chance(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * A seed from words and numbers (FNV-1a).
 * @param {...(string | number)} parts
 */
export function seedOf(...parts) {
  let hash = 0x811c9dc5;
  for (const char of parts.join("\u0000")) {
    hash = Math.imul(hash ^ /** @type {number} */ (char.codePointAt(0)), 0x01000193);
  }
  return hash >>> 0;
}

/**
 * The places 0 .. count - 1 in an order that the seed fixes.
 * @param {number} count
 * @param {number} seed
 */
export function shuffled(count, seed) {
  const next = chance(seed);
  const places = Array.from({ length: count }, (_, place) => place);
  for (let last = count - 1; last > 0; last -= 1) {
    const other = Math.floor(next() * (last + 1));
    [places[last], places[other]] = [places[other], places[last]];
  }
  return places;
}

/**
 * A shuffle that is not the right order: there must be something to do.
 * @param {number} count at least 2
 * @param {number} seed
 */
export function disordered(count, seed) {
  const places = shuffled(count, seed);
  if (places.every((item, place) => item === place)) places.reverse();
  return places;
}

/**
 * Which of `count` draws a reader gets at the `turn`-th time: all come before one comes again, and
 * never the same twice in a row.
 * @param {number} count
 * @param {number} seed the reader's and the question's
 * @param {number} turn
 */
export function drawAt(count, seed, turn) {
  if (count < 2) return 0;
  let order = shuffled(count, seed);
  for (let round = 1; round <= Math.floor(turn / count); round += 1) {
    const last = order.at(-1);
    order = shuffled(count, seed + round);
    if (order[0] === last) order.reverse();
  }
  return order[turn % count];
}
