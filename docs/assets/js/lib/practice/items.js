/**
 * The course's cards and questions, as the build published them.
 *
 * @typedef {object} Item
 * @property {string} id
 * @property {string} kind "card", or the kind of question
 * @property {string} hash
 * @property {string} lesson
 * @property {string} anchor
 * @property {string} heading
 * @property {string[]} tags
 * @property {string} [front] HTML
 * @property {string} [back] HTML
 * @property {string} [question] HTML
 * @property {string} [explanation] HTML
 *
 * @typedef {{title: string, url: string}} Lesson
 */
import { questionFaces } from "./faces.js";

const ROOT = new URL("../../../../", import.meta.url);
export const ITEMS_URL = new URL("assets/practice/items.json", ROOT).href;

export class Course {
  /**
   * @param {{lessons: Record<string, Lesson>, items: Item[]}} published
   */
  constructor({ lessons, items }) {
    this.lessons = new Map(Object.entries(lessons));
    this.items = items;
    this.byId = new Map(items.map((item) => [item.id, item]));
    /** Place in the course, for the order of new cards. */
    this.place = new Map(items.map((item, index) => [item.id, index]));
  }

  /** Where an item was taught. @param {Item} item */
  urlOf(item) {
    const url = new URL(this.lessons.get(item.lesson)?.url ?? "", ROOT);
    url.hash = item.anchor;
    return url.href;
  }

  /** @param {Item} item @returns {string} such as "Counting operations › The timer" */
  sourceOf(item) {
    const title = this.lessons.get(item.lesson)?.title ?? item.lesson;
    return item.heading ? `${title} › ${item.heading}` : title;
  }
}

/**
 * @param {Item} item
 * @param {number} [day] a number question has other numbers on another day
 * @returns {{front: string, back: string}} HTML
 */
export function facesOf(item, day = 0) {
  if (item.kind !== "card") return questionFaces(/** @type {any} */ (item), day);
  return { front: item.front ?? "", back: item.back ?? "" };
}

/** @param {string} html @returns {string} its words */
export function textOf(html) {
  return (new DOMParser().parseFromString(html, "text/html").body.textContent ?? "").trim();
}

/** @type {Promise<Course> | undefined} */
let loading;

/** The course, fetched once per visit; where that failed, the next call tries again. */
export function course() {
  loading ??= fetch(ITEMS_URL)
    .then(async (response) => {
      if (!response.ok) throw new Error(`${response.status}`);
      return new Course(await response.json());
    })
    .catch((error) => {
      loading = undefined;
      throw error;
    });
  return loading;
}

export { ROOT };
