/** The scheduler's traps: days, clocks, clamps, promises. */
import assert from "node:assert/strict";
import test from "node:test";

import { dayStart, noonOf, offsetAt, studyDay, weekdayOf } from "../../docs/assets/js/lib/practice/day.js";
import { GRADES, answered, isMemory, newMemory, outcomes, retrievability } from "../../docs/assets/js/lib/practice/schedule.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DAY_ZERO = 20_000;
const WISH = { retention: 0.9 };
const at = (/** @type {number} */ day, hour = 12) => ({ ms: day * DAY + hour * HOUR, day });

/** A memory after Good, Good and `times` more Goods on the due day. */
function learnt(times = 1, wish = WISH) {
  let memory = answered("a", newMemory(), 3, at(DAY_ZERO), wish);
  memory = answered("a", memory, 3, at(DAY_ZERO), wish);
  for (let index = 0; index < times; index += 1) memory = answered("a", memory, 3, at(memory.dueDay), wish);
  return memory;
}

test("a review fifteen minutes later, over midnight UTC, is one of the same study day", () => {
  const before = Date.UTC(2026, 5, 1, 23, 50);
  const after = Date.UTC(2026, 5, 2, 0, 5);
  const offset = 8 * 60; // eight in the morning, in Singapore
  const easy = answered("a", newMemory(), 4, { ms: before, day: studyDay(before, offset) }, WISH);
  assert.ok(Math.abs(easy.S - 8.2956) < 1e-9);
  const good = answered("a", easy, 3, { ms: after, day: studyDay(after, offset) }, WISH);
  assert.ok(Math.abs(good.S - 8.2956) < 1e-9, `stability ${good.S}`);
});

test("a day ends at the rollover hour, wherever and whenever", () => {
  for (const offset of [-720, -210, 0, 330, 345, 525, 840]) {
    for (const rollover of [0, 4, 23]) {
      const local = Date.UTC(2026, 2, 29, rollover) - offset * 60_000;
      assert.equal(studyDay(local, offset, rollover), studyDay(local - 1, offset, rollover) + 1);
      assert.equal(studyDay(local + DAY - 1, offset, rollover), studyDay(local, offset, rollover));
    }
  }
});

test("every hour of two years lies in the day that its local date says, also over clock changes", () => {
  let last = -Infinity;
  const seen = new Set();
  for (let ms = Date.UTC(2025, 0, 1, 12); ms < Date.UTC(2027, 0, 1); ms += HOUR) {
    const local = new Date(ms);
    if (local.getHours() < 4) local.setDate(local.getDate() - 1);
    const date = Date.UTC(local.getFullYear(), local.getMonth(), local.getDate());
    const day = studyDay(ms);
    assert.equal(day, date / DAY, new Date(ms).toString());
    assert.ok(day === last || day === last + 1 || last === -Infinity);
    last = day;
    seen.add(day);
  }
  assert.ok(seen.size === 730 || seen.size === 731);
});

test("a day's start is its first moment", () => {
  for (let day = studyDay(Date.UTC(2025, 0, 1)); day < studyDay(Date.UTC(2026, 0, 1)); day += 1) {
    const start = dayStart(day);
    assert.equal(studyDay(start), day);
    assert.equal(studyDay(start - 1), day - 1);
  }
});

test("weekdays and dates of study days need no zone", () => {
  assert.equal(weekdayOf(0), 3);
  assert.equal(weekdayOf(studyDay(Date.UTC(2026, 10, 29, 12), 0)), 6); // a Sunday
  assert.equal(noonOf(0).getUTCHours(), 12);
  assert.throws(() => studyDay(NaN), RangeError);
  assert.ok(Number.isFinite(offsetAt(Date.now())));
});

test("a clock that was set back does not break the next answer", () => {
  const memory = learnt();
  const next = answered("a", memory, 3, at(memory.lastDay - 30), WISH);
  assert.equal(next.lastDay, memory.lastDay);
  assert.ok(next.dueDay > next.lastDay && isMemory(next));
});

test("impossible moments, wishes and weights are refused", () => {
  for (const moment of [{ ms: NaN, day: 1 }, { ms: 1, day: Infinity }, { ms: 1, day: NaN }]) {
    assert.throws(() => answered("a", newMemory(), 3, moment, WISH), RangeError);
  }
  for (const retention of [0, 0.3, 1, 1.2, NaN]) {
    assert.throws(() => answered("a", newMemory(), 3, at(1), { retention }), RangeError);
  }
  for (const weights of [[1, 2, 3], new Array(21).fill(NaN)]) {
    assert.throws(() => answered("a", newMemory(), 3, at(1), { ...WISH, weights }), RangeError);
  }
});

