// Runs cells in the pinned Pyodide, as the page's worker does. Reads a JSON order on standard
// input, {pyodide, wheels, source, packages, cells: [[name, code]]}, writes the outcomes as JSON.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const order = JSON.parse(readFileSync(0, "utf8"));
const { loadPyodide } = await import(pathToFileURL(`${order.pyodide}/pyodide.mjs`).href);
const pyodide = await loadPyodide({ packageCacheDir: order.wheels });
await pyodide.loadPackage(order.packages, { messageCallback: () => {} });
pyodide.FS.mkdir("/source");
pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root: order.source }, "/source");
pyodide.runPython("import sys; sys.dont_write_bytecode = True; sys.path.append('/source')");

const interrupt = new Uint8Array(1);
pyodide.setInterruptBuffer(interrupt);
let pieces = [];
const runner = pyodide.pyimport("cellrunner.runner").Runner((stream, text) => {
  pieces.push([stream, text]);
  if (text.startsWith("press Stop")) interrupt[0] = 2;
});
const options = { available: ["numpy", "matplotlib"], defined_above: ["speeds"] };
const outcomes = {};
for (const [name, code] of order.cells) {
  pieces = [];
  const { error, stopped } = await runner.run.callKwargs(code, name, options);
  const { kind, line, hint, missing_name: missingName, text } = error ?? {};
  outcomes[name] = { pieces, stopped, error: error ? { kind, line, hint, missingName, text } : null };
}
outcomes.completions = JSON.parse(runner.completions("np.zero", 1, 7));
outcomes.documentation = JSON.parse(runner.documentation("np.zeros(", 1, 9));
console.log(JSON.stringify(outcomes));
