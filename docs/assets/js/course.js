/** The site's one script: elements that improve what the page already shows. */
import { NapkinCell } from "./elements/napkin-cell.js";

customElements.define("napkin-cell", NapkinCell);
