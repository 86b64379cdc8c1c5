/**
 * Does work for one element at a time, each in a task of its own: a page full of elements takes no
 * longer from scrolling and typing than a page with one.
 */

/** @type {Map<Element, () => void>} */
const queue = new Map();
let scheduled = false;

function schedule() {
  if (scheduled || !queue.size) return;
  scheduled = true;
  setTimeout(() => {
    scheduled = false;
    const [next] = queue;
    if (!next) return;
    const [element, work] = next;
    queue.delete(element);
    schedule(); // first: an element whose work fails does not hold up the others
    work();
  });
}

/**
 * @param {Element} element
 * @param {() => void} work
 */
export function inTurn(element, work) {
  queue.set(element, work);
  schedule();
}

/** @param {Element} element whose work is not wanted any more */
export function leaveTurn(element) {
  queue.delete(element);
}

/** The page's own work, drawing and typing, goes first. @returns {Promise<void>} */
export function nextTask() {
  return new Promise((resolve) => setTimeout(resolve));
}
