/** How answers are read: what people write, what it means, and what is asked back. */
import assert from "node:assert/strict";
import test from "node:test";

import { clean, printed, readNumber, typed } from "../../docs/assets/js/lib/practice/numeric.js";
import { askedUnit, readQuantity } from "../../docs/assets/js/lib/practice/quantity.js";
import { chance } from "../../docs/assets/js/lib/practice/draw.js";
import { unitNamed } from "../../docs/assets/js/lib/practice/units.js";

const NUMBERS = [
  ["14", 14], ["  14  ", 14], ["+14", 14], ["-14", -14], ["−14", -14], ["– 14", -14], ["－14", -14],
  ["0", 0], ["-0", -0], ["007", 7], [".5", 0.5], ["5.", 5], ["0.5", 0.5], [",5", 0.5], ["0,5", 0.5],
  [".823", 0.823], ["0.125", 0.125], ["0,125", 0.125], ["1,5", 1.5], ["1.25", 1.25], ["12,5", 12.5], ["12,34", 12.34],
  ["1234.5", 1234.5], ["1234,5", 1234.5], ["1234.567", 1234.567], ["403.2079999", 403.2079999],
  // Scientific notation, in every common form.
  ["1e5", 1e5], ["1E5", 1e5], ["1e+5", 1e5], ["1E+9", 1e9], ["1e-5", 1e-5], ["-1.5E-3", -1.5e-3],
  ["1 e10", 1e10], ["1e 10", 1e10], ["1.5×10^9", 1.5e9], ["1.5 × 10^9", 1.5e9], ["1.5x10^9", 1.5e9],
  ["1.5 x 10^9", 1.5e9], ["1.5X10^9", 1.5e9], ["1.5*10^9", 1.5e9], ["1.5*10**9", 1.5e9],
  ["1.5·10⁹", 1.5e9], ["1.5⋅10⁹", 1.5e9], ["1.5×10⁹", 1.5e9], ["1.5 · 10⁻³", 1.5e-3],
  ["1.5×10^{9}", 1.5e9], ["1.5\\times10^{9}", 1.5e9], ["1.5 \\cdot 10^{-3}", 1.5e-3], ["1.5×10^(9)", 1.5e9],
  ["1,5e9", 1.5e9], ["1,5·10^9", 1.5e9], ["1.500e9", 1.5e9], ["1,500e9", 1.5e9], ["6.098×10^9", 6.098e9],
  ["1.5*1e9", 1.5e9], ["6.022e23", 6.022e23], ["1.6e-19", 1.6e-19], ["10^9", 1e9], ["10⁹", 1e9],
  ["10**9", 1e9], ["10^-9", 1e-9], ["-10^3", -1000], ["2^30", 2 ** 30], ["2**30", 2 ** 30], ["2³⁰", 2 ** 30],
  ["1.5×2^30", 1.5 * 2 ** 30], ["3e300", 3e300],
  // Thousands.
  ["1,500,000", 1.5e6], ["1.500.000", 1.5e6], ["1 500 000", 1.5e6], ["1 500", 1500], ["1\u202f500", 1500],
  ["1\u00a0500,5", 1500.5], ["1 500.5", 1500.5], ["1'500", 1500], ["1’500’000", 1.5e6], ["1_500", 1500],
  ["1_572_864", 1572864], ["1,572,864", 1572864], ["1,234.5", 1234.5], ["1.234,5", 1234.5],
  ["1,234.567", 1234.567], ["1.234,567", 1234.567], ["1,00,000", 100000], ["12,34,567", 1234567],
  ["6098000000", 6098000000], ["18,014,398,509,481,984", 2 ** 54],
  // Fractions.
  ["3/4", 0.75], ["3 / 4", 0.75], ["-3/4", -0.75], ["3⁄4", 0.75], ["½", 0.5], ["¾", 0.75], ["1½", 1.5],
  ["1 1/2", 1.5], ["2 3/8", 2.375], ["1/1024", 1 / 1024], ["1.5/3", 0.5], ["3÷4", 0.75],
  // What stands around a number.
  ["= 14", 14], ["≈14", 14], ["~ 14", 14], ["about 14", 14], ["approx. 14", 14], ["`14`", 14], ["\u200e14", 14],
];

for (const [text, value] of NUMBERS) {
  test(`${JSON.stringify(text)} is ${value}`, () => {
    assert.deepEqual(readNumber(clean(text)), { kind: "number", value, rest: "" });
  });
}

