/**
 * What the page and the Python worker say to each other: the only place that names it.
 *
 * @typedef {{sha256: string, bytes: number}} FileFacts
 * @typedef {FileFacts & {file: string}} NamedFile
 * @typedef {NamedFile & {imports: string[], depends: string[], rest: boolean}} PackFacts
 * @typedef {{url: string, facts: FileFacts}} Wanted a file for the page to fetch
 * @typedef {object} RuntimeConfig  written by `python -m sitekit assets`
 * @property {string} version Pyodide's version
 * @property {string} base where its files are: a URL, or relative to the configuration's own
 * @property {Record<string, FileFacts>} core
 * @property {Record<string, PackFacts>} packs packages, trimmed and compiled, on this site
 * @property {NamedFile} stdlib what a start needs of Python's standard library, compiled
 * @property {NamedFile} rest the rest of it
 * @property {NamedFile} archive the course's own Python
 *
 * @typedef {object} Place
 * @property {RuntimeConfig} config
 * @property {string} base where Pyodide's files are
 * @property {string} siteBase where the files of this site's own are
 *
 * @typedef {object} StartOptions
 * @property {"boot"} type
 * @property {string} snapshotKey under which this version's snapshot is kept
 * @property {boolean} restore whether to start from a snapshot where there is one
 * @property {boolean} forSnapshot start only to keep a snapshot
 * @property {boolean} fresh past all caches, since what they hold has just failed
 * @property {string} probeURL a `blob:` address, to see whether Stop can use such
 * @property {SharedArrayBuffer | null} sharedSignal
 * @property {string[]} packages
 * @typedef {Place & StartOptions} Boot
 *
 * @typedef {{type: "prepare", packages: string[]}} Prepare packages that a run may want soon
 * @typedef {{type: "giveUp", id: number}} GiveUp of a run or call that nobody wants any more: heard
 *   only where it awaits, or waits for packages
 *
 * @typedef {{code: string, names: string[]}} Checks asserts, and the names that they may use
 *
 * @typedef {object} Run
 * @property {"run"} type
 * @property {number} id
 * @property {string} code
 * @property {string} setup hidden code that must have run before
 * @property {string} name what tracebacks call the cell
 * @property {string} page whose variables it shares
 * @property {string} signalURL revoked on Stop
 * @property {Checks} [checks] what the code must fulfil: it then runs on its own, as an exercise
 *
 * @typedef {object} FunctionCall
 * @property {"call"} type
 * @property {number} id
 * @property {string} target `module:function`
 * @property {string} json its arguments, a list
 * @property {string[]} packages
 * @property {string} signalURL revoked when the caller gives up
 *
 * @typedef {{type: "answer", text: string | null}} Answer the reader's line for `input()`; null: none
 * @typedef {object} Consult a question about code, answered when no cell runs
 * @property {"consult"} type
 * @property {number} id
 * @property {"completions" | "documentation"} what
 * @property {string} source
 * @property {number} line 1-based
 * @property {number} column 0-based, in UTF-16 units
 *
 * @typedef {{type: "file", url: string, content: ArrayBuffer}
 *   | {type: "file", url: string, content: null, message: string}} Delivery a checked file, or why
 *   the page could not have it
 *
 * @typedef {Boot | Prepare | Run | FunctionCall | GiveUp | Answer | Consult | Delivery} ToWorker
 *
 * @typedef {{type: "hello"}} Hello the worker's script runs
 * @typedef {{type: "progress", text: string, loaded: number, total: number}} Progress of the start;
 *   `total` is 0 where bytes do not apply
 * @typedef {{type: "ready", restored: boolean}} Ready
 * @typedef {{type: "fetch", files: Wanted[]}} Fetch files for the page to fetch: the worker's thread
 *   may be busy
 * @typedef {{type: "failed", message: string}} Failed
 * @typedef {{type: "saved", bytes: number}} Saved a snapshot is kept
 * @typedef {{type: "started", id: number}} Started
 * @typedef {"stdout" | "stderr" | "value" | "error" | "notice" | "hint" | "figure" | "verdict"} Stream
 * @typedef {{stream: Stream, text: string}} OutputPiece
 * @typedef {{type: "output", id: number, pieces: OutputPiece[]}} Output
 * @typedef {{kind: string, line: number | null, missingName: string, cleared: boolean}} CellError
 *   `cleared`: the page had a variable of that name, until cells of another page ran
 * @typedef {{type: "done", id: number, error: null | CellError, seconds: number}} Done
 * @typedef {{type: "died", id: number, message: string}} Died the interpreter is no longer usable
 * @typedef {{type: "unavailable", id: number, message: string}} Unavailable a package that the run
 *   needs could not be had
 * @typedef {{type: "returned", id: number, json: string, message?: undefined} | {type: "returned", id: number, json: null, message: string}} Returned
 *   what `cellrunner.calling.answer` said; null where a package could not be had
 * @typedef {{type: "givenUp", id: number}} GivenUp none of its code has run, or it was cancelled
 * @typedef {{type: "question", id: number, prompt: string}} Question `input()` asks
 * @typedef {{type: "advice", id: number, value: any}} Advice what was consulted about
 * @typedef {Hello | Progress | Ready | Fetch | Failed | Saved | Started | Output | Done | Died | Unavailable | Returned | GivenUp | Question | Advice} FromWorker
 */
export {};
