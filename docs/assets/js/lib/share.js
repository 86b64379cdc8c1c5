/**
 * A cell's code in a link: `#cell-timer=<code>`, in the fragment, which no server ever sees.
 * Opening such a link fills the cell; it never runs it.
 */

/** Longer code makes links that messengers cut. */
const LONGEST_CODE = 20_000;
/** In a link, where it does not compress: 3 bytes a character at most, and 4 letters for 3 bytes. */
const LONGEST_DATA = 4.1 * LONGEST_CODE;

/**
 * @param {string} id of the cell's element
 * @param {string} code
 * @returns {Promise<string>} the whole link; rejects where the code is too long
 */
export async function shareLink(id, code) {
  if (code.length > LONGEST_CODE) {
    throw new Error(`The code is too long for a link: ${code.length} characters of ${LONGEST_CODE}.`);
  }
  const bytes = new TextEncoder().encode(code);
  if (new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) !== code) {
    throw new Error("The code holds half a character (a lone surrogate), which no link can carry.");
  }
  const packed = await squeeze(bytes);
  const text = btoa(String.fromCharCode(...packed));
  const url = new URL(location.href);
  url.hash = `${id}=${text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
  return url.href;
}

/**
 * The code that the page's address carries for a cell; null where it carries none.
 * @param {string} id of the cell's element
 * @returns {Promise<string | null>} rejects where it is damaged
 */
export async function sharedCode(id) {
  const prefix = `#${id}=`;
  if (!location.hash.startsWith(prefix)) return null;
  const text = location.hash.slice(prefix.length).replaceAll("-", "+").replaceAll("_", "/");
  try {
    if (text.length > LONGEST_DATA) throw new Error("too long");
    const packed = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await stretch(packed));
  } catch {
    throw new Error("The link to this cell is damaged: ask for it again, whole.");
  }
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
async function squeeze(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * Unpacked, but no more than a cell's longest code: a small link can unpack to gigabytes.
 * @param {Uint8Array<ArrayBuffer>} packed
 */
async function stretch(packed) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const reader = stream.getReader();
  /** @type {number[]} */
  const bytes = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(bytes);
    if (bytes.length + value.length > 4 * LONGEST_CODE) {
      await reader.cancel();
      throw new Error("too long");
    }
    bytes.push(...value);
  }
}
