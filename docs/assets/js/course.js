/** The site's one script: elements that improve what the page already shows. */
import { NapkinCalculator } from "./elements/napkin-calculator.js";
import { NapkinCell } from "./elements/napkin-cell.js";
import { NapkinEstimate, NapkinEstimateAnswer } from "./elements/napkin-estimate.js";
import { NapkinExercise } from "./elements/napkin-exercise.js";
import { workOffline } from "./lib/offline.js";
import { defineOnDemand } from "./lib/on-demand.js";

customElements.define("napkin-calculator", NapkinCalculator);
customElements.define("napkin-cell", NapkinCell);
customElements.define("napkin-exercise", NapkinExercise);
customElements.define("napkin-estimate", NapkinEstimate);
customElements.define("napkin-estimate-answer", NapkinEstimateAnswer);
defineOnDemand({
  "napkin-mix": async () => (await import("./elements/napkin-mix.js")).NapkinMix,
  "napkin-question": async () => (await import("./elements/napkin-question.js")).NapkinQuestion,
  "napkin-quiz": async () => (await import("./elements/napkin-quiz.js")).NapkinQuiz,
});
workOffline();