test("what a button promises is what is kept, whenever it is pressed", () => {
  const memory = learnt(4);
  const promised = outcomes("seeded", memory, at(memory.dueDay, 9), WISH);
  for (const grade of GRADES) {
    for (const later of [0, 1, 4321, 7 * HOUR]) {
      const moment = { ms: at(memory.dueDay, 9).ms + later, day: memory.dueDay };
      const kept = answered("seeded", memory, grade, moment, WISH);
      assert.equal(kept.dueDay, promised[grade].dueDay);
      assert.equal(kept.S, promised[grade].S);
    }
  }
});

test("cards that were learnt together do not come back in a bunch", () => {
  const memory = learnt(4);
  const days = new Set(Array.from({ length: 60 }, (_, index) => answered(`card-${index}`, memory, 3, at(memory.dueDay), WISH).dueDay));
  assert.ok(days.size > 5, `${days.size} days`);
});

test("Again, Hard, Good, Easy come in that order and never exceed the longest interval", () => {
  for (const longest of [30, 36_500]) {
    for (const late of [0, 1, 40, 400]) {
      let memory = learnt(1, { ...WISH, longest });
      for (let round = 0; round < 8; round += 1) {
        const day = memory.dueDay + late;
        const made = outcomes("a", memory, at(day), { ...WISH, longest });
        const waits = GRADES.map((grade) => (made[grade].dueMs ? 0 : made[grade].dueDay - day));
        assert.deepEqual(waits, waits.toSorted((a, b) => a - b));
        assert.ok(Math.max(...waits) <= longest, `${waits}`);
        memory = made[3];
      }
    }
  }
});

test("stability and difficulty stay in their bounds under any weights and answers", () => {
  let seed = 1;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (let trial = 0; trial < 300; trial += 1) {
    const weights = Array.from({ length: 21 }, () => random() * (random() < 0.1 ? 100 : 5));
    let memory = newMemory();
    let day = DAY_ZERO;
    for (let step = 0; step < 15; step += 1) {
      day += Math.floor(random() * 3) * Math.floor(random() * 300);
      memory = answered("a", memory, GRADES[Math.floor(random() * 4)], at(day), { ...WISH, weights });
      assert.ok(isMemory(memory) && memory.S >= 0.001, JSON.stringify(memory));
    }
  }
});

test("the steps of learning: Again and Hard stay, the second Good and Easy graduate", () => {
  const start = newMemory();
  const first = outcomes("a", start, at(DAY_ZERO), WISH);
  assert.deepEqual(GRADES.map((grade) => first[grade].phase), ["learning", "learning", "learning", "review"]);
  const second = outcomes("a", first[3], at(DAY_ZERO), WISH);
  assert.deepEqual(GRADES.map((grade) => second[grade].phase), ["learning", "learning", "review", "review"]);
  const lapsed = answered("a", learnt(), 1, at(DAY_ZERO + 20), WISH);
  assert.equal(lapsed.phase, "relearning");
  assert.equal(outcomes("a", lapsed, at(DAY_ZERO + 20), WISH)[3].phase, "review");
});

test("Hard on the same day does not lower the stability", () => {
  const easy = answered("a", newMemory(), 4, at(DAY_ZERO), WISH);
  assert.equal(answered("a", easy, 2, at(DAY_ZERO, 13), WISH).S, easy.S);
});

test("twenty Goods on the due day: the interval leaves the days behind", () => {
  let memory = answered("a", newMemory(), 1, at(DAY_ZERO), WISH);
  for (let round = 0; round < 20; round += 1) memory = answered("a", memory, 3, at(memory.dueDay), WISH);
  assert.ok(memory.dueDay - memory.lastDay > 365);
});

test("many early Goods on one day do not inflate the interval", () => {
  const once = learnt();
  let often = once;
  for (let round = 0; round < 10; round += 1) often = answered("a", often, 3, at(once.lastDay), WISH);
  assert.ok(often.S < 3 * once.S, `${once.S} became ${often.S}`);
});

test("the chance of recall falls from 100 % to 90 % within the stability", () => {
  const memory = { ...learnt(), S: 10 };
  assert.equal(retrievability(memory, memory.lastDay), 1);
  assert.ok(Math.abs(retrievability(memory, memory.lastDay + 10) - 0.9) < 1e-9);
  assert.equal(retrievability(newMemory(), 5), 0);
  assert.equal(retrievability(memory, memory.lastDay - 3), 1);
});
