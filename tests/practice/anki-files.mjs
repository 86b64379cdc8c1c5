/** Writes what the page exports to Anki into a folder, for test_anki.py: notes from standard input. */
import { readFileSync, writeFileSync } from "node:fs";

import { ankiPackage, ankiText } from "../../docs/assets/js/lib/practice/anki.js";
import { answered, newMemory } from "../../docs/assets/js/lib/practice/schedule.js";

const { folder, name, now, notes } = JSON.parse(readFileSync(0, "utf8"));
for (const note of notes) {
  if (!note.grades) continue;
  note.memory = newMemory();
  note.answers = note.grades.map(({ grade, ms, day }) => {
    const was = note.memory.phase;
    note.memory = answered(note.id, note.memory, grade, { ms, day }, { retention: 0.9, fuzz: false });
    return { kind: "answer", item: note.id, at: ms, day, grade, was, after: note.memory };
  });
}
writeFileSync(`${folder}/${name}.txt`, ankiText(notes));
const blob = await ankiPackage(notes, { now, retention: 0.9 });
writeFileSync(`${folder}/${name}.apkg`, Buffer.from(await blob.arrayBuffer()));
process.stdout.write(JSON.stringify(notes.map(({ memory }) => memory ?? null)));
