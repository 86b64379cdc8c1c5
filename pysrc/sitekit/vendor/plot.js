// The parts of Observable Plot that the calculators' charts use. `make setup` bundles them into
// docs/assets/vendor/plot.js; the pages and the build draw with that file (lib/calculator/drawing.js).
export { axisX, axisY, barX, dot, gridX, gridY, line, plot, stackX, text } from "@observablehq/plot";
