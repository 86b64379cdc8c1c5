/**
 * What Python knows of the names in an editor, from what is defined at the moment: completions
 * while typing, and what a name stands for, under the pointer, beside a completion and at a key.
 */
import { announce } from "./announcer.js";
import { codemirror } from "./codemirror.js";

const { StateEffect, StateField, autocompletion, hoverTooltip, keymap, showTooltip } = codemirror;

/**
 * @callback Consult
 * @param {"completions" | "documentation"} what
 * @param {string} source
 * @param {number} line 1-based
 * @param {number} column 0-based
 * @returns {Promise<any>} null where nothing can be told
 */

/** As in JupyterLab. */
const EXPLAIN_KEYS = ["Mod-i", "Ctrl-i"];
const UNKNOWN = "Python knows no name here. Run the cell that defines it, and ask when no cell is running.";

/**
 * @param {Consult} consult
 * @returns {any} an extension of the editor
 */
export function pythonHelp(consult) {
  const explain = (/** @type {any} */ view) => {
    explainAt(view, consult);
    return true;
  };
  return [
    autocompletion({ override: [completionsFrom(consult)], icons: false }),
    hoverTooltip(async (view, position) => {
      const found = await documentationAt(view.state.doc, position, consult);
      return found && { pos: position, create: () => ({ dom: page(found) }) };
    }),
    explanation,
    keymap.of([
      ...EXPLAIN_KEYS.map((key) => ({ key, run: explain })),
      { key: "Escape", run: dismiss },
    ]),
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
    const before = doc.sliceString(0, word.from);
    const after = doc.sliceString(context.pos);
    const options = found.map((/** @type {{label: string, kind: string, detail: string}} */ option) => ({
      label: option.label,
      type: option.kind,
      detail: option.detail,
      info: async () => {
        const end = word.from - line.from + option.label.length;
        const chosen = `${before}${option.label}${after}`;
        const told = await consult("documentation", chosen, line.number, end);
        return told && page(told);
      },
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

/** @type {any} */
const explained = StateEffect.define();

/** What the reader asked about with a key; gone when the cursor moves. */
const explanation = StateField.define({
  create: () => /** @type {any} */ (null),
  update(tooltip, transaction) {
    if (transaction.docChanged || transaction.selection) tooltip = null;
    for (const effect of transaction.effects) if (effect.is(explained)) tooltip = effect.value;
    return tooltip;
  },
  provide: (field) => showTooltip.from(field),
});

/**
 * @param {any} view
 * @param {Consult} consult
 */
async function explainAt(view, consult) {
  const { state } = view;
  const position = state.selection.main.head;
  const found = await documentationAt(state.doc, position, consult).catch(() => null);
  if (view.state.doc !== state.doc || view.state.selection.main.head !== position) return;
  const told = found ?? { signature: UNKNOWN, summary: "" };
  const dom = page(told);
  view.dispatch({ effects: explained.of({ pos: position, above: true, create: () => ({ dom }) }) });
  announce(`${told.signature}. ${told.summary}`);
}

/** @param {any} view */
function dismiss(view) {
  if (!view.state.field(explanation)) return false;
  view.dispatch({ effects: explained.of(null) });
  return true;
}
