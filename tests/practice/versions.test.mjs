/** Code that a reader wrote stays within reach, whatever is pressed, opened or changed. */
import assert from "node:assert/strict";
import test from "node:test";

import { loadEdit } from "../../docs/assets/js/lib/edits.js";
import { mergeKept } from "../../docs/assets/js/lib/kept.js";
import { chance } from "../../docs/assets/js/lib/practice/draw.js";
import { shareLink } from "../../docs/assets/js/lib/share.js";
import { Versions } from "../../docs/assets/js/lib/versions.js";
import { freshStorage, freshWindow } from "./page.mjs";

const PAGE = "https://napkin.example/lessons/counting/";
const REF = "counting/timer";
const CELL = /** @type {HTMLElement} */ (
  /** @type {unknown} */ ({ id: "cell-timer", scrollIntoView() {} })
);

/** A cell whose page was just opened: what it shows, says and offers. */
class Cell {
  shown;
  said = "";
  /** @type {import("../../docs/assets/js/lib/toolbar.js").Way[]} */
  ways = [];

  /** @param {string} lesson */
  constructor(lesson) {
    this.shown = lesson;
    const toolbar = {
      say: (/** @type {string} */ text) => void (this.said = text),
      offerVersions: (/** @type {Cell["ways"]} */ ...ways) => void (this.ways = ways),
    };
    this.versions = new Versions(REF, lesson, toolbar, (code) => (this.shown = code));
    this.versions.takeKept();
  }

  /** @param {string} code */
  type(code) {
    this.shown = code; // the editor shows it by itself
    this.versions.edited(code);
  }

  /** @param {string} action */
  press(action) {
    this.ways.find((way) => way.action === action)?.press();
  }

  offered() {
    return this.ways.map(({ action }) => action);
  }
}

/** What a reader can get to who opens the page now, by the buttons offered. @param {string} lesson */
function withinReach(lesson) {
  const storage = localStorage;
  freshStorage();
  Object.assign(localStorage, storage);
  const cell = new Cell(lesson);
  const found = new Set([cell.shown]);
  for (let i = 0; i < 50; i++) {
    cell.press("my-version");
    found.add(cell.shown);
  }
  Object.defineProperty(globalThis, "localStorage", { value: storage, configurable: true });
  return found;
}

for (const stored of ["", "{", "null", "[1]", "5", '{"code": 5, "lesson": "x"}', '{"code": "x"}', "\ud800"]) {
  test(`storage that is no edit means the lesson's code: ${JSON.stringify(stored)}`, () => {
    freshStorage();
    freshWindow(PAGE);
    new Cell("lesson").type("mine");
    const [key] = Object.keys(localStorage);
    localStorage.setItem(key, stored);
    assert.deepEqual({ ...new Cell("lesson"), versions: 0 }, { shown: "lesson", said: "", ways: [], versions: 0 });
  });
}

test("an edit of before, with one earlier version, is read", () => {
  freshStorage();
  freshWindow(PAGE);
  new Cell("lesson").type("mine");
  const [key] = Object.keys(localStorage);
  localStorage.setItem(key, JSON.stringify({ code: "linked", lesson: "00000000", earlier: "mine" }));
  const cell = new Cell("lesson");
  assert.equal(cell.shown, "linked");
  assert.deepEqual(cell.offered(), ["lesson-version", "my-version", "forget"]);
  cell.press("my-version");
  assert.equal(cell.shown, "mine");
});

test("two tabs: the newer code is shown, and a link's code or unkept code costs neither", async () => {
  freshStorage();
  freshWindow(PAGE);
  const [one, two] = [new Cell("lesson"), new Cell("lesson")];
  const { signal } = new AbortController();
  for (const { versions } of [one, two]) versions.watch(CELL, signal);
  const [key] = (one.type("first"), Object.keys(localStorage));
  const hear = () => dispatchEvent(Object.assign(new Event("storage"), { key }));
  hear();
  assert.equal(two.shown, "first");
  assert.match(two.said, /another tab/);

  location.href = await shareLink(CELL.id, "link");
  await one.versions.takeShared(CELL);
  two.type("second");
  hear();
  assert.equal(one.shown, "link");
  one.press("dismiss");
  assert.equal(one.shown, "second");

  localStorage.setItem = () => {
    throw new Error("full");
  };
  one.type("not kept");
  assert.match(one.said, /does not keep edits/);
  freshStorage();
  new Cell("lesson").type("third");
  dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  assert.deepEqual([one.shown, two.shown], ["third", "third"]);
  one.press("my-version");
  assert.equal(one.shown, "not kept");
});

for (let seed = 1; seed <= 40; seed++) {
  test(`no sequence of presses, links and edits loses code: ${seed}`, async () => {
    freshStorage();
    freshWindow(PAGE);
    const random = chance(seed);
    let next = 0;
    let lesson = "lesson 0";
    let cell = new Cell(lesson);
    /** What stands there as the reader's own, and what it took the place of. */
    let mine = lesson;
    /** @type {Set<string>} */
    const before = new Set();
    /** @type {string[]} */
    const told = [];
    const steps = {
      type() {
        if (cell.offered().includes("dismiss")) before.add(mine);
        cell.type((mine = random() < 0.1 ? lesson : `mine ${next++}`));
      },
      reset() {
        before.add(mine);
        cell.versions.reset();
        mine = lesson;
      },
      async link() {
        const code = random() < 0.2 ? (random() < 0.5 ? lesson : mine) : `link ${next++}`;
        location.href = await shareLink(CELL.id, code);
        await cell.versions.takeShared(CELL);
      },
      way() {
        const ways = cell.ways.filter(({ action }) => action !== "forget");
        const way = ways[Math.floor(random() * ways.length)];
        if (!way) return;
        told.push(way.action);
        if (way.action !== "dismiss") before.add(mine);
        way.press();
        // Used: from here on the reader changes it like any code.
        before.delete((mine = cell.shown));
      },
      forget() {
        if (!cell.offered().includes("forget") || random() < 0.8) return;
        before.clear();
        cell.press("forget");
      },
      async reload() {
        cell = new Cell(lesson);
        await cell.versions.takeShared(CELL);
      },
      newLesson() {
        lesson = `lesson ${++next}`;
        if (!loadEdit(REF)?.code) mine = lesson;
        cell = new Cell(lesson);
        location.hash = "";
      },
      backup() {
        const nothingHere = loadEdit(REF) === null;
        mergeKept({ [`edit:${REF}`]: { code: `there ${next}`, lesson: "00000000", earlier: [`older ${next}`] } });
        before.add(`there ${next}`).add(`older ${next}`);
        if (nothingHere) before.delete((mine = `there ${next}`));
        next++;
        cell = new Cell(lesson);
        location.hash = "";
      },
    };
    const names = /** @type {(keyof typeof steps)[]} */ (Object.keys(steps));
    for (let i = 0; i < 40; i++) {
      const name = names[Math.floor(random() * names.length)];
      told.push(name);
      await steps[name]();
      assert.equal(cell.versions.code, cell.shown, told.join(" "));
      const reached = withinReach(lesson);
      for (const code of [mine, ...before]) {
        if (!code.startsWith("lesson")) assert.ok(reached.has(code), `${code} after ${told.join(" ")}`);
      }
    }
  });
}
