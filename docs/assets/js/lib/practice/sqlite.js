/**
 * Writes an SQLite database of plain tables, which is what Anki's packages hold. No index, no page
 * that overflows: with pages of 64 KiB every row of a deck fits into one.
 *
 * Format: https://www.sqlite.org/fileformat2.html
 */

const PAGE = 65_536;
const LARGEST_ROW = PAGE - 35;
const LEAF = 0x0d;
const INTERIOR = 0x05;

/** @typedef {number | string | null} Value */
/** @typedef {{name: string, sql: string, rows: {id: number, values: Value[]}[]}} Table rows by rising id;
 *   the value of the column that is the id is null */

/** @param {Table[]} tables @returns {Uint8Array} the database file */
export function sqliteFile(tables) {
  /** @type {Uint8Array[]} page 1 comes last, when it is known where the tables lie */
  const pages = [new Uint8Array(PAGE)];
  const roots = tables.map(({ rows }) => writeTree(rows.map(({ id, values }) => cellOf(id, values)), pages));
  const schema = tables.map(({ name, sql }, index) => cellOf(index + 1, ["table", name, name, roots[index], sql]));
  pages[0] = leafPage(schema, 100);
  writeHeader(pages[0], pages.length);
  const file = new Uint8Array(pages.length * PAGE);
  for (const [index, page] of pages.entries()) file.set(page, index * PAGE);
  return file;
}

/**
 * @typedef {{id: number, bytes: Uint8Array}} Cell
 * @param {Cell[]} cells
 * @param {Uint8Array[]} pages appended to
 * @returns {number} the number of the root page, from 1
 */
function writeTree(cells, pages) {
  /** @type {{page: number, last: number}[]} */
  const leaves = [];
  let batch = /** @type {Cell[]} */ ([]);
  let size = 8;
  const flush = () => {
    pages.push(leafPage(batch, 0));
    leaves.push({ page: pages.length, last: batch.at(-1)?.id ?? 0 });
    batch = [];
    size = 8;
  };
  for (const cell of cells) {
    if (size + cell.bytes.length + 2 > PAGE) flush();
    batch.push(cell);
    size += cell.bytes.length + 2;
  }
  if (batch.length || !leaves.length) flush();
  if (leaves.length === 1) return leaves[0].page;
  const last = /** @type {{page: number, last: number}} */ (leaves.pop());
  const links = leaves.map(({ page, last }) => ({ id: last, bytes: concat([uint32(page), varint(last)]) }));
  pages.push(page(INTERIOR, links, 0, last.page));
  return pages.length;
}

/** @param {Cell[]} cells @param {number} offset */
function leafPage(cells, offset) {
  return page(LEAF, cells, offset, 0);
}

/**
 * @param {number} kind
 * @param {Cell[]} cells
 * @param {number} offset of the page's header
 * @param {number} right the last child of an interior page
 */
function page(kind, cells, offset, right) {
  const bytes = new Uint8Array(PAGE);
  const view = new DataView(bytes.buffer);
  const head = kind === LEAF ? 8 : 12;
  let end = PAGE;
  for (const [index, { bytes: cell }] of cells.entries()) {
    end -= cell.length;
    bytes.set(cell, end);
    view.setUint16(offset + head + 2 * index, end);
  }
  if (end < offset + head + 2 * cells.length) throw new RangeError("a page of the package is too full");
  view.setUint8(offset, kind);
  view.setUint16(offset + 3, cells.length);
  view.setUint16(offset + 5, end % PAGE); // 0 stands for 65,536
  if (kind === INTERIOR) view.setUint32(offset + 8, right);
  return bytes;
}

/**
 * A row as a cell of a leaf.
 * @param {number} id
 * @param {Value[]} values
 * @returns {Cell}
 */
function cellOf(id, values) {
  const fields = values.map(fieldOf);
  const types = concat(fields.map(({ type }) => varint(type)));
  // The header's length counts itself, in one byte or two.
  const length = types.length + 1 < 128 ? types.length + 1 : types.length + 2;
  const record = concat([varint(length), types, ...fields.map(({ bytes }) => bytes)]);
  if (record.length > LARGEST_ROW) throw new RangeError("a card is too long for the package");
  return { id, bytes: concat([varint(record.length), varint(id), record]) };
}

/** @param {Value} value @returns {{type: number, bytes: Uint8Array}} */
function fieldOf(value) {
  if (value === null) return { type: 0, bytes: new Uint8Array() };
  if (typeof value === "string") {
    const bytes = new TextEncoder().encode(value);
    return { type: 13 + 2 * bytes.length, bytes };
  }
  if (!Number.isFinite(value)) throw new RangeError(`no value for a package: ${value}`);
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  if (Number.isSafeInteger(value)) view.setBigInt64(0, BigInt(value));
  else view.setFloat64(0, value);
  return { type: Number.isSafeInteger(value) ? 6 : 7, bytes };
}

/** @param {number} value not negative @returns {Uint8Array} */
function varint(value) {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.unshift((rest % 128) | 0x80);
  }
  return Uint8Array.from(bytes);
}

/** @param {number} value */
function uint32(value) {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

/** @param {Uint8Array[]} parts */
function concat(parts) {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * @param {Uint8Array} page the first
 * @param {number} count of pages
 */
function writeHeader(page, count) {
  const view = new DataView(page.buffer);
  page.set(new TextEncoder().encode("SQLite format 3\0"), 0);
  view.setUint16(16, 1); // pages of 65,536 bytes
  page.set([1, 1, 0, 64, 32, 32], 18);
  view.setUint32(24, 1);
  view.setUint32(28, count);
  view.setUint32(40, 1);
  view.setUint32(44, 4);
  view.setUint32(56, 1); // UTF-8
  view.setUint32(92, 1);
  view.setUint32(96, 3_045_000);
}
