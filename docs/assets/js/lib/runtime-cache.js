/**
 * Keeps the runtime's checked files in this browser, for use without a network; the service worker
 * hands them out.
 */
import { Downloads } from "./downloads.js";
import { filesFor } from "./runtime-files.js";
import { PLACE } from "./worker.js";

/** Also named in service-worker.js. */
const CACHE = "napkin-runtime";

/**
 * @param {string} url
 * @param {Blob} content checked
 */
export async function keepFile(url, content) {
  const cache = await caches.open(CACHE);
  const headers = { "content-type": content.type, "content-length": String(content.size) };
  await cache.put(url, new Response(content, { headers }));
}

/**
 * @param {string} url
 * @returns {Promise<boolean>}
 */
export async function isKept(url) {
  return Boolean(await (await caches.open(CACHE)).match(url));
}

/**
 * Keep what is not kept yet of all that code with these imports needs; a start has just fetched
 * most of it, so it comes out of the browser's cache. What belongs to other versions of this
 * site's runtime goes.
 * @param {string[]} packages
 */
export async function keepRuntime(packages) {
  const all = filesFor(PLACE, Object.keys(PLACE.config.packs));
  const kept = await forgetAllBut(new Set(all.map(({ url }) => url)));
  const missing = filesFor(PLACE, packages).filter(({ url }) => !kept.has(url));
  // One after the other: together they are much for a small device.
  for (const { url, facts } of missing) {
    const downloads = new Downloads(() => {});
    downloads.start(url, facts, { whole: true });
    const content = await downloads.checked(url).catch(() => null);
    if (content) await keepFile(url, content);
  }
}

/** Forget what is kept of the runtime: one of the files has turned out to be damaged. */
export async function forgetRuntime() {
  await forgetAllBut(new Set());
}

/**
 * @param {Set<string>} wanted
 * @returns {Promise<Set<string>>} what is left
 */
async function forgetAllBut(wanted) {
  const cache = await caches.open(CACHE);
  const kept = new Set((await cache.keys()).map(({ url }) => url));
  for (const url of kept) {
    const ours = url.startsWith(PLACE.siteBase) || url.startsWith(PLACE.base);
    if (!ours || wanted.has(url)) continue;
    await cache.delete(url);
    kept.delete(url);
  }
  return kept;
}