const EITHER = [
  ["1,500", 1500, 1.5], ["1.500", 1500, 1.5], ["3,125", 3125, 3.125], ["128,000", 128000, 128],
  ["999.999", 999999, 999.999], ["-1,500", -1500, -1.5],
];
for (const [text, grouped, decimal] of EITHER) {
  test(`${text} has two readings, and is asked about`, () => {
    const read = readNumber(clean(text));
    assert.equal(read.kind, "either");
    assert.deepEqual(read.values.map(({ value }) => value), [grouped, decimal]);
    // Each has a mark that settles it, and settles the other sign as well.
    for (const { value, mark } of read.values) {
      assert.equal(readNumber(clean(text), mark).value, value);
      const decimals = mark === "point" ? "1.500" : "1,500";
      assert.equal(readNumber(decimals, mark).value, 1.5);
      assert.equal(readNumber(decimals, mark).alternative, 1500);
    }
  });
}

const UNREADABLE = [
  "", "   ", "?", "many", "seven", "Infinity", "-Infinity", "NaN", "∞", "e9", "1,2,3", "1.2.3", "1,5.2", 
  "7e9*2", "7e9 * 2", "2+2", "2 - 1", "10-15", "(14)", "1/0", "2^", "12^3", "5×10", "--5", "1e400", "10^999",
  "1e5e5", "14 15", "14;15", "1:30", "1".repeat(90),
];
for (const text of UNREADABLE) {
  test(`${JSON.stringify(text.slice(0, 12))} is not a number, and a reason is given`, () => {
    const read = readNumber(clean(text));
    const rest = read.kind === "number" ? read.rest : "";
    // Letters that follow a number are for the units to judge.
    assert.ok(read.kind === "unreadable" || /^[a-z]/i.test(rest), JSON.stringify(read));
    if (read.kind === "unreadable") assert.match(read.message, /^[A-Z].*[.!]$/);
  });
}

