/**
 * Small things kept in this browser under the site's own path: guesses, progress.
 * Where the browser keeps nothing, they last as long as the page.
 */

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
