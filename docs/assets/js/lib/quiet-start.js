/**
 * Work done when the reader does nothing: keeping the runtime's files and a snapshot of it, and
 * starting Python from that on the next visit. Never at the cost of a reader who saves data, nor
 * of one whose device has little memory.
 */
import { deliver } from "./deliveries.js";
import { keepRuntime } from "./runtime-cache.js";
import { runtime } from "./runtime.js";
import { SNAPSHOT_KEY, bootMessage, newWorker } from "./worker.js";

/** How long Python must have been idle before anything is done beside it. */
const QUIET_MS = 4_000;
const SMALL_MEMORY_GB = 4;

/** @returns {boolean} whether this reader wants nothing fetched that was not asked for */
function savesData() {
  const { connection } = /** @type {any} */ (navigator);
  return Boolean(connection?.saveData);
}

/** @returns {boolean} whether this device should hold no Python that was not asked for */
function sparesMemory() {
  const { deviceMemory } = /** @type {any} */ (navigator);
  // Many phones do not tell.
  if (deviceMemory === undefined) return matchMedia("(pointer: coarse)").matches;
  return deviceMemory < SMALL_MEMORY_GB;
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let snapshotTaken = false;
/** What the cells of the pages visited so far import. @type {string[]} */
let wanted = [];
/** What those of this page import. @type {string[]} */
let here = [];

function watchRuntime() {
  runtime.addEventListener("change", () => {
    clearTimeout(timer);
    if (runtime.state === "ready" && !savesData()) timer = setTimeout(keep, QUIET_MS);
  });
}

/** Keep what the visited pages need without a network, and what the next visit starts from. */
async function keep() {
  try {
    await keepRuntime(wanted);
  } catch {
    return; // storage is full or blocked: no room for a snapshot either
  }
  if (snapshotTaken || runtime.restored || runtime.state !== "ready" || sparesMemory()) return;
  keepSnapshot();
}

/** In a worker of its own: the one that makes a snapshot is not fit for use afterwards. */
function keepSnapshot() {
  snapshotTaken = true;
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
  worker.postMessage(bootMessage({ restore: false, forSnapshot: true }));
}

/**
 * In an idle moment, start Python if a snapshot of this very version is already here, or let the
 * Python that runs get ready for this page.
 * @param {string[]} packages what the page's cells import
 */
export async function startQuietly(packages) {
  here = packages;
  wanted = [...new Set([...wanted, ...packages])];
  if (savesData() || sparesMemory() || document.visibilityState !== "visible") return;
  if (runtime.state === "off") {
    try {
      const cache = await caches.open("napkin-snapshots");
      if (!(await cache.match(SNAPSHOT_KEY))) return;
    } catch {
      return; // no Cache Storage here, or it is blocked
    }
  }
  const idle = globalThis.requestIdleCallback ?? setTimeout;
  idle(() => runtime.warm(packages));
}

/** A page that was opened in a tab behind others waits until it is looked at. */
document.addEventListener("visibilitychange", () => {
  if (document.querySelector("napkin-cell")) startQuietly(here);
});
watchRuntime();
