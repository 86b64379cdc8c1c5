/**
 * `<napkin-calculator>`: a form whose answer is a Python function's, with its working.
 *
 * The answer to the defaults stands in the page already. On the reader's first change Python
 * starts, and the old answer stays, marked as old, until there is a new one. The page calls the
 * very function that wrote the default answer when the site was built.
 *
 * @import {Calculation} from "../lib/calculator/copying.js"
 * @import {Chart} from "../lib/calculator/drawing.js"
 * @import {Mounted, View} from "../lib/calculator/grid.js"
 */
import { announce } from "../lib/announcer.js";
import { Buttons } from "../lib/calculator/buttons.js";
import { Form } from "../lib/calculator/form.js";
import { linkTo, state, stated } from "../lib/calculator/fragment.js";
import { copyText } from "../lib/clipboard.js";
import { formatProgress } from "../lib/format.js";
import { runtime } from "../lib/runtime.js";

/** A change answered within this time is not worth a word about the old answer. */
const SOON_MS = 150;
/** Whoever stops typing this long is told what is wrong, and hears the answer. */
const PAUSE_MS = 500;

/**
 * When a link to a calculation was last followed; its answer is to be seen. One may have brought the
 * reader here, or been followed before this script came.
 */
let followed = performance.now();
const FOLLOWED_MS = 3_000;
addEventListener(
  "click",
  ({ target }) => {
    const link = target instanceof Element ? target.closest("a[href*='#']") : null;
    if (link) followed = performance.now();
  },
  { capture: true },
);

// What only some pages or readers need comes when it is needed.
const charts = () => import("../lib/calculator/chart.js");
const comparing = () => import("../lib/calculator/compare.js");
const copying = () => import("../lib/calculator/copying.js");
const grids = () => import("../lib/calculator/grid.js");
const pictures = () => import("../lib/calculator/pictures.js");

/**
 * @typedef {object} Reply what `napkin.forms:shown` returns
 * @property {{label: string, text: string} | null} headline null where something is wrong
 * @property {string} html of the answer, its pictures still to be drawn
 * @property {Chart[]} charts that they show
 * @property {Record<string, string>} problems
 * @property {Record<string, string>} read
 * @property {string[]} unknown
 */

export class NapkinCalculator extends HTMLElement {
  // Made by #build, before anything uses them.
  #form = /** @type {Form} */ (/** @type {unknown} */ (undefined));
  #buttons = /** @type {Buttons} */ (/** @type {unknown} */ (undefined));
  /** The latest question's number; replies to others are dropped. */
  #asked = 0;
  /** A question is with Python. */
  #asking = false;
  /** What Python said last of the fields. @type {Reply | null} */
  #reply = null;
  /** What stands there is an answer to the reader's values. */
  #answered = false;
  /** The page's own answer, for Reset. */
  #original = { html: "", read: /** @type {Record<string, string>} */ ({}) };
  /** @type {Calculation | null} */
  #pinned = null;
  /** The answer of a followed link is still to come. */
  #awaited = false;
  /** How the reader has arranged the grid. @type {View | undefined} */
  #view;
  /** The grid that stands here. @type {Mounted | undefined} */
  #grid;
  /** Once there is a chart. @type {Awaited<ReturnType<typeof charts>> | undefined} */
  #charts;
  /** The result that was last told to those who listen. */
  #said = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #soon;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #pause;
  #connected = new AbortController();

