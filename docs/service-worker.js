/**
 * Makes visited pages and the Python runtime work without a network.
 *
 * Pages, scripts and styles come from the network whenever there is one; what is kept is for when
 * there is none, so yesterday's lesson is never shown to a reader who could have today's. The
 * runtime's files never change under their address, and `worker/runtime-cache.js` keeps them only
 * after checking their digest: those come from the cache first.
 */

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

/** Also named in assets/js/worker/runtime-cache.js. */
const RUNTIME = "napkin-runtime";
const PAGES = "napkin-pages";

worker.addEventListener("install", () => worker.skipWaiting());
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || request.headers.has("range")) return;
  const url = new URL(request.url);
  if (!url.protocol.startsWith("http")) return;
  const ours = url.href.startsWith(worker.registration.scope);
  if (isRuntime(url)) event.respondWith(fromCacheFirst(request));
  else if (ours) event.respondWith(fromNetworkFirst(request, url));
});

worker.addEventListener("message", (event) => event.waitUntil(keep(event.data.keep)));

/** @param {URL} url */
function isRuntime({ pathname }) {
  return /\/(pyodide(\.asm)?\.(mjs|wasm)|pyodide-lock\.json|python_stdlib\.zip|(napkin|stdlib|stdlib-rest)-[0-9a-f]+\.zip|[^/]+\.(whl|pack))$/.test(
    pathname,
  );
}

/**
 * Nothing is put into the cache here: only what was checked is worth keeping.
 * @param {Request} request
 */
async function fromCacheFirst(request) {
  const fresh = request.cache === "reload" || request.cache === "no-store";
  const kept = fresh ? undefined : await match(RUNTIME, request);
  return kept ?? fetch(request);
}

/**
 * @param {Request} request
 * @param {URL} url
 */
async function fromNetworkFirst(request, url) {
  try {
    const response = await fromNetwork(request, url);
    if (response.ok && response.type === "basic") {
      const copy = response.clone();
      caches
        .open(PAGES)
        .then((cache) => cache.put(withoutFragment(request.url), copy))
        .catch(() => {}); // full or blocked: the page itself is not affected
    }
    return response;
  } catch (error) {
    const kept = await match(PAGES, withoutFragment(request.url));
    if (kept) return kept;
    if (request.mode !== "navigate") throw error;
    return offlinePage();
  }
}

/**
 * Ask the server even where the browser would take its copy to be good for some more minutes: a
 * new page with old scripts, or old scripts with a new configuration, need not work. The theme's
 * own files bear a digest in their name.
 * @param {Request} request
 * @param {URL} url
 */
function fromNetwork(request, url) {
  if (request.mode === "navigate") {
    return fetch(request.url, { cache: "no-cache", redirect: "manual", credentials: "same-origin" });
  }
  const lasting = /\.[0-9a-f]{8}\.min\.(js|css)$/.test(url.pathname);
  return lasting || request.cache !== "default" ? fetch(request) : fetch(request, { cache: "no-cache" });
}

/**
 * Keep what a page has loaded and this worker has not seen.
 * @param {string[]} urls
 */
async function keep(urls) {
  const cache = await caches.open(PAGES);
  for (const url of urls.map(withoutFragment)) {
    const ours = url.startsWith(worker.registration.scope) && !isRuntime(new URL(url));
    if (!ours || (await cache.match(url))) continue;
    try {
      const response = await fetch(url);
      if (response.ok) await cache.put(url, response);
    } catch {
      // No network, or no room: the page has it and needs nothing from here.
    }
  }
}

/** @param {string} url */
function withoutFragment(url) {
  return url.split("#")[0];
}

/**
 * @param {string} name
 * @param {RequestInfo} request
 */
async function match(name, request) {
  try {
    return await (await caches.open(name)).match(request, { ignoreVary: true });
  } catch {
    return undefined;
  }
}

/** For a page that was not visited before, with the ones that were. */
async function offlinePage() {
  const cache = await caches.open(PAGES);
  const urls = (await cache.keys()).map(({ url }) => url).filter((url) => url.endsWith("/"));
  const path = (/** @type {string} */ url) => decodeURI(new URL(url).pathname);
  const escape = (/** @type {string} */ text) =>
    text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
  const links = urls.map((url) => `<li><a href="${escape(url)}">${escape(path(url))}</a></li>`);
  const html = `<!doctype html><html lang="en"><meta charset="utf-8">
    <meta name="viewport" content="width=device-width"><title>Offline</title>
    <h1>No network</h1><p>This page has not been visited in this browser yet, so it cannot be shown
    without a network. These can:</p><ul>${links.join("")}</ul>`;
  return new Response(html, { status: 503, headers: { "content-type": "text/html; charset=utf-8" } });
}
