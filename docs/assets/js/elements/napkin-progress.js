/**
 * `<napkin-progress>`, below a lesson's title: how far the reader has come, and the way back to where
 * the reader stopped. `<napkin-path>`, on the home page: the same for all lessons.
 */
import { watchKept } from "../lib/kept.js";
import { loadRead, progressOf, readName, told, watchReading } from "../lib/reading.js";

export class NapkinProgress extends HTMLElement {
  #said = document.createElement("p");
  #bar = document.createElement("progress");
  #text = document.createElement("span");
  #connected = new AbortController();

  connectedCallback() {
    const slug = this.getAttribute("ref") ?? "";
    if (!this.#said.isConnected) {
      this.#said.dataset.part = "progress";
      this.#bar.setAttribute("aria-label", "Progress in this lesson");
      this.#said.append(this.#bar, this.#text);
      this.append(this.#said);
    }
    this.#offerResume(slug);
    this.#connected = new AbortController();
    const { signal } = this.#connected;
    watchKept((name) => {
      if (name === readName(slug) || name.startsWith("exercise:")) this.#show();
    }, signal);
    watchReading(slug, signal);
    this.#show();
  }

  disconnectedCallback() {
    this.#connected.abort();
  }

  /** @param {string} slug */
  #offerResume(slug) {
    this.querySelector("[data-part=resume]")?.remove();
    const kept = loadRead(slug);
    const heading = kept && document.getElementById(kept.last);
    if (!kept || !heading || location.hash || progressOf(this).done) return;
    if (heading === document.querySelector("article h2[id]")) return;
    const link = document.createElement("a");
    link.href = `#${kept.last}`;
    link.textContent = `Go on at “${kept.title}”`;
    link.dataset.part = "resume";
    this.#said.append(link);
  }

  #show() {
    const progress = progressOf(this);
    this.dataset.state = progress.done ? "done" : progress.read ? "begun" : "new";
    this.#bar.max = progress.sections + progress.exercises;
    this.#bar.value = progress.read + progress.passed;
    this.#text.textContent = told(progress);
  }
}

export class NapkinPath extends HTMLElement {
  #connected = new AbortController();

  connectedCallback() {
    this.#connected = new AbortController();
    watchKept(() => this.#show(), this.#connected.signal);
    this.#show();
  }

  disconnectedCallback() {
    this.#connected.abort();
  }

  #show() {
    const items = /** @type {HTMLElement[]} */ ([...this.querySelectorAll("li[ref]")]);
    const all = items.map((item) => ({ item, progress: progressOf(item) }));
    for (const { item, progress } of all) {
      item.dataset.state = progress.done ? "done" : progress.kept ? "begun" : "new";
      let said = item.querySelector("[data-part=progress]");
      if (!progress.kept) {
        said?.remove();
        continue;
      }
      if (!said) {
        said = document.createElement("span");
        said.setAttribute("data-part", "progress");
        item.append(said);
      }
      said.textContent = told(progress);
    }
    const begun = all.filter(({ progress }) => progress.kept);
    const open = begun.filter(({ progress }) => !progress.done);
    open.sort((a, b) => (b.progress.kept?.at ?? 0) - (a.progress.kept?.at ?? 0));
    const link = /** @type {HTMLAnchorElement | null} */ (this.querySelector("[data-part=next] a"));
    if (!link || !begun.length) return;
    const next = open[0] ?? all.find(({ progress }) => !progress.done);
    if (!next) return;
    const { item, progress } = next;
    const { kept } = progress;
    const page = /** @type {HTMLAnchorElement} */ (item.querySelector("a")).href.replace(/#.*/, "");
    link.href = kept ? `${page}#${kept.last}` : page;
    link.textContent = kept
      ? `Go on with “${item.dataset.title}”, at “${kept.title}”`
      : `Go on with “${item.dataset.title}”`;
  }
}
