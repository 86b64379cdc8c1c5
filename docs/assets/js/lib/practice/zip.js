/** Writes a zip archive; the browser's own deflate does the packing. */

const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});
const JANUARY_1980 = 0x21;

/** @param {Uint8Array} bytes @returns {number} CRC-32 */
export function crc32(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = TABLE[(sum ^ byte) & 0xff] ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}

/**
 * @param {Record<string, Uint8Array>} files by name
 * @returns {Promise<Blob>}
 */
export async function zipOf(files) {
  const parts = [];
  const central = [];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const packed = await deflated(content);
    const title = new TextEncoder().encode(name);
    const facts = new DataView(new ArrayBuffer(26));
    facts.setUint16(0, 20, true);
    facts.setUint16(2, 0x0800, true); // names in UTF-8
    facts.setUint16(4, 8, true);
    facts.setUint16(8, JANUARY_1980, true);
    facts.setUint32(10, crc32(content), true);
    facts.setUint32(14, packed.length, true);
    facts.setUint32(18, content.length, true);
    facts.setUint16(22, title.length, true);
    const shared = new Uint8Array(facts.buffer);
    const local = [Uint8Array.of(0x50, 0x4b, 3, 4), shared, title, packed];
    const tail = new DataView(new ArrayBuffer(14));
    tail.setUint32(10, at, true);
    central.push(Uint8Array.of(0x50, 0x4b, 1, 2, 20, 0), shared, new Uint8Array(tail.buffer), title);
    parts.push(...local);
    at += local.reduce((sum, { length }) => sum + length, 0);
  }
  const end = new DataView(new ArrayBuffer(22));
  const count = Object.keys(files).length;
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, count, true);
  end.setUint16(10, count, true);
  end.setUint32(12, central.reduce((sum, { length }) => sum + length, 0), true);
  end.setUint32(16, at, true);
  const all = [...parts, ...central, new Uint8Array(end.buffer)];
  return new Blob(/** @type {BlobPart[]} */ (all), { type: "application/zip" });
}

/** @param {Uint8Array} bytes @returns {Promise<Uint8Array>} */
async function deflated(bytes) {
  const body = new Blob([/** @type {BlobPart} */ (bytes)]).stream();
  const stream = body.pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
