/**
 * Calls back, once each and one per idle moment, for elements that come near the screen.
 *
 * An editor takes some milliseconds to build: one at a time keeps scrolling smooth.
 */

/** @type {WeakMap<Element, () => void>} */
const callbacks = new WeakMap();
/** @type {Element[]} */
const queue = [];
let scheduled = false;

const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      queue.push(target);
    }
    schedule();
  },
  { rootMargin: "600px 0px" },
);

const idle = globalThis.requestIdleCallback ?? ((/** @type {() => void} */ run) => setTimeout(run, 1));

function schedule() {
  if (scheduled || !queue.length) return;
  scheduled = true;
  idle(() => {
    scheduled = false;
    const target = queue.shift();
    if (target) callbacks.get(target)?.();
    schedule();
  });
}

/**
 * @param {Element} element
 * @param {() => void} callback
 */
export function whenNearby(element, callback) {
  callbacks.set(element, callback);
  observer.observe(element);
}

/** @param {Element} element */
export function forgetNearby(element) {
  observer.unobserve(element);
  callbacks.delete(element);
}
