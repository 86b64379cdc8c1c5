/**
 * Figures that a cell draws, as SVG in the page, so that they follow its colours. What is put
 * into the page is rebuilt from a list of known elements and attributes: a cell's code may come
 * from a link, and a figure is no place for scripts.
 */

const SVG = "http://www.w3.org/2000/svg";
const ELEMENTS = new Set(
  ("svg g defs path rect circle ellipse line polyline polygon text tspan use image clipPath " +
    "linearGradient radialGradient stop marker pattern mask title desc").split(" "),
);
/** A reference inside the figure, or picture data: nothing is fetched. */
const SAFE_LINK = /^(#|data:image\/(png|jpeg);base64,)/;
/**
 * What a value may call; anything else, however spelt, could fetch or reach beyond the figure. The
 * variable is the page's background, which lies behind a legend.
 */
const SAFE_CALLS =
  /(?:translate|scale|rotate|matrix|skew[XY]|rgba?|hsla?)\([-+\d.,%\se]*\)|url\(#[\w.:-]+\)|var\(--figure-background, transparent\)/gi;

/**
 * The next start of an element with its attributes, its end, or text: the XML that our Python
 * writes, no more. The browser's own parser would take all of a large figure in one go.
 */
const PIECE = /<(\w+)((?:\s+[\w:-]+=(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|<\/\w+>|[^<]+/y;
const ATTRIBUTE = /([\w:-]+)=(["'])(.*?)\2/gs;
const ENTITY = /&(?:(amp|lt|gt|quot|apos)|#(\d+)|#x([\da-f]+));/gi;
const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
/** Pieces read between two looks at the clock. */
const AT_ONCE = 50;

/**
 * A figure, and what draws it: as much as there is time for, until it says that all is there.
 * @param {string} json `{"svg": ..., "alt": ...}` as `cellrunner` sends it
 * @returns {{figure: HTMLElement, draw: (until: number) => boolean}} `until` as `performance.now()`
 */
export function drawFigure(json) {
  const { svg, alt } = JSON.parse(json);
  const figure = document.createElement("figure");
  figure.setAttribute("role", "img");
  figure.setAttribute("aria-label", alt);
  const pieces = rebuilt(svg);
  const draw = (/** @type {number} */ until) => {
    while (performance.now() < until) {
      for (let i = 0; i < AT_ONCE; i++) {
        const { done, value } = pieces.next();
        if (!done) continue;
        figure.append(value ?? alt);
        return true;
      }
    }
    return false;
  };
  return { figure, draw };
}

/**
 * Build, piece by piece, what the markup says.
 * @param {string} markup
 * @returns {Generator<undefined, Element | null>} null where it is no figure
 */
function* rebuilt(markup) {
  /** Elements that are open; null for one that has no place in a figure. @type {(Element | null)[]} */
  const open = [];
  for (let at = 0; at < markup.length; yield) {
    PIECE.lastIndex = at; // shared by all figures
    const piece = PIECE.exec(markup);
    if (!piece) return null;
    at = PIECE.lastIndex;
    const [text, name, attributes, empty] = piece;
    const parent = open.at(-1);
    if (name) {
      const outside = open.length > 0 && !parent;
      const element = outside || !ELEMENTS.has(name) ? null : elementOf(name, attributes);
      if (element) parent?.append(element);
      open.push(element);
    } else if (!text.startsWith("<")) {
      parent?.append(decoded(text));
      continue;
    }
    if (!name || empty) {
      const closed = open.pop();
      if (!open.length) return closed?.localName === "svg" ? closed : null;
    }
  }
  return null;
}

/**
 * @param {string} name
 * @param {string} attributes
 */
function elementOf(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [, key, , written] of attributes.matchAll(ATTRIBUTE)) {
    const value = decoded(written);
    if (/^(on.*|style|class|xmlns.*)$/i.test(key)) continue;
    if (key === "href") {
      if (SAFE_LINK.test(value)) element.setAttribute(key, value);
    } else if (!key.includes(":") && isPlain(value)) {
      element.setAttribute(key, value);
    }
  }
  return element;
}

/** @param {string} text with entities */
function decoded(text) {
  if (!text.includes("&")) return text;
  return text.replace(ENTITY, (whole, name, decimal, hex) => {
    if (name) return ENTITIES[/** @type {keyof typeof ENTITIES} */ (name.toLowerCase())];
    const code = decimal ? Number(decimal) : parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** @param {string} value of an attribute; CSS escapes could spell anything */
function isPlain(value) {
  return !/[\\(]/.test(value.replace(SAFE_CALLS, ""));
}
