// Run packing.py inside the pinned Pyodide: node packing.mjs PYODIDE_FOLDER WORK_FOLDER
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [pyodideFolder, workFolder] = process.argv.slice(2).map((path) => resolve(path));
const { loadPyodide } = await import(pathToFileURL(`${pyodideFolder}/pyodide.mjs`).href);
const pyodide = await loadPyodide({ indexURL: pyodideFolder, env: { PYTHONHASHSEED: "0" } });
const started = pyodide.runPython("import sys; list(sys.modules)");
const program = readFileSync(new URL("packing.py", import.meta.url), "utf-8");
pyodide.FS.writeFile("/home/pyodide/packing.py", program);
pyodide.mountNodeFS("/work", workFolder);
try {
  pyodide.pyimport("packing").main("/work", started);
} catch (error) {
  console.error(error.message); // Python's traceback, without JavaScript's
  process.exitCode = 1;
}
