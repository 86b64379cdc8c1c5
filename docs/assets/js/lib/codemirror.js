/**
 * The parts of CodeMirror that the editor is made of. Each is read, and makes what it makes when
 * it is read, in a task of its own: all in one would keep a slow phone from scrolling and typing.
 */
import { read } from "../../vendor/codemirror.js";
import { nextTask } from "./in-turn.js";

export const { Annotation, EditorState, StateEffect, StateField } = await read.state();
await nextTask();
export const { Decoration, EditorView, drawSelection, hoverTooltip, keymap, showTooltip } =
  await read.view();
await nextTask();
export const {
  HighlightStyle,
  bracketMatching,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
  tags,
} = await read.language();
await nextTask();
export const { python } = await read.grammar();
await nextTask();
export const { defaultKeymap, history, historyKeymap, indentWithTab } = await read.commands();
await nextTask();
export const { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } =
  await read.autocomplete();
