/**
 * What the page and the Python worker say to each other: the only place that names it.
 *
 * @typedef {{sha256: string, bytes: number}} FileFacts
 * @typedef {FileFacts & {file: string, imports: string[], depends: string[]}} PackageFacts
 * @typedef {object} RuntimeConfig  written by `python -m sitekit assets`
 * @property {string} version Pyodide's version
 * @property {string} base where its files are: a URL, or relative to the configuration's own
 * @property {Record<string, FileFacts>} core
 * @property {Record<string, PackageFacts>} packages
 * @property {FileFacts & {file: string}} archive the course's own Python
 *
 * @typedef {{type: "boot", config: RuntimeConfig, base: string, archiveURL: string, packages: string[]}} Boot
 * @typedef {{type: "run", id: number, code: string, setup: string, name: string, page: string}} Run
 * @typedef {Boot | Run} ToWorker
 *
 * @typedef {{type: "hello"}} Hello the worker's script runs
 * @typedef {{type: "progress", id: number, text: string, loaded: number, total: number}} Progress
 *   `id` is 0 while booting, else the run that waits; `total` is 0 where bytes do not apply
 * @typedef {{type: "ready"}} Ready
 * @typedef {{type: "failed", message: string}} Failed
 * @typedef {{type: "started", id: number}} Started
 * @typedef {"stdout" | "stderr" | "value" | "error" | "notice"} Stream
 * @typedef {{type: "output", id: number, stream: Stream, text: string}} OutputPiece
 * @typedef {{type: "done", id: number, error: null | {kind: string, line: number | null}, seconds: number}} Done
 * @typedef {Hello | Progress | Ready | Failed | Started | OutputPiece | Done} FromWorker
 */
export {};
