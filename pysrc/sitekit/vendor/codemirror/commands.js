export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
