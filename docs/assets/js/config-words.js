/* A config that was read, as a person would explain it: the sentences of `posenc explain`, without
   its line breaks. Nothing here knows of a page. */
import { frequenciesAt, general, isFloat, shown, trainedFrequencies } from "./config-reader.js";

const TURN = 2 * Math.PI;
const KINDS = {
  rope: "rotation of queries and keys (RoPE)",
  rope_2d: "rotation of queries and keys by row and column (axial RoPE)",
  rope_2d_text: "rotation by two position streams (RoPE, one for each half of a head)",
  learned: "learned table, added to the token vectors",
  "learned+rope_2d": "learned table, and rotation by row and column",
  sinusoidal: "sinusoidal table, added to the token vectors",
  sine_2d: "sinusoidal table of rows and columns, added",
  alibi: "bias on the scores that grows with distance (ALiBi)",
  t5_bias: "bias on the scores, learned for each bucket of distances (T5)",
  deberta: "score terms between content and relative position (DeBERTa)",
  transformer_xl: "score terms with relative sinusoids (Transformer-XL)",
  conv: "convolution over the input, which sees the neighbours",
  none: "no positions of its own",
  unknown: "unknown: no key here says how positions enter",
};
const LAYOUTS = {
  half: "half: feature i with feature i + {half}",
  interleaved: "interleaved: features 2i and 2i + 1",
  "interleaved input, halves out": "reads features 2i and 2i + 1, writes halves",
};
const HIDDEN = ["factor", "short_factor", "long_factor", "alpha"];
const SHORT = ["slopes_first3", "slopes"];
const has = (object, key) => Object.hasOwn(object, key);
const grouped = (number) => number.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ",");

/** A wavelength, in tokens. */
export const tokens = (length) => (length < 100 ? general(length, 3) : grouped(length));

/** The line at the top: what kind of model this is. */
export function titleOf({ modelType, known }) {
  const name = modelType || "a config without model_type";
  return known ? name : `${name} (not in the table of model types)`;
}

/** The heading of a part. */
export const headingOf = ({ name, kind }) => `${name}: ${has(KINDS, kind) ? KINDS[kind] : kind}`;

/** The lines of a part: pairs of a label and its text. */
export function rowsOf(part, model) {
  const rows = [];
  const [first] = part.ropes;
  if (first && part.layout === null)
    rows.push(["pair layout", "not told by a config: it stands in the model's code"]);
  else if (first) {
    const { type, headDim, rotaryDim } = first.ladder;
    const half = Math.floor((type === "proportional" ? headDim : rotaryDim) / 2);
    rows.push(["pair layout", LAYOUTS[part.layout].replace("{half}", half)]);
  }
  for (const rope of part.ropes) rows.push(...ropeRows(rope, part, model));
  if (part.softmaxScale !== null) rows.push(["softmax scale", scaleOf(part)]);
  for (const [key, value] of Object.entries(part.facts))
    if (!SHORT.includes(key)) rows.push([key.replaceAll("_", " "), inWords(value)]);
  if (part.layers) {
    const { trainedLength: trained, extendedLength: extended } = part;
    const more = extended === null ? "" : `, extended to ${extended}`;
    if (trained !== null) rows.push(["length", `${trained} tokens${more}`]);
    rows.push(...layerRows(part.layers, part.ropes.length > 0));
  }
  return rows;
}

function scaleOf({ softmaxScale, queryDim }) {
  const scale = general(softmaxScale);
  if ((queryDim ?? null) === null) return scale;
  const ratio = softmaxScale * Math.sqrt(queryDim);
  const isOne = Math.abs(ratio - 1) <= 1e-6 * Math.max(ratio, 1);
  return `${scale} = 1 / sqrt(${shown(queryDim)})${isOne ? "" : ` x ${general(ratio)}`}`;
}

function inWords(value) {
  if (value === null || value === undefined) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (isFloat(value)) return general(value);
  if (Array.isArray(value)) return value.map(inWords).join(", ");
  if (typeof value !== "object") return String(value);
  return (
    Object.entries(value)
      .map(([key, item]) => `${key} ${inWords(item)}`)
      .join("; ") || "none"
  );
}

