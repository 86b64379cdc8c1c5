/** Reads a picture's points: the pointer's nearest, or one after the other with the arrow keys. */

/** How far from the pointer a point may be, in px. */
const NEAR = 40;

export class Reader {
  /** The number of the point that is read, -1 for none. */
  point = -1;
  /** Where its words stand. */
  reading = document.createElement("p");
  #picture;
  /** Where the pointer was last. */
  #pointer = "";

  /** @param {HTMLElement} picture its points are looked up anew: it is redrawn */
  constructor(picture) {
    this.#picture = picture;
    this.reading.dataset.part = "reading";
    this.reading.setAttribute("role", "status");
    picture.after(this.reading);
    picture.tabIndex = 0;
    picture.setAttribute("aria-roledescription", "chart, arrow keys read its points");
    picture.addEventListener("keydown", (event) => this.#press(event));
    picture.addEventListener("blur", () => this.#read(-1));
    picture.addEventListener("pointerleave", () => document.activeElement !== picture && this.#read(-1));
    picture.addEventListener("pointermove", (event) => this.#follow(event));
  }

  /** The picture was redrawn: whoever was at a point is at the same of the new ones. */
  renew() {
    if (this.point >= 0) this.#read(Math.min(this.point, this.#points.length - 1));
  }

  /**
   * The picture was moved, which takes the focus from it.
   * @param {number} point that was being read
   */
  goOn(point) {
    this.#picture.focus({ preventScroll: true });
    if (point >= 0) this.#read(point);
  }

  get #points() {
    return /** @type {SVGGraphicsElement[]} */ ([...this.#picture.querySelectorAll("[data-point]")]);
  }

  /** @param {number} number of the point, -1 for none */
  #read(number) {
    // A picture that waits to be redrawn is of other values.
    if (number >= 0 && this.#picture.hasAttribute("aria-busy")) return;
    this.#picture.querySelector("[data-current]")?.removeAttribute("data-current");
    const point = this.#points[number];
    this.point = point ? number : -1;
    point?.setAttribute("data-current", "");
    const words = point?.querySelector("title")?.textContent ?? "";
    if (this.reading.textContent !== words) this.reading.textContent = words;
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const last = this.#points.length - 1;
    const places = /** @type {Record<string, number>} */ ({
      ArrowRight: Math.min(this.point + 1, last),
      ArrowDown: Math.min(this.point + 1, last),
      ArrowLeft: Math.max(this.point - 1, 0),
      ArrowUp: Math.max(this.point - 1, 0),
      Home: 0,
      End: last,
    });
    if (last < 0 || !(event.key in places)) return;
    event.preventDefault();
    this.#read(places[event.key]);
  }

  /** @param {PointerEvent} event */
  #follow({ clientX, clientY }) {
    // Browsers also tell of a pointer at rest when what is under it changes: keys may be at a point.
    const pointer = `${clientX} ${clientY}`;
    if (pointer === this.#pointer) return;
    this.#pointer = pointer;
    /** @type {[number, number]} */
    let best = [-1, NEAR ** 2];
    this.#points.forEach((point, index) => {
      const { left, right, top, bottom } = point.getBoundingClientRect();
      const dx = Math.max(left - clientX, 0, clientX - right);
      const dy = Math.max(top - clientY, 0, clientY - bottom);
      if (dx * dx + dy * dy < best[1]) best = [index, dx * dx + dy * dy];
    });
    if (best[0] !== this.point) this.#read(best[0]);
  }
}
