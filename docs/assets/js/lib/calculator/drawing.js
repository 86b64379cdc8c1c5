/**
 * A calculator's chart as a picture, by Observable Plot. This one module draws it twice: in Node
 * when the site is built, so that the page has it with scripts off, and in the reader's page.
 *
 * Type comes from the page's style sheet and colours are its variables, so that a picture is right
 * in the dark and on paper. Every point holds its numbers in words, as a `<title>`.
 *
 * @typedef {typeof import("../../../vendor/plot.js")} Plot
 * @typedef {import("@observablehq/plot").PlotOptions} Options
 * @typedef {import("@observablehq/plot").RenderFunction} Render
 * @typedef {{label: string, unit: string, log: boolean}} Axis
 * @typedef {{name: string, points: [number | string, number][], words: string[]}} Series
 * @typedef {{label: string, x: number, y: number, words: string}} Mark
 *
 * @typedef {object} Chart `Chart.to_dict` of `napkin.answers`
 * @property {string} key
 * @property {"line" | "scatter" | "bar" | "stacked"} kind
 * @property {Axis} x
 * @property {Axis} y
 * @property {Series[]} series
 * @property {Mark[]} marks
 * @property {{name: string, value: number, text: string}[]} sums of the bars
 */
import { besides } from "./labels.js";
import { axisName, tickText } from "./tick-text.js";

const WIDTH = 480;
const PLANE = { height: 280, marginTop: 26, marginRight: 14, marginBottom: 40, marginLeft: 62 };
/** A row: the bar's name, the bar, and room before the next. */
const [NAME, BAR, GAP] = [17, 24, 14];
const ROW = NAME + BAR + GAP;
const COLOURS = 8;
const MOST_TICKS = 6;
/** What a power of ten is multiplied by, for ticks. */
const LOG_STEPS = [[1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 5, 7]];
/** Colour is not the only difference between lines. */
const DASHES = ["none", "7 4", "2 3", "9 3 2 3"];

/**
 * @param {Chart} chart
 * @param {Plot} Plot
 * @param {Document} document that the picture is for
 * @returns {Element[]} the picture, and a legend where there are several series
 */
export function draw(chart, Plot, document) {
  const bars = chart.kind === "bar" || chart.kind === "stacked";
  const options = bars ? barOptions(chart, Plot) : planeOptions(chart, Plot);
  const svg = Plot.plot({ document, width: WIDTH, className: "chart", ...options });
  return [tidied(svg), ...(chart.series.length > 1 ? [legend(chart, document)] : [])];
}

/** @param {number} number of the series */
function ink(number) {
  return `var(--napkin-chart-${(number % COLOURS) + 1})`;
}

/** @param {number} number of the series */
function dash(number) {
  return DASHES[number % DASHES.length];
}

/**
 * Lines or dots over two axes, with labelled points on top.
 * @param {Chart} chart
 * @param {Plot} Plot
 * @returns {Options}
 */
function planeOptions({ kind, series, marks, ...axes }, Plot) {
  const each = series.map(({ points, words }) => points.map(([x, y], index) => ({ x: Number(x), y, words: words[index] })));
  const all = [...each.flat(), ...marks];
  const x = domain(axes.x, all.map((point) => point.x));
  const y = domain(axes.y, all.map((point) => point.y));
  const [xLog, yLog] = [axes.x.log && logTicks(x), axes.y.log && logTicks(y)];
  const [xTicks, yTicks] = [xLog || MOST_TICKS - 1, yLog || MOST_TICKS - 1];
  const tick = { tickSize: 0, label: null, className: "tick" };
  const name = { className: "name", lineAnchor: /** @type {const} */ ("top") };
  return {
    ...PLANE,
    x: { type: xLog ? "log" : "linear", domain: x },
    y: { type: yLog ? "log" : "linear", domain: y },
    marks: [
      Plot.gridX({ ticks: xTicks, className: "grid", strokeOpacity: 1 }),
      Plot.gridY({ ticks: yTicks, className: "grid", strokeOpacity: 1 }),
      Plot.axisX({ ...tick, ticks: xTicks, tickPadding: 7, tickFormat: (value) => tickText(value, axes.x.unit) }),
      Plot.axisY({ ...tick, ticks: yTicks, tickPadding: 6, tickFormat: (value) => tickText(value, axes.y.unit) }),
      Plot.text([axisName(axes.y)], { ...name, frameAnchor: "top-left", dx: 4 - PLANE.marginLeft, dy: -PLANE.marginTop }),
      Plot.text([axisName(axes.x)], { ...name, frameAnchor: "bottom-right", dy: 25 }),
      ...each.flatMap((points, number) => [
        ...(kind === "line" ? [Plot.line(points, { x: "x", y: "y", stroke: ink(number), strokeDasharray: dash(number), strokeWidth: 2 })] : []),
        Plot.dot(points, { x: "x", y: "y", title: "words", fill: ink(number), className: "dot" }),
      ]),
      Plot.dot(marks, { x: "x", y: "y", r: 5, title: "words", className: "mark" }),
      Plot.text(marks, { x: "x", y: "y", text: "label", className: "label", render: besides(kind === "line" ? each : []) }),
    ],
  };
}

