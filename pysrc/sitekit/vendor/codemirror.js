// The parts of CodeMirror 6 that the cell's editor uses. `make setup` bundles them, each package
// once, into docs/assets/vendor/codemirror.js; add a name here and import it from there.
export {
  Annotation,
  Compartment,
  EditorSelection,
  EditorState,
  Prec,
  RangeSet,
  RangeSetBuilder,
  StateEffect,
  StateField,
  Transaction,
} from "@codemirror/state";
export {
  Decoration,
  EditorView,
  GutterMarker,
  ViewPlugin,
  WidgetType,
  drawSelection,
  gutter,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  lineNumbers,
  placeholder,
  showTooltip,
} from "@codemirror/view";
export {
  defaultKeymap,
  history,
  historyKeymap,
  indentLess,
  indentMore,
  indentWithTab,
  redo,
  toggleComment,
  toggleTabFocusMode,
  undo,
} from "@codemirror/commands";
export {
  HighlightStyle,
  bracketMatching,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
  syntaxTree,
} from "@codemirror/language";
export { python, pythonLanguage } from "@codemirror/lang-python";
export {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
export { searchKeymap } from "@codemirror/search";
export { lintGutter, setDiagnostics } from "@codemirror/lint";
export { classHighlighter, tags } from "@lezer/highlight";