  connectedCallback() {
    if (!this.#form) this.#build();
    this.#connected = new AbortController();
    const { signal } = this.#connected;
    this.#part("form").addEventListener("focusin", () => this.#warm(), { signal, once: true });
    this.#part("form").addEventListener("input", () => this.#change(), { signal });
    this.#part("form").addEventListener("change", () => this.#speak(), { signal });
    addEventListener("hashchange", () => this.#takeStated(), { signal });
    document.addEventListener("click", (event) => this.#follow(event), { signal, capture: true });
    this.addEventListener("dragover", (event) => this.#allowDrop(event), { signal });
    this.addEventListener("dragleave", () => delete this.dataset.drop, { signal });
    this.addEventListener("drop", (event) => this.#drop(event), { signal });
    this.#takeStated();
    // What was typed before this script was there.
    if (!this.#asking && Object.keys(this.#form.changed).length) this.#change();
  }

  disconnectedCallback() {
    this.#connected.abort();
    clearTimeout(this.#soon);
    clearTimeout(this.#pause);
    this.#form.close();
    this.#asked++;
    this.#asking = false;
  }

  #build() {
    const form = /** @type {HTMLFormElement} */ (this.#part("form"));
    for (const note of form.querySelectorAll("[data-part=note]")) {
      const name = /** @type {HTMLElement} */ (note.closest("[data-field]")).dataset.field ?? "";
      if (note.textContent) this.#original.read[name] = note.textContent;
    }
    this.#form = new Form(form);
    this.#buttons = new Buttons(this.#title, (action) => this.#press(action));
    const result = this.#part("result");
    this.#original.html = result.innerHTML;
    result.after(this.#buttons.element);
    this.#dress();
  }

  /** @param {string} action */
  async #press(action) {
    if (action === "reset") this.#reset();
    else if (action === "print") print();
    else if (action === "share") {
      if (!this.#form.linked.whole) this.#say("The link leaves the config.json out: it is too long.");
      this.#copy(action, this.#link);
    } else if (action === "pin" && this.#pinned) this.#pin(null);
    else if (this.dataset.old !== undefined) this.#say("This result is not of the values above: wait, or correct them.");
    else if (action === "pin") this.#pin(await this.#calculation());
    else this.#copy(action, this.#formatted(action));
  }

  /** The fields have changed. */
  #change() {
    this.#form.show(this.#shownProblems(), this.#reply?.read ?? this.#original.read);
    this.#listInputs();
    state(this.#ident, this.#form.linked.texts);
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => this.#markOld("Calculating…"), SOON_MS);
    this.#ask();
    this.#speak(PAUSE_MS);
  }

  /** The reader is about to ask; what draws the answer comes along with what calculates it. */
  #warm() {
    runtime.warm([]);
    if (!this.querySelector("[data-chart]")) return;
    pictures()
      .then(({ fetchLibrary }) => fetchLibrary())
      .catch(() => {}); // asked for again with the answer, which says so
  }

  /** One question at a time is with Python; what was typed meanwhile is asked next, as it stands. */
  async #ask() {
    const number = ++this.#asked;
    if (this.#asking) return;
    this.#asking = true;
    const booting = runtime.state !== "ready" && runtime.state !== "busy";
    if (booting) {
      this.dataset.state = "booting";
      this.#warm(); // a link asks before anyone has come near
    }
    try {
      const reply = await runtime.call("napkin.forms:shown", [this.getAttribute("ref"), this.#form.texts], {
        signal: this.#connected.signal,
        progress: ({ text, loaded, total }) => {
          this.#markOld(total ? `${text}: ${formatProgress(loaded, total)}` : `${text}…`);
          this.#bar(total ? loaded / total : null);
        },
      });
      if (!this.isConnected) return;
      this.#asking = false;
      this.#bar();
      this.dataset.state = "ready";
      if (number === this.#asked) this.#answer(reply);
      else this.#ask();
    } catch (error) {
      this.#fail(/** @type {Error} */ (error));
    }
  }

  /** @param {Reply} reply */
  #answer(reply) {
    clearTimeout(this.#soon);
    this.#reply = reply;
    if (reply.headline) {
      const open = [...this.querySelectorAll("[data-part=result] details")].map((one) => one.hasAttribute("open"));
      this.#put(reply.html);
      this.querySelectorAll("[data-part=result] details").forEach((one, index) => one.toggleAttribute("open", open[index]));
      this.#dress(reply.charts);
      delete this.dataset.old;
      this.#answered = true;
      this.#say("");
    } else {
      this.#markOld(this.#stale);
    }
    this.#form.show(this.#shownProblems(), reply.read);
    this.#speak(PAUSE_MS);
  }

  /**
   * A large table stays and takes the new numbers: laying it out anew takes longer than Python
   * takes, and it would lose its place and the reader's focus. Pictures stay until they are redrawn.
   * @param {string} html of the answer
   */
  #put(html) {
    const result = this.#part("result");
    const fresh = document.createElement("template");
    fresh.innerHTML = html;
    const readOn = this.#charts?.keepPictures(result, fresh.content);
    const next = /** @type {HTMLElement | null} */ (fresh.content.querySelector("[data-part=grid]"));
    if (!next || !this.#grid?.box.isConnected || !this.#grid.update(next)) {
      result.replaceChildren(fresh.content);
    } else {
      const { bar, box } = this.#grid;
      for (const child of [...result.childNodes]) if (child !== bar && child !== box) child.remove();
      const all = [...fresh.content.childNodes];
      bar.before(...all.slice(0, all.indexOf(next)));
      box.after(...all.slice(all.indexOf(next) + 1));
    }
    readOn?.();
  }

  /** @param {Error} error Python did not answer */
  #fail(error) {
    this.#asking = false;
    if (error.name === "AbortError" || !this.isConnected) return;
    clearTimeout(this.#soon);
    this.#bar();
    this.dataset.state = "error";
    this.#markOld("");
    const again = document.createElement("button");
    again.type = "button";
    const outdated = error.name === "Outdated";
    again.dataset.action = outdated ? "reload" : "retry";
    again.textContent = outdated ? "Load the page again" : "Try again";
    again.addEventListener("click", () => (outdated ? location.reload() : this.#change()));
    const why = error.name === "Unavailable" ? "Python could not be loaded: check the connection." : error.message;
    this.#part("status").replaceChildren(`${why} `, again);
    announce(`${this.#title}: ${why}`);
  }

  /**
   * Problems that are shown at once: those of fields that had one before. Others wait until the
   * reader pauses: "3" on the way to "32k" is no mistake.
   */
  #shownProblems() {
    const all = this.#reply?.problems ?? {};
    const shown = Object.entries(all).filter(([name]) => this.querySelector(`[name="${name}"][aria-invalid]`));
    return Object.fromEntries(shown);
  }

  /** After a pause: problems beside their fields, and the answer for those who listen. */
  #speak(delay = 0) {
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => {
      if (this.#asking || !this.#reply) return;
      const { problems, read, headline } = this.#reply;
      this.#form.show(problems, read);
      const [[name, problem] = ["", ""]] = Object.entries(problems);
      if (problem && name === "") this.#say(`${problem} ${this.#stale}`);
      const said = problem || (headline ? `${headline.label}: ${headline.text}` : "");
      if (said && said !== this.#said) announce(`${this.#title}. ${said}`);
      this.#said = said;
    }, delay);
  }

  /** Whose result it is that stands there while the values above have none. */
  get #stale() {
    return `This is the result of the ${this.#answered ? "values before" : "default values"}.`;
  }

  /** @param {string} status */
  #markOld(status) {
    this.dataset.old = "";
    this.#say(status);
  }

  #reset() {
    this.#form.fill({});
    this.#tellMissing([]);
    this.#asked++;
    clearTimeout(this.#soon);
    clearTimeout(this.#pause);
    this.#reply = null;
    this.#answered = false;
    this.#said = "";
    this.#charts?.forgetPictures(this.#part("result"));
    this.#part("result").innerHTML = this.#original.html;
    this.#view = undefined;
    this.#dress();
    delete this.dataset.old;
    this.#say("");
    this.#form.show({}, this.#original.read);
    this.#listInputs();
    state(this.#ident, {});
    announce(`${this.#title}: reset`);
  }

  /** @param {Calculation | null} calculation to stay beside the next ones */
  #pin(calculation) {
    this.#pinned = calculation;
    this.#buttons.pinned = calculation !== null;
    this.#compare();
    announce(calculation ? "Pinned. Change a field to compare." : "No longer comparing");
  }

  /**
   * Take what the page's address says; without a word there, what is here stays.
   */
  #takeStated() {
    const texts = stated(this.#ident);
    if (!Object.keys(texts).length) return;
    if (performance.now() - followed < FOLLOWED_MS) {
      this.#awaited = true;
      requestAnimationFrame(() => this.#comeIntoView());
    }
    if (JSON.stringify(texts) === JSON.stringify(this.#form.linked.texts)) return;
    const missing = this.#form.fill(texts);
    this.#change();
    this.#tellMissing(missing);
  }

  /**
   * What a link names and is not here: an older or newer link, or one with a slip.
   * @param {string[]} missing
   */
  #tellMissing(missing) {
    this.querySelector("[data-part=missing]")?.remove();
    if (!missing.length) return;
    const told = document.createElement("p");
    told.dataset.part = "missing";
    told.textContent = `This link names ${missing.join(" and ")}, which this calculator does not have. The rest of it was taken.`;
    this.#part("form").after(told);
    announce(`${this.#title}: ${told.textContent}`);
  }

  /**
   * A link of this page to a calculation: the theme would change the address without telling.
   * @param {MouseEvent} event
   */
  #follow(event) {
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const target = /** @type {Element} */ (event.target);
    const link = /** @type {HTMLAnchorElement | null} */ (target.closest("a[href]"));
    if (!link || link.origin + link.pathname !== location.origin + location.pathname) return;
    if (!Object.keys(stated(this.#ident, link.hash)).length) return;
    event.preventDefault();
    event.stopPropagation();
    location.hash = link.hash;
  }

  /** Whoever followed a link sees its answer. */
  #comeIntoView() {
    const { top, bottom } = this.#part("headline").getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) this.#part("headline").scrollIntoView({ block: "center" });
  }

  /**
   * What a new result needs: charts that read their points, a grid that sorts, the comparison.
   * @param {Chart[]} [drawn] the charts that are still to be drawn
   */
  async #dress(drawn) {
    // Again with the answer: the theme may have scrolled back after the address changed.
    if (this.#awaited) this.#comeIntoView();
    this.#awaited = false;
    const [grid] = this.#all("[data-part=grid]");
    if (this.#pinned) this.#compare();
    this.#dressCharts(drawn);
    if (grid && grid !== this.#grid?.box) {
      const { mountGrid, newView } = await grids();
      // Another answer may have come meanwhile, or another mount.
      if (grid.isConnected && grid !== this.#grid?.box) this.#grid = mountGrid(grid, (this.#view ??= newView()));
    }
  }

  /** @param {Chart[]} [drawn] */
  async #dressCharts(drawn) {
    const result = this.#part("result");
    if (!result.querySelector("[data-chart]")) return;
    this.#charts ??= await charts();
    this.#charts.mountCharts(result);
    if (drawn) this.#charts.drawPictures(result, drawn);
  }

  async #compare() {
    const pinned = this.#pinned;
    const now = await this.#calculation();
    const { comparison } = await comparing();
    this.querySelector("[data-part=comparison]")?.remove();
    if (!pinned || pinned !== this.#pinned) return;
    const box = comparison(pinned, now);
    box.dataset.part = "comparison";
    this.#part("result").after(box);
  }

  /** The list of inputs, which paper shows. */
  #listInputs() {
    for (const { name, text } of this.#form.said) {
      const place = this.querySelector(`[data-input="${name}"]`);
      if (place) place.textContent = text;
    }
  }

  /**
   * @param {string} action
   * @param {string | Promise<string>} text
   */
  async #copy(action, text) {
    const copied = await copyText(text);
    this.#buttons.flash(action, copied ? "Copied" : "Not copied");
    announce(copied ? "Copied" : "The browser did not allow copying");
  }

  /** @param {DragEvent} event */
  #allowDrop(event) {
    if (!this.#form.takesFiles || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    this.dataset.drop = "";
  }

  /** @param {DragEvent} event */
  #drop(event) {
    delete this.dataset.drop;
    const file = event.dataTransfer?.files[0];
    if (!file || !this.#form.takesFiles) return;
    event.preventDefault();
    this.#form.takeFile(file);
  }

  /** @param {string} text */
  #say(text) {
    const status = this.#part("status");
    if (status.textContent !== text) status.textContent = text;
  }

  /** @param {number | null} [share] null: unknown, undefined: none */
  #bar(share) {
    let bar = this.querySelector("progress");
    if (share === undefined) bar?.remove();
    else {
      if (!bar) {
        bar = document.createElement("progress");
        bar.setAttribute("aria-label", "Python is being fetched");
        this.#part("status").after(bar);
      }
      if (share === null) bar.removeAttribute("value");
      else bar.value = share;
    }
  }

  /** @param {string} format one of copying's */
  async #formatted(format) {
    return (await copying()).FORMATS[format](await this.#calculation());
  }

  /** @returns {Promise<Calculation>} what stands here now */
  async #calculation() {
    const { readResult } = await copying();
    return { title: this.#title, link: this.#link, inputs: this.#form.said, ...readResult(this.#part("result")) };
  }

  get #link() {
    return linkTo(this.#ident, this.#form.linked.texts);
  }

  get #title() {
    return this.dataset.title ?? "Calculator";
  }

  get #ident() {
    return this.id.replace(/^calculator-/, "");
  }

  /** @param {string} name */
  #part(name) {
    return /** @type {HTMLElement} */ (this.querySelector(`[data-part="${name}"]`));
  }

  /** @param {string} selector @returns {HTMLElement[]} */
  #all(selector) {
    return [.../** @type {NodeListOf<HTMLElement>} */ (this.querySelectorAll(selector))];
  }
}
