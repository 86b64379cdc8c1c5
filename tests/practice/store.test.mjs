/** The store over a log in memory: what the pages' elements rely on. */
import assert from "node:assert/strict";
import test from "node:test";

import { MemoryLog, StaleAnswer } from "../../docs/assets/js/lib/practice/log-memory.js";
import { PracticeStore } from "../../docs/assets/js/lib/practice/store.js";

const START = Date.UTC(2026, 10, 2, 12);
const DAY = 86_400_000;

/** A store whose clock the test moves. */
async function storeAt(ms = START, log = new MemoryLog()) {
  const clock = { ms };
  const store = new PracticeStore(async () => log, () => clock.ms);
  await store.open();
  return { store, clock, log };
}

test("an answer brings a card into the queue, and undo takes exactly it back", async () => {
  const { store, clock } = await storeAt();
  await store.append({ kind: "add", item: "flop" });
  const fresh = store.state("flop");
  assert.equal(fresh.memory.phase, "new");
  const states = [fresh];
  for (const [days, grade] of [[0, 3], [0.01, 3], [3, 4], [40, 1]]) {
    clock.ms += days * DAY;
    await store.answer("flop", grade);
    states.push(store.state("flop"));
  }
  assert.equal(store.state("flop").memory.lapses, 1);
  const today = await store.undoable();
  assert.deepEqual(today.map(({ grade }) => grade), [1]);
  const answers = (await store.eventsOf("flop")).filter(({ kind }) => kind === "answer");
  for (const event of answers.toReversed()) {
    states.pop();
    await store.undo(event);
    assert.deepEqual(store.state("flop").memory, states.at(-1).memory);
  }
  assert.equal(store.state("flop").memory.phase, "new");
  assert.equal((await store.undoable()).length, 0);
});

test("an answer to a card that was answered elsewhere is refused, and nothing is written", async () => {
  const { store, log } = await storeAt();
  const other = (await storeAt(START, log)).store;
  await store.answer("flop", 3);
  await assert.rejects(other.answer("flop", 1, ""), StaleAnswer);
  assert.equal((await log.ofItem("flop")).length, 1);
  assert.equal(other.state("flop").memory.reps, 1, "it has caught up");
});

test("two answers pressed at once are one", async () => {
  const { store } = await storeAt();
  const shown = store.state("flop").answer;
  const results = await Promise.allSettled([store.answer("flop", 3, shown), store.answer("flop", 3, shown)]);
  assert.deepEqual(results.map(({ status }) => status), ["fulfilled", "rejected"]);
  assert.equal(store.state("flop").memory.reps, 1);
});

test("settings apply at once, survive in the log, and nonsense is refused", async () => {
  const { store, log } = await storeAt();
  await store.answer("flop", 4);
  const before = store.state("flop");
  await store.choose("retention", 0.8);
  assert.equal(store.settings.retention, 0.8);
  assert.deepEqual(store.state("flop"), before, "no due date moved");
  assert.equal((await storeAt(START, log)).store.settings.retention, 0.8);
  for (const value of [0.5, 1, NaN, "0.9", null]) {
    await assert.rejects(store.choose("retention", value), RangeError);
  }
});

test("what cannot be written is kept in the tab, told, and written as soon as it can be", async () => {
  const log = new MemoryLog();
  const { store } = await storeAt(START, log);
  const append = log.append.bind(log);
  const addAll = log.addAll.bind(log);
  const full = async () => {
    throw new DOMException("full", "QuotaExceededError");
  };
  Object.assign(log, { append: full, addAll: full });
  await store.answer("flop", 3);
  await store.answer("flop", 3);
  assert.ok(store.notices.has("unsaved"));
  assert.equal(store.state("flop").memory.reps, 2);
  assert.equal((await store.all()).length, 2, "a backup holds them");
  Object.assign(log, { append, addAll });
  await store.answer("dot", 3);
  assert.ok(!store.notices.has("unsaved"));
  assert.equal((await log.all()).length, 3);
});

test("where nothing can be kept the store works until the page ends, and says so", async () => {
  const store = new PracticeStore(async () => {
    throw new DOMException("blocked", "SecurityError");
  });
  await store.open();
  assert.ok(store.notices.has("blocked"));
  assert.equal(store.lasting, false);
  await store.answer("flop", 3);
  assert.equal(store.state("flop").memory.reps, 1);
});

test("those who listen hear which items changed", async () => {
  const { store } = await storeAt();
  const heard = [];
  const ends = new AbortController();
  store.subscribe((items) => heard.push(items && [...items]), ends.signal);
  await store.append({ kind: "suspend", item: "flop" });
  await store.choose("newPerDay", 3);
  ends.abort();
  await store.append({ kind: "resume", item: "flop" });
  assert.deepEqual(heard, [["flop"], null]);
});

test("attempts at a question are counted beside its schedule", async () => {
  const { store } = await storeAt();
  for (const outcome of ["wrong", "right"]) {
    await store.append({ kind: "attempt", item: "q-n", outcome, given: "14 GB", values: { n: 7 }, hints: 1 });
  }
  const { attempts, rights, outcome, memory } = store.state("q-n");
  assert.deepEqual([attempts, rights, outcome, memory.phase], [2, 1, "right", "new"]);
  assert.deepEqual((await store.eventsOf("q-n"))[0].values, { n: 7 });
});
