/**
 * Makes Python workers: where their files are, and what they are told first.
 *
 * @import {Boot, Place} from "./messages.js"
 */
import config from "../../runtime/config.js";

export const CONFIG_URL = new URL("../../runtime/config.js", import.meta.url);
/** @type {Place} */
export const PLACE = {
  config,
  base: new URL(config.base, CONFIG_URL).href,
  siteBase: new URL(".", CONFIG_URL).href,
};
const WORKER_URL = new URL("../worker/python.js", import.meta.url);

/**
 * Names the interpreter, its library and the course's Python: another version never meets this
 * snapshot, whose memory holds places in those very files.
 */
const VERSIONS = [config.version, ...[config.stdlib, config.rest, config.archive].map((f) => f.sha256.slice(0, 12))];
export const SNAPSHOT_KEY = new URL(`snapshot-${VERSIONS.join("-")}`, CONFIG_URL).href;

/** Can be read for as long as the page lives. */
const PROBE_URL = URL.createObjectURL(new Blob(["1"]));

/** @param {string} name shown in the browser's own tools */
export function newWorker(name) {
  return new Worker(WORKER_URL, { type: "module", name });
}

/**
 * @param {Partial<Boot>} options
 * @returns {Boot}
 */
export function bootMessage(options) {
  return {
    type: "boot",
    ...PLACE,
    snapshotKey: SNAPSHOT_KEY,
    restore: true,
    forSnapshot: false,
    fresh: false,
    probeURL: PROBE_URL,
    sharedSignal: null,
    packages: [],
    ...options,
  };
}
