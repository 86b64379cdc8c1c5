/** How answers are judged: right, wrong with the reason, or not understood. */
import assert from "node:assert/strict";
import test from "node:test";

import { chance, disordered, drawAt, seedOf, shuffled } from "../../docs/assets/js/lib/practice/draw.js";
import {
  gradeChoice, gradeMultiple, gradeNumber, gradeOrder, gradeOutput, within,
} from "../../docs/assets/js/lib/practice/grade.js";
import { askedUnit } from "../../docs/assets/js/lib/practice/quantity.js";
import { unitNamed } from "../../docs/assets/js/lib/practice/units.js";

/** A question for `unit` with one draw. */
function grade(given, { unit = "B", answer = 14e9, tolerance = 0.02, mistakes = [], text = "" } = {}) {
  const question = { unit, tolerance, asked: askedUnit(text, unitNamed(unit)) };
  return gradeNumber(given, question, { values: {}, answer, shown: "", mistakes });
}

const JUDGED = [
  // given, question, outcome, what the reply says
  ["14 GB", {}, "right", /./],
  ["13.04 GiB", {}, "right", /./],
  ["112 Gbit", {}, "right", /./],
  ["14.2 GB", {}, "right", /./],
  ["14.3 GB", {}, "wrong", /Not this/],
  ["14 GiB", {}, "wrong", /GB is 10\^9 bytes, GiB is 2\^30/],
  ["13.04 GB", {}, "wrong", /GiB is 2\^30/],
  ["112 GB", {}, "wrong", /8 bits are one byte/],
  ["1.75 GB", {}, "wrong", /byte has 8 bits/],
  ["28 GB", {}, "wrong", /factor of 2 too many/],
  ["7 GB", {}, "wrong", /factor of 2 is missing/],
  ["14 MB", {}, "wrong", /in MB it is 1,000 times too small/],
  ["14 TB", {}, "wrong", /1,000 times too large/],
  ["140 GB", {}, "wrong", /10 times too large/],
  ["-14 GB", {}, "wrong", /sign/],
  ["0", { text: "How many GB is that?" }, "wrong", /Not this/],
  ["14", { text: "How many GB is that?" }, "right", /./],
  ["14e9 B", { text: "How many GB is that?" }, "right", /./],
  ["14e9", { text: "How many GB is that?" }, "wrong", /times too large: check the unit/],
  ["14", {}, "invalid", /of what\? .* a size/],
  ["fourteen", {}, "invalid", /Start with a number/],
  ["", {}, "invalid", /Write a number first/],
  ["14 GB/s", {}, "wrong", /^The number is right, but that is a bandwidth \(GB\/s\); .* a size/],
  ["13 tokens", {}, "wrong", /^That is a number of tokens; .* a size/],
  ["18432 FLOP/s", { unit: "FLOP", answer: 18432 }, "wrong", /^The number is right, but that is a rate of operations \(FLOP\/s\)/],
  ["18432 FLOPS", { unit: "FLOP", answer: 18432 }, "wrong", /a rate of operations \(FLOP\/s\); .* a count/],
  ["9216 MACs", { unit: "FLOP", answer: 18432 }, "right", /./],
  ["9216 FLOP", { unit: "FLOP", answer: 18432 }, "wrong", /factor of 2 is missing/],
  ["2 min", { unit: "s", answer: 2 }, "wrong", /60 seconds are a minute/],
  ["40 %", { unit: "%", answer: 40 }, "right", /./],
  ["0.4 %", { unit: "%", answer: 40 }, "wrong", /100 times too small/],
  ["40%", { unit: "", answer: 0.4 }, "right", /./],
  ["40", { unit: "", answer: 0.4 }, "wrong", /100 times too large/],
  ["7B", { unit: "parameters", answer: 7e9 }, "right", /./],
  ["3.9 ms", { unit: "tokens/s", answer: 240 }, "wrong", /^That is a time \(ms\); .* a number of tokens per second\.$/],
  ["7B tokens", { unit: "parameters", answer: 7e9 }, "wrong", /The number is right, but .*number of tokens; .* parameters/],
  ["8x", { unit: "", answer: 8 }, "right", /./],
  ["14,000,000,000 B", {}, "right", /./],
];
for (const [given, question, outcome, reply] of JUDGED) {
  test(`${given || "nothing"} for ${question.answer ?? "14 GB"} is ${outcome}`, () => {
    const judged = grade(given, question);
    assert.equal(judged.outcome, outcome, JSON.stringify(judged));
    assert.match(judged.reply, reply);
    if (outcome !== "invalid") assert.ok(judged.reading);
  });
}

