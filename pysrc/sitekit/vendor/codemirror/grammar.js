export { python } from "@codemirror/lang-python";
