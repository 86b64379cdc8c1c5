/**
 * A text field with a list to choose from, made of an `<input list>` and its `<datalist>`.
 *
 * The browser's own list shows only what begins like the field's present text, so a field that is
 * filled already hides all else. Here every word may stand anywhere, in any order: "8b llama".
 */

/** More would be scrolled, not read. */
const MOST_SHOWN = 60;

/** @typedef {{value: string, about: string, words: string}} Option */

export class Combobox {
  /** @type {Option[]} */
  #options;
  #list = document.createElement("ul");
  #active = -1;

  /** @param {HTMLInputElement} input */
  constructor(input) {
    this.input = input;
    const all = /** @type {HTMLDataListElement} */ (input.list).options;
    this.#options = [...all].map(({ value, textContent }) => {
      const about = textContent && textContent !== value ? textContent : "";
      return { value, about, words: `${value} ${about}`.toLowerCase() };
    });
    input.removeAttribute("list");
    this.#list.id = `${input.id}-options`;
    this.#list.setAttribute("role", "listbox");
    this.#list.setAttribute("aria-label", input.labels?.[0]?.textContent ?? "");
    this.#list.hidden = true;
    // The field itself stays in its place: moving it would take the focus of who types already.
    input.after(this.#list);
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-controls", this.#list.id);
    input.setAttribute("aria-expanded", "false");
    input.addEventListener("input", ({ isTrusted }) => isTrusted && this.#open(input.value));
    input.addEventListener("click", () => this.#list.hidden && this.#open(""));
    input.addEventListener("focus", () => input.select());
    input.addEventListener("blur", () => this.close());
    input.addEventListener("keydown", (event) => this.#press(event));
    // The list must not take the focus from the field.
    this.#list.addEventListener("pointerdown", (event) => event.preventDefault());
    this.#list.addEventListener("click", ({ target }) => {
      const item = /** @type {Element} */ (target).closest("[role=option]");
      if (item) this.#pick(/** @type {HTMLElement} */ (item));
    });
  }

  close() {
    this.#list.hidden = true;
    this.#active = -1;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  /** @param {string} text that the options must have, word by word */
  #open(text) {
    const words = text.toLowerCase().split(/[\s-]+/).filter(Boolean);
    const found = this.#options.filter((option) => words.every((word) => option.words.includes(word)));
    if (!found.length || (found.length === 1 && found[0].value === text)) return this.close();
    // With nothing asked for, all is shown, however much: the reader wants to look around.
    const shown = words.length ? found.slice(0, MOST_SHOWN) : found;
    this.#list.replaceChildren(...shown.map((option, index) => this.#item(option, index)));
    this.#list.hidden = false;
    this.#active = -1;
    this.input.setAttribute("aria-expanded", "true");
    this.input.removeAttribute("aria-activedescendant");
    const present = shown.findIndex(({ value }) => value === this.input.value);
    this.#list.scrollTop = 0;
    if (present >= 0) {
      this.#activate(present);
      this.#list.scrollTop = /** @type {HTMLElement} */ (this.#list.children[present]).offsetTop - 60;
    }
  }

  /**
   * @param {Option} option
   * @param {number} index
   */
  #item({ value, about }, index) {
    const item = document.createElement("li");
    item.id = `${this.#list.id}-${index}`;
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", "false");
    item.dataset.choice = value;
    const name = document.createElement("span");
    name.textContent = value;
    item.append(name);
    if (about) {
      const note = document.createElement("span");
      note.dataset.part = "about";
      note.textContent = about;
      item.append(" ", note);
    }
    return item;
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const { key, altKey } = event;
    const open = !this.#list.hidden;
    const steps = /** @type {Record<string, number>} */ ({ ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 });
    if (steps[key]) {
      event.preventDefault();
      if (!open) this.#open("");
      else this.#move(altKey ? 0 : steps[key]);
    } else if (open && key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      this.close();
    } else if (open && key === "Enter" && this.#active >= 0) {
      event.preventDefault();
      this.#pick(/** @type {HTMLElement} */ (this.#list.children[this.#active]));
    }
  }

  /** @param {number} step */
  #move(step) {
    const last = this.#list.children.length - 1;
    const from = this.#active < 0 && step < 0 ? last + 1 : this.#active;
    const to = Math.abs(step) === 1 ? (from + step + last + 1) % (last + 1) : from + step;
    this.#activate(Math.min(Math.max(to, 0), last));
    this.#list.children[this.#active].scrollIntoView({ block: "nearest" });
  }

  /** @param {number} index */
  #activate(index) {
    this.#list.children[this.#active]?.setAttribute("aria-selected", "false");
    this.#active = index;
    const item = this.#list.children[index];
    item.setAttribute("aria-selected", "true");
    this.input.setAttribute("aria-activedescendant", item.id);
  }

  /** @param {HTMLElement} item */
  #pick(item) {
    this.input.value = item.dataset.choice ?? "";
    this.close();
    this.input.dispatchEvent(new Event("input", { bubbles: true }));
  }
}
