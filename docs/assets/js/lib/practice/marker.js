/** A tiny mark outside the database, by which its loss can be noticed. */

const SITE = new URL("../../../../", import.meta.url).pathname;
const MARKER = `napkin:${SITE}:practice`;

export function wasUsed() {
  try {
    return localStorage.getItem(MARKER) !== null;
  } catch {
    return false;
  }
}

export function markUsed() {
  try {
    if (!wasUsed()) localStorage.setItem(MARKER, "1");
  } catch {
    // not kept: then a loss goes unnoticed
  }
}
