/**
 * Keeps the runtime's checked files in this browser, for use without a network; the service worker
 * hands them out.
 *
 * @import {Boot} from "../lib/messages.js"
 */

/** Also named in service-worker.js. */
const CACHE = "napkin-runtime";

/**
 * @param {string} url
 * @param {Blob} content checked
 * @param {string} type
 */
export async function keepFile(url, content, type) {
  const cache = await caches.open(CACHE);
  const headers = { "content-type": type, "content-length": String(content.size) };
  await cache.put(url, new Response(content, { headers }));
}

/**
 * Forget files of other versions of this site's runtime.
 * @param {Boot} boot
 */
export async function forgetOthers({ config, base, packBase, archiveURL }) {
  const wanted = new Set([archiveURL, packBase + config.stdlib.file]);
  for (const file of Object.keys(config.core)) wanted.add(base + file);
  for (const { file } of Object.values(config.packages)) wanted.add(base + file);
  for (const { file } of Object.values(config.packs ?? {})) wanted.add(packBase + file);
  const cache = await caches.open(CACHE);
  for (const { url } of await cache.keys()) {
    const ours = url.startsWith(packBase) || url.startsWith(base);
    if (ours && !wanted.has(url)) await cache.delete(url);
  }
}
