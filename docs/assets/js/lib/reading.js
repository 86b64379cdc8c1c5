/**
 * How far a reader has come in a lesson, kept in this browser: the sections read to their end, and
 * the one that was on screen last.
 */
import { loadKept, saveKept } from "./kept.js";

/** Text that stands still this long on screen counts as looked at. */
const SETTLED_MS = 600;

/**
 * @typedef {object} Read
 * @property {string[]} ids of the sections read
 * @property {string} last the section that was on screen last
 * @property {string} title its heading
 * @property {number} at when, in ms since 1970
 */

/**
 * @typedef {object} Progress
 * @property {number} read sections
 * @property {number} sections
 * @property {number} passed exercises
 * @property {number} exercises
 * @property {boolean} done
 * @property {Read | null} kept
 */

/** @param {string} slug */
export const readName = (slug) => `read:${slug}`;

/**
 * @param {string} slug
 * @returns {Read | null}
 */
export function loadRead(slug) {
  const kept = /** @type {Partial<Read> | undefined} */ (loadKept(readName(slug)));
  if (!Array.isArray(kept?.ids) || typeof kept.last !== "string") return null;
  return { ids: kept.ids, last: kept.last, title: String(kept.title ?? ""), at: Number(kept.at) || 0 };
}

/**
 * @param {HTMLElement} element with the facts that the build wrote
 * @returns {Progress}
 */
export function progressOf(element) {
  const kept = loadRead(element.getAttribute("ref") ?? "");
  const sections = Number(element.dataset.sections);
  const names = (element.dataset.exercises ?? "").split(" ").filter(Boolean);
  const passed = names.filter((name) => {
    const exercise = /** @type {{state?: unknown} | undefined} */ (loadKept(`exercise:${name}`));
    return exercise?.state === "passed";
  }).length;
  const read = Math.min(kept?.ids.length ?? 0, sections);
  const done = read === sections && passed === names.length;
  return { read, sections, passed, exercises: names.length, done, kept };
}

/** @param {Progress} progress */
export function told({ read, sections, passed, exercises, done }) {
  if (done) return "Done: all read, all exercises passed.";
  const solved = exercises ? `, ${passed} of ${exercises} exercises passed` : "";
  return `${read} of ${sections} sections read${solved}`;
}

/**
 * Keep what is read on this page, until `signal` ends it.
 * @param {string} slug
 * @param {AbortSignal} signal
 */
export function watchReading(slug, signal) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const settle = () => {
    clearTimeout(timer);
    timer = setTimeout(() => look(slug), SETTLED_MS);
  };
  addEventListener("scroll", settle, { signal, passive: true });
  document.addEventListener("visibilitychange", settle, { signal });
  signal.addEventListener("abort", () => clearTimeout(timer));
  settle();
}

/** @returns {HTMLElement[]} the headings of the page's sections */
function headings() {
  return [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("article h2[id]"))];
}

/** @param {string} slug */
function look(slug) {
  if (document.visibilityState !== "visible") return;
  const all = headings();
  if (!all.length) return;
  const tops = all.map((heading) => heading.getBoundingClientRect().top);
  const end = all[0].parentElement?.getBoundingClientRect().bottom ?? 0;
  const known = new Set(all.map(({ id }) => id));
  const before = loadRead(slug);
  const ids = new Set(before?.ids.filter((id) => known.has(id)));
  all.forEach(({ id }, i) => {
    const bottom = Math.min(tops[i + 1] ?? end, end);
    // Its end is on screen; the last section's may be followed by notes.
    if (bottom > 0 && bottom <= innerHeight + 8) ids.add(id);
  });
  if (tops[all.length - 1] < innerHeight / 2 && tops[all.length - 1] > -innerHeight) {
    ids.add(all[all.length - 1].id);
  }
  const current = all.filter((_, i) => tops[i] < innerHeight / 2).pop();
  // Only a look at the top of a page that was begun further down changes nothing.
  const last = current ?? (before ? null : all[0]);
  if (!last && ids.size === before?.ids.length) return;
  saveKept(readName(slug), {
    ids: [...ids],
    last: last?.id ?? before?.last,
    title: last ? headingText(last) : before?.title,
    at: Date.now(),
  });
}

/** @param {HTMLElement} heading */
function headingText(heading) {
  const copy = /** @type {HTMLElement} */ (heading.cloneNode(true));
  copy.querySelectorAll(".headerlink").forEach((link) => link.remove());
  return (copy.textContent ?? "").trim();
}
