/** The row of buttons below a calculator's result. */

/** @type {Record<string, [label: string, hint: string]>} */
const BUTTONS = {
  pin: ["Compare", "Keep this result beside the next one"],
  share: ["Copy link", "Copy a link to this calculation"],
  text: ["Copy text", "Copy inputs, result and working as plain text"],
  markdown: ["Copy Markdown", "Copy inputs, result and working as Markdown"],
  json: ["Copy JSON", "Copy inputs, result and working as JSON"],
  print: ["Print", "Print this page"],
  reset: ["Reset", "Back to the page's own example"],
};

export class Buttons {
  element = document.createElement("div");
  /** @type {Map<string, HTMLButtonElement>} */
  #buttons = new Map();

  /**
   * @param {string} title of the calculator
   * @param {(action: string) => void} onPress
   */
  constructor(title, onPress) {
    this.element.dataset.part = "toolbar";
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", `${title}: keep and share`);
    for (const [action, [label, hint]] of Object.entries(BUTTONS)) {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.action = action;
      button.textContent = label;
      button.title = hint;
      button.dataset.preview = ""; // its title changes: not for the theme's tooltips
      button.addEventListener("click", () => onPress(action));
      this.#buttons.set(action, button);
      this.element.append(button);
    }
    this.pinned = false;
  }

  /** @param {boolean} pinned */
  set pinned(pinned) {
    const button = /** @type {HTMLButtonElement} */ (this.#buttons.get("pin"));
    button.textContent = pinned ? "Stop comparing" : BUTTONS.pin[0];
    button.title = pinned ? "Let go of the pinned result" : BUTTONS.pin[1];
  }

  /**
   * Show another label for a moment.
   * @param {string} action
   * @param {string} label
   */
  flash(action, label) {
    const button = /** @type {HTMLButtonElement} */ (this.#buttons.get(action));
    button.textContent = label;
    setTimeout(() => (button.textContent = BUTTONS[action][0]), 1500);
  }
}
