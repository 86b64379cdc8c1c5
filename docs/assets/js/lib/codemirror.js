/**
 * The parts of CodeMirror that the editor is made of. Each is read, and makes what it makes when
 * it is read, in a task of its own: all in one would keep a slow phone from scrolling and typing.
 *
 * Not by an `await` at the top of a module: Safari lets those who import such a module at the same
 * time go on before it is ready.
 */
import { nextTask } from "./in-turn.js";

/** @typedef {typeof import("../../vendor/codemirror.js").read} Read */
/** @template {keyof Read} K @typedef {Awaited<ReturnType<Read[K]>>} Part */
/**
 * @typedef {Part<"state"> & Part<"view"> & Part<"language"> & Part<"grammar"> & Part<"commands">
 *   & Part<"autocomplete">} CodeMirror
 */

/** All of its names, once they are read. */
export const codemirror = /** @type {CodeMirror} */ ({});

/** @type {Promise<void> | undefined} */
let reading;

export function readCodeMirror() {
  reading ??= readAll().catch((error) => {
    reading = undefined; // a connection may come back
    throw error;
  });
  return reading;
}

async function readAll() {
  const { read } = await import("../../vendor/codemirror.js");
  for (const part of Object.values(read)) {
    await nextTask();
    Object.assign(codemirror, await part());
  }
}
