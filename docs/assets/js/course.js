/** The site's one script: elements that improve what the page already shows. */
import { NapkinCell } from "./elements/napkin-cell.js";

customElements.define("napkin-cell", NapkinCell);

// Pages and runtime without a network, where the browser allows it (not on plain http).
navigator.serviceWorker
  ?.register(new URL("../../service-worker.js", import.meta.url))
  .catch(() => {});
