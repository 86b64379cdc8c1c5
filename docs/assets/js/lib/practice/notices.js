/**
 * What the store must tell the reader.
 *
 * @import {PracticeStore} from "./store.js"
 */

/** @typedef {"blocked" | "unsaved" | "lost" | "damaged" | "superseded" | "waiting" | "newer"} NoticeName */
/** @type {Record<NoticeName, string>} */
export const NOTICES = {
  blocked:
    "This browser does not let the site keep anything. Your answers last until you close this page: download a backup before you do.",
  unsaved:
    "The browser's storage is full or refused to write. Your latest answers are kept in this tab only: download a backup, then free some space.",
  lost: "Your reviews were in this browser and are gone: it has cleared its storage. If you have a backup, restore it below.",
  damaged: "Some records are damaged and were skipped. They are kept as they are, and go into every backup.",
  superseded: "The site was updated in another tab. Reload this page to go on.",
  waiting:
    "Another tab shows an older version of this site, and your reviews cannot be read while it is open. Close it: what you answer here meanwhile is added to them.",
  newer:
    "This page is older than your reviews, which a newer version of the site has written. Nothing is lost: reload the page, and what you answer here meanwhile is added to them.",
};

/**
 * @param {HTMLElement} place
 * @param {PracticeStore} store
 * @param {AbortSignal} signal
 */
export function showNotices(place, store, signal) {
  const show = () => {
    place.replaceChildren(
      ...[...store.notices].map(([name, sentence]) => {
        const line = document.createElement("p");
        line.dataset.notice = name;
        line.setAttribute("role", "alert");
        line.textContent = sentence;
        return line;
      }),
    );
  };
  store.addEventListener("notice", show, { signal });
  show();
}
