/**
 * `<napkin-backup>`: reviews out of this browser and in again, and the cards for Anki.
 *
 * @import {Course} from "../lib/practice/items.js"
 * @import {Note} from "../lib/practice/anki.js"
 * @import {PracticeStore} from "../lib/practice/store.js"
 */
import { saveBlob } from "../lib/download.js";
import { allKept, mergeKept } from "../lib/kept.js";
import { backupFile, backupOf, backupReminder, noteBackup, readBackup } from "../lib/practice/backup.js";
import { button, group, part, row } from "../lib/practice/dom.js";
import { course, facesOf } from "../lib/practice/items.js";
import { lessonMenu } from "../lib/practice/lesson-menu.js";
import { practice } from "../lib/practice/store.js";
import { answersOf } from "../lib/practice/stats.js";
import { counted } from "../lib/practice/wording.js";

export class NapkinBackup extends HTMLElement {
  #connected = new AbortController();
  #store = /** @type {PracticeStore} */ (/** @type {unknown} */ (undefined));
  #course = /** @type {Course} */ (/** @type {unknown} */ (undefined));
  #lesson = "";
  #schedule = document.createElement("input");

  async connectedCallback() {
    this.#connected = new AbortController();
    const { signal } = this.#connected;
    this.#store = await practice();
    const all = await course().catch(() => undefined);
    if (!all || signal.aborted) return;
    this.#course = all;
    this.#build();
    this.addEventListener("dragover", (event) => event.preventDefault(), { signal });
    this.addEventListener("drop", (event) => this.#dropped(event), { signal });
    this.#store.subscribe(() => this.#remind(), signal);
    this.#remind();
  }

  disconnectedCallback() {
    this.#connected.abort();
  }

  #build() {
    const backup = group("Backup");
    const file = document.createElement("input");
    file.type = "file";
    file.accept = ".json,application/json";
    file.addEventListener("change", () => {
      if (file.files?.[0]) this.#restore(file.files[0]);
      file.value = "";
    });
    const label = document.createElement("label");
    label.append("Restore a backup ", file);
    backup.append(part("p", "reminder"), row(button("backup", "Download a backup", () => this.#save()), label));
    const anki = group("Anki");
    const menu = lessonMenu(this.#course, "Cards of", (lesson) => (this.#lesson = lesson));
    this.#schedule.type = "checkbox";
    const with_ = document.createElement("label");
    with_.append(this.#schedule, "with my schedule and reviews (package only)");
    anki.append(
      row(menu, with_),
      row(
        button("anki-package", "Download .apkg", () => this.#package()),
        button("anki-text", "Download .txt", () => this.#text()),
      ),
      note("Import the file in Anki as often as you like: changed cards are updated, your dates there stay."),
    );
    const told = part("p", "told");
    told.setAttribute("role", "status");
    this.replaceChildren(backup, anki, told);
  }

  async #remind() {
    const place = this.querySelector("[data-part=reminder]");
    if (place) place.textContent = await backupReminder(this.#store);
  }

  async #save() {
    const store = this.#store;
    const events = await store.all().catch(() => undefined);
    if (!events) return this.#tell("Your reviews cannot be read now, so no backup was made. Reload the page, then try again.");
    const day = store.today();
    const damaged = store.damaged.map(({ record }) => record);
    const { name } = store.settings;
    const about = { name, site: location.host, day, damaged, course: allKept() };
    saveBlob(backupFile(name, day), backupOf(events, about));
    await noteBackup(store);
    await this.#remind();
    this.#tell(`A backup with ${counted(events.length, "record")} was made.`);
  }

  /** @param {DragEvent} event */
  #dropped(event) {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    this.#restore(file);
  }

  /** @param {File} file */
  async #restore(file) {
    this.#tell("Reading the backup…");
    try {
      const { events, skipped, course } = readBackup(await file.text());
      const added = await this.#store.merge(events);
      const united = mergeKept(course);
      const here = events.length - added;
      const parts = [`${counted(added, "record")} added`];
      if (united) parts.push(`code, exercises and progress brought in: ${united}`);
      if (here) parts.push(`${here} were here already`);
      if (skipped.length) parts.push(`${skipped.length} damaged and skipped (${skipped[0]})`);
      this.#store.withdraw("lost");
      this.#tell(`${parts.join(", ")}.`);
    } catch (error) {
      this.#tell(`Nothing was changed. ${/** @type {Error} */ (error).message}`);
    }
  }

  async #package() {
    const { ankiPackage } = await import("../lib/practice/anki.js");
    const { retention } = this.#store.settings;
    const notes = await this.#notes(this.#schedule.checked);
    saveBlob("napkin.apkg", await ankiPackage(notes, { now: Date.now(), retention }));
    this.#tell(`A package with ${counted(notes.length, "card")} was made.`);
  }

  async #text() {
    const { ankiText } = await import("../lib/practice/anki.js");
    const notes = await this.#notes(false);
    saveBlob("napkin-anki.txt", new Blob([ankiText(notes)], { type: "text/plain" }));
    this.#tell(`A file with ${counted(notes.length, "card")} was made.`);
  }

  /** @param {boolean} schedule @returns {Promise<Note[]>} */
  async #notes(schedule) {
    const changed = await this.#changes();
    const cards = this.#course.items.filter(
      ({ kind, lesson }) => kind === "card" && (!this.#lesson || lesson === this.#lesson),
    );
    const byItem = new Map();
    if (schedule) {
      for (const answer of answersOf(await this.#store.all())) {
        byItem.set(answer.item, [...(byItem.get(answer.item) ?? []), answer]);
      }
    }
    return cards.map((item) => {
      const state = this.#store.state(item.id);
      return {
        id: item.id,
        ...facesOf(item),
        lesson: this.#course.lessons.get(item.lesson)?.title ?? item.lesson,
        slug: item.lesson,
        url: this.#course.urlOf(item),
        tags: item.tags,
        changed: changed[item.id].since,
        ...(schedule && { memory: state.memory, suspended: state.suspended, answers: byItem.get(item.id) ?? [] }),
      };
    });
  }

  /** When this browser first saw each card's present text. @returns {Promise<Record<string, {hash: string, since: number}>>} */
  async #changes() {
    const known = (await this.#store.note("texts")) ?? {};
    const now = Math.floor(Date.now() / 1000);
    for (const { id, hash } of this.#course.items) {
      if (known[id]?.hash !== hash) known[id] = { hash, since: now };
    }
    await this.#store.keepNote("texts", known);
    return known;
  }

  /** @param {string} sentence */
  #tell(sentence) {
    const place = this.querySelector("[data-part=told]");
    if (place) place.textContent = sentence;
  }
}

/** @param {string} text */
function note(text) {
  const made = part("p", "note");
  made.textContent = text;
  return made;
}
