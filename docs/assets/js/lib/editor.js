/**
 * The code editor of a cell. Loaded when first needed: it is larger than all the rest.
 *
 * It lives in a shadow root, because instant navigation removes every `<style>` from the head
 * that the next page does not bring, an editor's own included; in a shadow root CodeMirror uses
 * adopted style sheets. Colours are the theme's variables, so that dark mode needs no script.
 */
import {
  Annotation,
  Compartment,
  Decoration,
  EditorState,
  EditorView,
  HighlightStyle,
  StateEffect,
  StateField,
  autocompletion,
  bracketMatching,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  defaultKeymap,
  drawSelection,
  history,
  historyKeymap,
  hoverTooltip,
  indentOnInput,
  indentUnit,
  indentWithTab,
  keymap,
  python,
  syntaxHighlighting,
  tags,
} from "../../vendor/codemirror.js";

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--md-code-hl-comment-color)" },
  { tag: [tags.keyword, tags.operatorKeyword, tags.self], color: "var(--md-code-hl-keyword-color)" },
  { tag: [tags.bool, tags.null], color: "var(--md-code-hl-constant-color)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--md-code-hl-string-color)" },
  { tag: tags.number, color: "var(--md-code-hl-number-color)" },
  { tag: [tags.operator, tags.punctuation], color: "var(--md-code-hl-operator-color)" },
  {
    tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.className)],
    color: "var(--md-code-hl-function-color)",
  },
]);

