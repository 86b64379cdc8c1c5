self.onmessage = async ({ data: { code, packages } }) => {
  const { loadPyodide } = await import("../assets/runtime/pyodide/pyodide.mjs");
  let text = "";
  const pyodide = await loadPyodide({ stdout: (line) => (text += `${line}\n`) });
  await pyodide.loadPackage(packages, { messageCallback: () => {} });
  pyodide.runPython(code);
  self.postMessage(text);
};
