/**
 * The interpreter's memory as it is after starting, kept in the reader's browser: a later start
 * restores it in a fraction of the time. It uses private parts of Pyodide, so every failure here
 * means a plain start and nothing else.
 */

const CACHE = "napkin-snapshots";
/** Bytes before the memory: length and checksum of what follows. */
const HEADER = 16;
/** Pyodide cannot restore a memory larger than the one it starts with. */
const LARGEST = 31_457_280;

/**
 * @param {string} key an address of this site; names interpreter and course version
 * @returns {Promise<Response | null>} the stored snapshot, null where there is none to be used
 */
export async function findSnapshot(key) {
  try {
    return (await (await caches.open(CACHE)).match(key)) ?? null;
  } catch {
    return null; // no Cache Storage here, or it is blocked
  }
}

/**
 * @param {Response} response as found
 * @returns {Promise<Uint8Array>} the memory; rejects where it is damaged
 */
export async function readSnapshot(response) {
  const stored = new Uint8Array(await response.arrayBuffer());
  const [length, sum] = new Uint32Array(stored.buffer, 0, 2);
  const snapshot = stored.subarray(HEADER);
  if (length === snapshot.byteLength && sum === checksum(snapshot)) return snapshot;
  throw new Error("The stored snapshot is damaged.");
}

/**
 * Keep a snapshot, and forget those of older versions of this site.
 * @param {string} key
 * @param {Uint8Array} snapshot
 */
export async function saveSnapshot(key, snapshot) {
  const kept = withoutTail(snapshot);
  const stored = new Uint8Array(HEADER + kept.byteLength);
  stored.set(kept, HEADER);
  const header = new Uint32Array(stored.buffer, 0, 2);
  header[0] = kept.byteLength;
  header[1] = checksum(stored.subarray(HEADER));
  const cache = await caches.open(CACHE);
  const folder = new URL(".", key).href;
  for (const { url } of await cache.keys()) {
    if (url.startsWith(folder) && url !== key) await cache.delete(url);
  }
  await cache.put(key, new Response(stored));
}

/** @param {string} key */
export async function deleteSnapshot(key) {
  try {
    await (await caches.open(CACHE)).delete(key);
  } catch {
    // Nothing to delete, then.
  }
}

/**
 * The memory of a started interpreter, or null when it could not be restored.
 * @param {any} pyodide started with `_makeSnapshot`
 * @returns {Uint8Array | null}
 */
export function takeSnapshot(pyodide) {
  if (pyodide._module.HEAP8.byteLength > LARGEST) return null;
  return pyodide.makeMemorySnapshot();
}

/**
 * Without the zeros at its end, which fresh memory has anyway; whole 32-bit words.
 * @param {Uint8Array} bytes
 */
function withoutTail(bytes) {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2);
  let end = words.length;
  while (end > 0 && words[end - 1] === 0) end--;
  return bytes.subarray(0, end * 4);
}

/**
 * Catches a damaged or half-written store; not an attacker, who would be on this origin already.
 * @param {Uint8Array} bytes at a multiple of 4, whole 32-bit words
 */
function checksum(bytes) {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2);
  let sum = 1;
  for (let i = 0; i < words.length; i++) sum = (Math.imul(sum, 31) + words[i]) | 0;
  return sum >>> 0;
}
