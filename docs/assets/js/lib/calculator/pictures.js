/** Draws charts in the page. Observable Plot is fetched with the first, or a little before it. */

/** @import {Chart, Plot} from "./drawing.js" */
import { draw } from "./drawing.js";

const LIBRARY = new URL("../../../vendor/plot.js", import.meta.url);

let tries = 0;
/** @type {Promise<Plot> | undefined} */
let library;

/** @returns {Promise<Plot>} after a failure another call tries again */
export function fetchLibrary() {
  if (!library) {
    // Browsers remember that an address failed.
    const url = tries++ ? `${LIBRARY}?again=${tries}` : `${LIBRARY}`;
    library = import(url);
    library.catch(() => (library = undefined));
  }
  return library;
}

/** @returns {Promise<(chart: Chart) => Element[]>} what makes the parts of a picture */
export async function drawer() {
  const Plot = await fetchLibrary();
  return (chart) => draw(chart, Plot, document);
}
