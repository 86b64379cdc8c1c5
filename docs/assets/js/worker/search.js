/**
 * The theme's search worker, put off until a reader searches: on every load of a page it would build
 * the index of all pages, more than half a second of a desktop's time, and most readers came to read.
 *
 * The theme starts this worker in place of its own, whose address stands in the fragment, and sends
 * it the settings of the index. `lib/search.js` says when a reader searches; the theme's worker is
 * then loaded and gets those settings with the documents, and from there on answers by itself.
 */

// A worker of the theme's is a classic script: no imports.
const SITE = new URL("../../../", self.location.href);
const THEME_WORKER = new URL(self.location.hash.slice(1).replace(/^(\.{1,2}\/)+/, ""), SITE).href;
const DOCUMENTS = new URL("search/documents.json", SITE).href;

/** Also named in lib/search.js. */
const channel = new BroadcastChannel("napkin-search");
/** The theme's first message. @type {{type: number, data: object} | null} */
let setup = null;
let wanted = false;
let loading = false;

/** @param {MessageEvent} event */
function take({ data }) {
  setup = data;
  load();
}

async function load() {
  if (!wanted || !setup || loading) return;
  loading = true;
  try {
    const response = await fetch(DOCUMENTS);
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    const docs = await response.json();
    removeEventListener("message", take);
    importScripts(THEME_WORKER); // listens from now on
    const data = { ...setup, data: { ...setup.data, docs } };
    dispatchEvent(new MessageEvent("message", { data }));
    channel.close();
  } catch {
    addEventListener("message", take);
    loading = false;
    wanted = false; // until the reader tries again
    channel.postMessage("failed");
  }
}

channel.onmessage = ({ data }) => {
  if (data !== "wanted") return;
  wanted = true;
  load();
};
addEventListener("message", take);
channel.postMessage("waiting"); // the reader may have been faster
