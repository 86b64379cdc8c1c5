/** A page's cells as files to take along, and elsewhere to run them. */

/** @typedef {{name: string, code: string}} CellSource */

/** The repository of the page's own source, as its edit button has it. */
function repository() {
  const edit = /** @type {HTMLAnchorElement | null} */ (document.querySelector("a[rel=edit]"));
  return (edit?.href ?? "https://github.com/napkin-course/napkin/edit/").split("/edit/")[0];
}

/** What pip installs for cells that import `napkin`. */
function coursePackage() {
  return `napkin @ git+${repository()}`;
}

/**
 * Where Colab opens a lesson's notebook, as the repository has it.
 * @param {string} slug
 */
export function colabAddress(slug) {
  const path = new URL(repository()).pathname;
  return `https://colab.research.google.com/github${path}/blob/main/pysrc/lessons/${slug.replaceAll("-", "_")}.ipynb`;
}

/** @param {CellSource[]} cells */
function needsNapkin(cells) {
  return cells.some(({ code }) => /^\s*(from|import)\s+napkin\b/m.test(code));
}

/**
 * Let the browser save a text.
 * @param {string} file
 * @param {string} type
 * @param {string} text
 */
export function saveText(file, type, text) {
  saveBlob(file, new Blob([text], { type }));
}

/**
 * @param {string} file
 * @param {Blob} blob
 */
export function saveBlob(file, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/**
 * A script with the cells as `# %%` sections, which editors show as cells again.
 * @param {CellSource[]} cells
 */
export function asScript(cells) {
  const needs = needsNapkin(cells) ? `# Needs the course's package: pip install "${coursePackage()}"\n` : "";
  const head = `# From ${location.href.split("#")[0]}\n${needs}`;
  return head + cells.map(({ name, code }) => `\n# %% ${name}\n${code}\n`).join("");
}

/**
 * A notebook, with the cells as edited.
 * @param {CellSource[]} cells
 */
export function asNotebook(cells) {
  const lines = (/** @type {string} */ text) => text.split(/(?<=\n)/);
  const page = location.href.split("#")[0];
  const title = document.querySelector("h1")?.textContent?.replace("¶", "").trim() ?? "Lesson";
  const intro = { cell_type: "markdown", id: "intro", metadata: {}, source: [`From [${title}](${page})`] };
  const install = { name: "install", code: `%pip install -q "${coursePackage()}"` };
  const all = needsNapkin(cells) ? [install, ...cells] : cells;
  const code = all.map(({ name, code }) => ({
    cell_type: "code",
    id: name.slice(0, 64),
    metadata: {},
    execution_count: null,
    outputs: [],
    source: lines(code),
  }));
  const kernel = { display_name: "Python 3", language: "python", name: "python3" };
  const notebook = {
    cells: [intro, ...code],
    metadata: { kernelspec: kernel, language_info: { name: "python" } },
    nbformat: 4,
    nbformat_minor: 5,
  };
  return JSON.stringify(notebook, null, 1);
}
