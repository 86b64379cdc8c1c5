/**
 * The code editor of a cell. Loaded when first needed, after `readCodeMirror`.
 *
 * It lives in a shadow root, because instant navigation removes every `<style>` from the head
 * that the next page does not bring, an editor's own included; in a shadow root CodeMirror uses
 * adopted style sheets. Colours are the theme's variables, so that dark mode needs no script.
 */
import { codemirror } from "./codemirror.js";
import { nextTask } from "./in-turn.js";
import { pythonHelp } from "./python-help.js";

const {
  Annotation,
  Decoration,
  EditorState,
  EditorView,
  HighlightStyle,
  StateEffect,
  StateField,
  bracketMatching,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  defaultKeymap,
  drawSelection,
  history,
  historyKeymap,
  indentOnInput,
  indentUnit,
  indentWithTab,
  keymap,
  python,
  syntaxHighlighting,
  tags,
} = codemirror;

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
  // The page's style sheets do not reach in here. Paper does not scroll: long lines are broken.
  "@media print": {
    ".cm-content": { flexShrink: "1", whiteSpace: "pre-wrap", overflowWrap: "anywhere" },
  },
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

/** How long after Escape the Tab key leaves the editor. */
const TAB_FREE_MS = 2_000;

/** By itself CodeMirror frees Tab only where Escape had nothing else to do, such as to deselect. */
const escapeFreesTab = EditorView.domEventObservers({
  keydown: (/** @type {KeyboardEvent} */ event, /** @type {any} */ view) => {
    if (event.key === "Escape") view.setTabFocusMode(TAB_FREE_MS);
  },
});

/** @param {ShadowRoot} root is to show what its host has inside */
function showHost(root) {
  root.replaceChildren(document.createElement("slot"));
}

export class Editor {
  #view;

  /** @param {any} view */
  constructor(view) {
    this.#view = view;
  }

  /**
   * Puts an editor in the place of what an element shows. It is made in steps, each in a task of
   * its own; until the last the element shows what it showed.
   *
   * @param {HTMLElement} host gets a shadow root with the editor in it
   * @param {object} options
   * @param {string} options.code
   * @param {string} options.label
   * @param {import("./python-help.js").Consult} options.consult
   * @param {() => void} options.onRun Shift-Enter, Ctrl-Enter, Cmd-Enter
   * @param {(code: string) => void} options.onEdit the reader changed the code; the setter did not
   */
  static async mount(host, { code, label, consult, onRun, onEdit }) {
    const attributes = {
      "aria-label": label,
      autocapitalize: "off",
      autocorrect: "off",
      autocomplete: "off",
      spellcheck: "false",
      "data-gramm": "false",
    };
    const run = () => (onRun(), true);
    const edited = (/** @type {any} */ update) => {
      const ours = update.transactions.some((/** @type {any} */ t) => t.annotation(fromPage));
      if (update.docChanged && !ours) onEdit(update.state.doc.toString());
    };
    // What comes first takes keys first.
    const steps = [
      [python()],
      [syntaxHighlighting(colours), bracketMatching(), failingLine],
      [
        keymap.of(["Shift-Enter", "Mod-Enter", "Ctrl-Enter"].map((key) => ({ key, run }))),
        escapeFreesTab,
        history(),
        drawSelection(),
        indentOnInput(),
        indentUnit.of("    "),
        closeBrackets(),
        pythonHelp(consult),
        keymap.of([
          ...completionKeymap,
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...historyKeymap,
          indentWithTab,
        ]),
        EditorView.updateListener.of(edited),
      ],
    ];
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open", delegatesFocus: true });
    showHost(root);
    const extensions = [theme, EditorView.contentAttributes.of(attributes)];
    const view = new EditorView({ root, state: EditorState.create({ doc: code, extensions }) });
    for (const step of steps) {
      await nextTask();
      view.dispatch({ effects: StateEffect.appendConfig.of(step) });
    }
    root.replaceChildren(view.dom);
    return new Editor(view);
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

  /** The element shows again what it has inside. */
  destroy() {
    const { root } = this.#view;
    this.#view.destroy();
    showHost(root);
  }
}
