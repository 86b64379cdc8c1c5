/** Numbers as the page's status lines show them. */

/**
 * @param {number} seconds
 * @returns {string} such as "12 ms" or "3.4 s"
 */
export function formatSeconds(seconds) {
  if (seconds < 0.9995) return `${Math.max(1, Math.round(seconds * 1000))} ms`;
  return `${seconds < 9.95 ? seconds.toFixed(1) : Math.round(seconds)} s`;
}

/**
 * @param {number} loaded bytes
 * @param {number} total bytes
 * @returns {string} such as "3.1 of 13.4 MB"
 */
export function formatProgress(loaded, total) {
  const megabytes = (/** @type {number} */ bytes) => (bytes / 1e6).toFixed(1);
  return `${megabytes(loaded)} of ${megabytes(total)} MB`;
}

/**
 * @param {string[]} files that arrive at the moment
 * @returns {string} what a reader calls them, such as "Python and numpy"
 */
export function formatFiles(files) {
  const names = files.map((file) => (file.endsWith(".pack") ? file.split("-")[0] : "Python"));
  const [first, ...others] = new Set(names);
  return others.length > 1 ? `${first} and ${others.length} more` : [first, ...others].join(" and ");
}
