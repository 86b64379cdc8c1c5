/**
 * A mix or an exam under way, kept in this browser so that a reload or a closed tab loses nothing.
 *
 * @typedef {object} Session
 * @property {string} id
 * @property {"practice" | "exam"} mode
 * @property {string[]} ids of the questions, in order
 * @property {number} place of the one that is shown
 * @property {number} began milliseconds since 1970
 * @property {number} ends the same; 0: no limit
 * @property {Record<string, string>} given exam answers so far
 */
const KEY = `napkin:${new URL("../../../../", import.meta.url).pathname}:quiz`;

/** @returns {Session | null} */
export function keptSession() {
  try {
    const session = JSON.parse(localStorage.getItem(KEY) ?? "null");
    const whole =
      Array.isArray(session?.ids) && ["practice", "exam"].includes(session.mode) &&
      Number.isInteger(session.place) && Number.isFinite(session.began) &&
      Number.isFinite(session.ends) && typeof session.given === "object";
    return whole ? session : null;
  } catch {
    return null; // blocked, or written by something else
  }
}

/** @param {Session | null} session null forgets it */
export function keepSession(session) {
  try {
    if (session) localStorage.setItem(KEY, JSON.stringify(session));
    else localStorage.removeItem(KEY);
  } catch {
    // not kept: then a reload begins anew
  }
}
