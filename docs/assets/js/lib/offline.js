/** Pages and runtime without a network, where the browser allows it (not on plain http). */

const WORKER_URL = new URL("../../../service-worker.js", import.meta.url);

export async function workOffline() {
  const { serviceWorker } = navigator;
  if (!serviceWorker) return;
  serviceWorker.register(WORKER_URL).catch(() => {});
  const registration = await serviceWorker.ready;
  const keep = (/** @type {string[]} */ urls) => registration.active?.postMessage({ keep: urls });
  // What came before the service worker was there, or out of the browser's memory, it never saw.
  keep([location.href]);
  new PerformanceObserver((list) => keep(list.getEntries().map(({ name }) => name))).observe({
    type: "resource",
    buffered: true,
  });
}
