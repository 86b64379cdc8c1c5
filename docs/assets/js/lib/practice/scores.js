/**
 * What the answers so far say: scores by lesson, and which questions to ask next.
 *
 * @import {Question} from "./question.js"
 * @typedef {{attempts: number, rights: number, outcome: string}} Record what counts of a question
 * @typedef {(id: string) => Record} RecordOf
 * @typedef {{lesson: string, total: number, tried: number, right: number}} Score `right`: at the
 *   last try
 */
import { chance, seedOf } from "./draw.js";

/**
 * @param {Question[]} questions
 * @param {RecordOf} recordOf
 * @returns {Score[]} in the order of the questions
 */
export function scoresByLesson(questions, recordOf) {
  /** @type {Map<string, Score>} */
  const scores = new Map();
  for (const { id, lesson } of questions) {
    const score = scores.get(lesson) ?? { lesson, total: 0, tried: 0, right: 0 };
    const { attempts, outcome } = recordOf(id);
    score.total += 1;
    score.tried += attempts ? 1 : 0;
    score.right += outcome === "right" ? 1 : 0;
    scores.set(lesson, score);
  }
  return [...scores.values()];
}

/**
 * How likely a miss is, 0 to 1: the share of misses, from one half for what was never tried, and
 * more where the last try was one.
 * @param {Record} record
 */
export function weakness({ attempts, rights, outcome }) {
  const share = (attempts - rights + 1) / (attempts + 2);
  return outcome === "wrong" ? (1 + share) / 2 : share;
}

/**
 * The questions to ask, in order.
 * @param {Question[]} questions
 * @param {RecordOf} recordOf
 * @param {{count: number, order: "weak" | "mixed" | "missed", seed: number}} wish
 * @returns {Question[]}
 */
export function chosen(questions, recordOf, { count, order, seed }) {
  const next = chance(seedOf(seed, order));
  const open = order === "missed" ? questions.filter(({ id }) => recordOf(id).outcome === "wrong") : questions;
  const topics = order === "weak" ? topicWeakness(open, recordOf) : new Map();
  const ranked = open.map((question) => {
    const own = order === "weak" ? weakness(recordOf(question.id)) + topics.get(question.topic) : 0;
    // Chance decides between the nearly equal, so that not the same ten come every time.
    return { question, rank: own + next() * (order === "weak" ? 0.2 : 1) };
  });
  ranked.sort((a, b) => b.rank - a.rank);
  return apart(ranked.slice(0, count).map(({ question }) => question));
}

/**
 * @param {Question[]} questions
 * @param {RecordOf} recordOf
 * @returns {Map<string, number>} mean weakness by topic
 */
export function topicWeakness(questions, recordOf) {
  /** @type {Map<string, number[]>} */
  const all = new Map();
  for (const { id, topic } of questions) {
    all.set(topic, [...(all.get(topic) ?? []), weakness(recordOf(id))]);
  }
  return new Map([...all].map(([topic, each]) => [topic, each.reduce((a, b) => a + b) / each.length]));
}

/**
 * The same questions, those of one lesson not in a row where that can be had.
 * @param {Question[]} questions
 */
function apart(questions) {
  const waiting = [...questions];
  /** @type {Question[]} */
  const result = [];
  while (waiting.length) {
    const last = result.at(-1)?.lesson;
    const other = waiting.findIndex(({ lesson }) => lesson !== last);
    result.push(...waiting.splice(Math.max(other, 0), 1));
  }
  return result;
}
