// What worker/packs.js does with archives cut anywhere, damaged or hostile, in Pyodide's own file
// system. The archives and the files that are in them come from test_provision_packs.py.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { unpack } from "../../docs/assets/js/worker/packs.js";

const folder = process.env.PACKS;
const { loadPyodide } = await import(`${process.env.PYODIDE}/pyodide.mjs`);
const { FS } = await loadPyodide({ indexURL: process.env.PYODIDE, stdLibURL: process.env.STDLIB });
const archive = readFileSync(`${folder}/whole.tar`);
const expected = JSON.parse(readFileSync(`${folder}/whole.json`, "utf-8"));
let directories = 0;

/** Not compressed inside gzip, so that cuts of the stream stay cuts of the archive. */
const stored = (bytes) => gzipSync(bytes, { level: 0 });

/** A response that arrives in pieces of the given sizes, over and over. */
function inPieces(bytes, sizes) {
  let at = 0;
  let turn = 0;
  return new Response(
    new ReadableStream({
      pull(controller) {
        if (at >= bytes.length) return controller.close();
        const size = sizes[turn++ % sizes.length];
        controller.enqueue(new Uint8Array(bytes.subarray(at, at + size)));
        at += size;
      },
    }),
  );
}

/** The files below a directory of Pyodide's file system, by path, in hex. */
function filesBelow(directory, prefix = "") {
  return FS.readdir(directory)
    .filter((name) => name !== "." && name !== "..")
    .flatMap((name) => {
      const path = `${directory}/${name}`;
      if (FS.isDir(FS.stat(path).mode)) return filesBelow(path, `${prefix}${name}/`);
      return [[prefix + name, Buffer.from(FS.readFile(path)).toString("hex")]];
    });
}

async function unpacked(response) {
  const directory = `/unpacked/${directories++}`;
  await unpack(response, FS, directory);
  return Object.fromEntries(filesBelow(directory));
}

for (const sizes of [[1], [7], [511], [512], [513], [1, 511], [3, 700, 1], [1_000_000]]) {
  test(`the files are right when pieces of ${sizes} bytes arrive`, async () => {
    assert.deepEqual(await unpacked(inPieces(stored(archive), sizes)), expected);
    assert.deepEqual(await unpacked(inPieces(gzipSync(archive), sizes)), expected);
  });
}

test("pieces of random sizes", async () => {
  let seed = 1;
  const random = () => (seed = (seed * 48271) % 2147483647);
  const sizes = Array.from({ length: 400 }, () => 1 + (random() % 900));
  assert.deepEqual(await unpacked(inPieces(stored(archive), sizes)), expected);
});

test("what is there already is replaced", async () => {
  FS.mkdirTree("/again");
  const [path] = Object.keys(expected);
  FS.mkdirTree(`/again/${path.slice(0, path.lastIndexOf("/"))}`);
  FS.writeFile(`/again/${path}`, "much longer than what comes, and of an earlier day".repeat(99));
  await unpack(new Response(gzipSync(archive)), FS, "/again");
  assert.equal(Object.fromEntries(filesBelow("/again"))[path], expected[path]);
});

test("a file may be written to afterwards, and its neighbours stay as they are", async () => {
  await unpack(new Response(gzipSync(archive)), FS, "/owned");
  const [first] = Object.keys(expected).filter((path) => expected[path].length > 2);
  FS.writeFile(`/owned/${first}`, new Uint8Array(5000).fill(1));
  const files = Object.fromEntries(filesBelow("/owned"));
  assert.equal(files[first], "01".repeat(5000));
  assert.deepEqual({ ...files, [first]: expected[first] }, expected);
});

test("an archive that is cut short is refused, wherever the cut", async () => {
  const end = archive.findLastIndex((byte) => byte !== 0);
  for (const length of [0, 1, 300, 512, 513, 1024, 5000, end]) {
    const response = new Response(gzipSync(archive.subarray(0, length)));
    await assert.rejects(unpacked(response), /cut short/, `${length} bytes`);
  }
  const whole = gzipSync(archive);
  for (const length of [1, 9, 40, whole.length - 1]) {
    await assert.rejects(unpacked(new Response(whole.subarray(0, length))), undefined, `${length}`);
  }
});

test("damage is refused", async () => {
  const flipped = Buffer.from(archive);
  flipped[0] ^= 1; // in the first file's name
  await assert.rejects(unpacked(new Response(gzipSync(flipped))), /damaged/);
  const page = Buffer.from("<!doctype html><title>Sign in</title>".padEnd(2000));
  await assert.rejects(unpacked(new Response(gzipSync(page))), /damaged/);
  await assert.rejects(unpacked(new Response(page)));
  const whole = gzipSync(archive);
  whole[whole.length >> 1] ^= 255;
  await assert.rejects(unpacked(new Response(whole)));
});

test("a response without a body, and one that fails on its way, are refused", async () => {
  await assert.rejects(unpacked(new Response(null)), /empty/);
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(gzipSync(archive).subarray(0, 100)));
      controller.error(new Error("the line is dead"));
    },
  });
  await assert.rejects(unpacked(new Response(body)), /the line is dead/);
});

for (const name of readdirSync(folder).filter((name) => name.startsWith("bad-"))) {
  test(`${name} is refused`, async () => {
    const bytes = readFileSync(`${folder}/${name}`);
    await assert.rejects(unpacked(new Response(gzipSync(bytes))), /leaves it|no plain file/);
    assert.equal(FS.analyzePath("/unpacked/escaped").exists, false);
  });
}

test("a real pack gives the bytes that tar sees in it", async () => {
  const pack = readFileSync(process.env.PACK);
  const files = await unpacked(inPieces(pack, [65536]));
  const total = Object.values(files).reduce((sum, hex) => sum + hex.length / 2, 0);
  assert.equal(total, Number(process.env.PACK_CONTENT));
  assert.ok(gunzipSync(pack).length > total);
});
