/** Says a sentence to screen readers, once, without moving the focus. */

// There from the start: a region that comes along with its first sentence is not heard. It is
// outside the container that instant navigation replaces.
const region = document.createElement("div");
region.className = "napkin-announcer";
region.setAttribute("role", "status");
document.body.append(region);

/** @param {string} sentence */
export function announce(sentence) {
  region.textContent = sentence;
}
