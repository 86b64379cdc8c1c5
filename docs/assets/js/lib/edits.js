/** What readers changed in cells, kept in this browser under the site's own path. */

const SITE = new URL("../../../", import.meta.url).pathname;

/**
 * @typedef {object} Edit
 * @property {string | null} code null: the lesson's
 * @property {string} lesson the digest of the lesson's code that was changed
 * @property {string[]} earlier code of the reader's that something took the place of, latest first
 */

/** @param {string} ref of the cell */
function key(ref) {
  return `napkin:${SITE}:edit:${ref}`;
}

/**
 * @param {string} ref
 * @returns {Edit | null}
 */
export function loadEdit(ref) {
  try {
    return readEdit(JSON.parse(localStorage.getItem(key(ref)) ?? "null"));
  } catch {
    return null; // blocked, or written by something else
  }
}

/**
 * @param {any} stored
 * @returns {Edit | null} null where it is none
 */
function readEdit(stored) {
  const { code, lesson, earlier } = stored ?? {};
  if ((code !== null && typeof code !== "string") || typeof lesson !== "string") return null;
  // One alone was kept as it is.
  return { code, lesson, earlier: [earlier].flat().filter((each) => typeof each === "string") };
}

/**
 * The edits of two browsers: what is here stays, and what was written there is set aside.
 * @param {unknown} ours
 * @param {unknown} theirs
 * @returns {unknown}
 */
export function uniteEdits(ours, theirs) {
  const [here, there] = [readEdit(ours), readEdit(theirs)];
  if (!here || !there) return here ? ours : theirs;
  const codes = [...here.earlier, there.code, ...there.earlier];
  const earlier = [...new Set(codes)].filter((code) => code !== null && code !== here.code);
  return { ...here, earlier };
}

/** Cells with an edit that the browser did not keep. @type {Set<string>} */
const unkept = new Set();

/** What becomes of edits when the page is loaded again. */
export function editsKept() {
  return unkept.size ? "This browser does not keep your edits: copy them first." : "Your edits are kept.";
}

/**
 * Keep an edit, or forget it where `edit` is null.
 * @param {string} ref
 * @param {Edit | null} edit
 * @returns {boolean} false where the browser does not keep it
 */
export function saveEdit(ref, edit) {
  try {
    if (edit) localStorage.setItem(key(ref), JSON.stringify(edit));
    else localStorage.removeItem(key(ref));
    unkept.delete(ref);
    return true;
  } catch {
    unkept.add(ref);
    return false;
  }
}

/**
 * Calls back when another tab changes the cell; `edit` is null when it was reset there.
 * @param {string} ref
 * @param {(edit: Edit | null) => void} callback
 * @param {AbortSignal} signal ends it
 */
export function watchEdit(ref, callback, signal) {
  const watched = key(ref);
  addEventListener(
    "storage",
    (event) => {
      if (event.key === watched) callback(loadEdit(ref));
    },
    { signal },
  );
  // A page that the browser put aside heard nothing meanwhile.
  addEventListener("pageshow", ({ persisted }) => persisted && callback(loadEdit(ref)), { signal });
}

/**
 * A short digest, to see whether a lesson's code has changed since.
 * @param {string} text
 */
export function digest(text) {
  let hash = 0x811c9dc5; // FNV-1a, 32 bits
  for (const char of text) hash = Math.imul(hash ^ /** @type {number} */ (char.codePointAt(0)), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
