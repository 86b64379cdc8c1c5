/**
 * The rest of the standard library: what a start does without arrives when Python is up. Code that
 * imports a part of it earlier waits for it here; see `pysrc/cellrunner/library.py`.
 *
 * @import {Wanted} from "../lib/messages.js"
 */

/** Where Python looks for it. */
export const REST_ZIP = "/lib/stdlib-rest.zip";

/** @param {Wanted} rest */
export function offerRest({ url, facts }) {
  Object.assign(globalThis, {
    restOfLibrary: {
      sha256: facts.sha256,
      /** @returns {Uint8Array} not checked yet */
      fetch() {
        const request = new XMLHttpRequest();
        request.open("GET", url, false);
        request.responseType = "arraybuffer";
        request.send();
        if (request.status !== 200) throw new Error(`the server answered ${request.status}`);
        return new Uint8Array(request.response);
      },
    },
  });
}
