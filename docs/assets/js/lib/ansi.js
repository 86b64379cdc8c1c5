/**
 * Text attributes as terminals have them (ECMA-48's "select graphic rendition", with the 8 + 8,
 * 256 and 24-bit colours), as classes and colours of an element.
 */

/** What is set and unset by code; `bold` and `dim` share what unsets them. */
const SET = new Map([
  [1, "bold"], [2, "dim"], [3, "italic"], [4, "underline"], [7, "reverse"], [9, "strike"],
]);
const UNSET = new Map([
  [22, ["bold", "dim"]], [23, ["italic"]], [24, ["underline"]], [27, ["reverse"]], [29, ["strike"]],
]);

/**
 * On a background of its own, text has a terminal's colours in light and in dark, since the two
 * were chosen together. Elsewhere the 16 are the page's, which can be read on its ground.
 */
const PALETTE = (
  "#24292f #c4281f #1a7f37 #c69026 #2563c9 #8a3ffc #1583a0 #d0d7de " +
  "#6e7781 #f0645a #57c26f #f0cf5b #6ea8fe #c48bff #5fd0e0 #ffffff"
).split(" ");
const STEPS = [0, 95, 135, 175, 215, 255];

/** @typedef {number | string} Colour one of the 16, or `#rrggbb` */

export class Attributes {
  /** @type {Set<string>} */
  #set = new Set();
  /** @type {Colour | null} */
  #text = null;
  /** @type {Colour | null} */
  #ground = null;

  reset() {
    this.#set.clear();
    this.#text = this.#ground = null;
  }

  /** @param {string} codes between `ESC [` and `m`; what is unknown changes nothing */
  apply(codes) {
    const queue = codes.split(";");
    while (queue.length) {
      const [first, ...more] = /** @type {string} */ (queue.shift()).split(":");
      const code = Number(first);
      const set = SET.get(code);
      if (code === 0) this.reset();
      else if (code === 4 && more[0] === "0") this.#set.delete("underline");
      else if (set) this.#set.add(set);
      else if (code === 21) this.#set.add("underline"); // a double one
      else if (code === 39) this.#text = null;
      else if (code === 49) this.#ground = null;
      else if (code >= 30 && code <= 37) this.#text = code - 30;
      else if (code >= 40 && code <= 47) this.#ground = code - 40;
      else if (code >= 90 && code <= 97) this.#text = code - 82;
      else if (code >= 100 && code <= 107) this.#ground = code - 92;
      else if (code === 38 || code === 48 || code === 58) {
        const colour = extended(more.length ? more : queue, more.length > 0);
        if (colour !== null && code === 38) this.#text = colour;
        if (colour !== null && code === 48) this.#ground = colour;
      } else UNSET.get(code)?.forEach((name) => this.#set.delete(name));
    }
  }

  /** Classes and, after a `|` each, the text's colour and the ground's where they are no classes. */
  get style() {
    if (!this.#set.size && this.#text === null && this.#ground === null) return "";
    const reverse = this.#set.has("reverse");
    const names = [...this.#set].filter((name) => name !== "reverse").sort();
    let [text, ground] = ["", ""];
    if (this.#ground !== null) {
      names.push("ground");
      ground = hex(this.#ground);
      text = this.#text === null ? inkOn(ground) : hex(this.#text);
      if (reverse) [text, ground] = [ground, text];
    } else {
      if (reverse) names.push("reverse");
      if (typeof this.#text === "number") names.push(`fg-${this.#text}`);
      else if (this.#text !== null) names.push("fg");
      if (typeof this.#text === "string") text = this.#text;
    }
    return `${names.map((name) => ` ansi-${name}`).join("")}|${text}|${ground}`;
  }
}

/**
 * One of 256 colours or a 24-bit one; null for what is neither.
 * @param {string[]} parts are taken from the front
 * @param {boolean} whole nothing else follows, as in `38:2::255:0:0`, which may name a colour space
 * @returns {Colour | null}
 */
function extended(parts, whole) {
  const kind = parts.shift();
  if (kind === "5") return indexed(Number(parts.shift()));
  if (kind !== "2") return null;
  const channels = (whole ? parts.slice(-3) : parts.splice(0, 3)).map(Number);
  return channels.length === 3 && channels.every(isByte) ? rgb(channels) : null;
}

/** @param {number} index */
function indexed(index) {
  if (!isByte(index)) return null;
  if (index < 16) return index;
  const grey = 8 + 10 * (index - 232);
  if (index >= 232) return rgb([grey, grey, grey]);
  const at = index - 16;
  return rgb([STEPS[Math.floor(at / 36)], STEPS[Math.floor(at / 6) % 6], STEPS[at % 6]]);
}

/** @param {number} value */
function isByte(value) {
  return Number.isInteger(value) && value >= 0 && value <= 255;
}

/** @param {number[]} channels */
function rgb(channels) {
  return `#${channels.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

/** @param {Colour} colour */
function hex(colour) {
  return typeof colour === "number" ? PALETTE[colour] : colour;
}

/** @param {string} ground black or white, whichever stands out more (luminance as in WCAG 2) */
function inkOn(ground) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const channel = parseInt(ground.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return (luminance + 0.05) ** 2 >= 0.05 * 1.05 ? "#000000" : "#ffffff";
}
