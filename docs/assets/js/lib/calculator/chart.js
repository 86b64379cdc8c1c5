/**
 * The charts of an answer. Each reads its points to whoever asks, the pointer's nearest or one after
 * the other with the arrow keys: the words stand in the picture already, as titles. Pictures are
 * drawn after the numbers are seen; until then those of the answer before stay.
 *
 * @import {Chart} from "./drawing.js"
 */
import { Reader } from "./reader.js";

/** A picture of the values before is not left beside new numbers for longer. */
const LATE_MS = 2_000;
const LATE = "The picture is on its way. The numbers are below.";
const MISSING = "The picture could not be loaded; the next change tries again. The numbers are below.";

/** By the picture, which stays from one answer to the next. @type {WeakMap<Element, Reader>} */
const readers = new WeakMap();
/** The latest charts of a result: others may be asked for while these are drawn. @type {WeakMap<Element, Chart[]>} */
const latest = new WeakMap();

/**
 * Lets the points of all charts be read; those that can be already stay as they are.
 * @param {HTMLElement} result
 */
export function mountCharts(result) {
  for (const picture of pictures(result).values()) {
    if (!readers.has(picture)) readers.set(picture, new Reader(picture));
  }
}

/**
 * Moves the pictures of an answer into the next one, where it has the same.
 * @param {HTMLElement} result
 * @param {DocumentFragment} next
 * @returns {() => void} to call once `next` is in the page: whoever was reading goes on
 */
export function keepPictures(result, next) {
  const old = pictures(result);
  const focused = document.activeElement;
  /** @type {Reader | undefined} */
  let reader;
  let point = -1;
  for (const [key, place] of pictures(next)) {
    const picture = old.get(key);
    if (!picture) continue;
    if (picture === focused) {
      reader = readers.get(picture);
      point = reader?.point ?? -1;
    }
    picture.setAttribute("aria-label", place.getAttribute("aria-label") ?? "");
    place.replaceWith(picture, ...(readers.has(picture) ? [/** @type {Reader} */ (readers.get(picture)).reading] : []));
  }
  return () => reader?.goOn(point);
}

/**
 * @param {HTMLElement} result
 * @param {Chart[]} charts that its figures are to show
 */
export async function drawPictures(result, charts) {
  latest.set(result, charts);
  for (const picture of pictures(result).values()) picture.setAttribute("aria-busy", "true");
  const late = setTimeout(() => {
    if (latest.get(result) !== charts) return;
    for (const picture of pictures(result).values()) picture.replaceChildren(sentence(LATE));
  }, LATE_MS);
  const draw = await Promise.all([drawer(), painted()]).then(
    ([made]) => made,
    () => undefined,
  );
  clearTimeout(late);
  for (const [key, picture] of pictures(result)) {
    if (latest.get(result) !== charts) return;
    const chart = charts.find((one) => one.key === key);
    if (!chart) continue;
    picture.replaceChildren(...(draw?.(chart) ?? [sentence(MISSING)]));
    picture.removeAttribute("aria-busy");
    readers.get(picture)?.renew();
    await new Promise((resolve) => setTimeout(resolve)); // each in a task of its own
  }
}

/**
 * The page's own answer stands again: nothing is to be drawn.
 * @param {HTMLElement} result
 */
export function forgetPictures(result) {
  latest.delete(result);
}

async function drawer() {
  return (await import("./pictures.js")).drawer();
}

/** After the browser has shown what is in the page by now. */
function painted() {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

/** @param {string} text */
function sentence(text) {
  const element = document.createElement("p");
  element.textContent = text;
  return element;
}

/**
 * @param {ParentNode} answer
 * @returns {Map<string, HTMLElement>} by the keys of their charts
 */
function pictures(answer) {
  const figures = /** @type {HTMLElement[]} */ ([...answer.querySelectorAll("[data-chart]")]);
  return new Map(
    figures.map((figure) => [
      figure.dataset.chart ?? "",
      /** @type {HTMLElement} */ (figure.querySelector("[data-part=picture]")),
    ]),
  );
}
