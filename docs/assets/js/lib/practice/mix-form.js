/**
 * The form that asks what to be asked: lessons with their scores, topic, order, count, mode.
 *
 * @import {Course} from "./items.js"
 * @import {Question} from "./question.js"
 * @import {RecordOf} from "./scores.js"
 */
import { scoresByLesson } from "./scores.js";

const COUNTS = [5, 10, 20];

export class MixForm {
  element = document.createElement("form");
  #told = document.createElement("p");

  /**
   * @param {Course} course
   * @param {Question[]} questions
   * @param {RecordOf} recordOf
   */
  constructor(course, questions, recordOf) {
    this.questions = questions;
    const topics = [...new Set(questions.map(({ topic }) => topic))].sort();
    const counts = COUNTS.filter((count) => count < questions.length);
    this.element.dataset.part = "choice";
    this.#told.dataset.part = "feedback";
    this.#told.setAttribute("role", "alert");
    const start = document.createElement("button");
    start.dataset.action = "start";
    start.textContent = "Start";
    const bar = document.createElement("div");
    bar.dataset.part = "toolbar";
    bar.append(start);
    this.element.append(
      this.#lessons(course, recordOf),
      select("topic", "Topic", [["", "All topics"], ...topics.map((topic) => /** @type {[string, string]} */ ([topic, topic]))]),
      select("order", "Which first", [
        ["weak", "What I know least"], ["mixed", "Any"], ["missed", "Only what I missed last time"],
      ]),
      select("count", "How many", [
        ...counts.map((count) => /** @type {[string, string]} */ ([String(count), String(count)])),
        ["9999", `All (${questions.length})`],
      ]),
      select("mode", "How", [["practice", "Practice: told at once"], ["exam", "Exam: told at the end"]]),
      this.#minutes(),
      bar,
      this.#told,
    );
  }

  /** What the reader wants. */
  get wish() {
    const data = new FormData(this.element);
    const lessons = new Set(data.getAll("lesson"));
    const topic = data.get("topic");
    const mode = data.get("mode") === "exam" ? /** @type {const} */ ("exam") : /** @type {const} */ ("practice");
    return {
      questions: this.questions.filter(
        (question) => lessons.has(question.lesson) && (!topic || question.topic === topic),
      ),
      order: /** @type {"weak" | "mixed" | "missed"} */ (data.get("order")),
      count: Number(data.get("count")),
      mode,
      minutes: mode === "exam" ? Math.max(0, Number(data.get("minutes")) || 0) : 0,
    };
  }

  /** @param {string} text */
  say(text) {
    this.#told.textContent = text;
  }

  /** @param {Course} course @param {RecordOf} recordOf */
  #lessons(course, recordOf) {
    const holder = document.createElement("div");
    holder.dataset.part = "table";
    const table = document.createElement("table");
    table.dataset.part = "scores";
    table.innerHTML =
      "<caption>Lessons and scores</caption><thead><tr><th scope=col>Lesson</th>" +
      "<th scope=col>Right</th><th scope=col>Tried</th><th scope=col>Questions</th></tr></thead>";
    const body = table.createTBody();
    for (const { lesson, right, tried, total } of scoresByLesson(this.questions, recordOf)) {
      const row = body.insertRow();
      row.dataset.lesson = lesson;
      const head = document.createElement("th");
      head.scope = "row";
      const label = document.createElement("label");
      const box = document.createElement("input");
      box.type = "checkbox";
      box.name = "lesson";
      box.value = lesson;
      box.checked = true;
      label.append(box, " ", course.lessons.get(lesson)?.title ?? lesson);
      head.append(label);
      row.append(head);
      const share = tried ? ` (${Math.round((100 * right) / tried)} %)` : "";
      for (const text of [`${right}${share}`, tried, total]) row.insertCell().textContent = String(text);
    }
    holder.append(table);
    return holder;
  }

  /** A limit makes sense in an exam alone. */
  #minutes() {
    const label = document.createElement("label");
    const input = document.createElement("input");
    input.type = "number";
    input.name = "minutes";
    input.min = "1";
    input.max = "600";
    input.placeholder = "no limit";
    label.dataset.part = "minutes";
    label.append("Minutes ", input);
    label.hidden = true;
    this.element.addEventListener("change", () => {
      label.hidden = new FormData(this.element).get("mode") !== "exam";
    });
    return label;
  }
}

/** @param {string} name @param {string} text @param {[string, string][]} options value and text */
function select(name, text, options) {
  const label = document.createElement("label");
  const element = document.createElement("select");
  element.name = name;
  element.append(...options.map(([value, shown]) => new Option(shown, value)));
  label.append(`${text} `, element);
  return label;
}
