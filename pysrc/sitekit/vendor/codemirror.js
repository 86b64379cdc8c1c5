// The parts of CodeMirror 6 that the cell's editor uses. `make setup` bundles them, each package
// once, into docs/assets/vendor/codemirror.js. Each is read when its function is called, in the
// order given here: read at once they keep the page from scrolling and typing for too long.
export const read = {
  state: () => import("./codemirror/state.js"),
  view: () => import("./codemirror/view.js"),
  language: () => import("./codemirror/language.js"),
  grammar: () => import("./codemirror/grammar.js"),
  commands: () => import("./codemirror/commands.js"),
  autocomplete: () => import("./codemirror/autocomplete.js"),
};
