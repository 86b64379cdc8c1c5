// Draws charts as the page does: node pictures.mjs IN OUT. A JSON list of charts; one of their HTML.
import { readFileSync, writeFileSync } from "node:fs";
import { parseHTML } from "linkedom";
import { draw } from "../../docs/assets/js/lib/calculator/drawing.js";
import * as Plot from "../../docs/assets/vendor/plot.js";

const { document } = parseHTML("<!doctype html><html><body></body></html>");
const [given, made] = process.argv.slice(2);
const charts = JSON.parse(readFileSync(given, "utf8"));
const html = charts.map((chart) => draw(chart, Plot, document).map((element) => element.outerHTML).join(""));
writeFileSync(made, JSON.stringify(html));
