/**
 * The row of buttons below a cell's code, with its status and a menu for what is wanted less often.
 * Buttons that cannot be used now stay focusable and say why.
 */

/** @typedef {{action: string, label: string, hint: string}} ButtonFacts */
/** @typedef {{action: string, label: string, press: () => void}} Way on from here, a button */

/** @type {ButtonFacts[]} */
const CELL = [
  { action: "run", label: "Run", hint: "Run this cell (Shift+Enter)" },
  { action: "stop", label: "Stop", hint: "Stop the run" },
  { action: "reset", label: "Reset", hint: "Back to the lesson's code and its recorded output" },
  { action: "copy", label: "Copy", hint: "Copy the code" },
];

/** @type {ButtonFacts[]} */
const MORE = [
  { action: "run-above", label: "Run all above", hint: "Run the cells above this one, in order" },
  { action: "run-all", label: "Run all", hint: "Run all cells of this page, in order" },
  { action: "restart", label: "Restart Python", hint: "Variables, modules and files as at the beginning" },
  { action: "share", label: "Copy link", hint: "Copy a link that carries this code" },
  { action: "script", label: "Download .py", hint: "All cells of this page as a script" },
  { action: "notebook", label: "Download .ipynb", hint: "All cells as a notebook, for Jupyter" },
  { action: "colab", label: "Open in Colab", hint: "The lesson's notebook on Google Colab, in a new tab" },
];

/** @type {Way} */
export const RELOAD = { action: "reload", label: "Load the page again", press: () => location.reload() };

export class Toolbar {
  /** Where the focus goes when a button that had it is gone. */
  #first;
  element = document.createElement("div");
  /** @type {Map<string, {button: HTMLButtonElement, hint: string}>} */
  #buttons = new Map();
  #status = document.createElement("span");
  #bar = document.createElement("progress");
  #offers = document.createElement("span");
  #versions = document.createElement("span");
  /** Why a button could not be used, said when it was pressed. */
  #reason = "";

  /**
   * @param {string} title of the cell
   * @param {(action: string) => void} onPress
   * @param {{kind?: string, main?: ButtonFacts[], more?: ButtonFacts[]}} [buttons] default: a cell's
   */
  constructor(title, onPress, { kind = "Cell", main = CELL, more: rest = MORE } = {}) {
    this.#first = main[0].action;
    this.element.dataset.part = "toolbar";
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", `${kind}: ${title}`);
    const press = (/** @type {string} */ action) => {
      const { button } = this.#button(action);
      if (button.getAttribute("aria-disabled") === "true") this.say((this.#reason = button.title));
      else onPress(action);
    };
    const menu = document.createElement("div");
    menu.dataset.part = "menu";
    menu.hidden = true;
    const more = this.#make({ action: "more", label: "More", hint: "Run several, share, download" }, title);
    more.setAttribute("aria-expanded", "false");
    more.addEventListener("click", () => this.#toggle(menu, more));
    for (const [facts, parent] of [
      ...main.map((facts) => /** @type {const} */ ([facts, this.element])),
      ...rest.map((facts) => /** @type {const} */ ([facts, menu])),
    ]) {
      const button = this.#make(facts, title);
      button.addEventListener("click", () => press(facts.action));
      parent.append(button);
    }
    this.#status.dataset.part = "status";
    this.#bar.hidden = true;
    this.#bar.setAttribute("aria-label", "Progress");
    this.#offers.dataset.part = "offers";
    this.#versions.dataset.part = "versions";
    if (rest.length) this.element.append(more);
    this.element.append(this.#bar, this.#status, this.#offers, this.#versions, menu);
    this.element.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape" || menu.hidden) return;
      this.#toggle(menu, more);
      more.focus();
    });
  }

  /** What is said at the moment. */
  get said() {
    return this.#status.textContent ?? "";
  }

  /** @param {string} text shown beside the buttons */
  say(text) {
    this.#status.textContent = text;
  }

  /** @param {number | null | undefined} share null: unknown, undefined: none */
  progress(share) {
    this.#bar.hidden = share === undefined;
    if (typeof share === "number") this.#bar.value = share;
    else this.#bar.removeAttribute("value");
  }

  /** @param {Way[]} ways on from where a run has ended; none takes them back */
  offer(...ways) {
    this.#place(this.#offers, ways);
  }

  /** @param {Way[]} ways to other versions of the code; they stay whatever runs */
  offerVersions(...ways) {
    this.#place(this.#versions, ways);
  }

  /**
   * @param {HTMLElement} place
   * @param {Way[]} ways
   */
  #place(place, ways) {
    place.replaceChildren(
      ...ways.map(({ action, label, press }) => {
        const button = document.createElement("button");
        button.type = "button";
        button.dataset.action = action;
        button.textContent = label;
        button.addEventListener("click", () => {
          const focused = document.activeElement === button;
          place.replaceChildren();
          if (focused) this.#button(this.#first).button.focus();
          press();
        });
        return button;
      }),
    );
  }

  /**
   * @param {string} action
   * @param {string | undefined} reason why it cannot be used now; undefined when it can
   */
  enable(action, reason) {
    const { button, hint } = this.#button(action);
    // A reason that no longer holds is not left standing.
    if (this.#reason && button.title === this.#reason && reason !== this.#reason) {
      if (this.said === this.#reason) this.say("");
      this.#reason = "";
    }
    button.setAttribute("aria-disabled", String(reason !== undefined));
    button.title = reason ?? hint;
  }

  /**
   * Show another label for a moment.
   * @param {string} action
   * @param {string} label
   */
  flash(action, label) {
    const { button } = this.#button(action);
    const before = (button.dataset.label ??= button.textContent ?? "");
    button.textContent = label;
    setTimeout(() => (button.textContent = before), 1500);
  }

  /** @param {string} action */
  #button(action) {
    return /** @type {{button: HTMLButtonElement, hint: string}} */ (this.#buttons.get(action));
  }

  /**
   * @param {ButtonFacts} facts
   * @param {string} title
   */
  #make({ action, label, hint }, title) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.action = action;
    button.textContent = label;
    button.title = hint;
    // Not for the theme's tooltips: they put back a title that may no longer be true.
    button.dataset.preview = "";
    button.setAttribute("aria-label", `${label}: ${title}`);
    this.#buttons.set(action, { button, hint });
    return button;
  }

  /**
   * @param {HTMLElement} menu
   * @param {HTMLButtonElement} more
   */
  #toggle(menu, more) {
    menu.hidden = !menu.hidden;
    more.setAttribute("aria-expanded", String(!menu.hidden));
    if (!menu.hidden) /** @type {HTMLElement} */ (menu.firstElementChild).focus();
  }
}
