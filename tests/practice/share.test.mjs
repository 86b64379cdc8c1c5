/** Code that goes into a link comes out of it as it was; whatever else a link holds is refused. */
import assert from "node:assert/strict";
import test from "node:test";
import { deflateRawSync } from "node:zlib";

import { chance } from "../../docs/assets/js/lib/practice/draw.js";
import { shareLink, sharedCode } from "../../docs/assets/js/lib/share.js";
import { freshWindow } from "./page.mjs";

const ID = "cell-timer";
const random = chance(1);
/** Each takes 4 bytes, and they do not compress. */
const dense = Array.from({ length: 10_000 }, () => String.fromCodePoint(0x20000 + Math.floor(random() * 0xa000))).join("");
/** Each takes 3 bytes, which is the most for a character of JavaScript's. */
const widest = Array.from({ length: 20_000 }, () => String.fromCharCode(0x3000 + Math.floor(random() * 0xa000))).join("");

for (const code of ["", "print('é 日本 🧮')\n", "\ufeffbom", "\0\r\n\t", "#".repeat(20_000), dense, widest]) {
  test(`a link carries ${JSON.stringify(code.slice(0, 20))}, ${code.length} long`, async () => {
    freshWindow("https://napkin.example/lessons/counting/?q=1#part");
    location.href = await shareLink(ID, code);
    assert.equal(location.search, "?q=1");
    assert.equal(await sharedCode(ID), code);
    assert.equal(await sharedCode("cell-time"), null);
  });
}

test("what no link can carry is told", async () => {
  freshWindow("https://napkin.example/");
  await assert.rejects(shareLink(ID, "x".repeat(20_001)), /too long for a link/);
  await assert.rejects(shareLink(ID, "x".repeat(5_000_000)), /too long for a link/);
  await assert.rejects(shareLink(ID, "x = '\ud800'"), /half a character/);
  await assert.rejects(shareLink(ID, "\udc00\ud800"), /half a character/);
});

const packed = (/** @type {Uint8Array} */ bytes) => deflateRawSync(bytes).toString("base64url");
const DAMAGED = {
  empty: "",
  "no base64": "%",
  "no base64 either": "!!!",
  markup: "<script>alert(1)</script>",
  "no deflate": "AAAA",
  "cut off": packed(Buffer.from("print('whole')")).slice(0, -6),
  "5 MB": "A".repeat(5_000_000),
  "5 MB when unpacked": packed(Buffer.alloc(5_000_000, "x")),
  "half a character": packed(Buffer.from([0x78, 0xed, 0xa0, 0x80])),
};

for (const [name, data] of Object.entries(DAMAGED)) {
  test(`a link is called damaged: ${name}`, async () => {
    freshWindow("https://napkin.example/");
    location.hash = `${ID}=${data}`;
    await assert.rejects(sharedCode(ID), /damaged/);
  });
}
