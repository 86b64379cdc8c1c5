/**
 * `<napkin-statistics>`: what comes, what was remembered, what was done; each chart with its table.
 *
 * @import {PracticeEvent} from "../lib/practice/events.js"
 * @import {Course} from "../lib/practice/items.js"
 * @import {PracticeStore} from "../lib/practice/store.js"
 * @import {Share} from "../lib/practice/stats.js"
 */
import { forgetNearby, whenNearby } from "../lib/nearby.js";
import { bars, heatmap, table } from "../lib/practice/charts.js";
import { dayName } from "../lib/practice/day.js";
import { course } from "../lib/practice/items.js";
import { MATURE_DAYS, answersOf, answersPerDay, forecast, maturity, streak, trueRetention } from "../lib/practice/stats.js";
import { practice } from "../lib/practice/store.js";
import { counted } from "../lib/practice/wording.js";

const FORECAST_DAYS = 30;
const HEATMAP_DAYS = 364;
const SETTLE_MS = 300;

export class NapkinStatistics extends HTMLElement {
  #connected = new AbortController();
  #store = /** @type {PracticeStore} */ (/** @type {unknown} */ (undefined));
  #course = /** @type {Course} */ (/** @type {unknown} */ (undefined));
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** The log as far as it was read. @type {PracticeEvent[] | undefined} */
  #log;

  async connectedCallback() {
    this.#connected = new AbortController();
    const { signal } = this.#connected;
    const store = await practice();
    const all = await course().catch(() => undefined);
    if (!all || signal.aborted) return;
    this.#store = store;
    this.#course = all;
    whenNearby(this, () => {
      this.#render();
      store.subscribe((items) => {
        if (!items) this.#log = undefined;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#render(), SETTLE_MS);
      }, signal);
    });
  }

  disconnectedCallback() {
    this.#connected.abort();
    clearTimeout(this.#timer);
    forgetNearby(this);
  }

  async #render() {
    const store = this.#store;
    const answers = answersOf(await this.#events());
    if (!this.isConnected) return;
    const today = store.today();
    const known = [...store.states.values()].filter(({ id }) => this.#course.byId.has(id));
    const open = new Set([...this.querySelectorAll("details[open]")].map((details) => details.id));
    this.replaceChildren(
      ...this.#coming(forecast(known, today, FORECAST_DAYS), today),
      ...retentionTable(answers, today, store.settings.retention),
      ...this.#done(answersPerDay(answers, today - HEATMAP_DAYS + 1, today), today, streak(answers, today)),
      ...this.#lessons(today),
    );
    for (const details of this.querySelectorAll("details")) details.open = open.has(details.id);
    this.dataset.state = "shown";
  }

  /** The whole log; only what is new is read again. */
  async #events() {
    const known = this.#log;
    if (!known) return (this.#log = await this.#store.all());
    const ids = new Set(known.slice(-200).map(({ id }) => id));
    const fresh = await this.#store.since((known.at(-1)?.at ?? 0) - 60_000);
    known.push(...fresh.filter(({ id }) => !ids.has(id)));
    return known;
  }

  /**
   * @param {number[]} counts
   * @param {number} today
   */
  #coming(counts, today) {
    const sum = counts.reduce((a, b) => a + b, 0);
    const name = (/** @type {number} */ index) => (index ? dayName(today + index) : "Today");
    const label = `Cards due on each of the next ${FORECAST_DAYS} days`;
    const rows = counts.map((count, index) => [name(index), count]);
    return [
      heading("What comes"),
      sentence(`${counted(sum, "review")} in the next ${FORECAST_DAYS} days, of what you have learnt so far.`),
      bars(counts, name, label),
      unfolding("forecast-table", "As a table", table(["Day", "Due"], rows, label)),
    ];
  }

  /**
   * @param {number[]} counts
   * @param {number} today
   * @param {number} days in a row
   */
  #done(counts, today, days) {
    const sum = counts.reduce((a, b) => a + b, 0);
    const first = today - counts.length + 1;
    const label = `Answers on each day since ${dayName(first)}`;
    const rows = counts.flatMap((count, index) => (count ? [[dayName(first + index), count]] : []));
    return [
      heading("What you did"),
      sentence(`${counted(sum, "answer")} in 52 weeks, ${counted(days, "day")} in a row. Each column is a week, Monday on top.`),
      heatmap(counts, today, label),
      unfolding("heatmap-table", "As a table", table(["Day", "Answers"], rows.reverse(), label)),
    ];
  }

  /** @param {number} today */
  #lessons(today) {
    const rows = [...maturity(this.#course.items, (id) => this.#store.state(id), today)].map(([slug, row]) => [
      this.#course.lessons.get(slug)?.title ?? slug,
      row.cards,
      row.queued,
      row.learning,
      row.young,
      row.mature,
      row.young + row.mature ? `${Math.round((100 * row.recall) / (row.young + row.mature))} %` : "–",
    ]);
    const head = ["Lesson", "Cards", "In your queue", "Being learnt", "Young", "Mature", "Remembered now"];
    return [
      heading("Lessons"),
      sentence(`A card is mature when it waits ${MATURE_DAYS} days or more. The last column is an estimate.`),
      table(head, rows, "How far each lesson's cards are"),
    ];
  }
}

/**
 * @param {import("../lib/practice/events.js").PracticeEvent[]} answers
 * @param {number} today
 * @param {number} wanted
 */
function retentionTable(answers, today, wanted) {
  /** @type {[string, number][]} */
  const spans = [["Today", 1], ["7 days", 7], ["30 days", 30], ["365 days", 365]];
  const rows = spans.map(([name, days]) => {
    const { young, mature, all } = trueRetention(answers, today - days + 1);
    return [name, percent(young), percent(mature), percent(all)];
  });
  return [
    heading("What you remembered"),
    sentence(
      `Of the learnt cards that came back after a day or more: how many you knew. You want ${Math.round(100 * wanted)} %.`,
    ),
    table(["Span", "Young", "Mature", "All"], rows, "True retention"),
  ];
}

/** @param {Share} share */
function percent({ remembered, asked }) {
  return asked ? `${Math.round((100 * remembered) / asked)} % of ${asked}` : "–";
}

/** @param {string} text */
function heading(text) {
  const made = document.createElement("h3");
  made.textContent = text;
  return made;
}

/** @param {string} text */
function sentence(text) {
  const made = document.createElement("p");
  made.textContent = text;
  return made;
}

/**
 * @param {string} id
 * @param {string} label
 * @param {Node} content
 */
function unfolding(id, label, content) {
  const details = document.createElement("details");
  details.id = id;
  const summary = document.createElement("summary");
  summary.textContent = label;
  details.append(summary, content);
  return details;
}
