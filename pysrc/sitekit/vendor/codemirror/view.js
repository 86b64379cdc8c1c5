export {
  Decoration,
  EditorView,
  drawSelection,
  hoverTooltip,
  keymap,
  showTooltip,
} from "@codemirror/view";