const QUANTITIES = [
  // text, the question's unit, value in that unit
  ["14 GB", "B", 14e9], ["14GB", "B", 14e9], ["14 gB", "B", 14e9], ["14 Gb", "B", "which"], ["14 gb", "B", "which"],
  ["14 GiB", "B", 14 * 2 ** 30], ["14 gib", "B", 14 * 2 ** 30], ["14 gigabytes", "B", 14e9],
  ["14 Gibibytes", "B", 14 * 2 ** 30], ["112 Gbit", "B", 14e9], ["112 gigabits", "B", 14e9], ["640 KB", "B", 640e3],
  ["640 kB", "B", 640e3], ["640 KiB", "B", 655360], ["14e9 bytes", "B", 14e9], ["14e9 B", "B", 14e9],
  ["14 000 000 000 B", "B", 14e9], ["14 billion bytes", "B", 14e9], ["14 B", "B", 14], ["14 G", "B", "which"],
  ["1.5 TB.", "B", 1.5e12], ["3.125 GB", "B", 3.125e9], ["3,125 GB", "B", "either"], ["3/4 GB", "B", 0.75e9],
  ["14", "B", "which unit"], ["14 GB of memory", "B", 14e9], ["8 bits", "B", 1], ["1 byte", "B", 1],
  ["14 apples", "B", "unreadable"], ["14 GB or so", "B", "unreadable"], ["0x1F", "B", "unreadable"],
  ["3.35 TB/s", "B/s", 3.35e12], ["3.35 TB per second", "B/s", 3.35e12], ["400 Gbit/s", "B/s", 50e9],
  ["400 Gbps", "B/s", 50e9], ["900 GBps", "B/s", 900e9], ["900 GB/sec", "B/s", 900e9], ["60 GB/min", "B/s", 1e9],
  ["275 GFLOP", "FLOP", 275e9], ["275 GFLOPs", "FLOP", 275e9], ["275 gflops", "FLOP", "which"],
  ["275e9", "FLOP", "which unit"], ["275 billion FLOP", "FLOP", 275e9], ["275 giga flop", "FLOP", 275e9],
  ["275G", "FLOP", 275e9], ["1 PF-day", "FLOP", 8.64e19], ["1 GMAC", "FLOP", 2e9], ["18432 operations", "FLOP", 18432],
  ["989 TFLOP/s", "FLOP/s", 989e12], ["989 TFLOPS", "FLOP/s", 989e12], ["989 TFLOPs", "FLOP/s", "which"],
  ["989 tflops/s", "FLOP/s", 989e12], ["989 TFLOP per second", "FLOP/s", 989e12], ["1 PFLOPS", "FLOP/s", 1e15],
  ["90 s", "s", 90], ["1.5 min", "s", 90], ["1 h 30 min", "s", 5400], ["1h30m", "s", 5400], ["1:30:00", "s", 5400],
  ["5 ms", "s", 0.005], ["5 µs", "s", 5e-6], ["5 μs", "s", 5e-6], ["5 us", "s", 5e-6], ["2 days", "s", 172800],
  ["1 year", "s", 31536000], ["5 m", "s", "which"], ["90", "s", "which unit"], ["1 day and 6 hours", "s", 108000],
  ["$5", "$", 5], ["5 $", "$", 5], ["US$5", "$", 5], ["5 USD", "$", 5], ["5 dollars", "$", 5], ["-$5", "$", -5],
  ["$1.2M", "$", 1.2e6], ["$1.2 million", "$", 1.2e6], ["50 cents", "$", 0.5], ["5", "$", 5], ["€5", "$", "unreadable"],
  ["$2.50/h", "$/h", 2.5], ["2.5", "$/h", 2.5], ["$60/day", "$/h", 2.5], ["$3 per million tokens", "$/M tokens", 3],
  ["$3/Mtok", "$/M tokens", 3], ["40 %", "%", 40], ["40%", "%", 40], ["40 percent", "%", 40], ["40", "%", 40],
  ["0.4", "%", "which"], ["0.4 %", "%", 0.4], ["2/5", "%", "which"],
  ["7B", "parameters", 7e9], ["7 B", "parameters", 7e9], ["7 billion", "parameters", 7e9], ["7bn", "parameters", 7e9],
  ["7 billion parameters", "parameters", 7e9], ["7B params", "parameters", 7e9], ["124M", "parameters", 124e6],
  ["0.5T", "parameters", 0.5e12], ["15T tokens", "tokens", 15e12], ["15 trillion tokens", "tokens", 15e12],
  ["32k", "tokens", 32000], ["32 K", "tokens", 32000], ["32Ki", "tokens", 32768], ["7b", "parameters", "which"],
  ["124m", "parameters", "which"], ["7000 million", "parameters", 7e9],
  ["240 tokens/s", "tokens/s", 240], ["240 tok/s", "tokens/s", 240], ["240 t/s", "tokens/s", 240],
  ["240 tps", "tokens/s", 240], ["240", "tokens/s", 240], ["14.4k tokens/min", "tokens/s", 240],
  ["240 tokens per second", "tokens/s", 240], ["1.2M tokens/h", "tokens/s", 1.2e6 / 3600],
  ["8", "", 8], ["8x", "", 8], ["8×", "", 8], ["8 times", "", 8], ["8-fold", "", 8], ["7e9", "", 7e9], ["7B", "", 7e9],
  ["40%", "", 0.4], ["3/4", "", 0.75], ["4", "GPUs", 4], ["4 GPUs", "GPUs", 4], ["4 gpu", "GPUs", 4],
  ["8 layers", "layers", 8], ["12 GPU-hours", "GPU-hours", 12], ["12 gpu hours", "GPU-hours", 12],
  ["295 FLOP/B", "FLOP/B", 295], ["295 FLOP/byte", "FLOP/B", 295], ["295 FLOPs per byte", "FLOP/B", 295], ["295", "FLOP/B", 295],
  ["16 bytes per parameter", "B/parameter", 16], ["128 KiB/token", "B/token", 131072], ["131072", "B/token", 131072],
  ["4.5 bits/weight", "bits/parameter", 4.5], ["700 W", "W", 700], ["0.7 kW", "W", 700], ["2 kWh", "J", 7.2e6],
  ["14", "GB", 14], ["14000 MB", "GB", 14], ["14e9 B", "GB", 14],
];
for (const [text, unit, expected] of QUANTITIES) {
  test(`${JSON.stringify(text)} for ${unit || "a number"} is ${expected}`, () => {
    const wanted = unitNamed(unit);
    const read = readQuantity(text, wanted, { asked: askedUnit("", wanted) });
    if (typeof expected === "number") {
      assert.equal(read.kind, "quantity", JSON.stringify(read));
      const value = read.unit.dimension === wanted.dimension ? read.value / wanted.scale : read.value;
      assert.ok(Math.abs(value - expected) <= 1e-12 * Math.abs(expected), `${value}`);
      return;
    }
    assert.equal(read.kind, expected === "unreadable" ? "unreadable" : "choose", JSON.stringify(read));
    assert.ok(read.message.length > 10);
    // Whatever is chosen is then read without another question.
    for (const { text: choice } of read.choices ?? []) {
      assert.equal(readQuantity(choice, wanted).kind, "quantity", choice);
    }
  });
}

