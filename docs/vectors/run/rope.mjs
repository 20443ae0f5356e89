// Rotary positions in JavaScript, half layout.
// node rope.mjs FILE-OR-ADDRESS
import { readFile } from "node:fs/promises";

function rope(x, positions, base) {
  return x.map((row, t) => {
    const half = row.length / 2;
    return row.map((value, j) => {
      const i = j % half;
      const angle = positions[t] * base ** ((-2 * i) / row.length);
      const partner = j < half ? -row[j + half] : row[i];
      return value * Math.cos(angle) + partner * Math.sin(angle);
    });
  });
}

const place = process.argv[2];
const text = /^https?:/.test(place)
  ? await (await fetch(place)).text()
  : await readFile(place, "utf-8");
const { name, signature, tolerance, cases } = JSON.parse(text);

let failed = 0;
for (const { name: title, inputs, expected } of cases) {
  const given = signature.map((argument) => inputs[argument.name]);
  const got = rope(...given).flat();
  const right = expected.flat();
  const { rtol, atol } = tolerance;
  const agrees = (one, other) =>
    Math.abs(one - other) <= atol + rtol * Math.abs(other);
  const first = right.findIndex((r, i) => !agrees(got[i], r));
  if (first >= 0 || got.length !== right.length) {
    failed += 1;
    console.log(`${title}: entry ${first} is ${got[first]}`);
  }
}
const passed = cases.length - failed;
console.log(`${name}: ${passed} of ${cases.length} cases pass`);
process.exitCode = failed ? 1 : 0;
