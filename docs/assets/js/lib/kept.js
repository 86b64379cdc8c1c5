/**
 * Small things kept in this browser under the site's own path: guesses, progress.
 * Where the browser keeps nothing, they last as long as the page.
 */
import { uniteEdits } from "./edits.js";

const SITE = new URL("../../../", import.meta.url).pathname;
/** @type {Map<string, unknown>} */
const here = new Map();

/** @param {string} name */
const key = (name) => `napkin:${SITE}:${name}`;

/**
 * @param {string} name
 * @returns {unknown} what was kept, undefined where there is nothing or something unreadable
 */
export function loadKept(name) {
  if (here.has(name)) return here.get(name);
  try {
    return JSON.parse(localStorage.getItem(key(name)) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} name
 * @param {unknown} value undefined to forget it
 */
export function saveKept(name, value) {
  try {
    if (value === undefined) localStorage.removeItem(key(name));
    else localStorage.setItem(key(name), JSON.stringify(value));
    here.delete(name);
  } catch {
    here.set(name, value);
  }
  dispatch(name);
}

const changes = new EventTarget();

/** @param {string} name */
function dispatch(name) {
  changes.dispatchEvent(new CustomEvent("change", { detail: name }));
}

/**
 * Calls back with the name of whatever changes, in this tab or another.
 * @param {(name: string) => void} callback
 * @param {AbortSignal} signal ends it
 */
export function watchKept(callback, signal) {
  const prefix = key("");
  changes.addEventListener("change", (event) => callback(/** @type {CustomEvent} */ (event).detail), {
    signal,
  });
  addEventListener(
    "storage",
    (event) => {
      if (event.key?.startsWith(prefix)) callback(event.key.slice(prefix.length));
    },
    { signal },
  );
}

/** What a backup takes along: code that was changed, exercises, guesses, and what was read. */
const PORTABLE = /^(?:edit|exercise|estimate|read):/;

/** @returns {Record<string, unknown>} all that a backup takes along, by name */
export function allKept() {
  const found = Object.fromEntries([...here].filter(([name]) => PORTABLE.test(name)));
  try {
    for (const stored of Object.keys(localStorage)) {
      const name = stored.startsWith(key("")) ? stored.slice(key("").length) : "";
      if (PORTABLE.test(name)) found[name] ??= loadKept(name);
    }
  } catch {
    // nothing is kept in this browser
  }
  return found;
}

/**
 * Unite what a backup holds with what is here: nothing that was done in either place is lost, and
 * guesses and code that are here stay, the backup's other code beside it.
 * @param {unknown} kept from `allKept`
 * @returns {number} how many entries changed
 */
export function mergeKept(kept) {
  let changed = 0;
  for (const [name, theirs] of Object.entries(isObject(kept) ? kept : {})) {
    if (!PORTABLE.test(name) || !isObject(theirs)) continue;
    const ours = loadKept(name);
    const united = isObject(ours) ? unite(name, ours, theirs) : theirs;
    if (JSON.stringify(united) === JSON.stringify(ours)) continue;
    saveKept(name, united);
    changed += 1;
  }
  return changed;
}

/**
 * @param {string} name
 * @param {Record<string, any>} ours
 * @param {Record<string, any>} theirs
 */
function unite(name, ours, theirs) {
  if (name.startsWith("read:")) {
    const later = Number(theirs.at) > Number(ours.at) ? theirs : ours;
    const ids = [ours.ids, theirs.ids].flatMap((list) => (Array.isArray(list) ? list : []));
    return { ...ours, ...later, ids: [...new Set(ids)] };
  }
  if (name.startsWith("exercise:")) {
    const most = (/** @type {string} */ part) => Math.max(Number(ours[part]) || 0, Number(theirs[part]) || 0);
    return {
      ...ours,
      state: theirs.state === "passed" ? "passed" : ours.state,
      tries: most("tries"),
      hints: most("hints"),
      solution: Boolean(ours.solution || theirs.solution),
    };
  }
  if (name.startsWith("edit:")) return uniteEdits(ours, theirs);
  return ours;
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, any>}
 */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
