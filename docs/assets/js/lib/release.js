/**
 * Whether the site has a newer version of the course than the page that is open: the files that
 * this page would fetch are then gone, and trying again cannot help.
 */
import { CONFIG_URL, PLACE } from "./worker.js";

/** The answer must not hold up what waits for it. */
const PATIENCE_MS = 2_000;

export const OUTDATED = "The course has a new version: load the page again to run its code.";

/** Whether the site has put other files in the place of those that this page knows. */
export async function isOutdated() {
  const { config } = PLACE;
  const ours = [config.stdlib, config.rest, config.archive, ...Object.values(config.packs)];
  try {
    // Past all caches, and into them: the page that is loaded next gets this one.
    const response = await fetch(CONFIG_URL, { cache: "reload", signal: AbortSignal.timeout(PATIENCE_MS) });
    const text = await response.text();
    const isConfig = response.ok && text.startsWith("export default"); // no network's sign-in page
    return isConfig && !ours.every(({ file }) => text.includes(`"${file}"`));
  } catch {
    return false; // no network: the next try may have one
  }
}
