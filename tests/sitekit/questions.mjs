/** Reads published questions from standard input, and answers each as its key says. */
import assert from "node:assert/strict";

import {
  gradeChoice, gradeMultiple, gradeNumber, gradeOrder, gradeOutput,
} from "../../docs/assets/js/lib/practice/grade.js";
import { askedUnit } from "../../docs/assets/js/lib/practice/quantity.js";
import { filled } from "../../docs/assets/js/lib/practice/question.js";
import { unitNamed } from "../../docs/assets/js/lib/practice/units.js";

let text = "";
for await (const chunk of process.stdin) text += chunk;

for (const question of JSON.parse(text)) {
  const { id, kind, options = [], items = [], mistakes = [], output } = question;
  const rights = options.flatMap(({ right }, place) => (right ? [place] : []));
  const wrongs = options.flatMap(({ right }, place) => (right ? [] : [place]));
  if (kind === "choice") {
    assert.equal(gradeChoice(rights, options).outcome, "right", id);
    for (const place of wrongs) assert.equal(gradeChoice([place], options).outcome, "wrong", id);
  } else if (kind === "multiple") {
    assert.equal(gradeMultiple(rights, options).outcome, "right", id);
  } else if (kind === "order") {
    assert.equal(gradeOrder(items.map((_, place) => place)).outcome, "right", id);
  } else if (kind === "output") {
    assert.equal(gradeOutput(output, output, mistakes).outcome, "right", id);
    mistakes.forEach((given, place) => assert.equal(gradeOutput(given, output, mistakes).mistake, place, id));
  } else {
    const { unit, tolerance, draws } = question;
    const asked = askedUnit(question.question.replace(/<[^>]*>/g, ""), unitNamed(unit));
    const rule = { unit, tolerance, asked };
    draws.forEach((draw, index) => {
      const grade = (given) => gradeNumber(given, rule, draw, "point");
      // Exactly, and as it is shown where the tolerance covers the rounding.
      assert.equal(grade(`${draw.answer} ${unit}`).outcome, "right", `${id}: ${draw.answer} ${unit}`);
      if (tolerance >= 0.005) assert.equal(grade(draw.shown).outcome, "right", `${id}: ${draw.shown}`);
      draw.mistakes.forEach((value, place) => {
        const judged = grade(`${value} ${unit}`);
        assert.deepEqual([judged.outcome, judged.mistake], ["wrong", place], `${id}: ${value} ${unit}`);
      });
      assert.equal(filled(question.question + question.explanation, draw), question.filled[index], id);
    });
  }
}
