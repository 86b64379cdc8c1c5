export { Annotation, EditorState, StateEffect, StateField } from "@codemirror/state";
