/** Says a sentence to screen readers, once, without moving the focus. */

/** @type {HTMLElement | undefined} */
let region;

/** @param {string} sentence */
export function announce(sentence) {
  if (!region?.isConnected) {
    region = document.createElement("div");
    region.className = "napkin-announcer";
    region.setAttribute("role", "status");
    // Outside the container that instant navigation replaces.
    document.body.append(region);
  }
  region.textContent = sentence;
}
