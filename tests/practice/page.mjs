/** What a browser's window has, as far as the modules of a page that are tested here need it. */

/** A browser's storage: its keys are its own properties. */
export function freshStorage() {
  const storage = Object.create({
    getItem(/** @type {string} */ key) {
      return Object.hasOwn(this, key) ? this[key] : null;
    },
    setItem(/** @type {string} */ key, /** @type {string} */ value) {
      this[key] = value;
    },
    removeItem(/** @type {string} */ key) {
      delete this[key];
    },
  });
  Object.defineProperty(globalThis, "localStorage", { value: storage, configurable: true });
}

/** A window at an address: what it tells of, and the address that scripts can change. */
export function freshWindow(/** @type {string} */ address) {
  const events = new EventTarget();
  const globals = /** @type {any} */ (globalThis);
  globals.location = new URL(address);
  globals.history = {
    state: null,
    replaceState(/** @type {unknown} */ _, /** @type {string} */ __, /** @type {string} */ url) {
      globals.location = new URL(url, globals.location);
    },
  };
  globals.addEventListener = events.addEventListener.bind(events);
  globals.dispatchEvent = events.dispatchEvent.bind(events);
}