function ropeRows(rope, part, model) {
  const { ladder, invFreq, appliesTo, slice, attentionFactor } = rope;
  const rows = appliesTo === "all" ? [] : [["layers of kind", appliesTo]];
  rows.push(["rotated", `${slice}: ${ladder.rotaryDim} features, ${invFreq.length} pairs`]);
  const origin = model.origin[`${part.name}.ropes[${appliesTo}].base`] ?? "rule of the model type";
  rows.push(["base", `${general(ladder.base, 10)} (${origin})`]);
  rows.push(["rope type", ruleOf(rope)]);
  const moving = invFreq.filter((frequency) => frequency > 0);
  if (moving.length) {
    const [fast, slow] = [
      moving.reduce((a, b) => Math.max(a, b)),
      moving.reduce((a, b) => Math.min(a, b)),
    ];
    rows.push(["wavelengths", `${tokens(TURN / fast)} to ${tokens(TURN / slow)} tokens`]);
  }
  if (part.trainedLength && moving.length) {
    const { turning, all } = turningOf(rope, part);
    const text = `${turning} of ${all} pairs within ${part.trainedLength} trained tokens`;
    rows.push(["come round once", text]);
  }
  if (attentionFactor !== 1) {
    const text = `${general(attentionFactor)} on cosines and sines, so its square on scores`;
    rows.push(["attention factor", text]);
  }
  return rows;
}

/** How many pairs come round at least once within the trained length. */
export function turningOf(rope, { trainedLength }) {
  const trained = trainedFrequencies(rope.ladder);
  const turning = trained.filter((frequency) => frequency * trainedLength >= TURN).length;
  return { turning, all: trained.length };
}

function ruleOf({ ladder, invFreqLong }) {
  const { type, factor, parameters, trained } = ladder;
  const words = [type];
  if (factor !== null) {
    let given = has(parameters, "factor") ? "" : " (from the two lengths)";
    if (type === "ntk") given = " (alpha)";
    words.push(`factor ${general(factor)}${given}`);
  }
  for (const [key, value] of Object.entries(parameters))
    if (!HIDDEN.includes(key)) words.push(`${key} ${inWords(value)}`);
  if (invFreqLong) words.push(`another list of divisors beyond ${trained} tokens`);
  return words.join(", ");
}

function layerRows({ n, attention, rotated, windowed, window, chunk }, rotates) {
  const turning = new Set(rotated);
  const bare = attention.filter((layer) => !turning.has(layer));
  const rows = [["layers", String(n)]];
  if (attention.length < n) rows.push(["that attend", rangesOf(attention)]);
  if (rotates && bare.length) rows.push(["that rotate", rangesOf(rotated)]);
  if (bare.length) rows.push(["without positions", rangesOf(bare)]);
  if (window !== null) {
    const where = windowed.length === n ? "all" : rangesOf(windowed);
    rows.push(["window", `${window} tokens on layers ${where}`]);
  }
  if (chunk !== null) rows.push(["chunks", `${chunk} tokens`]);
  return rows;
}

/** Layer numbers, runs of three and more joined. */
function rangesOf(numbers) {
  const runs = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    if (run && number === run.at(-1) + 1) run.push(number);
    else runs.push([number]);
  }
  const words = runs.map((run) => (run.length < 3 ? run.join(", ") : `${run[0]}-${run.at(-1)}`));
  return words.join(", ") || "none";
}

/** What each pair does at a length of text: wavelength in training and now, and their ratio. */
export function pairsOf(rope, part, seqLen) {
  const now = frequenciesAt(rope.ladder, seqLen).invFreq;
  const trained = trainedFrequencies(rope.ladder);
  return now.map((frequency, i) => {
    const before = trained[i] ?? 0;
    const turns = part.trainedLength ? (before * part.trainedLength) / TURN : null;
    return { before: TURN / before, now: TURN / frequency, ratio: before / frequency, turns };
  });
}
