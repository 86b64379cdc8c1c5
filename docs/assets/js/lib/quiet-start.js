/**
 * Work done when the reader does nothing: keeping a snapshot after the first visit, and starting
 * Python from it on the next one. Never at the cost of a reader who saves data or memory.
 */
import { deliver } from "./deliveries.js";
import { runtime } from "./runtime.js";
import { SNAPSHOT_KEY, bootMessage, newWorker } from "./worker.js";

/** How long Python must have been idle before a snapshot is taken beside it. */
const QUIET_MS = 4_000;
const SMALL_MEMORY_GB = 4;

/** @returns {boolean} whether this browser has memory and data to spare */
function generous() {
  const { connection, deviceMemory } = /** @type {any} */ (navigator);
  return !connection?.saveData && !(deviceMemory < SMALL_MEMORY_GB) && "caches" in globalThis;
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let kept = false;
/** What the cells of the pages visited so far import. @type {string[]} */
let wanted = [];

/** Once Python has started without a snapshot and is idle, keep one for the next visit. */
function watchRuntime() {
  runtime.addEventListener("change", () => {
    clearTimeout(timer);
    if (kept || runtime.restored || runtime.state !== "ready" || !generous()) return;
    timer = setTimeout(keepSnapshot, QUIET_MS);
  });
}

/** In a worker of its own: the one that makes a snapshot is not fit for use afterwards. */
function keepSnapshot() {
  kept = true;
  const worker = newWorker("napkin-snapshot");
  const end = () => worker.terminate();
  worker.onmessage = ({ data }) => {
    if (data.type === "fetch") deliver(worker, data.files);
    if (data.type === "saved" || data.type === "failed") end();
  };
  worker.onerror = (event) => {
    event.preventDefault();
    end();
  };
  worker.postMessage(bootMessage({ restore: false, forSnapshot: true, packages: wanted }));
}

/**
 * Start Python in an idle moment, if a snapshot of this very version is already here.
 * @param {string[]} packages what the page's cells import
 */
export async function startQuietly(packages) {
  wanted = [...new Set([...wanted, ...packages])];
  if (runtime.state !== "off" || !generous() || document.visibilityState !== "visible") return;
  try {
    const cache = await caches.open("napkin-snapshots");
    if (!(await cache.match(SNAPSHOT_KEY))) return;
  } catch {
    return;
  }
  const idle = globalThis.requestIdleCallback ?? setTimeout;
  idle(() => runtime.warm(packages));
}

watchRuntime();
