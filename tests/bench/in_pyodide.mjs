// Runs a Python program in the pinned Pyodide: node in_pyodide.mjs PYODIDE_FOLDER PROGRAM.PY
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, program] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(resolve(folder, "pyodide.mjs")).href);
const pyodide = await loadPyodide({ indexURL: resolve(folder) });
pyodide.runPython(readFileSync(program, "utf-8"));
