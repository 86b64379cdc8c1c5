/**
 * What the store must tell the reader.
 *
 * @import {PracticeStore} from "./store.js"
 */

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
