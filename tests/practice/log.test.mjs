/** The log: folding, merging, damage, backups, the queue and the statistics made from it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { backupFile, backupOf, readBackup } from "../../docs/assets/js/lib/practice/backup.js";
import { dayStart } from "../../docs/assets/js/lib/practice/day.js";
import { flawOf, newId } from "../../docs/assets/js/lib/practice/events.js";
import { fold } from "../../docs/assets/js/lib/practice/fold.js";
import { moved, reviewsPerDay } from "../../docs/assets/js/lib/practice/load.js";
import { MemoryLog } from "../../docs/assets/js/lib/practice/log-memory.js";
import { dueCount, introducedOn, queueOf } from "../../docs/assets/js/lib/practice/queue.js";
import { answersOf, answersPerDay, forecast, maturity, streak, trueRetention } from "../../docs/assets/js/lib/practice/stats.js";
import { PracticeStore } from "../../docs/assets/js/lib/practice/store.js";

const START = new Date(2026, 2, 2, 12).getTime();
const DAY = 86_400_000;

async function storeAt(ms = START, log = new MemoryLog()) {
  const clock = { ms };
  const store = new PracticeStore(async () => log, () => clock.ms);
  await store.open();
  return { store, clock, log };
}

const memoryOf = (/** @type {any} */ store, item = "flop") => store.state(item).memory;

test("two devices exchange files and end with the same states, whatever the order", async () => {
  const a = await storeAt();
  await a.store.answer("flop", 4);
  await a.store.answer("dot", 3);
  const b = await storeAt(START + DAY);
  await b.store.merge(await a.store.all());
  // Both go on alone, with the same card on the same day.
  a.clock.ms = START + 8 * DAY;
  await a.store.answer("flop", 3);
  b.clock.ms = START + 8 * DAY + 60_000;
  await b.store.answer("flop", 1);
  await b.store.choose("newPerDay", 7);
  const fromA = await a.store.all();
  const fromB = await b.store.all();
  assert.equal(await a.store.merge(fromB), 2);
  assert.equal(await b.store.merge(fromA), 1);
  assert.deepEqual([...a.store.states].sort(), [...b.store.states].sort());
  assert.equal(memoryOf(a.store).reps, 3);
  assert.equal(a.store.settings.newPerDay, 7);
  assert.equal(await a.store.merge(fromB), 0, "the same file again changes nothing");
  const shuffled = (await a.store.all()).toReversed();
  assert.deepEqual(fold("flop", shuffled.filter(({ item }) => item === "flop")), a.store.state("flop"));
});

test("an undo that arrives by a file takes its answer back here too", async () => {
  const a = await storeAt();
  const event = await a.store.answer("flop", 1);
  const b = await storeAt();
  await b.store.merge(await a.store.all());
  await a.store.undo(event);
  await b.store.merge(await a.store.all());
  assert.equal(memoryOf(b.store).phase, "new");
});

test("a moved date is no memory, and undo brings the old date back", async () => {
  const { store, clock } = await storeAt();
  await store.answer("flop", 4);
  const before = memoryOf(store);
  const event = await store.append({ kind: "manual", item: "flop", due: before.lastDay + 99_999 });
  assert.equal(memoryOf(store).S, before.S);
  clock.ms += 8 * DAY;
  await store.answer("flop", 3);
  const moved = memoryOf(store);
  const plain = await storeAt();
  await plain.store.answer("flop", 4);
  plain.clock.ms += 8 * DAY;
  await plain.store.answer("flop", 3);
  assert.deepEqual([moved.S, moved.D], [memoryOf(plain.store).S, memoryOf(plain.store).D]);
  assert.ok(moved.dueDay - moved.lastDay < 200);
  const [, second] = (await store.eventsOf("flop")).filter(({ kind }) => kind === "answer");
  await store.undo(second);
  await store.undo(event);
  assert.deepEqual(memoryOf(store), before);
});

