/**
 * A labelled menu of the lessons that have cards, with "All lessons" first.
 *
 * @import {Course} from "./items.js"
 */

/**
 * @param {Course} course
 * @param {string} label
 * @param {(lesson: string) => void} choose "" for all
 */
export function lessonMenu(course, label, choose) {
  const place = document.createElement("label");
  place.dataset.part = "lesson";
  const menu = document.createElement("select");
  menu.append(new Option("All lessons", ""));
  for (const [slug, { title }] of course.lessons) menu.append(new Option(title, slug));
  menu.addEventListener("change", () => choose(menu.value));
  place.append(`${label} `, menu);
  return place;
}
