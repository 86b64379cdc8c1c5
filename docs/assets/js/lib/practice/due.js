/**
 * The queue as it stands, told again whenever it changes: by an answer, another tab, or time.
 *
 * @import {Course} from "./items.js"
 * @import {Queue} from "./queue.js"
 * @import {PracticeStore} from "./store.js"
 */
import { dayStart } from "./day.js";
import { course } from "./items.js";
import { dueCount, introducedOn, queueOf } from "./queue.js";
import { practice } from "./store.js";

const LOOK_AGAIN_MS = 30_000;

/**
 * @param {PracticeStore} store
 * @param {Course} all
 * @param {(lesson: string) => boolean} [wanted]
 * @returns {Promise<Queue>}
 */
export async function currentQueue(store, all, wanted = () => true) {
  const moment = store.moment();
  const events = await store.since(dayStart(moment.day, store.settings.rollover));
  const states = [];
  for (const state of store.states.values()) {
    const item = all.byId.get(state.id);
    if (item && wanted(item.lesson)) states.push(state);
  }
  const introduced = introducedOn(events, moment.day);
  return queueOf(states, { moment, settings: store.settings, introduced, place: all.place });
}

/**
 * Calls back with the number of cards due, now and after each change, until the signal.
 * @param {(count: number) => void} callback
 * @param {AbortSignal} signal
 */
export async function watchDue(callback, signal) {
  const store = await practice();
  const all = await course().catch(() => undefined);
  if (!all || signal.aborted) return;
  const tell = async () => {
    const queue = await currentQueue(store, all);
    if (!signal.aborted) callback(dueCount(queue));
  };
  store.subscribe(tell, signal);
  const timer = setInterval(tell, LOOK_AGAIN_MS);
  signal.addEventListener("abort", () => clearInterval(timer));
  await tell();
}
