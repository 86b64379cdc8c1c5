/**
 * `<napkin-quiz>`: the questions of one place in a lesson, with how many of them are right.
 *
 * @import {PracticeStore} from "../lib/practice/store.js"
 */
import { practice } from "../lib/practice/store.js";

export class NapkinQuiz extends HTMLElement {
  #connected = new AbortController();
  #score = document.createElement("p");

  connectedCallback() {
    this.#connected = new AbortController();
    this.#score.dataset.part = "score";
    if (!this.#score.isConnected) this.append(this.#score);
    practice().then((store) => {
      this.#show(store);
      store.subscribe(() => this.#show(store), this.#connected.signal);
    });
  }

  disconnectedCallback() {
    this.#connected.abort();
  }

  /** @param {PracticeStore} store */
  #show(store) {
    const states = [...this.querySelectorAll("napkin-question")].map(({ id }) => store.state(id));
    const right = states.filter(({ outcome }) => outcome === "right").length;
    const tried = states.some(({ attempts }) => attempts);
    this.#score.textContent = tried ? `Right so far: ${right} of ${states.length}` : "";
  }
}
