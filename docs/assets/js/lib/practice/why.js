/**
 * "Why is this due?": what the schedule rests on, and the last answers.
 *
 * @import {PracticeStore} from "./store.js"
 */
import { dayName } from "./day.js";
import { GRADE_NAMES, retrievability } from "./schedule.js";
import { daysInWords, dueInWords } from "./wording.js";

const LAST_ANSWERS = 5;

/**
 * @param {PracticeStore} store
 * @param {string} item
 * @returns {HTMLDetailsElement} filled when it is opened
 */
export function whyDue(store, item) {
  const details = document.createElement("details");
  details.dataset.part = "why";
  const summary = document.createElement("summary");
  summary.textContent = "Why is this due?";
  details.append(summary);
  details.addEventListener("toggle", async () => {
    if (!details.open) return;
    const list = document.createElement("ul");
    for (const reason of await reasons(store, item)) {
      const line = document.createElement("li");
      line.textContent = reason;
      list.append(line);
    }
    details.replaceChildren(summary, list);
  });
  return details;
}

/**
 * @param {PracticeStore} store
 * @param {string} item
 * @returns {Promise<string[]>}
 */
export async function reasons(store, item) {
  const { memory } = store.state(item);
  const moment = store.moment();
  if (memory.phase === "new") return ["It is new: you have not answered it yet."];
  const events = await store.eventsOf(item);
  const undone = new Set(events.map(({ of }) => of));
  const answers = events.filter(({ id, kind }) => kind === "answer" && !undone.has(id)).slice(-LAST_ANSWERS);
  const recall = Math.round(100 * retrievability(memory, moment.day));
  const wanted = Math.round(100 * store.settings.retention);
  const told = answers.map(({ grade, day }) => `${GRADE_NAMES[/** @type {1} */ (grade)]} on ${dayName(day)}`);
  const status = dueInWords(memory, moment);
  return [
    `It is ${status.startsWith("due") ? status : `not due: ${status}`}.`,
    memory.dueMs
      ? "It is being learnt: it comes back within minutes until you know it."
      : `You want to remember ${wanted} % of your cards; by now this one is remembered with a chance of ${recall} %.`,
    `Stability: ${memory.S < 1 ? "less than a day" : daysInWords(memory.S)} until that chance has fallen to 90 %. Difficulty: ${memory.D.toFixed(1)} of 10.`,
    `Last answers: ${told.join(", ") || "none"}. Forgotten ${memory.lapses} times after it was learnt.`,
  ];
}
