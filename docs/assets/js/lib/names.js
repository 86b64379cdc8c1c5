/** Which cell defines a name, as far as its text tells. */

/**
 * @param {string} code
 * @param {string} name
 */
export function defines(code, name) {
  if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)) return false;
  const word = `(?<![\\p{L}\\p{N}_.])${name}(?![\\p{L}\\p{N}_])`;
  const patterns = [
    `^\\s*(?:async\\s+)?(?:def|class)\\s+${word}`,
    `^[^#=(]*${word}[^#=(]*(?<![=!<>])=(?!=)`, // also a, name = ...
    `^\\s*(?:from\\s+\\S+\\s+)?import\\b[^#]*${word}`,
    `\\b(?:for|as)\\s[^#:]*${word}`,
    `${word}\\s*:=`,
  ];
  return patterns.some((pattern) => new RegExp(pattern, "mu").test(code));
}
