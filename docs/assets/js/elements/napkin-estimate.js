/**
 * `<napkin-estimate>` asks for a number before the answer is read, and keeps it;
 * `<napkin-estimate-answer>`, further down the page, shows it beside the answer.
 */
import { announce } from "../lib/announcer.js";
import { compared, formatNumber, parseGuess } from "../lib/guess.js";
import { loadKept, saveKept, watchKept } from "../lib/kept.js";

const EXAMPLE = "Write one number, such as 400000, 4e5, 400k or 0.4 million.";

/** @param {HTMLElement} element */
const nameOf = (element) => `estimate:${element.getAttribute("ref")}`;

/**
 * @param {HTMLElement} element
 * @returns {number | null} the reader's guess, if there is one
 */
function guessOf(element) {
  const kept = /** @type {{guess?: unknown} | undefined} */ (loadKept(nameOf(element)));
  return typeof kept?.guess === "number" && kept.guess > 0 ? kept.guess : null;
}

/**
 * @param {HTMLElement} element
 * @param {number} guess
 */
function withUnit(element, guess) {
  const unit = element.dataset.unit ?? "";
  // As it was given, where that is short: 2147 is not told back as 2,150.
  const short = guess >= 0.001 && guess < 1e6 && Number(guess.toPrecision(6)) === guess;
  const text = short ? guess.toLocaleString("en-US", { maximumSignificantDigits: 6 }) : formatNumber(guess);
  return unit === "$" ? `$${text}` : `${text} ${unit}`.trim();
}

/**
 * @param {HTMLElement} element
 * @param {number | null} guess
 */
function verdict(element, guess) {
  if (guess === null) return "";
  return `Your estimate was ${withUnit(element, guess)}: ${compared(guess, Number(element.dataset.answer))}.`;
}

export class NapkinEstimate extends HTMLElement {
  #field = document.createElement("input");
  #said = document.createElement("p");
  #form = document.createElement("form");
  #change = document.createElement("button");
  #connected = new AbortController();

  connectedCallback() {
    if (!this.#form.isConnected) this.#build();
    this.#connected = new AbortController();
    const watch = (/** @type {string} */ name) => {
      if (name === nameOf(this)) this.#show();
    };
    watchKept(watch, this.#connected.signal);
    this.#show();
  }

  disconnectedCallback() {
    this.#connected.abort();
  }

  get #reveal() {
    return /** @type {HTMLDetailsElement | null} */ (this.querySelector("details[data-part=reveal]"));
  }

  #build() {
    const label = document.createElement("label");
    const keep = document.createElement("button");
    this.#field.type = "text";
    this.#field.autocomplete = "off";
    this.#field.setAttribute("autocapitalize", "off");
    this.#field.size = 10;
    this.#field.setAttribute("aria-label", `Your estimate: ${this.dataset.title}`);
    const { unit } = this.dataset;
    if (unit === "$") label.append("Your estimate $", this.#field);
    else label.append("Your estimate ", this.#field, ` ${unit}`);
    keep.textContent = "Keep it";
    keep.dataset.action = "keep";
    this.#form.append(label, keep);
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#keep();
    });
    this.#change.type = "button";
    this.#change.dataset.action = "change";
    this.#change.textContent = "Change it";
    this.#change.addEventListener("click", () => {
      this.dataset.state = "open";
      this.#form.hidden = false;
      this.#change.hidden = true;
      this.#field.value = "";
      this.#said.textContent = "";
      this.#field.focus();
    });
    this.#said.dataset.part = "said";
    const question = /** @type {HTMLElement} */ (this.querySelector("[data-part=question]"));
    question.after(this.#form, this.#said, this.#change);
    this.#reveal?.addEventListener("toggle", () => this.#show());
  }

  #keep() {
    const guess = parseGuess(this.#field.value, this.dataset.unit);
    if (guess === null) {
      this.#field.setAttribute("aria-invalid", "true");
      this.#said.textContent = EXAMPLE;
      announce(EXAMPLE);
      return;
    }
    this.#field.removeAttribute("aria-invalid");
    const hadFocus = this.#form.contains(document.activeElement);
    saveKept(nameOf(this), { guess });
    // Committed: now the answer may be seen.
    if (this.#reveal) this.#reveal.open = true;
    this.#show();
    if (hadFocus) (this.#reveal?.querySelector("summary") ?? this.#change).focus();
    announce(this.#said.textContent ?? "");
  }

  #show() {
    const guess = guessOf(this);
    if (guess === null) {
      this.dataset.state = "open";
      this.#form.hidden = false;
      this.#change.hidden = true;
      return;
    }
    this.dataset.state = "kept";
    this.#form.hidden = true;
    this.#change.hidden = Boolean(this.#reveal?.open);
    const open = this.#reveal?.open;
    this.#said.textContent = open
      ? verdict(this, guess)
      : `Your estimate: ${withUnit(this, guess)}. It is kept for you.`;
  }
}

export class NapkinEstimateAnswer extends HTMLElement {
  #said = document.createElement("p");
  #connected = new AbortController();

  connectedCallback() {
    this.#said.dataset.part = "said";
    /** @type {HTMLElement} */ (this.querySelector("[data-part=answer]")).after(this.#said);
    this.#connected = new AbortController();
    const watch = (/** @type {string} */ name) => {
      if (name === nameOf(this)) this.#show();
    };
    watchKept(watch, this.#connected.signal);
    this.#show();
  }

  disconnectedCallback() {
    this.#connected.abort();
  }

  #show() {
    this.#said.textContent = verdict(this, guessOf(this)) || "You gave no estimate.";
  }
}
