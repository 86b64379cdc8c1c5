/** A trial: every check, in one engine; told as it goes, and in the closing line. */
import assert from "node:assert/strict";
import { cellChecks } from "./cells.mjs";
import { courseChecks } from "./course.mjs";
import { LessonPage } from "./page.mjs";
import { pythonChecks } from "./python.mjs";
import { Server } from "./server.mjs";

/** Each is given a page, and says what it found. The first one wants a browser that knows nothing. */
const CHECKS = { ...cellChecks, ...pythonChecks, ...courseChecks };

/**
 * @param {string} name of the engine
 * @param {(program: string) => Promise<object>} launch starts it, see page.mjs for what it must offer
 */
export async function trial(name, launch) {
  const [program, site, ...wanted] = process.argv.slice(2);
  const unknown = wanted.find((title) => !(title in CHECKS));
  assert.ok(!unknown, `There is no check "${unknown}"; there are: ${Object.keys(CHECKS).join(", ")}.`);
  const titles = wanted.length ? wanted : Object.keys(CHECKS);
  const server = new Server(site);
  await server.start();
  const failed = [];
  try {
    const engine = await launch(program);
    const page = new LessonPage(engine, server.root);
    for (const title of titles) {
      const began = Date.now();
      let told;
      try {
        told = await CHECKS[title]({ page, engine, server, folder: `build/engines/${name}` });
        assert.deepEqual(engine.problems(), [], "the console complains");
      } catch (error) {
        failed.push(title);
        told = `FAILED: ${error.message}`;
      }
      console.log(`${name}: ${title} (${Math.round((Date.now() - began) / 1000)} s): ${told}`);
    }
    await engine.close();
    const verdict = failed.length ? `${failed.length} failed: ${failed.join(", ")}` : "all passed";
    console.log(`${engine.version}: ${titles.length} checks, ${verdict}`);
  } finally {
    await server.stop();
  }
  process.exitCode = failed.length ? 1 : 0;
}
