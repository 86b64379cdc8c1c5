/** What an Anki collection of schema 11 holds besides notes and cards. */

export const COURSE = "Napkin";
/** Never to be changed: Anki knows note types by it. A new field needs a new one. */
export const MODEL = 1_764_000_000_001;
const FIELDS = ["Front", "Back", "Source"];
const STYLE = ".card { font-family: sans-serif; font-size: 20px; } code { font-size: 0.9em; } pre { text-align: left; }";

/** @param {number} seconds */
export function modelsJson(seconds) {
  const field = (/** @type {string} */ name, /** @type {number} */ ord) => ({
    name,
    ord,
    sticky: false,
    rtl: false,
    font: "Arial",
    size: 20,
    media: [],
  });
  const model = {
    id: MODEL,
    name: `${COURSE} card`,
    type: 0,
    mod: seconds,
    usn: -1,
    sortf: 0,
    did: 1,
    tmpls: [
      {
        name: "Card 1",
        ord: 0,
        qfmt: "{{Front}}",
        afmt: "{{FrontSide}}<hr id=answer>{{Back}}{{Source}}",
        did: null,
        bqfmt: "",
        bafmt: "",
      },
    ],
    flds: FIELDS.map(field),
    css: STYLE,
    latexPre: "",
    latexPost: "",
    req: [[0, "any", [0]]],
    tags: [],
    vers: [],
  };
  return JSON.stringify({ [MODEL]: model });
}

/**
 * @param {Map<number, string>} decks
 * @param {number} seconds
 */
export function decksJson(decks, seconds) {
  const deck = (/** @type {number} */ id, /** @type {string} */ name) => ({
    id,
    name,
    mod: seconds,
    usn: -1,
    desc: "",
    dyn: 0,
    conf: 1,
    collapsed: false,
    extendNew: 0,
    extendRev: 0,
    newToday: [0, 0],
    revToday: [0, 0],
    lrnToday: [0, 0],
    timeToday: [0, 0],
  });
  return JSON.stringify(Object.fromEntries([[1, "Default"], ...decks].map(([id, name]) => [id, deck(Number(id), String(name))])));
}

// Without it Anki takes the log for that of its first scheduler, and turns Good into Easy.
export const CONFIG = JSON.stringify({ schedVer: 2, sched2021: true });

export const OPTIONS = JSON.stringify({
  1: {
    id: 1,
    mod: 0,
    usn: 0,
    name: "Default",
    maxTaken: 60,
    autoplay: true,
    timer: 0,
    replayq: true,
    dyn: false,
    new: { delays: [1, 10], ints: [1, 4, 7], initialFactor: 2500, separate: true, order: 1, perDay: 20, bury: false },
    lapse: { delays: [10], mult: 0, minInt: 1, leechFails: 8, leechAction: 0 },
    rev: { perDay: 200, ease4: 1.3, fuzz: 0.05, ivlFct: 1, maxIvl: 36500, bury: false, minSpace: 1 },
  },
});

export const SCHEMA = {
  col: "CREATE TABLE col (id integer primary key, crt integer not null, mod integer not null, scm integer not null, ver integer not null, dty integer not null, usn integer not null, ls integer not null, conf text not null, models text not null, decks text not null, dconf text not null, tags text not null)",
  notes:
    "CREATE TABLE notes (id integer primary key, guid text not null, mid integer not null, mod integer not null, usn integer not null, tags text not null, flds text not null, sfld integer not null, csum integer not null, flags integer not null, data text not null)",
  cards:
    "CREATE TABLE cards (id integer primary key, nid integer not null, did integer not null, ord integer not null, mod integer not null, usn integer not null, type integer not null, queue integer not null, due integer not null, ivl integer not null, factor integer not null, reps integer not null, lapses integer not null, left integer not null, odue integer not null, odid integer not null, flags integer not null, data text not null)",
  revlog:
    "CREATE TABLE revlog (id integer primary key, cid integer not null, usn integer not null, ease integer not null, ivl integer not null, lastIvl integer not null, factor integer not null, time integer not null, type integer not null)",
  graves: "CREATE TABLE graves (usn integer not null, oid integer not null, type integer not null)",
};