/**
 * The ends of an axis: a little beyond the values, and at zero where that is not far.
 * @param {Axis} axis
 * @param {number[]} values
 * @returns {[number, number]}
 */
function domain({ log }, values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (log) {
    const more = Math.max((high / low) ** 0.03, 1.02);
    return [low / more, high * more];
  }
  const zero = low >= 0 && low < 0.4 * high;
  const more = 0.04 * (high - (zero ? 0 : low)) || Math.abs(high) || 1;
  return [zero ? 0 : low - more, high + more];
}

/**
 * The coarsest ticks of a logarithmic axis that are three, and no more than fit; none where its
 * ends are so near that no eye can tell it from a linear one.
 * @param {[number, number]} ends
 */
function logTicks([low, high]) {
  const first = Math.floor(Math.log10(low));
  const powers = Array.from({ length: Math.ceil(Math.log10(high)) - first + 1 }, (_, index) => first + index);
  for (const steps of LOG_STEPS) {
    const found = powers
      .flatMap((power) => steps.map((step) => Number(`${step}e${power}`)))
      .filter((value) => value >= low && value <= high);
    const apart = Math.ceil(found.length / MOST_TICKS);
    if (found.length >= 3) return found.filter((_, index) => index % apart === 0);
  }
}

/**
 * A bar for each name, its name above and its sum behind it; parts side by side.
 * @param {Chart} chart
 * @param {Plot} Plot
 * @returns {Options}
 */
function barOptions({ x, series, sums }, Plot) {
  // Bar by bar, as one reads them.
  const parts = sums.flatMap((bar) =>
    series.flatMap(({ points, words }, number) =>
      points
        .map(([name, value], index) => ({ name, value, words: words[index], ink: ink(number) }))
        .filter(({ name, value }) => name === bar.name && value),
    ),
  );
  const place = { y: "name", textAnchor: /** @type {const} */ ("start") };
  return {
    height: sums.length * ROW - GAP + 2,
    margin: 0,
    marginRight: 92,
    marginBottom: 2 - GAP,
    x: { domain: [0, Math.max(...sums.map(({ value }) => value)) || 1], axis: null },
    y: { domain: sums.map(({ name }) => name), padding: 0, axis: null },
    marks: [
      Plot.barX(
        parts,
        Plot.stackX({ x: "value", y: "name", fill: "ink", title: "words", insetTop: NAME, insetBottom: GAP, className: "bar" }),
      ),
      Plot.text(sums, {
        ...place,
        text: ({ name }) => `${x.label} ${name}`.trim(),
        frameAnchor: "left",
        dy: (NAME - ROW) / 2,
        className: "name",
      }),
      Plot.text(sums, { ...place, x: "value", text: "text", dx: 6, dy: NAME + BAR / 2 - ROW / 2 }),
    ],
  };
}

/**
 * @param {Chart} chart
 * @param {Document} document
 */
function legend({ kind, series }, document) {
  const list = document.createElement("ul");
  list.dataset.part = "legend";
  series.forEach(({ name }, number) => {
    const item = list.appendChild(document.createElement("li"));
    const key = { class: "key", viewBox: "0 0 24 10", "aria-hidden": "true" };
    const svg = item.appendChild(drawn(document, "svg", key));
    if (kind === "line") {
      svg.append(drawn(document, "path", { d: "M0 5H24", stroke: ink(number), "stroke-dasharray": dash(number), "stroke-width": "2" }));
    } else if (kind === "scatter") {
      svg.append(drawn(document, "circle", { cx: "12", cy: "5", r: "4", fill: ink(number) }));
    } else {
      svg.append(drawn(document, "rect", { width: "24", height: "10", fill: ink(number) }));
    }
    item.append(name);
  });
  return list;
}

/**
 * @param {Document} document
 * @param {string} tag
 * @param {Record<string, string>} attributes
 */
function drawn(document, tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/**
 * The page's style sheet says how it looks, and the figure what it is: a policy that forbids
 * inline styles must hold, and two digits of a pixel are enough.
 * @param {Element} svg as Plot makes it
 */
function tidied(svg) {
  for (const style of svg.querySelectorAll("style")) style.remove();
  for (const name of ["width", "height", "font-family", "font-size"]) svg.removeAttribute(name);
  for (const element of svg.querySelectorAll("*")) {
    for (const { name, value } of [...element.attributes]) {
      if (name === "style" || name.startsWith("aria-")) element.removeAttribute(name);
      else element.setAttribute(name, value.replace(/\d+\.\d{3,}/g, (digits) => String(Number(Number(digits).toFixed(2)))));
    }
  }
  for (const title of svg.querySelectorAll("title")) title.parentElement?.setAttribute("data-point", "");
  svg.setAttribute("aria-hidden", "true");
  return svg;
}
