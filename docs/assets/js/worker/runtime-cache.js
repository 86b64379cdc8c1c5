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
 */
export async function keepFile(url, content) {
  const cache = await caches.open(CACHE);
  const headers = { "content-type": content.type, "content-length": String(content.size) };
  await cache.put(url, new Response(content, { headers }));
}

/**
 * Forget files of other versions of this site's runtime.
 * @param {Boot} boot
 */
export async function forgetOthers({ config, base, siteBase }) {
  const { archive, core, packs, rest, stdlib } = config;
  const own = [archive, stdlib, rest, ...Object.values(packs)].map(({ file }) => siteBase + file);
  const wanted = new Set([...own, ...Object.keys(core).map((file) => base + file)]);
  const cache = await caches.open(CACHE);
  for (const { url } of await cache.keys()) {
    const ours = url.startsWith(siteBase) || url.startsWith(base);
    if (ours && !wanted.has(url)) await cache.delete(url);
  }
}
