/** Scores by lesson, and which questions come next. */
import assert from "node:assert/strict";
import test from "node:test";

import { questionFaces } from "../../docs/assets/js/lib/practice/faces.js";
import { chosen, scoresByLesson, weakness } from "../../docs/assets/js/lib/practice/scores.js";

const untried = { attempts: 0, rights: 0, outcome: "" };
const questions = Array.from({ length: 12 }, (_, place) => ({
  id: `q${place}`, lesson: place < 6 ? "a" : "b", topic: place % 2 ? "memory" : "cost",
}));
const recordOf = (records) => (id) => records[id] ?? untried;

test("a score counts what was right at the last try", () => {
  const records = {
    q0: { attempts: 3, rights: 1, outcome: "right" }, q1: { attempts: 1, rights: 0, outcome: "wrong" },
    q7: { attempts: 2, rights: 1, outcome: "wrong" },
  };
  assert.deepEqual(scoresByLesson(questions, recordOf(records)), [
    { lesson: "a", total: 6, tried: 2, right: 1 },
    { lesson: "b", total: 6, tried: 1, right: 0 },
  ]);
});

test("misses weigh more than the unknown, and the unknown more than the known", () => {
  const missed = weakness({ attempts: 2, rights: 1, outcome: "wrong" });
  const known = weakness({ attempts: 2, rights: 2, outcome: "right" });
  assert.ok(missed > weakness(untried) && weakness(untried) > known);
});

test("weak questions and weak topics come first, and a lesson does not come in a row", () => {
  const records = Object.fromEntries(
    questions.map(({ id, topic }, place) => [
      id,
      topic === "memory"
        ? { attempts: 4, rights: place === 11 ? 4 : 0, outcome: place === 11 ? "right" : "wrong" }
        : { attempts: 4, rights: 4, outcome: "right" },
    ]),
  );
  for (const seed of [1, 2, 3]) {
    const five = chosen(questions, recordOf(records), { count: 5, order: "weak", seed });
    assert.deepEqual(five.map(({ id }) => id).sort(), ["q1", "q3", "q5", "q7", "q9"]);
    const lessons = five.map(({ lesson }) => lesson);
    assert.deepEqual(lessons.slice(0, 4).filter((lesson, place) => lesson === lessons[place - 1]), []);
  }
});

test("only the missed ones, or any, without repeating one", () => {
  const records = { q2: { attempts: 1, rights: 0, outcome: "wrong" }, q3: { attempts: 2, rights: 1, outcome: "right" } };
  assert.deepEqual(chosen(questions, recordOf(records), { count: 9, order: "missed", seed: 1 }).map(({ id }) => id), ["q2"]);
  const all = chosen(questions, recordOf({}), { count: 99, order: "mixed", seed: 1 });
  assert.equal(new Set(all.map(({ id }) => id)).size, 12);
  const seeds = [1, 2, 3].map((seed) => chosen(questions, recordOf({}), { count: 4, order: "mixed", seed }).map(({ id }) => id).join());
  assert.equal(new Set(seeds).size, 3);
});

test("a question becomes a card with numbers of its own on each day", () => {
  const draws = ["3", "7", "70"].map((n) => ({ values: { n }, answer: 2 * n, shown: `${2 * n} B`, mistakes: [] }));
  const number = { id: "q", kind: "number", question: "{n}?", explanation: "2·{n} = {answer}", draws };
  const faces = [0, 1, 2].map((day) => questionFaces(number, day));
  assert.equal(new Set(faces.map(({ front }) => front)).size, 3);
  for (const { front, back } of faces) {
    const n = Number.parseInt(front, 10);
    assert.equal(back, `<p>Answer: <strong>${2 * n} B</strong></p>2·${n} = ${2 * n} B`);
  }
  const options = [{ text: "One.", right: true, reply: "" }, { text: "Two", right: false, reply: "" }];
  const choice = questionFaces({ id: "c", kind: "choice", question: "Which?", explanation: "So.", options }, 5);
  assert.match(choice.front, /^Which\?<ul><li>(One\.|Two)<\/li>/);
  assert.equal(choice.back, "<p>Answer: <strong>One</strong></p>So.");
});
