/** What the browser keeps of a lesson, out of it and in again; and how guesses are read. */
import assert from "node:assert/strict";
import test from "node:test";

import { compared, formatNumber, parseGuess } from "../../docs/assets/js/lib/guess.js";
import { allKept, loadKept, mergeKept, saveKept } from "../../docs/assets/js/lib/kept.js";
import { freshStorage } from "./page.mjs";

test("two browsers' progress is united: nothing done in either is lost", () => {
  freshStorage();
  saveKept("read:a", { ids: ["x", "y"], last: "y", title: "Y", at: 2 });
  saveKept("exercise:a/one", { state: "passed", tries: 1, hints: 2, solution: true });
  saveKept("exercise:a/two", { state: "failed", tries: 2, hints: 0, solution: false });
  saveKept("estimate:a/e", { guess: 5 });
  saveKept("palette", { dark: true });
  const there = JSON.parse(JSON.stringify(allKept()));
  assert.equal(Object.keys(there).length, 4, "what is no work of the reader's stays out");

  freshStorage();
  saveKept("read:a", { ids: ["z"], last: "z", title: "Z", at: 1 });
  saveKept("exercise:a/one", { state: "failed", tries: 3, hints: 0, solution: false });
  saveKept("estimate:a/e", { guess: 7 });
  assert.equal(mergeKept(there), 3);
  assert.deepEqual(loadKept("read:a"), { ids: ["z", "x", "y"], last: "y", title: "Y", at: 2 });
  const one = { state: "passed", tries: 3, hints: 2, solution: true };
  assert.deepEqual(loadKept("exercise:a/one"), one);
  assert.deepEqual(loadKept("exercise:a/two"), there["exercise:a/two"]);
  assert.deepEqual(loadKept("estimate:a/e"), { guess: 7 }, "a guess given here stays");
  assert.equal(mergeKept(there), 0, "the same backup twice changes nothing");
  for (const wrong of [undefined, null, 3, [], { "read:a": 3, "__proto__": {}, other: {} }]) {
    assert.equal(mergeKept(wrong), 0);
  }
});

test("without storage all is kept as long as the page lives", () => {
  Object.defineProperty(globalThis, "localStorage", {
    get() {
      throw new Error("blocked");
    },
    configurable: true,
  });
  saveKept("estimate:b/e", { guess: 1 });
  assert.deepEqual(loadKept("estimate:b/e"), { guess: 1 });
  assert.deepEqual(allKept()["estimate:b/e"], { guess: 1 });
});

test("guesses are read as people write them", () => {
  const written = {
    400000: ["400000", "400,000", "400 000", "4e5", "4E5", "400k", "0.4M", "0.4 million", "4·10^5", "4 × 10⁵", "400 thousand", "about 400k"],
    1e15: ["10^15", "10¹⁵", "1e15"],
    0.5: ["0.5", ".5", "5e-1", "5×10⁻¹"],
    16: ["2^4", "16"],
  };
  for (const [value, texts] of Object.entries(written)) {
    for (const text of texts) assert.ok(Math.abs(parseGuess(text) / Number(value) - 1) < 1e-12, text);
  }
  assert.equal(parseGuess("14 gb", "GB"), 14);
  assert.equal(parseGuess("2 GFLOP/s", "GFLOP/s"), 2);
  for (const text of ["", "lots", "-3", "0", "3 apples", "1e999", "3;4"]) assert.equal(parseGuess(text), null, text);
});

test("how far off a guess is", () => {
  assert.equal(compared(300_000, 412_083), "within a factor of 2");
  assert.equal(compared(4, 4.18), "within 10 %");
  assert.equal(compared(10, 114.5), "11 times too low");
  assert.equal(compared(1e9, 412_083), "2,400 times too high");
  assert.equal(compared(7, 7), "right on it");
  const shown = [412_083.3, 7.04, 0.0213, 64, 3.8e25, 2.1e-7].map(formatNumber);
  assert.deepEqual(shown, ["412,000", "7.04", "0.0213", "64", "3.8 × 10²⁵", "2.1 × 10⁻⁷"]);
});
