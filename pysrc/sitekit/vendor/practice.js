// What the flashcards need: the FSRS-6 scheduler and promises for IndexedDB. `make setup` bundles
// them into docs/assets/vendor/practice.js; only lib/practice imports from there.
export { GenSeedStrategyWithCardId, StrategyMode, fsrs } from "ts-fsrs";
export { openDB } from "idb";
