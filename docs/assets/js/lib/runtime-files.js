/**
 * Which files the runtime is made of, and where they are.
 *
 * @import {NamedFile, Place, RuntimeConfig, Wanted} from "./messages.js"
 */

/** Ours takes its place: Python would compile the official one's modules anew. */
const REPLACED = "python_stdlib.zip";

/**
 * What a plain start waits for, but for the course's own Python.
 * @param {Place} place
 * @returns {Wanted[]}
 */
export function startFiles({ config, base, siteBase }) {
  const core = Object.entries(config.core).filter(([file]) => file !== REPLACED);
  return [...core.map(([file, facts]) => ({ url: base + file, facts })), own(config.stdlib, siteBase)];
}

/**
 * All that must be at hand to run code that imports these packages.
 * @param {Place} place
 * @param {string[]} packages
 * @returns {Wanted[]}
 */
export function filesFor(place, packages) {
  const { config, siteBase } = place;
  const packs = withDependencies(packages, config).map((name) => config.packs[name]);
  const ours = [config.archive, config.rest, ...packs];
  return [...startFiles(place), ...ours.map((facts) => own(facts, siteBase))];
}

/**
 * A file of this site's own.
 * @param {NamedFile} facts
 * @param {string} siteBase
 * @returns {Wanted}
 */
export function own(facts, siteBase) {
  return { url: siteBase + facts.file, facts };
}

/**
 * @param {string[]} names
 * @param {RuntimeConfig} config
 * @returns {string[]} the known ones among `names`, each after those it depends on
 */
export function withDependencies(names, config) {
  /** @type {Set<string>} */
  const all = new Set();
  const add = (/** @type {string} */ name) => {
    const facts = config.packs[name];
    if (!facts || all.has(name)) return;
    facts.depends.forEach(add);
    all.add(name);
  };
  names.forEach(add);
  return [...all];
}
