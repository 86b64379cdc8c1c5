/**
 * Figures that a cell draws, as SVG in the page, so that they follow its colours. What is put
 * into the page is rebuilt from a list of known elements and attributes: a cell's code may come
 * from a link, and a figure is no place for scripts.
 */

const SVG = "http://www.w3.org/2000/svg";
const XLINK = "http://www.w3.org/1999/xlink";
const ELEMENTS = new Set(
  ("svg g defs path rect circle ellipse line polyline polygon text tspan use image clipPath " +
    "linearGradient radialGradient stop marker pattern mask title desc").split(" "),
);
/** A reference inside the figure, or picture data: nothing is fetched. */
const SAFE_LINK = /^(#|data:image\/(png|jpeg);base64,)/;
/** What a value may call; anything else, however spelt, could fetch or reach beyond the figure. */
const SAFE_CALLS =
  /(?:translate|scale|rotate|matrix|skew[XY]|rgba?|hsla?)\([-+\d.,%\se]*\)|url\(#[\w.:-]+\)/gi;

/**
 * @param {string} json `{"svg": ..., "alt": ...}` as `cellrunner` sends it
 * @returns {HTMLElement}
 */
export function figureElement(json) {
  const { svg, alt } = JSON.parse(json);
  const figure = document.createElement("figure");
  figure.setAttribute("role", "img");
  figure.setAttribute("aria-label", alt);
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  const clean = parsed.namespaceURI === SVG ? cleaned(parsed) : null;
  if (clean) figure.append(clean);
  else figure.textContent = alt;
  return figure;
}

/**
 * @param {Element} element
 * @returns {Element | null}
 */
function cleaned(element) {
  if (element.namespaceURI !== SVG || !ELEMENTS.has(element.localName)) return null;
  const copy = document.createElementNS(SVG, element.localName);
  for (const { name, value, localName, namespaceURI } of element.attributes) {
    if (/^on|^style$|^class$/i.test(localName) || name.startsWith("xmlns")) continue;
    if (localName === "href") {
      if (SAFE_LINK.test(value)) copy.setAttributeNS(namespaceURI ?? XLINK, name, value);
    } else if (isPlain(value)) {
      copy.setAttribute(name, value);
    }
  }
  for (const child of element.childNodes) {
    if (child instanceof Element) copy.append(...[cleaned(child)].filter((node) => node !== null));
    else if (child instanceof Text) copy.append(child.data);
  }
  return copy;
}

/** @param {string} value of an attribute; CSS escapes could spell anything */
function isPlain(value) {
  return !/[\\(]/.test(value.replace(SAFE_CALLS, ""));
}
