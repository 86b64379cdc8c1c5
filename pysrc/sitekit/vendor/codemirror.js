// The parts of CodeMirror 6 that the cell's editor uses. `make setup` bundles them, each package
// once, into docs/assets/vendor/codemirror.js; add a name here and import it from there.
export { Annotation, Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
export { Decoration, EditorView, drawSelection, hoverTooltip, keymap } from "@codemirror/view";
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export {
  HighlightStyle,
  bracketMatching,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
export { python } from "@codemirror/lang-python";
export {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
export { tags } from "@lezer/highlight";
