/** Answers histories from standard input by the page's scheduler, for test_fsrs.py. */
import { readFileSync } from "node:fs";

import { answered, intervalFor, newMemory } from "../../docs/assets/js/lib/practice/schedule.js";

const { histories, intervals } = JSON.parse(readFileSync(0, "utf8"));

const memories = histories.map(({ retention, weights, answers }) => {
  let memory = newMemory();
  return answers.map(({ grade, ms, day }) => {
    memory = answered("card", memory, grade, { ms, day }, { retention, weights, fuzz: false });
    return memory;
  });
});
process.stdout.write(
  JSON.stringify({ memories, intervals: intervals.map(({ S, retention }) => intervalFor(S, retention)) }),
);
