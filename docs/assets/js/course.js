/** The site's one script: elements that improve what the page already shows. */
import { NapkinCell } from "./elements/napkin-cell.js";
import { NapkinPath, NapkinProgress } from "./elements/napkin-progress.js";
import { workOffline } from "./lib/offline.js";
import { defineOnDemand } from "./lib/on-demand.js";
import { searchOnDemand } from "./lib/search.js";

customElements.define("napkin-cell", NapkinCell);
customElements.define("napkin-path", NapkinPath);
customElements.define("napkin-progress", NapkinProgress);
const estimates = () => import("./elements/napkin-estimate.js");
defineOnDemand({
  "napkin-backup": async () => (await import("./elements/napkin-backup.js")).NapkinBackup,
  "napkin-browse": async () => (await import("./elements/napkin-browse.js")).NapkinBrowse,
  "napkin-calculator": async () => (await import("./elements/napkin-calculator.js")).NapkinCalculator,
  "napkin-cards": async () => (await import("./elements/napkin-cards.js")).NapkinCards,
  "napkin-choices": async () => (await import("./elements/napkin-choices.js")).NapkinChoices,
  "napkin-estimate": async () => (await estimates()).NapkinEstimate,
  "napkin-estimate-answer": async () => (await estimates()).NapkinEstimateAnswer,
  "napkin-exercise": async () => (await import("./elements/napkin-exercise.js")).NapkinExercise,
  "napkin-machine": async () => (await import("./elements/napkin-machine.js")).NapkinMachine,
  "napkin-mix": async () => (await import("./elements/napkin-mix.js")).NapkinMix,
  "napkin-question": async () => (await import("./elements/napkin-question.js")).NapkinQuestion,
  "napkin-quiz": async () => (await import("./elements/napkin-quiz.js")).NapkinQuiz,
  "napkin-review": async () => (await import("./elements/napkin-review.js")).NapkinReview,
  "napkin-statistics": async () =>
    (await import("./elements/napkin-statistics.js")).NapkinStatistics,
});
searchOnDemand();
workOffline();