test("a question that names its unit takes a number without one", () => {
  const bytes = unitNamed("B");
  const asked = (question, unit = "B") => askedUnit(question, unitNamed(unit))?.name;
  assert.equal(asked("How many GB are the weights of a model?"), "GB");
  assert.equal(asked("About how many GiB is that?"), "GiB");
  assert.equal(asked("How many bytes does one token need?"), "B");
  assert.equal(asked("How many tokens per second is that?", "tokens/s"), "tokens/s");
  assert.equal(asked("How many FLOP is a product?", "FLOP"), "FLOP");
  assert.equal(asked("How many GB/s does it need?", "B/s"), "GB/s");
  assert.equal(asked("How many layers need 3 GB?"), undefined);
  assert.equal(asked("How large are the weights?"), undefined);
  const read = readQuantity("14", bytes, { asked: askedUnit("How many GB are they?", bytes) });
  assert.equal(read.value, 14e9);
  assert.equal(read.shown, "14 GB");
});

test("what is printed or typed for a reader is read back as the same number", () => {
  for (const value of [0, 1, 1.5, 1.504, 0.125, 1500, 1572864, 1.8e18, 6.022e23, 1.6e-19, -12.5, 2 ** 40]) {
    assert.equal(readNumber(typed(value)).value, value, typed(value));
    assert.equal(readNumber(printed(value), "point").value, value, printed(value));
  }
});

test("how an answer was read is said in words that the reader knows", () => {
  const shown = (text, unit) => readQuantity(text, unitNamed(unit), { mark: "point" }).shown;
  assert.equal(shown("1.4e10 B", "B"), "14,000,000,000 B");
  assert.equal(shown("14 gigabytes", "B"), "14 GB");
  assert.equal(shown("$1.2M", "$"), "$1,200,000");
  assert.equal(shown("1,500 GB", "B"), "1,500 GB");
  assert.equal(shown("1 h 30 min", "s"), "5,400 s");
});

test("a reading that the known decimal mark has ruled out is still offered", () => {
  for (const [text, other] of [["1,500 GB", "1.5 GB"], ["1,500", "1.5"]]) {
    const wanted = unitNamed("B");
    const read = readQuantity(text, wanted, { asked: unitNamed("GB"), mark: "point" });
    assert.equal(read.value, 1500e9);
    assert.equal(read.other.text, other);
  }
});

test("the question's own words may follow a plain number, and nothing else may", () => {
  const plain = unitNamed("");
  const read = (given, text) => readQuantity(given, plain, { text });
  const hours = "How many machine-hours is that a day?";
  assert.equal(read("27.8 machine-hours", hours).value, 27.8);
  assert.equal(read("27.8 hours", hours).value, 27.8);
  assert.equal(read("27.8 h", hours).kind, "unreadable");
  assert.equal(read("4000 hours", "After how many hours of use does buying pay?").value, 4000);
  assert.equal(read("200 FLOP/byte", "What is its ridge, in FLOP per byte?").value, 200);
  assert.equal(read("13 GiB", "What number does a tool show that counts in GiB?").value, 13);
  assert.equal(read("13 GB", "What number does a tool show that counts in GiB?").kind, "unreadable");
  assert.match(read("13 s", "How many are there?").message, /plain number: I read 13, but not "s"/);
  // Scales stay scales.
  assert.equal(read("7B", "How large is 1 B?").value, 7e9);
  assert.equal(read("40 %", "How many?").value, 0.4);
});

test("whatever is typed is read, asked about or refused with a reason, and never breaks", () => {
  const pieces = [
    ..."0123456789.,-+eE^*/x×·⁹½%$ ()'_µ", "10^", "1,500", "GB", "GiB", "Gb", "FLOP", "/s", "tokens", "B",
    " per ", "h", "min", "k", "\\times", "{", "}", "∞", "NaN", "__proto__", "constructor", "9e300", "EB",
  ];
  const units = ["B", "B/s", "FLOP", "FLOP/s", "s", "$", "%", "", "tokens", "tokens/s", "parameters", "GPUs", "$/h"];
  const next = chance(7);
  const pick = (list) => list[Math.floor(next() * list.length)];
  const seen = new Set();
  for (let round = 0; round < 20_000; round += 1) {
    const text = Array.from({ length: 1 + Math.floor(next() * 8) }, () => pick(pieces)).join("");
    const read = readQuantity(text, unitNamed(pick(units)), { mark: pick([null, "point", "comma"]) });
    seen.add(read.kind);
    if (read.kind === "quantity") assert.ok(Number.isFinite(read.value), text);
    else assert.ok(read.message.length > 5, text);
    for (const choice of read.choices ?? []) assert.ok(choice.text && choice.label, text);
  }
  assert.deepEqual([...seen].sort(), ["choose", "quantity", "unreadable"]);
});