test("a question's own mistakes come before the usual ones", () => {
  const judged = grade("28 GB", { mistakes: [1e9, 28e9] });
  assert.equal(judged.outcome, "wrong");
  assert.equal(judged.mistake, 1);
});

test("a tolerance is relative, and its ends belong to it", () => {
  assert.equal(within(14.28e9, 14e9, 0.02), true);
  assert.equal(within(13.72e9, 14e9, 0.02), true);
  assert.equal(within(14.2801e9, 14e9, 0.02), false);
  assert.equal(within(403.2079999, 403.208, 1e-6), true);
  assert.equal(within(0.1 + 0.2, 0.3, 0), true);
  assert.equal(within(18433, 18432, 0), false);
  assert.equal(within(0, 0, 0), true);
});

test("nothing is taken for a tiny number but that number", () => {
  const tiny = { unit: "J", answer: 1.6e-19 };
  assert.equal(grade("0 J", tiny).outcome, "wrong");
  assert.equal(grade("1e-20 J", tiny).outcome, "wrong");
  assert.equal(grade("1.6×10⁻¹⁹ J", tiny).outcome, "right");
  assert.equal(grade("6.022e23", { unit: "", answer: 6.022e23 }).outcome, "right");
  assert.equal(grade("6.022e22", { unit: "", answer: 6.022e23 }).outcome, "wrong");
});

test("choices: nothing chosen, too few or too many are not wrong", () => {
  const options = [{ right: true }, {}, { right: true }, {}];
  assert.equal(gradeChoice([], [{ right: true }, {}]).outcome, "invalid");
  assert.equal(gradeChoice([0], [{ right: true }, {}]).outcome, "right");
  assert.equal(gradeChoice([1], [{ right: true }, {}]).outcome, "wrong");
  assert.deepEqual(gradeMultiple([0], options), { outcome: "invalid", reply: "Choose 2; you have chosen 1." });
  assert.equal(gradeMultiple([0, 1, 2], options).outcome, "invalid");
  assert.equal(gradeMultiple([0, 2], options).outcome, "right");
  assert.deepEqual(gradeMultiple([0, 3], options), { outcome: "wrong", reply: "1 of your 2 choices is right." });
  assert.deepEqual(gradeMultiple([1, 3], options), { outcome: "wrong", reply: "0 of your 2 choices are right." });
});

test("an order says how much of it is right", () => {
  assert.equal(gradeOrder([0, 1, 2]).outcome, "right");
  assert.deepEqual(gradeOrder([1, 0, 2]), { outcome: "wrong", reply: "1 of 3 stand in the right place." });
});

test("printed text is compared without the blanks around it", () => {
  assert.equal(gradeOutput(" 64 \n", "64", []).outcome, "right");
  assert.equal(gradeOutput("a \r\n b\n\n", "a\nb", []).outcome, "right");
  assert.equal(gradeOutput("‘a’", "'a'", []).outcome, "right");
  assert.equal(gradeOutput("64.0", "64", []).outcome, "wrong");
  assert.equal(gradeOutput("128", "64", ["32", "128"]).mistake, 1);
  assert.match(gradeOutput("1_024", "1024", []).reply, /Nearly/);
  assert.equal(gradeOutput("  \n", "64", []).outcome, "invalid");
});

test("a seed fixes the numbers and the order, and all draws come before one comes again", () => {
  assert.deepEqual(shuffled(8, 7), shuffled(8, 7));
  assert.notEqual(seedOf("a", 1), seedOf("a", 2));
  assert.notEqual(seedOf("ab", "c"), seedOf("a", "bc"));
  assert.deepEqual(Array.from({ length: 3 }, chance(1)), Array.from({ length: 3 }, chance(1)));
  const shares = Array.from({ length: 4000 }, chance(5));
  assert.ok(Math.abs(shares.reduce((a, b) => a + b) / 4000 - 0.5) < 0.02);
  for (const seed of [1, 2, 3]) {
    for (const count of [2, 3, 7]) {
      const turns = Array.from({ length: 4 * count }, (_, turn) => drawAt(count, seed, turn));
      assert.equal(new Set(turns.slice(0, count)).size, count);
      assert.ok(turns.every((draw, turn) => draw !== turns[turn - 1]), `${turns}`);
      assert.notDeepEqual(disordered(count, seed), Array.from({ length: count }, (_, i) => i));
    }
  }
});