test("a card that is started anew forgets its memory, and keeps its place in the queue", async () => {
  const { store, clock } = await storeAt();
  await store.answer("flop", 4);
  clock.ms += 10 * DAY;
  await store.append({ kind: "reset", item: "flop" });
  assert.equal(memoryOf(store).phase, "new");
  assert.ok(store.state("flop").added);
  await store.answer("flop", 3);
  assert.equal(memoryOf(store).reps, 1);
  // The same where all events are gone through again, as after a restored backup.
  const other = await storeAt(START + 11 * DAY);
  await other.store.merge((await store.all()).toReversed());
  assert.deepEqual(other.store.state("flop"), store.state("flop"));
});

test("ids sort by time, also within a millisecond and after the clock was set back", () => {
  const made = [newId(START), newId(START), newId(START - DAY), newId(START + 5)];
  assert.deepEqual(made, made.toSorted());
  assert.equal(new Set(made).size, 4);
});

test("damaged records are named and skipped, the rest arrives", async () => {
  const { store } = await storeAt();
  await store.answer("flop", 3);
  const [good] = await store.all();
  const bad = [
    null, 5, [], {}, { ...good, id: 7 }, { ...good, kind: "hack" }, { ...good, item: "<img>" },
    { ...good, at: -1 }, { ...good, day: 3 }, { ...good, grade: 9 }, { ...good, offset: 1e9 },
    { ...good, after: { ...good.after, S: null } }, { ...good, after: { ...good.after, dueDay: "soon" } },
  ];
  for (const record of bad) assert.ok(flawOf(record), JSON.stringify(record));
  const text = JSON.stringify({ format: "napkin-practice", version: 1, events: [...bad, good] });
  const { events, skipped } = readBackup(text);
  assert.deepEqual(events, [good]);
  assert.equal(skipped.length, bad.length);
  assert.match(skipped[9], /record 10: its grade/);
});

test("a backup comes back whole, and what is no backup is refused", async () => {
  const { store } = await storeAt();
  await store.append({ kind: "attempt", item: "q-a", outcome: "wrong", given: "<b> \u2028 ½", values: { n: 7 } });
  for (const grade of [3, 3]) await store.answer("flop", grade);
  const blob = backupOf(await store.all(), { name: "Ada", day: store.today() });
  assert.deepEqual(readBackup(await blob.text()).events, await store.all());
  assert.equal(backupFile("Ada Löve / x", 20_000), "napkin-reviews-ada-lo-ve-x-2024-10-04.json");
  const whole = await blob.text();
  for (const [text, message] of [
    ["", /not JSON/], [whole.slice(0, 200), /cut short/], ["{}", /no backup/], ["[1]", /no backup/],
    ['{"format":"napkin-practice","version":99,"events":[]}', /newer version/],
  ]) assert.throws(() => readBackup(text), message);
});

test("every schema that was ever published can still be read", async () => {
  const text = readFileSync(new URL("../fixtures/practice/backup-1.json", import.meta.url), "utf8");
  const { events, skipped, name } = readBackup(text);
  assert.deepEqual([skipped, name], [[], "Ada"]);
  const { store } = await storeAt(START + 30 * DAY);
  await store.merge(events);
  const { memory, suspended } = store.state("flop-meaning");
  assert.deepEqual([memory.phase, memory.reps, suspended], ["review", 3, false]);
  assert.ok(Math.abs(memory.S - 10.971) < 0.001);
  assert.equal(store.settings.retention, 0.85);
  assert.equal(store.state("q-mkn").attempts, 1);
});

