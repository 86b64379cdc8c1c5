/**
 * All cards and questions of the course, as `sitekit items` publishes them.
 *
 * @import {Question} from "./question.js"
 * @typedef {{title: string, url: string}} Lesson
 * @typedef {Question & {anchor: string, heading: string}} Item
 * @typedef {{lessons: Record<string, Lesson>, items: Item[]}} Catalogue
 */
export const SITE = new URL("../../../../", import.meta.url);

/** @type {Promise<Catalogue> | undefined} */
let loaded;

/** @returns {Promise<Catalogue>} fails where the file cannot be had; ask again later */
export function catalogue() {
  loaded ??= load().catch((error) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function load() {
  const response = await fetch(new URL("assets/practice/items.json", SITE));
  if (!response.ok) throw new Error(`items.json: ${response.status}`);
  return response.json();
}

/**
 * Where an item comes from.
 * @param {Catalogue} all
 * @param {Item} item
 */
export function sourceOf(all, { lesson, anchor, heading, id }) {
  const { title, url } = all.lessons[lesson];
  const address = new URL(url, SITE);
  address.hash = anchor || id;
  return { href: address.href, title: heading ? `${title}: ${heading}` : title };
}
