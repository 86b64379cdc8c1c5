/**
 * A calculator's fields: their texts, what was read of them, what is wrong with them.
 */
import { Combobox } from "./combobox.js";

/** Longer texts of a config.json make links that messengers cut. */
const LONGEST_IN_LINK = 4000;

/** @typedef {Record<string, string>} Texts by the name of the field */
/** @typedef {HTMLInputElement | HTMLSelectElement} Control */

export class Form {
  /** @type {HTMLFormElement} */
  #form;
  /** Texts of configurations that stand behind a short name in the field. @type {Map<string, string>} */
  #configs = new Map();
  /** @type {Combobox[]} */
  #lists = [];

  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.#form = form;
    for (const input of form.querySelectorAll("input[list]")) {
      this.#lists.push(new Combobox(/** @type {HTMLInputElement} */ (input)));
    }
    form.addEventListener("submit", (event) => event.preventDefault());
    // Before anyone else hears of the change.
    form.addEventListener("input", (event) => this.#follow(event), { capture: true });
    for (const input of this.#models()) this.#acceptConfig(input);
  }

  /** All fields' texts, as the function is given them. */
  get texts() {
    return this.#read((control) => this.#text(control));
  }

  /** The texts that differ from the defaults. */
  get changed() {
    const defaults = this.#read(defaultText);
    const entries = Object.entries(this.texts);
    return Object.fromEntries(entries.filter(([name, text]) => text !== defaults[name]));
  }

  /** The texts that a link can carry, and whether that is all. @returns {{texts: Texts, whole: boolean}} */
  get linked() {
    const entries = Object.entries(this.changed);
    const kept = entries.filter(([, text]) => text.length <= LONGEST_IN_LINK);
    return { texts: Object.fromEntries(kept), whole: kept.length === entries.length };
  }

  /** What the fields say, by their labels, for people. @returns {{name: string, label: string, text: string}[]} */
  get said() {
    return this.#controls().map((control) => {
      const unit = control.closest("[data-part=control]")?.querySelector("[data-part=unit]")?.textContent;
      const text = control instanceof HTMLSelectElement ? chosen(control) : shownText(control);
      const units = unit && text && ` ${text === "1" ? unit.replace(/s$/, "") : unit}`;
      return { name: control.name, label: labelOf(control), text: text ? text + (units ?? "") : "not given" };
    });
  }

  /**
   * @param {Texts} texts the other fields get their defaults
   * @returns {string[]} what of them there is no field or choice for
   */
  fill(texts) {
    this.#form.reset();
    const controls = this.#controls();
    const names = new Set(controls.map(({ name }) => name));
    const missing = Object.keys(texts).filter((name) => !names.has(name)).map((name) => `a field “${short(name)}”`);
    for (const control of controls) {
      const text = texts[control.name];
      if (text === undefined) continue;
      if (control instanceof HTMLSelectElement) {
        const option = [...control.options].find(({ value }) => value.toLowerCase() === text.trim().toLowerCase());
        if (option) control.value = option.value;
        else missing.push(`“${short(text)}” for ${labelOf(control)}`);
      } else if (control.type === "checkbox") {
        const word = text.trim().toLowerCase();
        if (word === "yes" || word === "no") control.checked = word === "yes";
        else missing.push(`“${short(text)}” for ${labelOf(control)}`);
      } else if (text.trim().startsWith("{")) control.value = this.#keepConfig(text, "config.json");
      else control.value = text;
    }
    this.#slide();
    return missing;
  }

  /**
   * @param {Texts} problems by field
   * @param {Texts} read by field
   */
  show(problems, read) {
    for (const control of this.#controls()) {
      const problem = problems[control.name];
      const field = /** @type {HTMLElement} */ (control.closest("[data-field]"));
      const note = /** @type {HTMLElement} */ (field.querySelector("[data-part=note]"));
      if (problem) control.setAttribute("aria-invalid", "true");
      else control.removeAttribute("aria-invalid");
      // What was read of another field before it is still so while this one is wrong.
      const text = problem ?? read[control.name] ?? "";
      if (note.textContent !== text) note.textContent = text;
    }
  }

  /** @param {string} name of a field */
  label(name) {
    const control = this.#controls().find((one) => one.name === name);
    return control ? labelOf(control) : "";
  }

  /** @param {File} file a config.json, dropped or chosen */
  async takeFile(file) {
    const [input] = this.#models();
    if (!input) return;
    input.value = this.#keepConfig(await file.text(), file.name);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** Whether a model can be given as a file. */
  get takesFiles() {
    return this.#models().length > 0;
  }

  /** Close what hangs open. */
  close() {
    for (const list of this.#lists) list.close();
  }

  /** @returns {Control[]} */
  #controls() {
    const named = this.#form.querySelectorAll("[data-part=control] > [name], [data-part=control] > .combobox > [name]");
    return /** @type {Control[]} */ ([...named]);
  }

  #models() {
    const inputs = this.#form.querySelectorAll("[data-kind=modelinput] input[name]");
    return /** @type {HTMLInputElement[]} */ ([...inputs]);
  }

  /** @param {(control: Control) => string} textOf @returns {Texts} */
  #read(textOf) {
    return Object.fromEntries(this.#controls().map((control) => [control.name, textOf(control)]));
  }

  /** @param {Control} control */
  #text(control) {
    return this.#configs.get(control.value) ?? shownText(control);
  }

  /**
   * Keep a configuration behind a name.
   * @param {string} text
   * @param {string} name
   */
  #keepConfig(text, name) {
    const shown = `${name} (${text.length.toLocaleString("en")} characters)`;
    let small = text.trim();
    try {
      small = JSON.stringify(JSON.parse(small));
    } catch {
      // Python says what is wrong with it.
      if (!small.startsWith("{")) small = `{${small}`;
    }
    this.#configs.set(shown, small);
    return shown;
  }

  /** @param {HTMLInputElement} input */
  #acceptConfig(input) {
    input.addEventListener("paste", (event) => {
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (!text.trim().startsWith("{")) return;
      event.preventDefault();
      input.value = this.#keepConfig(text, "config.json");
      input.dispatchEvent(new Event("input", { bubbles: true }));
    });
    const chooser = document.createElement("input");
    chooser.type = "file";
    chooser.accept = ".json,application/json";
    chooser.hidden = true;
    chooser.addEventListener("change", () => {
      const file = chooser.files?.[0];
      if (file) this.takeFile(file);
      chooser.value = "";
    });
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.action = "file";
    button.textContent = "config.json…";
    button.title = "Choose a config.json, or drop it anywhere here; it is read in this page alone";
    button.addEventListener("click", () => chooser.click());
    input.closest("[data-part=control]")?.append(button, chooser);
  }

  /** Slider and field say the same. @param {Event} event */
  #follow(event) {
    const { target } = event;
    if (!(target instanceof HTMLInputElement)) return;
    if (target.dataset.part === "slider") {
      const field = /** @type {HTMLInputElement} */ (target.closest("[data-part=control]")?.querySelector("[name]"));
      const percent = target.dataset.percent !== undefined;
      field.value = percent ? `${Math.round(target.valueAsNumber * 1000) / 10}%` : target.value;
    } else this.#slide();
  }

  /** Move the sliders to what stands in the fields. */
  #slide() {
    for (const slider of this.#form.querySelectorAll("input[data-part=slider]")) {
      const field = /** @type {HTMLInputElement} */ (slider.closest("[data-part=control]")?.querySelector("[name]"));
      let value = Number.parseFloat(field.value);
      if (field.value.trim().endsWith("%") || (value > 1 && "percent" in /** @type {HTMLElement} */ (slider).dataset)) value /= 100;
      if (Number.isFinite(value)) /** @type {HTMLInputElement} */ (slider).value = String(value);
    }
  }
}

/** @param {string} text of a link, which can be anything */
function short(text) {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** @param {Control} control */
function shownText(control) {
  if (control instanceof HTMLInputElement && control.type === "checkbox") return control.checked ? "yes" : "no";
  return control.value;
}

/** @param {Control} control */
function defaultText(control) {
  if (control instanceof HTMLSelectElement) {
    return ([...control.options].find((option) => option.defaultSelected) ?? control.options[0]).value;
  }
  if (control.type === "checkbox") return control.defaultChecked ? "yes" : "no";
  return control.defaultValue;
}

/** @param {HTMLSelectElement} select */
function chosen(select) {
  return select.selectedOptions[0]?.textContent ?? "";
}

/** @param {Control} control */
function labelOf(control) {
  return control.labels?.[0]?.textContent ?? control.name;
}
