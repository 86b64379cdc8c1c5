/** Where the label of a marked point goes: beside it, on no other label and, if it can be, no line. */

/** @import {Render} from "./drawing.js" */
/** @typedef {{left: number, top: number, right: number, bottom: number}} Box */
/** @typedef {{x: number, y: number}} Point */

/** About the width of a letter and the height of a line, of the larger type that phones get. */
const [LETTER, LINE] = [9, 17];
const DOT = 5;
/** Between the boxes by which a line is felt. */
const STRIDE = 4;

/**
 * A render function for Plot's text mark: each text goes where none is yet, the last one (the
 * reader's own) first; one that has no place is left out.
 * @param {Point[][]} lines in the values of the axes
 * @returns {Render}
 */
export function besides(lines) {
  return (index, scales, values, dimensions, context, next) => {
    const group = /** @type {SVGElement} */ (next?.(index, scales, values, dimensions, context));
    const texts = [...group.children];
    const dots = [...index].map((each) => ({ x: xs(values)[each], y: ys(values)[each] }));
    const taken = dots.map(({ x, y }) => ({ left: x - DOT, top: y - DOT, right: x + DOT, bottom: y + DOT }));
    const { x: across = Number, y: up = Number } = /** @type {Record<string, (value: number) => number>} */ (
      /** @type {unknown} */ (scales)
    );
    const felt = lines.flatMap((line) => along(line.map(({ x, y }) => ({ x: across(x), y: up(y) }))));
    for (const number of [...texts.keys()].reverse()) {
      const text = texts[number];
      const free = places(dots[number], LETTER * (text.textContent ?? "").length).filter(
        ({ box }) =>
          box.left > dimensions.marginLeft &&
          box.right < dimensions.width &&
          box.top > dimensions.marginTop &&
          box.bottom < dimensions.height - dimensions.marginBottom &&
          !taken.some((other) => overlap(box, other)),
      );
      const crossed = free.map(({ box }) => felt.filter((point) => inside(point, box)).length);
      const best = free[crossed.indexOf(Math.min(...crossed))];
      if (!best) {
        text.remove();
        continue;
      }
      taken.push(best.box);
      // Anchored on the side of its dot: types differ in width.
      text.setAttribute("text-anchor", best.anchor);
      text.setAttribute("transform", `translate(${best.x},${(best.box.top + best.box.bottom) / 2})`);
    }
    return group;
  };
}

/** @param {Parameters<Render>[2]} values */
const xs = (values) => /** @type {number[]} */ (/** @type {unknown} */ (values.x));
/** @param {Parameters<Render>[2]} values */
const ys = (values) => /** @type {number[]} */ (/** @type {unknown} */ (values.y));

/**
 * The places beside a dot, the best first.
 * @param {Point} dot
 * @param {number} width of the label
 */
function places({ x, y }, width) {
  const [right, left] = [x + DOT + 4, x - DOT - 4];
  return [
    { anchor: "start", x: right, middle: y },
    { anchor: "end", x: left, middle: y },
    { anchor: "middle", x, middle: y - 15 },
    { anchor: "middle", x, middle: y + 17 },
    { anchor: "start", x: right, middle: y - 14 },
    { anchor: "end", x: left, middle: y - 14 },
    { anchor: "start", x: right, middle: y + 15 },
    { anchor: "end", x: left, middle: y + 15 },
  ].map(({ anchor, x: at, middle }) => {
    const start = anchor === "start" ? at : anchor === "end" ? at - width : at - width / 2;
    return { anchor, x: at, box: { left: start, top: middle - LINE / 2, right: start + width, bottom: middle + LINE / 2 } };
  });
}

/** Points all along a line, a stride apart. @param {Point[]} line */
function along(line) {
  return line.slice(1).flatMap((end, index) => {
    const start = line[index];
    const count = Math.ceil(Math.hypot(end.x - start.x, end.y - start.y) / STRIDE);
    return Array.from({ length: count }, (_, step) => ({
      x: start.x + ((end.x - start.x) * step) / count,
      y: start.y + ((end.y - start.y) * step) / count,
    }));
  });
}

/** @param {Point} point @param {Box} box */
function inside({ x, y }, { left, top, right, bottom }) {
  return x > left && x < right && y > top && y < bottom;
}

/** @param {Box} one @param {Box} other */
function overlap(one, other) {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}