test("the queue: minutes first, then those most at risk, then new ones up to the day's limit", async () => {
  const { store, clock } = await storeAt();
  await store.choose("newPerDay", 2);
  const ids = ["a", "b", "c", "d", "e"];
  await store.appendAll(ids.map((item) => ({ kind: "add", item })));
  const place = new Map(ids.map((id, index) => [id, index]));
  const look = async () => {
    const moment = store.moment();
    const introduced = introducedOn(await store.since(dayStart(moment.day)), moment.day);
    return queueOf(store.states.values(), { moment, settings: store.settings, introduced, place });
  };
  assert.deepEqual([(await look()).fresh, (await look()).waiting], [["a", "b"], 3]);
  const first = await store.answer("a", 1);
  let queue = await look();
  assert.deepEqual([queue.learning, queue.soon, queue.fresh], [[], ["a"], ["b"]], "Again comes back in a minute");
  clock.ms += 61_000;
  assert.deepEqual((await look()).learning, ["a"]);
  await store.undo(first);
  assert.deepEqual((await look()).fresh, ["a", "b"], "an answer taken back is none of today's");
  await store.answer("a", 4);
  await store.answer("b", 4);
  queue = await look();
  assert.deepEqual([dueCount(queue), queue.waiting, queue.later.length], [0, 3, 2]);
  await store.choose("newToday", { day: store.today(), more: 1 });
  assert.deepEqual((await look()).fresh, ["c"]);
  clock.ms += DAY;
  assert.deepEqual((await look()).fresh, ["c", "d"], "more was for one day");
  clock.ms += 30 * DAY;
  assert.deepEqual((await look()).review.length, 2);
  await store.append({ kind: "bury", item: "a" });
  await store.append({ kind: "suspend", item: "b" });
  assert.deepEqual((await look()).review, []);
  clock.ms += DAY;
  assert.deepEqual((await look()).review, ["a"]);
});

test("the rollover hour moves the day at once, for counts and queue alike", async () => {
  const { store, clock } = await storeAt(new Date(2026, 2, 2, 2).getTime());
  const night = store.today();
  await store.choose("rollover", 0);
  assert.equal(store.today(), night + 1);
  await store.answer("flop", 3);
  assert.equal((await store.eventsOf("flop"))[0].day, night + 1);
  await store.choose("rollover", 4);
  assert.equal(store.today(), night);
  clock.ms += 3 * 3_600_000;
  assert.equal(store.today(), night + 1);
});

test("the wanted retention changes the load that is shown, and no date", async () => {
  const { store } = await storeAt();
  for (let index = 0; index < 20; index += 1) await store.answer(`c-${index}`, 4);
  const dates = [...store.states.values()].map(({ memory }) => memory.dueDay);
  const before = reviewsPerDay(store.states.values(), store.settings.retention);
  assert.deepEqual(moved(store.states.values(), 0.9), []);
  await store.choose("retention", 0.97);
  assert.deepEqual([...store.states.values()].map(({ memory }) => memory.dueDay).slice(0, 20), dates);
  assert.ok(reviewsPerDay(store.states.values(), 0.97) > 2 * before);
  const changes = moved(store.states.values(), 0.97);
  assert.equal(changes.length, 20);
  assert.ok(changes.every(({ due }, index) => due < dates[index]));
});

test("statistics count the days that were stored", async () => {
  const { store, clock } = await storeAt();
  await store.answer("a", 4);
  await store.answer("b", 4);
  clock.ms += 8 * DAY;
  await store.answer("a", 3);
  const slip = await store.answer("b", 3);
  await store.undo(slip);
  await store.answer("b", 1);
  const today = store.today();
  const answers = answersOf(await store.all());
  assert.deepEqual(answersPerDay(answers, today - 8, today), [2, 0, 0, 0, 0, 0, 0, 0, 2]);
  assert.deepEqual(trueRetention(answers, today).all, { remembered: 1, asked: 2 });
  assert.deepEqual(trueRetention(answers, today).mature, { remembered: 0, asked: 0 });
  assert.equal(streak(answers, today), 1);
  assert.equal(streak(answers, today + 1), 1);
  assert.equal(streak(answers, today + 2), 0);
  const coming = forecast(store.states.values(), today, 60);
  assert.equal(coming[0], 1, "what is being relearnt");
  assert.equal(coming.reduce((x, y) => x + y), 2);
  const items = ["a", "b", "c"].map((id) => ({ id, lesson: "l", kind: "card" }));
  const row = maturity(items, (id) => store.state(id), today).get("l");
  assert.deepEqual([row?.cards, row?.queued, row?.learning, row?.young, row?.mature], [3, 2, 1, 0, 1]);
});
