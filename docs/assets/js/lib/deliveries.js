/**
 * Fetches files for a Python worker, whose own thread is busy with starting the interpreter: there
 * nothing would take them off the line.
 *
 * @import {Wanted} from "./messages.js"
 * @import {Tally} from "./downloads.js"
 */
import { Downloads } from "./downloads.js";
import { isKept, keepFile } from "./runtime-cache.js";

/** What failed is fetched past all caches the next time. @type {Set<string>} */
const failed = new Set();

/**
 * Fetch and check files, and hand each over when it is here, or say what is wrong with it; one
 * that fails is no trouble to the others. They are kept for use without a network.
 * @param {Worker} worker
 * @param {Wanted[]} files
 * @param {AbortSignal} [signal] the worker is gone
 * @param {(tally: Tally) => void} [report] called as bytes arrive
 */
export function deliver(worker, files, signal, report = () => {}) {
  const fresh = files.some(({ url }) => failed.has(url));
  const downloads = new Downloads(report, { fresh });
  signal?.addEventListener("abort", () => downloads.cancel());
  for (const { url, facts } of files) downloads.start(url, facts, { whole: true });
  for (const { url } of files) {
    downloads.checked(url).then(
      async (blob) => {
        failed.delete(url);
        const content = await blob.arrayBuffer();
        worker.postMessage({ type: "file", url, content }, [content]);
        // Full or blocked storage is no failure of the delivery.
        keep(url, blob, fresh).catch(() => {});
      },
      (error) => {
        if (signal?.aborted) return;
        failed.add(url);
        worker.postMessage({ type: "file", url, content: null, message: error.message });
      },
    );
  }
}

/**
 * @param {string} url
 * @param {Blob} blob
 * @param {boolean} anew what is kept may be damaged
 */
async function keep(url, blob, anew) {
  if (anew || !(await isKept(url))) await keepFile(url, blob);
}
