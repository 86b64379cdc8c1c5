/**
 * What Python knows of the names in an editor, from what is defined at the moment: completions
 * while typing, and what a name stands for, under the pointer.
 */
import { autocompletion, hoverTooltip } from "./codemirror.js";

/**
 * @callback Consult
 * @param {"completions" | "documentation"} what
 * @param {string} source
 * @param {number} line 1-based
 * @param {number} column 0-based
 * @returns {Promise<any>} null where nothing can be told
 */

/**
 * @param {Consult} consult
 * @returns {any} an extension of the editor
 */
export function pythonHelp(consult) {
  return [
    autocompletion({ override: [completionsFrom(consult)], icons: false }),
    hoverTooltip(async (view, position) => {
      const found = await documentationAt(view.state.doc, position, consult);
      return found && { pos: position, create: () => ({ dom: page(found) }) };
    }),
  ];
}

/** @param {Consult} consult */
function completionsFrom(consult) {
  return async (/** @type {any} */ context) => {
    const word = context.matchBefore(/[\p{L}\p{N}_]*/u);
    const afterDot = context.state.sliceDoc(word.from - 1, word.from) === ".";
    if (!context.explicit && !afterDot && word.to - word.from < 2) return null;
    const { doc } = context.state;
    const line = doc.lineAt(context.pos);
    const column = context.pos - line.from;
    const found = await consult("completions", doc.toString(), line.number, column);
    if (!found?.length || context.aborted) return null;
    const options = found.map((/** @type {{label: string, kind: string, detail: string}} */ option) => ({
      label: option.label,
      type: option.kind,
      detail: option.detail,
    }));
    return { from: word.from, options, validFor: /^[\p{L}\p{N}_]*$/u };
  };
}

/** @typedef {{signature: string, summary: string}} Documentation */

/**
 * @param {any} doc
 * @param {number} position
 * @param {Consult} consult
 * @returns {Promise<Documentation | null>}
 */
async function documentationAt(doc, position, consult) {
  const line = doc.lineAt(position);
  return consult("documentation", doc.toString(), line.number, position - line.from);
}

/** @param {Documentation} found */
function page({ signature, summary }) {
  const dom = document.createElement("div");
  dom.className = "cm-documentation";
  const code = document.createElement("code");
  code.textContent = signature;
  const paragraph = document.createElement("p");
  paragraph.textContent = summary;
  dom.append(code, ...(summary ? [paragraph] : []));
  return dom;
}
