/** The site's one script: elements that improve what the page already shows. */
import { NapkinCell } from "./elements/napkin-cell.js";
import { workOffline } from "./lib/offline.js";

customElements.define("napkin-cell", NapkinCell);
workOffline();
