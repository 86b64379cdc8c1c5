export {
  Decoration,
  EditorView,
  drawSelection,
  hoverTooltip,
  keymap,
} from "@codemirror/view";