const theme = EditorView.theme({
  "&": { color: "var(--md-code-fg-color)", backgroundColor: "transparent", fontSize: "inherit" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "inherit", lineHeight: "inherit", overflowX: "auto" },
  ".cm-content": {
    padding: "var(--napkin-code-pad-y) 0",
    caretColor: "var(--md-accent-fg-color)",
    // Bigger than 16 px or iOS zooms in on focus; the size is the static code's.
    touchAction: "manipulation",
  },
  ".cm-line": { padding: "0 var(--napkin-code-pad-x)" },
  ".cm-cursor": { borderLeftColor: "var(--md-accent-fg-color)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    { background: "var(--napkin-selection) !important" },
  ".cm-matchingBracket": { backgroundColor: "var(--md-code-hl-color--light) !important" },
  ".cm-tooltip": {
    color: "var(--md-default-fg-color)",
    backgroundColor: "var(--md-default-bg-color)",
    border: "1px solid var(--napkin-border)",
    borderRadius: "var(--napkin-radius)",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    color: "var(--md-primary-bg-color)",
    background: "var(--md-primary-fg-color)",
  },
  ".cm-documentation": { maxWidth: "32rem", padding: "0.4rem 0.6rem", whiteSpace: "pre-wrap" },
  ".cm-documentation p": { margin: "0.3rem 0 0", fontFamily: "var(--md-text-font-family)" },
  ".cm-failing": { backgroundColor: "var(--napkin-error-tint)" },
});

/** @type {any} A change that the page made, not the reader. */
const fromPage = Annotation.define();
/** @type {any} */
const markLine = StateEffect.define();

/** The line where the last run failed; gone with the next edit. */
const failingLine = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    if (transaction.docChanged) marks = Decoration.none;
    for (const effect of transaction.effects) {
      if (!effect.is(markLine)) continue;
      const lines = transaction.state.doc.lines;
      const inside = effect.value && effect.value <= lines;
      const mark = Decoration.line({ class: "cm-failing" });
      marks = inside
        ? Decoration.set(mark.range(transaction.state.doc.line(effect.value).from))
        : Decoration.none;
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/**
 * @callback Consult
 * @param {"completions" | "documentation"} what
 * @param {string} source
 * @param {number} line 1-based
 * @param {number} column 0-based
 * @returns {Promise<any>} null where nothing can be told
 */

/**
 * Completions from what is defined in Python at the moment.
 * @param {Consult} consult
 */
function completionsFrom(consult) {
  return async (/** @type {any} */ context) => {
    const word = context.matchBefore(/[\p{L}\p{N}_]*/u);
    const afterDot = context.state.sliceDoc(word.from - 1, word.from) === ".";
    if (!context.explicit && !afterDot && word.to - word.from < 2) return null;
    const line = context.state.doc.lineAt(context.pos);
    const source = context.state.doc.toString();
    const found = await consult("completions", source, line.number, context.pos - line.from);
    if (!found?.length || context.aborted) return null;
    const options = found.map((/** @type {{label: string, kind: string, detail: string}} */ option) => ({
      label: option.label,
      type: option.kind,
      detail: option.detail,
    }));
    return { from: word.from, options, validFor: /^[\p{L}\p{N}_]*$/u };
  };
}

/**
 * What a name stands for, when the pointer rests on it.
 * @param {Consult} consult
 */
function documentationFrom(consult) {
  return hoverTooltip(async (/** @type {any} */ view, /** @type {number} */ position) => {
    const line = view.state.doc.lineAt(position);
    const source = view.state.doc.toString();
    const found = await consult("documentation", source, line.number, position - line.from);
    if (!found) return null;
    const dom = document.createElement("div");
    dom.className = "cm-documentation";
    const signature = document.createElement("code");
    signature.textContent = found.signature;
    const summary = document.createElement("p");
    summary.textContent = found.summary;
    dom.append(signature, ...(found.summary ? [summary] : []));
    return { pos: position, create: () => ({ dom }) };
  });
}

/** How long after Escape the Tab key leaves the editor. */
const TAB_FREE_MS = 2_000;

/** By itself CodeMirror frees Tab only where Escape had nothing else to do, such as to deselect. */
const escapeFreesTab = EditorView.domEventObservers({
  keydown: (/** @type {KeyboardEvent} */ event, /** @type {any} */ view) => {
    if (event.key === "Escape") view.setTabFocusMode(TAB_FREE_MS);
  },
});

export class Editor {
  #view;
  #readOnly = new Compartment();

  /**
   * @param {HTMLElement} host gets a shadow root with the editor in it
   * @param {object} options
   * @param {string} options.code
   * @param {string} options.label
   * @param {Consult} options.consult
   * @param {() => void} options.onRun Shift-Enter, Ctrl-Enter, Cmd-Enter
   * @param {() => void} options.onEdit the reader changed the code; not called for the setter
   */
  constructor(host, { code, label, consult, onRun, onEdit }) {
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open", delegatesFocus: true });
    root.replaceChildren();
    const run = () => (onRun(), true);
    this.#view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: code,
        extensions: [
          keymap.of([
            { key: "Shift-Enter", run },
            { key: "Mod-Enter", run },
            { key: "Ctrl-Enter", run },
          ]),
          escapeFreesTab,
          history(),
          drawSelection(),
          indentOnInput(),
          indentUnit.of("    "),
          bracketMatching(),
          closeBrackets(),
          autocompletion({ override: [completionsFrom(consult)], icons: false }),
          documentationFrom(consult),
          keymap.of([
            ...completionKeymap,
...closeBracketsKeymap,
            ...defaultKeymap,
            ...historyKeymap,
            indentWithTab,
          ]),
          python(),
          syntaxHighlighting(colours),
          theme,
          failingLine,
          this.#readOnly.of([]),
          EditorView.updateListener.of((/** @type {any} */ update) => {
            const ours = update.transactions.some((/** @type {any} */ t) => t.annotation(fromPage));
            if (update.docChanged && !ours) onEdit();
          }),
          EditorView.contentAttributes.of({
            "aria-label": label,
            autocapitalize: "off",
            autocorrect: "off",
            autocomplete: "off",
            spellcheck: "false",
            "data-gramm": "false",
          }),
        ],
      }),
    });
  }

  get code() {
    return this.#view.state.doc.toString();
  }

  /** Replaces all of it, as one step that Undo takes back. */
  set code(code) {
    const { state } = this.#view;
    this.#view.dispatch({
      changes: { from: 0, to: state.doc.length, insert: code },
      annotations: fromPage.of(true),
    });
  }

  /** @param {number | null} line 1-based, null to unmark */
  mark(line) {
    if (line === null && !this.#view.state.field(failingLine).size) return;
    this.#view.dispatch({ effects: markLine.of(line) });
  }

  focus() {
    this.#view.focus();
  }

  destroy() {
    this.#view.destroy();
  }
}
