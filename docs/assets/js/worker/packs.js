/**
 * Unpacks a pack of `sitekit` (a gzip-compressed ustar archive) while it arrives.
 */

const BLOCK = 512;
const REGULAR_FILE = "0".charCodeAt(0);

/**
 * Write the files of a pack below `directory`. Rejects when the archive is damaged or cut short,
 * or when its response fails; files that arrived before that stay.
 * @param {Response} response its body may still be arriving
 * @param {any} FS Emscripten's file system (`pyodide.FS`)
 * @param {string} directory where packages live: Python's `site.getsitepackages()[0]`
 */
export async function unpack(response, FS, directory) {
  if (!response.body) throw new Error("the pack is empty");
  /** @type {ReadableWritablePair<Uint8Array, Uint8Array>} */
  const inflate = /** @type {any} */ (new DecompressionStream("gzip"));
  const reader = response.body.pipeThrough(inflate).getReader();
  const files = new TarFiles(new Folders(FS, directory));
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    files.feed(value);
  }
  files.end();
}

/** Writes files, and makes each folder once. */
class Folders {
  /** @type {Set<string>} */
  #made = new Set();

  /**
   * @param {any} FS
   * @param {string} root
   */
  constructor(FS, root) {
    this.FS = FS;
    this.root = root;
  }

  /**
   * @param {string} path below the root
   * @param {Uint8Array} data becomes the file system's own, which saves a copy
   */
  write(path, data) {
    if (path.split("/").includes("..")) throw new Error(`the pack holds a path that leaves it: ${path}`);
    const file = `${this.root}/${path}`;
    const folder = file.slice(0, file.lastIndexOf("/"));
    if (!this.#made.has(folder)) {
      this.FS.mkdirTree(folder);
      this.#made.add(folder);
    }
    this.FS.writeFile(file, data, { canOwn: true });
  }
}

/** Cuts a tar stream into its files, wherever the chunks of the stream begin and end. */
class TarFiles {
  #header = new Uint8Array(BLOCK);
  /** How much of the header is there. */
  #filled = 0;
  /** @type {Uint8Array | undefined} The file that arrives. */
  #data;
  #path = "";
  /** How much of it is there. */
  #arrived = 0;
  /** Bytes up to the next header. */
  #padding = 0;
  #ended = false;

  /** @param {Folders} folders */
  constructor(folders) {
    this.folders = folders;
  }

  /** @param {Uint8Array} chunk */
  feed(chunk) {
    let at = 0;
    while (at < chunk.length && !this.#ended) {
      const left = chunk.length - at;
      if (this.#data) {
        const part = Math.min(left, this.#data.length - this.#arrived);
        this.#data.set(chunk.subarray(at, at + part), this.#arrived);
        this.#arrived += part;
        at += part;
        if (this.#arrived === this.#data.length) {
          this.folders.write(this.#path, this.#data);
          this.#data = undefined;
        }
      } else if (this.#padding) {
        const part = Math.min(left, this.#padding);
        this.#padding -= part;
        at += part;
      } else {
        const part = Math.min(left, BLOCK - this.#filled);
        this.#header.set(chunk.subarray(at, at + part), this.#filled);
        this.#filled += part;
        at += part;
        if (this.#filled === BLOCK) this.#beginFile();
      }
    }
  }

  /** The stream is over: an archive that is whole has said so itself. */
  end() {
    if (!this.#ended) throw new Error("the pack is cut short");
  }

  #beginFile() {
    this.#filled = 0;
    const header = this.#header;
    if (header.every((byte) => byte === 0)) {
      this.#ended = true;
      return;
    }
    if (text(header, 257, 5) !== "ustar" || octal(header, 148, 8) !== checksum(header)) {
      throw new Error("the pack is damaged: no header where one must be");
    }
    const prefix = text(header, 345, 155);
    this.#path = (prefix && `${prefix}/`) + text(header, 0, 100);
    if (header[156] !== REGULAR_FILE) throw new Error(`the pack holds no plain file at ${this.#path}`);
    const size = octal(header, 124, 12);
    this.#data = new Uint8Array(size);
    this.#arrived = 0;
    this.#padding = (BLOCK - (size % BLOCK)) % BLOCK;
  }
}

const decoder = new TextDecoder();

/**
 * @param {Uint8Array} header
 * @param {number} start
 * @param {number} length
 * @returns {string} the field's text, up to its first NUL
 */
function text(header, start, length) {
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  return decoder.decode(end < 0 ? field : field.subarray(0, end));
}

/**
 * @param {Uint8Array} header
 * @param {number} start
 * @param {number} length
 */
const octal = (header, start, length) => parseInt(text(header, start, length).trim() || "0", 8);

/**
 * The sum of the header's bytes, its own field counted as spaces.
 * @param {Uint8Array} header
 */
function checksum(header) {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
}
