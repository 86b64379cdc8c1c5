/** What drivers of browsers have in common: input is told in the actions of the WebDriver standard. */
import { setTimeout as sleep } from "node:timers/promises";

const KEYS = { Enter: "\uE007", Tab: "\uE004", Escape: "\uE00C", Shift: "\uE008", Control: "\uE009" };
const down = (value) => ({ type: "keyDown", value });
const up = (value) => ({ type: "keyUp", value });

export class Driver {
  /** @param {string} program the browser or its driver */
  constructor(program) {
    this.program = program;
  }

  clickAt(x, y) {
    const press = [{ type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }];
    return this.perform({ type: "pointer", id: "mouse", actions: [{ type: "pointerMove", x, y }, ...press] });
  }

  type(text) {
    const keys = [...text].map((char) => (char === "\n" ? KEYS.Enter : char));
    return this.#keys(keys.flatMap((key) => [down(key), up(key)]));
  }

  press(chord) {
    const keys = chord.split("+").map((key) => KEYS[key] ?? key);
    return this.#keys([...keys.map(down), ...keys.reverse().map(up)]);
  }

  #keys(actions) {
    return this.perform({ type: "key", id: "keyboard", actions });
  }
}

/** What `look` gives as soon as it gives anything. */
export async function soon(look, what, seconds = 30) {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(100)) {
    const found = await look();
    if (found) return found;
  }
  throw new Error(`${what} within ${seconds} s`);
}
