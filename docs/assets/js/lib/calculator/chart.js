/**
 * Reads a chart's points to whoever asks: the pointer's nearest, or one after the other with the
 * arrow keys. The words stand in the picture already, as titles.
 */

/** @param {HTMLElement} figure */
export function mountChart(figure) {
  const picture = /** @type {HTMLElement} */ (figure.querySelector("[data-part=picture]"));
  const points = /** @type {SVGGraphicsElement[]} */ ([...picture.querySelectorAll("[data-point]")]);
  if (!points.length) return;
  const reading = document.createElement("p");
  reading.dataset.part = "reading";
  reading.setAttribute("role", "status");
  picture.after(reading);
  picture.tabIndex = 0;
  picture.setAttribute("aria-roledescription", "chart, arrow keys read its points");
  let current = -1;

  /** @param {number} index */
  const read = (index) => {
    points[current]?.removeAttribute("data-current");
    current = index;
    points[current]?.setAttribute("data-current", "");
    reading.textContent = points[current]?.querySelector("title")?.textContent ?? "";
  };
  picture.addEventListener("keydown", (event) => {
    const { key } = event;
    const last = points.length - 1;
    const places = /** @type {Record<string, number>} */ ({
      ArrowRight: Math.min(current + 1, last),
      ArrowDown: Math.min(current + 1, last),
      ArrowLeft: Math.max(current - 1, 0),
      ArrowUp: Math.max(current - 1, 0),
      Home: 0,
      End: last,
    });
    if (!(key in places)) return;
    event.preventDefault();
    read(places[key]);
  });
  picture.addEventListener("blur", () => read(-1));
  picture.addEventListener("pointerleave", () => document.activeElement !== picture && read(-1));
  picture.addEventListener("pointermove", ({ clientX, clientY }) => {
    /** @type {[number, number]} */
    let best = [-1, 40 ** 2];
    points.forEach((point, index) => {
      const { left, right, top, bottom } = point.getBoundingClientRect();
      const dx = Math.max(left - clientX, 0, clientX - right);
      const dy = Math.max(top - clientY, 0, clientY - bottom);
      if (dx * dx + dy * dy < best[1]) best = [index, dx * dx + dy * dy];
    });
    if (best[0] !== current) read(best[0]);
  });
}
