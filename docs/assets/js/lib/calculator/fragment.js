/**
 * A calculation in the page's address: `#kv-cache.context=8k&kv-cache.users=4`, only what differs
 * from the defaults. The fragment never reaches a server. Each calculator of a page has its own
 * names; a cell's link (`#cell-…`) is left alone.
 */

/**
 * @param {string} ident of the calculator
 * @param {string} [hash] of another address than the page's
 * @returns {Record<string, string>} what the address says of it
 */
export function stated(ident, hash = location.hash) {
  /** @type {Record<string, string>} */
  const texts = {};
  for (const [key, value] of pairs(hash)) {
    if (key.startsWith(`${ident}.`)) texts[key.slice(ident.length + 1)] = value;
  }
  return texts;
}

/**
 * @param {string} ident
 * @param {Record<string, string>} texts
 * @param {boolean} alone whether other calculators of the page are left out
 * @returns {string} the page's address with them
 */
export function linkTo(ident, texts, alone = true) {
  const url = new URL(location.href);
  const others = alone ? [] : pairs(url.hash).filter(([key]) => !key.startsWith(`${ident}.`));
  const own = Object.entries(texts).map(([name, text]) => [`${ident}.${name}`, text]);
  // %20 and not +: it survives being pasted anywhere.
  url.hash = new URLSearchParams([...others, ...own]).toString().replaceAll("+", "%20");
  return url.hash ? url.href : url.href.replace(/#$/, "");
}

/**
 * Let the address say what the fields say.
 * @param {string} ident
 * @param {Record<string, string>} texts
 */
export function state(ident, texts) {
  if (location.hash.startsWith("#cell-")) return;
  const href = linkTo(ident, texts, false);
  if (href !== location.href) history.replaceState(history.state, "", href);
}

/** @param {string} hash @returns {[string, string][]} only those that a calculator wrote */
function pairs(hash) {
  return [...new URLSearchParams(hash.slice(1))].filter(([key]) => /^[\w-]+\.\w+$/.test(key));
}
