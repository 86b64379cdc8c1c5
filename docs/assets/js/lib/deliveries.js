/**
 * Fetches files for a Python worker, whose own thread is busy with starting the interpreter: there
 * nothing would take them off the line.
 *
 * @import {Wanted} from "./messages.js"
 * @import {Tally} from "./downloads.js"
 */
import { Downloads } from "./downloads.js";

/** What failed is fetched past all caches the next time. @type {Set<string>} */
const failed = new Set();

/**
 * Fetch and check files, and hand each over when it is here, or say what is wrong with it.
 * @param {Worker} worker
 * @param {Wanted[]} files
 * @param {AbortSignal} [signal] the worker is gone
 * @param {(tally: Tally) => void} [report] called as bytes arrive
 */
export function deliver(worker, files, signal, report = () => {}) {
  const downloads = new Downloads(report, { fresh: files.some(({ url }) => failed.has(url)) });
  signal?.addEventListener("abort", () => downloads.cancel());
  for (const { url, facts } of files) downloads.start(url, facts, { whole: true });
  for (const { url } of files) {
    Promise.race([downloads.checked(url), downloads.failure]).then(
      async (blob) => {
        failed.delete(url);
        const content = await blob.arrayBuffer();
        worker.postMessage({ type: "file", url, content }, [content]);
      },
      (error) => {
        if (signal?.aborted) return;
        failed.add(url);
        worker.postMessage({ type: "file", url, content: null, message: error.message });
      },
    );
  }
}
