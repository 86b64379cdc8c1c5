/**
 * How a mix or an exam went: the score by lesson, and cards of what was missed.
 *
 * @import {NapkinQuestion} from "../../elements/napkin-question.js"
 * @import {Course} from "./items.js"
 * @import {PracticeStore} from "./store.js"
 */
import { announce } from "../announcer.js";

export class MixResult {
  element = document.createElement("div");
  /** @type {HTMLButtonElement[]} */
  buttons = [];

  /**
   * @param {Course} course
   * @param {NapkinQuestion[]} asked
   * @param {PracticeStore} store
   * @param {string} why it ended by itself
   */
  constructor(course, asked, store, why) {
    const right = asked.filter(({ outcome }) => outcome === "right");
    const missed = asked.filter(({ outcome }) => outcome !== "right");
    const open = asked.filter(({ outcome }) => outcome === "invalid").length;
    const skipped = open ? `, ${open} not answered` : "";
    this.summary = `${why} ${right.length} of ${asked.length} right${skipped}`.trim();
    this.element.dataset.part = "result";
    this.element.tabIndex = -1;
    const head = document.createElement("p");
    head.dataset.part = "score";
    head.textContent = this.summary;
    this.element.append(head);
    const lessons = [...new Set(asked.map(({ question }) => question.lesson))];
    if (lessons.length > 1) {
      const list = document.createElement("ul");
      for (const lesson of lessons) {
        const own = asked.filter(({ question }) => question.lesson === lesson);
        const line = document.createElement("li");
        const rights = own.filter(({ outcome }) => outcome === "right").length;
        line.textContent = `${course.lessons.get(lesson)?.title ?? lesson}: ${rights} of ${own.length}`;
        list.append(line);
      }
      this.element.append(list);
    }
    const cards = [...new Set(missed.map(({ question }) => question.card || question.id))];
    const wanted = cards.filter((card) => !store.state(card).added);
    if (wanted.length) this.buttons.push(this.#cards(wanted, store));
  }

  /** @param {string[]} cards @param {PracticeStore} store */
  #cards(cards, store) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.action = "cards";
    button.textContent = cards.length === 1 ? "Make the missed one a card" : `Make the ${cards.length} missed ones cards`;
    button.addEventListener("click", async () => {
      if (button.getAttribute("aria-disabled") === "true") return;
      button.setAttribute("aria-disabled", "true");
      for (const item of cards) await store.append({ kind: "add", item });
      button.textContent = "In your cards";
      announce(`${cards.length} added to your cards`);
    });
    return button;
  }
}
