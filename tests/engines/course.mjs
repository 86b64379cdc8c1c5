/** Checks of a trial beyond cells: calculators, exercises, questions, cards, in any engine. */
import assert from "node:assert/strict";

/** Whether an element is there and its script has taken it over. */
const live = (selector) => document.querySelector(selector) !== null;
const CARD = "napkin-review napkin-card";
/** A press sooner after the answer appeared is taken for a slip. */
const GUARD_MS = 400;
const asked = () => document.querySelector("napkin-review napkin-card[data-state=asked]")?.id ?? "";
/** Another card is asked. @param {string} before */
const askedOther = (before) => {
  const card = document.querySelector("napkin-review napkin-card[data-state=asked]");
  return Boolean(card) && card.id !== before;
};
const answers = async (url) => {
  const store = await (await import(url)).practice();
  return (await store.all()).filter(({ kind }) => kind === "answer").length;
};

export const courseChecks = {
  async "a calculator"({ page, engine }) {
    await engine.goto(`${page.root}tools/kv-cache/`);
    await page.until(live, "napkin-calculator input[name=context]");
    const value = () => document.querySelector("napkin-calculator [data-part=result] [data-value]").dataset.value;
    const before = await page.evaluate(value);
    await page.evaluate(() => {
      const input = document.querySelector("napkin-calculator input[name=context]");
      input.focus();
      input.value = "64k";
      input.dispatchEvent(new InputEvent("input", { bubbles: true }));
    });
    await page.until(
      (before) =>
        document.querySelector("napkin-calculator").dataset.state === "ready" &&
        document.querySelector("napkin-calculator [data-part=result] [data-value]").dataset.value !== before,
      before,
    );
    const after = await page.evaluate(value);
    assert.equal(Number(after), 64_000 * 131_072, "Llama 3.1 8B keeps 131,072 bytes for each token");
    const words = "your context: 64k tokens, 8.39 GB";
    await page.until(
      (words) => [...document.querySelectorAll("[data-chart] [data-point] title")].at(-1).textContent === words,
      words,
    );
    const inks = await page.evaluate(() =>
      [...document.querySelectorAll("[data-chart] .dot")].map((dots) => getComputedStyle(dots).fill),
    );
    assert.equal(new Set(inks).size, 3, `each line has its colour: ${inks}`);
    return `${before} became ${after}, and the chart says "${words}"`;
  },

  async "an exercise"({ page, engine }) {
    await engine.goto(`${page.root}lessons/number-formats/`);
    const first = "napkin-exercise";
    await page.until(live, `${first} button[data-action=check]`);
    await page.evaluate((first) => document.querySelector(`${first} button[data-action=check]`).click(), first);
    const said = () => document.querySelector("napkin-exercise [data-part=feedback]").textContent.trim();
    await page.until(() => document.querySelector("napkin-exercise [data-part=feedback]").textContent.includes("`...`") ||
      document.querySelector("napkin-exercise [data-part=feedback]").textContent.includes("..."));
    const reply = await page.evaluate(said);
    assert.match(reply, /put your own code/);
    return reply;
  },

  async "a question"({ page, engine }) {
    await engine.goto(`${page.root}lessons/number-formats/`);
    await page.until(live, "napkin-question input[type=radio]"); // they are built one by one
    const answered = await page.evaluate(async () => {
      const question = [...document.querySelectorAll("napkin-question")].find((one) => one.querySelector("input[type=radio]"));
      question.querySelector("input[type=radio]").click();
      question.querySelector("button[data-action=check]").click();
      for (let left = 100; left && question.dataset.state === "open"; left--) await new Promise((r) => setTimeout(r, 100));
      return [question.dataset.state, question.querySelector("[data-part=feedback]").textContent.trim()];
    });
    assert.match(answered[0], /right|wrong/);
    assert.ok(answered[1].length > 10);
    return answered[0];
  },

  async "cards"({ page, engine }) {
    await engine.goto(`${page.root}practice/flashcards/`);
    await page.until(live, "napkin-review");
    await page.until(() => [...document.querySelectorAll("napkin-review button")].some((one) => /^Add \d+ cards/.test(one.textContent)));
    await page.evaluate(() => [...document.querySelectorAll("napkin-review button")].find((one) => /^Add \d+ cards/.test(one.textContent)).click());
    await page.until(live, "napkin-review button[data-action=show]:not([hidden])");
    await page.evaluate(() => document.querySelector("napkin-review button[data-action=show]").click());
    await page.until(() => Boolean(document.querySelector("napkin-review button[data-action=good]")?.offsetParent));
    const before = await page.evaluate(() => document.querySelector("napkin-review [data-part=due-count]").textContent);
    await new Promise((resolve) => setTimeout(resolve, 400)); // a press this soon is taken for one on Show
    await page.evaluate(() => document.querySelector("napkin-review button[data-action=good]").click());
    await page.until(
      (before) => document.querySelector("napkin-review [data-part=due-count]").textContent !== before,
      before,
    );
    return page.evaluate(() => document.querySelector("napkin-review [data-part=due-count]").textContent.trim());
  },

  async "an estimate"({ page, engine }) {
    await engine.goto(`${page.root}lessons/roofline/`);
    await page.until(live, "napkin-estimate input");
    const said = await page.evaluate(async () => {
      const box = document.querySelectorAll("napkin-estimate")[1];
      box.querySelector("input").value = "200";
      box.querySelector("input").dispatchEvent(new InputEvent("input", { bubbles: true }));
      box.querySelector("button").click();
      await new Promise((resolve) => setTimeout(resolve, 500));
      return box.textContent.replaceAll(/\s+/g, " ").trim();
    });
    assert.match(said, /214/, "the answer, 64 times 3.35 TB/s");
    return said.slice(0, 300);
  },

  async "review"({ page, engine }) {
    const store = `${page.root}assets/js/lib/practice/store.js`;
    // Cards come from a lesson.
    await engine.goto(`${page.root}lessons/counting-operations/`);
    await page.until(live, "napkin-cards button[data-action=add]");
    await page.evaluate(() => document.querySelector("napkin-cards button[data-action=add]").click());
    await page.until(() => !/\(0\)/.test(document.querySelector("napkin-cards [data-part=due-link]").textContent));
    await engine.goto(`${page.root}practice/flashcards/`);
    await page.until(live, `${CARD}[data-state=asked]`);
    const before = await page.evaluate(answers, store);
    // By keyboard: show, a grade, undo; then for good.
    const first = await page.evaluate(asked);
    const grade = async () => {
      // Driven over BiDi, Firefox activates no button by keys, ours or others: from the page's body.
      await page.evaluate(() => document.activeElement.blur());
      await engine.press(" ");
      await page.until(live, `${CARD}[data-state=shown]`);
      await new Promise((resolve) => setTimeout(resolve, GUARD_MS));
      await engine.press("4");
      await page.until(askedOther, first);
    };
    await engine.clickAt(...(await page.evaluate(() => {
      const { left, top } = document.querySelector("h1").getBoundingClientRect();
      return [Math.round(left + 5), Math.round(top + 5)];
    })));
    await grade();
    await engine.press("u");
    await page.until((first) => document.querySelector("napkin-review napkin-card[data-state=asked]")?.id === first, first);
    await grade();
    await engine.goto(`${page.root}practice/flashcards/`);
    await page.until(live, `${CARD}[data-state=asked]`);
    assert.notEqual(await page.evaluate(asked), first, "the answer was lost with the page");
    assert.equal(await page.evaluate(answers, store), before + 2, "one answer was taken back, one stands");
    // Out and in again, as files.
    await page.until(live, "napkin-backup button[data-action=backup]");
    const files = await page.evaluate(async () => {
      const made = [];
      const create = URL.createObjectURL;
      URL.createObjectURL = (blob) => {
        if (blob.type !== "text/javascript") made.push(blob);
        return create.call(URL, blob);
      };
      HTMLAnchorElement.prototype.click = () => {}; // no dialog of the browser's
      const press = async (action) => {
        const count = made.length;
        document.querySelector(`napkin-backup button[data-action=${action}]`).click();
        for (let left = 200; left && made.length === count; left--) await new Promise((r) => setTimeout(r, 50));
      };
      for (const action of ["backup", "anki-package", "anki-text"]) await press(action);
      URL.createObjectURL = create;
      delete HTMLAnchorElement.prototype.click;
      const [backup, apkg, text] = made;
      window.backupOfTrial = await backup.text();
      const start = [...new Uint8Array(await apkg.slice(0, 4).arrayBuffer())];
      return { sizes: [backup.size, apkg.size, text.size], start, records: JSON.parse(window.backupOfTrial).events.length };
    });
    assert.deepEqual(files.start, [0x50, 0x4b, 3, 4], "the package is no zip file");
    assert.ok(Math.min(...files.sizes) > 1000, `sizes ${files.sizes}`);
    await page.evaluate(() => {
      const content = JSON.parse(window.backupOfTrial);
      const [one] = content.events;
      content.events.push({ ...one, id: "0mm94mtc0-60r1n5jfc0", kind: "suspend", item: "flop-meaning" });
      const moved = new DataTransfer();
      moved.items.add(new File([JSON.stringify(content)], "backup.json", { type: "application/json" }));
      const input = document.querySelector("napkin-backup input[type=file]");
      input.files = moved.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    });
    await page.until(() => / added/.test(document.querySelector("napkin-backup [data-part=told]").textContent));
    const told = await page.evaluate(() => document.querySelector("napkin-backup [data-part=told]").textContent);
    assert.match(told, new RegExp(`^1 record added.*${files.records} were here already`));
    return `${told} Backup, package, text: ${files.sizes.join(", ")} bytes`;
  },

  async "quiz"({ page, engine }) {
    // A number with its unit, read as it is written: in the lesson whose questions have units.
    await engine.goto(`${page.root}lessons/memory-to-run/`);
    await page.until(() => [...document.querySelectorAll("napkin-question input")].some((input) => input.type === "text"));
    const read = await page.evaluate(async () => {
      const wait = () => new Promise((resolve) => setTimeout(resolve, 50));
      const question = [...document.querySelectorAll("napkin-question")].find((one) => one.querySelector("input[type=text]"));
      const input = question.querySelector("input[type=text]");
      const check = async (text) => {
        input.value = text;
        input.dispatchEvent(new InputEvent("input", { bubbles: true }));
        question.querySelector("button[data-action=check]").click();
        for (let left = 100; left && question.dataset.state === "open"; left--) await wait();
        return [question.dataset.state, question.querySelector("[data-part=feedback]").textContent.trim()];
      };
      return [await check("many"), await check("1.4×10^99 GB")];
    });
    assert.equal(read[0][0], "invalid", `not understood: ${read[0]}`);
    assert.equal(read[1][0], "wrong", `${read[1]}`);
    // An exam: one choice answered, told at the end.
    await engine.goto(`${page.root}practice/quiz/`);
    await page.until(live, "napkin-mix button[data-action=start]");
    await page.evaluate(() => {
      const form = document.querySelector("napkin-mix form");
      form.elements.namedItem("mode").value = "exam";
      form.elements.namedItem("count").value = "20";
      form.dispatchEvent(new Event("change", { bubbles: true }));
      document.querySelector("napkin-mix button[data-action=start]").click();
    });
    await page.until(live, "napkin-mix[data-state=running] napkin-question form");
    const result = await page.evaluate(async () => {
      const mix = document.querySelector("napkin-mix");
      const questions = [...mix.querySelectorAll("napkin-question")];
      let chosen = 0;
      for (const question of questions) {
        const option = question.querySelector("input[type=radio]");
        if (!option) continue;
        option.click();
        chosen += 1;
      }
      const before = questions.map((question) => question.dataset.state);
      const handIn = () => mix.querySelector("button[data-action=finish]").click();
      handIn();
      for (let left = 100; left && mix.dataset.state !== "done"; left--) await new Promise((r) => setTimeout(r, 50));
      return { chosen, before, after: questions.map((question) => question.dataset.state), said: mix.firstElementChild.textContent };
    });
    assert.deepEqual(new Set(result.before), new Set(["open"]), "an exam told before its end");
    assert.equal(result.after.length, 20);
    assert.ok(result.chosen > 0, "no choice among twenty questions");
    const judged = result.after.filter((state) => /right|wrong/.test(state)).length;
    assert.equal(judged, result.chosen, "what was chosen is judged, and nothing else");
    return `read "${read[0][1].slice(0, 60)}"; exam: ${result.said.slice(0, 60)}`;
  },
};
