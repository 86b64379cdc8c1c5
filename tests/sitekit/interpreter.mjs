// Run a Python program in Pyodide with the site's packs and print what its last expression is:
// node interpreter.mjs RUNTIME_FOLDER PROGRAM PACKAGE...
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { unpack } from "../../docs/assets/js/worker/packs.js";

const [folder, program, ...packages] = process.argv.slice(2);
const runtime = resolve(folder);
const { default: config } = await import(pathToFileURL(`${runtime}/config.js`).href);
const { loadPyodide } = await import(pathToFileURL(`${runtime}/pyodide/pyodide.mjs`).href);
const pyodide = await loadPyodide({
  indexURL: `${runtime}/pyodide`,
  packageBaseUrl: `${runtime}/pyodide/`,
  stdLibURL: `${runtime}/${config.stdlib.file}`,
});
// The course's own Python, which finds the rest of the standard library when it is asked for.
pyodide.FS.writeFile("/lib/course.zip", readFileSync(`${runtime}/${config.archive.file}`));
let restFetched = false;
globalThis.restOfLibrary = {
  sha256: config.rest.sha256,
  fetch() {
    restFetched = true;
    return new Uint8Array(readFileSync(`${runtime}/${config.rest.file}`));
  },
};
globalThis.isRestFetched = () => restFetched;
pyodide.runPython(`
import sys
sys.path.append("/lib/course.zip")
import cellrunner.library
cellrunner.library.install()
`);
const sitePackages = pyodide.runPython("import site; site.getsitepackages()[0]");
const wanted = new Set();
const want = (name) => {
  if (wanted.has(name)) return;
  wanted.add(name);
  config.packs[name].depends.forEach(want);
};
packages.forEach(want);
for (const name of wanted) {
  await unpack(new Response(readFileSync(`${runtime}/${config.packs[name].file}`)), pyodide.FS, sitePackages);
  pyodide.loadedPackages[name] = "napkin pack";
}
pyodide.runPython("import importlib; importlib.invalidate_caches()");
console.log(await pyodide.runPythonAsync(readFileSync(program, "utf-8")));
