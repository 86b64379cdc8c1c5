/**
 * `<napkin-choices>`: the settings of practice; each applies at once.
 *
 * @import {PracticeStore} from "../lib/practice/store.js"
 * @import {Settings} from "../lib/practice/settings.js"
 */
import { announce } from "../lib/announcer.js";
import { forgetNearby, whenNearby } from "../lib/nearby.js";
import { button, group, part } from "../lib/practice/dom.js";
import { moveAll, moved, reviewsPerDay } from "../lib/practice/load.js";
import { RETENTION } from "../lib/practice/schedule.js";
import { fits } from "../lib/practice/settings.js";
import { practice } from "../lib/practice/store.js";
import { counted } from "../lib/practice/wording.js";

const SETTLE_MS = 300;

export class NapkinChoices extends HTMLElement {
  #connected = new AbortController();
  #store = /** @type {PracticeStore} */ (/** @type {unknown} */ (undefined));
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #retention = document.createElement("input");
  #fields = /** @type {Map<keyof Settings, HTMLInputElement | HTMLSelectElement>} */ (new Map());

  async connectedCallback() {
    this.#connected = new AbortController();
    const { signal } = this.#connected;
    this.#store = await practice();
    if (signal.aborted) return;
    this.#build();
    whenNearby(this, () => {
      this.#show();
      this.#store.subscribe(() => {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#show(), SETTLE_MS);
      }, signal);
    });
  }

  disconnectedCallback() {
    this.#connected.abort();
    clearTimeout(this.#timer);
    forgetNearby(this);
  }

  #build() {
    const remember = group("How much to remember");
    this.#retention.type = "range";
    this.#retention.min = String(100 * RETENTION.least);
    this.#retention.max = String(100 * RETENTION.most);
    this.#retention.step = "1";
    this.#retention.addEventListener("input", () => this.#preview());
    this.#retention.addEventListener("change", () => this.#choose("retention", Number(this.#retention.value) / 100));
    const label = document.createElement("label");
    label.append("Of the cards that come back, know ", this.#retention);
    const load = part("p", "load");
    load.setAttribute("role", "status");
    const move = button("move-all", "", async () => {
      await moveAll(this.#store);
      announce("The dates were moved.");
    });
    move.hidden = true; // until there is something to move
    remember.append(label, load, move);
    const days = group("Each day");
    days.append(
      this.#number("newPerDay", "New cards a day", 0, 9999),
      this.#number("rollover", "A new day begins at (hour)", 0, 23),
    );
    const buttons = group("Buttons and name");
    const choice = document.createElement("select");
    choice.append(new Option("Again, Hard, Good, Easy", "4"), new Option("Forgot, Remembered", "2"));
    choice.addEventListener("change", () => this.#choose("buttons", choice.value === "2" ? 2 : 4));
    const choiceLabel = document.createElement("label");
    choiceLabel.append("Grade with ", choice);
    this.#fields.set("buttons", choice);
    const name = document.createElement("input");
    name.type = "text";
    name.maxLength = 60;
    name.autocomplete = "off";
    name.addEventListener("change", () => this.#choose("name", name.value.trim()));
    const nameLabel = document.createElement("label");
    nameLabel.append("Name on backups (if you share this browser) ", name);
    this.#fields.set("name", name);
    buttons.append(choiceLabel, nameLabel);
    const kept = part("p", "note");
    kept.dataset.part = "kept";
    this.replaceChildren(remember, days, buttons, kept);
    this.#showStorage(kept);
  }

  /**
   * @param {"newPerDay" | "rollover"} key
   * @param {string} text
   * @param {number} least
   * @param {number} most
   */
  #number(key, text, least, most) {
    const field = document.createElement("input");
    field.type = "number";
    field.min = String(least);
    field.max = String(most);
    field.addEventListener("change", () => {
      if (field.value !== "" && fits(key, Number(field.value))) this.#choose(key, Number(field.value));
      else {
        announce(`A whole number from ${least} to ${most}, please.`);
        this.#show();
      }
    });
    this.#fields.set(key, field);
    const label = document.createElement("label");
    label.append(`${text} `, field);
    return label;
  }

  /**
   * @template {keyof Settings} K
   * @param {K} key
   * @param {Settings[K]} value
   */
  async #choose(key, value) {
    await this.#store.choose(key, value);
    announce("Kept.");
  }

  #show() {
    const { settings } = this.#store;
    this.#retention.value = String(Math.round(100 * settings.retention));
    for (const [key, field] of this.#fields) {
      if (document.activeElement !== field) field.value = String(settings[key]);
    }
    this.#preview();
  }

  /** What the slider's place would cost, before it is let go. */
  #preview() {
    const states = [...this.#store.states.values()];
    const wanted = Number(this.#retention.value) / 100;
    const now = reviewsPerDay(states, this.#store.settings.retention);
    const then = reviewsPerDay(states, wanted);
    const rate = (/** @type {number} */ value) => (value < 10 ? value.toFixed(1) : String(Math.round(value)));
    const load = /** @type {HTMLElement} */ (this.querySelector("[data-part=load]"));
    load.textContent = `${Math.round(100 * wanted)} %: in the long run about ${rate(then)} reviews a day for the cards learnt so far${
      wanted === this.#store.settings.retention ? "" : ` (now ${rate(now)})`
    }. Dates already given stay.`;
    this.#retention.setAttribute("aria-valuetext", `${Math.round(100 * wanted)} percent`);
    const changes = moved(states, this.#store.settings.retention);
    const today = this.#store.today();
    const due = changes.filter(({ due }) => due <= today).length;
    const move = /** @type {HTMLButtonElement} */ (this.querySelector("[data-action=move-all]"));
    move.hidden = changes.length === 0;
    move.textContent = `Move ${counted(changes.length, "date")} to this setting (${due} due today)`;
  }

  /** @param {HTMLElement} place */
  async #showStorage(place) {
    try {
      const kept = await navigator.storage.persisted();
      const { usage = 0 } = await navigator.storage.estimate();
      const size = usage < 1e6 ? `${Math.round(usage / 1e3)} kB` : `${(usage / 1e6).toFixed(1)} MB`;
      place.textContent = `This site keeps ${size} in this browser, which ${
        kept ? "has promised not to clear it" : "may clear it when space is short"
      }.`;
    } catch {
      place.textContent = "This browser does not tell how it keeps your reviews.";
    }
  }
}
