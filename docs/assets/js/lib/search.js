/**
 * Tells the search worker when a reader searches: see `worker/search.js`, which builds no index
 * before. Until it has one the theme says that search is starting.
 */

/** Also named in worker/search.js. */
const CHANNEL = "napkin-search";
const FAILED = "Search could not be loaded: check the connection, then choose this field again.";

export function searchOnDemand() {
  const field = document.querySelector("[data-md-component=search-query]");
  const told = document.querySelector(".md-search-result__meta");
  if (!field || !told) return;
  const starting = told.textContent;
  const channel = new BroadcastChannel(CHANNEL);
  const isWanted = () => document.activeElement === field;
  const want = () => {
    if (told.textContent === FAILED) told.textContent = starting;
    channel.postMessage("wanted");
  };
  channel.onmessage = ({ data }) => {
    if (data === "waiting" && isWanted()) want();
    // Of another tab's search it may be, where this one's has begun to speak.
    if (data === "failed" && isWanted() && told.textContent === starting) told.textContent = FAILED;
  };
  field.addEventListener("focus", want);
  if (isWanted()) want(); // a link to a search
}
