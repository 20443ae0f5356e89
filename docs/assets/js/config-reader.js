/* Reads a config.json: what the positions of the model really are. The same rules as `read_config`
   of the Python package, which is the truth: function by function, in the order of its files
   (expressions, model_table, unknown_types, rope_blocks, ladders, config_layers, config_parts,
   config_findings, config). Facts about model types come from the same table. Nothing here knows
   of a page. */

const LARGEST_TEXT = 5_000_000;
const DEEPEST = 64;
const LARGEST = 2 ** 53;
const MOST_KINDS = 64; // of layers: each has frequencies of its own, which take time to compute
const MOST_LAYERS = 10_000;
const WIDEST_HEAD = 2 ** 16;
const LEAST_DIVISOR = 1e-300;
const TOLD_FROM = 1e-3;
const TURN = 2 * Math.PI;
const BAD_ESCAPE = "Invalid \\uXXXX escape"; // as Python's own reader says it, with four X

/** A config that cannot be: the message names the key, the rule and the value. */
export class ConfigError extends Error {}

/* ---- Values: an object is a dict without a prototype, so that no key of a file means anything to
   JavaScript. 8 is a number; 8.0, which Python shows otherwise, is a Number object; a whole number
   beyond 2 ** 53 is a BigInt. ---- */

const isNone = (value) => value === null || value === undefined;
const isList = Array.isArray;
const isWord = (value) => typeof value === "string";
const plain = (value) => (value instanceof Number ? value.valueOf() : value);
const isObject = (value) =>
  typeof value === "object" && value !== null && !isList(value) && !(value instanceof Number);
const isNumber = (value) => ["number", "bigint"].includes(typeof plain(value));
const has = (object, key) => Object.hasOwn(object, key);
const dict = (...parts) => Object.assign(Object.create(null), ...parts);
const entries = Object.entries;
const range = (n) => Array.from({ length: n }, (_, i) => i);
const count = (list, test) => list.filter(test).length;

function truth(value) {
  const bare = plain(value);
  if (typeof bare === "object" && bare !== null) return Object.keys(bare).length > 0;
  return Number.isNaN(bare) || Boolean(bare);
}

/** Equality as Python has it: 1, 1.0 and true are equal, lists and dicts by what they hold. */
function equal(a, b) {
  const [x, y] = [a, b].map((value) => (typeof value === "boolean" ? Number(value) : plain(value)));
  if (isNone(x) || isNone(y)) return isNone(x) && isNone(y);
  if (isNumber(x) && isNumber(y)) return x == y; // a BigInt may meet a number
  if (isList(x) && isList(y))
    return x.length === y.length && x.every((item, i) => equal(item, y[i]));
  if (isObject(x) && isObject(y)) {
    const keys = Object.keys(x);
    return (
      keys.length === Object.keys(y).length &&
      keys.every((key) => has(y, key) && equal(x[key], y[key]))
    );
  }
  return x === y;
}

/** JSON as Python reads it: NaN and Infinity are numbers, and of a key twice the last counts. */
export function parse(text) {
  let at = 0;
  const fail = (message, where = at) => {
    const before = text.slice(0, where);
    const place = `line ${before.split("\n").length}, column ${where - before.lastIndexOf("\n")}`;
    throw new ConfigError(`config must be JSON, got something else at ${place}: ${message}`);
  };
  const match = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const skip = () => match(/[ \t\n\r]*/y);
  const WORDS = { null: null, true: true, false: false, NaN, Infinity, "-Infinity": -Infinity };

  function string() {
    const start = at++;
    let words = "";
    for (;;) {
      words += match(/[^"\\\0-\x1f]*/y)[0];
      const sign = text[at];
      if (sign === '"') {
        at += 1;
        return words;
      }
      if (sign === undefined) fail("Unterminated string starting at", start);
      if (sign !== "\\") fail("Invalid control character at");
      const escape = match(/\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y);
      if (!escape && text[at + 1] === "u") fail(BAD_ESCAPE, at + 1);
      if (!escape) fail("Invalid \\escape");
      words += JSON.parse(`"${escape[0]}"`);
    }
  }

  function number([literal, fraction]) {
    const value = Number(literal);
    if (fraction) return Number.isInteger(value) ? Object(value) : value;
    if (literal.length > 4300)
      throw new ConfigError("config must hold ordinary numbers, got: one of thousands of digits");
    const digits = BigInt(literal);
    return -LARGEST <= digits && digits <= LARGEST ? Number(digits) : digits;
  }

  function item(close, depth, read) {
    at += 1;
    skip();
    if (text[at] !== close)
      for (;;) {
        read(depth);
        skip();
        if (text[at] === close) break;
        if (text[at] !== ",") fail("Expecting ',' delimiter");
        at += 1;
        skip();
      }
    at += 1;
  }

  function value(depth) {
    if (depth > 2 * DEEPEST) throw tooDeep();
    skip();
    if (text[at] === '"') return string();
    if (text[at] === "{") {
      const object = dict();
      item("}", depth + 1, (below) => {
        if (text[at] !== '"') fail("Expecting property name enclosed in double quotes");
        const key = string();
        skip();
        if (text[at] !== ":") fail("Expecting ':' delimiter");
        at += 1;
        object[key] = value(below);
      });
      return object;
    }
    if (text[at] === "[") {
      const list = [];
      item("]", depth + 1, (below) => list.push(value(below)));
      return list;
    }
    const word = match(/null|true|false|NaN|-?Infinity/y);
    if (word) return WORDS[word[0]];
    const digits = match(/-?(?:0|[1-9]\d*)((?:\.\d+)?(?:[eE][-+]?\d+)?)/y);
    return digits ? number(digits) : fail("Expecting value");
  }

  const whole = value(0);
  skip();
  if (at < text.length) fail("Extra data");
  return whole;
}

const tooDeep = () => new ConfigError(`config must be nested at most ${DEEPEST} deep, got more`);

/** The object that a text stands for. */
function objectOf(source) {
  const text = source.replace(/^\uFEFF/, "");
  if (text.length > LARGEST_TEXT)
    throw new ConfigError(`config must be at most ${LARGEST_TEXT} characters, got ${text.length}`);
  const config = parse(text);
  if (!isObject(config)) throw refuse("config", "an object with keys", config);
  const depth = (value, level) => {
    if (level > DEEPEST) throw tooDeep();
    for (const inner of Object.values(value))
      if (isList(inner) || isObject(inner)) depth(inner, level + 1);
  };
  depth(config, 1);
  return config;
}

/* ---- Values in words, as Python writes them ---- */

/** Digits and exponent of a number rounded to so many digits, a tie to the even one. */
function rounded(value, digits) {
  const [exact] = value.toExponential(60).split("e");
  let [figures, exponent] = value.toExponential(digits - 1).split("e");
  const rest = exact.replace(".", "").slice(exact.startsWith("-") ? digits + 1 : digits);
  if (/^50*$/.test(rest) && Number(figures.at(-1)) % 2) {
    const down = exact.slice(0, exact.indexOf(".") + digits);
    figures = digits === 1 ? exact.split(".")[0] : down;
  }
  return [figures, Number(exponent)];
}

const power = (exponent) =>
  `e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;

/** Python's format `g`: so many digits that count, without zeros at the end. */
export function general(number, digits = 6) {
  const value = Number(number);
  if (!Number.isFinite(value)) return shown(value);
  if (Object.is(value, -0)) return "-0";
  const [figures, exponent] = rounded(value, digits);
  const short = (words) => (words.includes(".") ? words.replace(/\.?0+$/, "") : words);
  if (exponent < -4 || exponent >= digits) return short(figures) + power(exponent);
  return short(Number(`${figures}e${exponent}`).toFixed(digits - 1 - exponent));
}

function float(value) {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const [figures, exponent] = value.toExponential().split("e");
  if (exponent < -4 || exponent >= 16) return figures + power(Number(exponent));
  if (Number.isInteger(value)) return `${value}.0`;
  return exponent < 0
    ? value.toFixed(figures.replace(/\D/g, "").length - 1 - exponent)
    : String(value);
}

function quoted(words) {
  const mark = words.includes("'") && !words.includes('"') ? '"' : "'";
  const NAMED = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
  const escaped = words.replace(/[\\\p{C}\p{Z}]/gu, (sign) => {
    if (sign === " ") return sign;
    const code = sign.codePointAt(0);
    const [letter, width] = code < 256 ? ["x", 2] : code < 65536 ? ["u", 4] : ["U", 8];
    return NAMED[sign] ?? `\\${letter}${code.toString(16).padStart(width, "0")}`;
  });
  return mark + (mark === "'" ? escaped.replaceAll("'", "\\'") : escaped) + mark;
}

/** A value as Python's `repr` shows it. */
export function shown(value) {
  if (isNone(value)) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (isWord(value)) return quoted(value);
  if (isList(value)) return `[${value.map(shown).join(", ")}]`;
  if (isObject(value))
    return `{${entries(value)
      .map(([key, item]) => `${quoted(key)}: ${shown(item)}`)
      .join(", ")}}`;
  return isFloat(value) ? float(plain(value)) : String(value);
}

const words = (value) => (isWord(value) ? value : shown(value));
export const isFloat = (value) =>
  value instanceof Number || (typeof value === "number" && !Number.isInteger(value));

function typeOf(value) {
  if (isNone(value)) return "NoneType";
  if (isNumber(value)) return isFloat(value) ? "float" : "int";
  if (isList(value)) return "list";
  return { boolean: "bool", string: "str" }[typeof value] ?? "dict";
}

/** The error for a key whose value breaks a rule. */
function refuse(key, rule, value) {
  const signs = [...shown(value)];
  const short = signs.length <= 60 ? signs.join("") : `${signs.slice(0, 57).join("")}…`;
  return new ConfigError(`${key} must be ${rule}, got ${short} (${typeOf(value)})`);
}

/** A finite number that a double holds exactly enough to compute with. */
function number(key, value) {
  if (!isNumber(value)) throw refuse(key, "a number", value);
  if (!(-LARGEST <= value && value <= LARGEST))
    throw refuse(key, "a finite number of at most 2**53 in size", value);
  return Number(value);
}

/** A whole number in a range; `64.0` counts as 64, as some files write it. */
function whole(key, value, least, most) {
  const size = number(key, value);
  if (!Number.isInteger(size) || size < least || size > most)
    throw refuse(key, `a whole number from ${least} to ${most}`, value);
  return size;
}

/* ---- Expressions of the table ---- */

/** What an expression may look at, and the list of what it did look at. */
const scopeOf = (config, { names = {}, defaults = {} }, trace = [], ofDefaults = "default") => ({
  config,
  names,
  defaults,
  trace,
  ofDefaults,
});

/** What stands at a dotted path, or null. */
function atPath(config, path) {
  let value = config;
  for (const step of path.split(".")) {
    if (!isObject(value)) return null;
    value = value[step] ?? null;
  }
  return value;
}

/** No NaN and no infinity, which JSON has not, and no whole number that a float cannot hold. */
function checkFinite(key, value) {
  if (typeof value === "number" && !Number.isFinite(value))
    throw refuse(key, "a finite number", value);
  if (typeof plain(value) === "bigint")
    throw refuse(key, "a number of at most 2**53 in size", value);
  if (isList(value) || isObject(value))
    for (const item of Object.values(value)) checkFinite(key, item);
}

/** The value of a key under any of its names, else its default; one that is null has no default. */
function lookUp(scope, key) {
  const names = [key, ...(scope.names[key] ?? [])];
  for (const name of names) {
    const value = atPath(scope.config, name);
    if (!isNone(value)) {
      checkFinite(name, value);
      scope.trace.push({ key: name, origin: "key" });
      return value;
    }
  }
  if (names.some((name) => has(scope.config, name))) return null;
  const value = scope.defaults[key] ?? null;
  if (!isNone(value)) scope.trace.push({ key, origin: scope.ofDefaults });
  return value;
}

const isKey = (expression) => isWord(expression) && expression.startsWith("$");

function evaluate(expression, scope) {
  if (isKey(expression)) return lookUp(scope, expression.slice(1));
  if (isList(expression)) {
    const [operator, ...operands] = expression;
    if (isWord(operator) && has(LAZY, operator)) return LAZY[operator](operands, scope);
    if (!isWord(operator) || !has(EAGER, operator))
      return expression.map((item) => evaluate(item, scope));
    const names = [];
    const values = operands.map((operand) => {
      const start = scope.trace.length;
      const value = evaluate(operand, scope);
      names.push(keysRead(scope.trace.slice(start)));
      return value;
    });
    return values.some(isNone) ? null : EAGER[operator](names, values);
  }
  if (!isObject(expression)) return expression ?? null;
  return dict(...entries(expression).map(([key, item]) => ({ [key]: evaluate(item, scope) })));
}

/** The keys that a value came from, to name it by in an error. */
const keysRead = (reads) => [...new Set(told(reads).map(({ key }) => key))].join(", ");
const told = (reads) => reads.filter(({ key }) => !key.startsWith("_"));

const LAZY = {
  or(operands, scope) {
    for (const operand of operands) {
      const value = evaluate(operand, scope);
      if (!isNone(value)) return value;
    }
    return null;
  },
  if: ([condition, yes, no], scope) =>
    evaluate(truth(evaluate(condition, scope)) ? yes : no, scope),
  has: (keys, scope) => keys.some((key) => !isNone(atPath(scope.config, key))),
  "==": ([left, right], scope) => equal(evaluate(left, scope), evaluate(right, scope)),
  in([item, place], scope) {
    const [word, list] = [evaluate(item, scope), evaluate(place, scope)];
    if (isWord(list)) return isWord(word) && list.includes(word);
    return isList(list) && list.some((inner) => equal(inner, word));
  },
  not: ([operand], scope) => !truth(evaluate(operand, scope)),
  and: (operands, scope) => operands.every((operand) => truth(evaluate(operand, scope))),
  any: (operands, scope) => operands.some((operand) => truth(evaluate(operand, scope))),
  quote: ([operand]) => operand,
};

const arithmetic = (compute, isByZero) => (names, values) => {
  let total = number(names[0], values[0]);
  values.slice(1).forEach((value, i) => {
    const by = number(names[i + 1], value);
    if (isByZero?.(total, by)) throw refuse(names[i + 1], "other than 0 (it divides)", value);
    total = compute(total, by);
    if (!(Math.abs(total) <= LARGEST))
      throw refuse(names[i + 1], "such that the result is a finite number", value);
  });
  return values.some(isFloat) ? Object(total) : total;
};

const layersOf = (name, value) => range(whole(name || "number of layers", value, 0, MOST_LAYERS));
const mustBeList = (name, value) => {
  if (!isList(value)) throw refuse(name, "a list", value);
};

/** Down to a whole number, from the exact remainder: 2 // 0.4 is 4, for 0.4 is a little more. */
function floorDivision(a, b) {
  const rest = a % b;
  const times = Math.round((a - rest) / b) - Number(rest !== 0 && rest < 0 !== b < 0);
  return times === 0 ? (a / b) * 0 : times; // Python keeps the sign of a zero
}

const QUOTIENT = arithmetic(
  (a, b) => a / b,
  (a, b) => b === 0,
);
const EAGER = {
  "+": arithmetic((a, b) => a + b),
  "-": arithmetic((a, b) => a - b),
  "*": arithmetic((a, b) => a * b),
  "/": (...given) => Object(QUOTIENT(...given)),
  "//": arithmetic(floorDivision, (a, b) => b === 0),
  "**": arithmetic(
    (a, b) => a ** b,
    (a, b) => a === 0 && b < 0,
  ),
  min: arithmetic((a, b) => Math.min(a, b)),
  max: arithmetic((a, b) => Math.max(a, b)),
  /** A width times a fraction, cut to a whole number. */
  share: (names, [width, fraction]) =>
    Math.trunc(whole(names[0], width, 1, LARGEST) * number(names[1], fraction)),
  repeat: (names, [n, item]) => layersOf(names[0], n).map(() => item),
  /** One thing on every layer i with i % period == at, the other elsewhere. */
  periodic(names, [n, period, at, one, other]) {
    const step = whole(names[1], period, 1, LARGEST);
    const place = (whole(names[2], at, -1, LARGEST) + step) % step;
    return layersOf(names[0], n).map((i) => (i % step === place ? one : other));
  },
  /** One thing before layer k, the other from it on. */
  from(names, [n, k, before, after]) {
    const start = whole(names[1], k, 0, LARGEST);
    return layersOf(names[0], n).map((i) => (i < start ? before : after));
  },
  /** A list with one entry changed; -1 is the last. */
  put(names, [items, index, item]) {
    mustBeList(names[0], items);
    const place = index < 0 ? items.length + index : index;
    return items.map((old, i) => (i === place ? item : old));
  },
  /** Each entry of a list, or letter of a text, by its name in a table. */
  named(names, [items, table]) {
    if (!isWord(items)) mustBeList(names[0], items);
    const list = [...items];
    if (list.length > MOST_LAYERS) throw refuse(names[0], `at most ${MOST_LAYERS} long`, items);
    return list.map((item) => {
      const name = words(typeof item === "boolean" ? Number(item) : item);
      if (has(table, name)) return table[name];
      throw refuse(names[0], `made of ${Object.keys(table).join(", ")}`, name);
    });
  },
  /** One thing on the layers that a list names, the other elsewhere. */
  chosen(names, [n, indices, one, other]) {
    if (!isList(indices)) throw refuse(names[1], "a list of layer numbers", indices);
    const named = new Set(indices.map((index) => whole(names[1], index, 0, MOST_LAYERS)));
    return layersOf(names[0], n).map((i) => (named.has(i) ? one : other));
  },
  /** The layers whose flag is 1. */
  indices: (names, [flags]) => range(flags.length).filter((i) => equal(flags[i], 1)),
  /** Patches down and across: an image size and a patch size, numbers or pairs. */
  grid(names, values) {
    const [image, patch] = values.map((value, i) => {
      if (isList(value) && value.length !== 2) throw refuse(names[i], "one number or two", value);
      return (isList(value) ? value : [value, value]).map((side) => whole(names[i], side, 1, 1e6));
    });
    return [Math.floor(image[0] / patch[0]), Math.floor(image[1] / patch[1])];
  },
  product(names, [counts]) {
    mustBeList(names[0], counts);
    return counts.reduce((total, size) => total * whole(names[0], size, 0, 1e6), 1);
  },
};

/** Where a value came from, in words. */
function originOf(reads) {
  const said = told(reads).filter(({ origin }) => origin !== "rule");
  const keys = new Set(said.map(({ key, origin }) => `${origin} ${key}`));
  const list = [...keys].map((word) => word.replaceAll("default ", "library default of "));
  return list.join(", ") || "rule of the model type";
}

/* ---- Rows of the table ---- */

/** A row over another: its entries win, defaults and names are joined. */
function joinedOver(below, row) {
  const joined = dict(below, row);
  for (const key of ["defaults", "names"])
    if (has(below, key) && has(row, key)) joined[key] = dict(below[key], row[key]);
  return joined;
}

function wholeRow(row, table) {
  if (!has(row, "like")) return row;
  const below = table.families[row.like] ?? table.types[row.like];
  return joinedOver(wholeRow(below, table), row);
}

const inTable = (modelType, table) => isWord(modelType) && has(table.types, modelType);

/** The facts about a model type; the keys that decide between its cases count as read. */
function rowOf(modelType, config, { table, readKeys }, where) {
  if (!inTable(modelType, table)) return rowFromKeys(config);
  const row = wholeRow(table.types[modelType], table);
  const scope = scopeOf(config, { defaults: row.defaults });
  const chosen = row.cases?.find((one) => truth(evaluate(one.if, scope)));
  for (const { key } of scope.trace) readKeys.add(where + key);
  return chosen ? joinedOver(row, chosen) : row;
}

const NAMES = {
  hidden_size: ["n_embd", "d_model", "dim", "model_dim"],
  num_attention_heads: ["n_head", "n_heads", "num_heads"],
  num_hidden_layers: ["n_layer", "n_layers", "num_layers"],
  max_position_embeddings: ["n_positions", "n_ctx", "max_seq_len", "seq_length"],
  head_dim: ["kv_channels", "qk_rope_head_dim"],
  rope_theta: ["rotary_emb_base", "rope_base", "rope_embedding_base"],
};
const ROTARY =
  "rope_theta rope_scaling rope_parameters rotary_dim rotary_pct rotary_emb_base rope_base " +
  "partial_rotary_factor rotary rope_embedding_base qk_rope_head_dim";

/** What keys alone say of a model whose type is not in the table, or not given. */
function rowFromKeys(config) {
  const isThere = (key) => !isNone(config[key]);
  if (config.alibi === true || atPath(config, "attn_config.alibi") === true) {
    const facts = { heads: "$num_attention_heads", bias_max: ["or", "$alibi_bias_max", 8] };
    return { kind: "alibi", names: NAMES, facts };
  }
  if (isThere("relative_attention_num_buckets")) {
    const facts = {
      num_buckets: "$relative_attention_num_buckets",
      max_distance: ["or", "$relative_attention_max_distance", 128],
      heads: "$num_attention_heads",
    };
    return { kind: "t5_bias", names: NAMES, facts };
  }
  if (ROTARY.split(" ").some(isThere) || (!isThere("model_type") && isThere("head_dim")))
    return {
      kind: "rope",
      names: NAMES,
      rotary_dim: "$rotary_dim",
      partial: ["or", "$partial_rotary_factor", "$rotary_pct"],
      layer_types: "$layer_types",
      window: { size: "$sliding_window" },
    };
  const inner = ["text_config", "language_config"].find((key) => isObject(config[key]));
  if (inner) return { nested: [["text", [inner], null]] };
  return { kind: "unknown", names: NAMES, facts: { limit: "$max_position_embeddings" } };
}

/* ---- The rotary part of a config ---- */

const SAME = { su: "longrope", mrope: "default", axial: "default" };
const REQUIRED = {
  default: [],
  linear: ["factor"],
  ntk: ["alpha"],
  dynamic: ["factor"],
  yarn: [],
  longrope: ["short_factor", "long_factor"],
  llama3: ["factor", "low_freq_factor", "high_freq_factor"],
  proportional: [],
};
const READ = {
  yarn: ["attention_factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim", "truncate"],
  longrope: ["short_factor", "long_factor", "attention_factor"],
  llama3: ["low_freq_factor", "high_freq_factor"],
  ntk: ["alpha"],
};
const HAS_FACTOR = ["linear", "dynamic", "yarn", "longrope", "llama3", "proportional"];
const EXTENDS = ["yarn", "longrope", "llama3"];
const SECTIONS = ["mrope_section", "mrope_interleaved"];
const ORIGINAL = "original_max_position_embeddings";
const MAXIMUM = "max_position_embeddings";
const IN_EVERY_BLOCK = [
  ...["type", "rope_type", "rope_theta", "factor", "partial_rotary_factor", ORIGINAL],
  ...SECTIONS,
];
const finding = (kind, keys, text) => ({ kind, keys, text });

/** The block that wins, checked to be one; the loser is told of. */
function findBlocks(config, notes) {
  const blocks = [];
  for (const key of ["rope_scaling", "rope_parameters"]) {
    const block = config[key];
    if (!isNone(block) && !isObject(block))
      throw refuse(key, "an object with keys of its own, or null", block);
    if (truth(block)) blocks.push([key, block]);
  }
  if (!blocks.length) return { key: "", flat: {}, byLayer: {} };
  const [[key, block]] = blocks;
  if (blocks.length === 2 && !equal(block, blocks[1][1])) {
    const text =
      "rope_scaling and rope_parameters are both there and differ. transformers reads " +
      "rope_scaling, the older key, and drops rope_parameters.";
    notes.push(finding("contradiction", ["rope_scaling", "rope_parameters"], text));
  }
  if (!Object.values(block).some(isObject)) return { key, flat: block, byLayer: {} };
  const byLayer = dict();
  for (const [name, inner] of entries(block))
    if (isObject(inner) || isNone(inner)) byLayer[name] = inner;
  return { key, flat: {}, byLayer };
}

/** One set of frequencies for each group of layers. */
function readRopes(reader) {
  const { byLayer } = reader.blocks;
  const types = reader.layerTypes;
  let groups = reader.row.ropes ?? [{ applies_to: "all" }];
  const names = Object.keys(byLayer);
  if (names.length > MOST_KINDS)
    throw new ConfigError(
      `${reader.blocks.key} must have blocks for at most ${MOST_KINDS} kinds of layer, ` +
        `got ${names.length}`,
    );
  if (names.length && groups.every((group) => !has(byLayer, group.applies_to))) {
    const used = names.filter((name) => !types.length || types.includes(name));
    groups = (used.length ? used : names).map((name) => dict(groups[0], { applies_to: name }));
  }
  return groups
    .filter(({ applies_to: name }) => {
      if (has(byLayer, name) && isNone(byLayer[name])) return false; // layers without a rotation
      return name === "all" || !types.length || types.includes(name);
    })
    .map((group) => readRope(reader, group));
}

function readRope(reader, group) {
  const [block, name] = blockOf(reader.blocks, group);
  const type = typeIn(reader, block, name);
  const base = baseOf(reader, group, block, name);
  const headDim = headDimOf(reader, group);
  const [rotaryDim, partial] = widthOf(reader, group, block, name, type, headDim);
  const length = evaluate(`$${MAXIMUM}`, reader.scope);
  const maxLength = isNone(length) ? null : whole(MAXIMUM, length, 1, LARGEST);
  const parameters = parametersOf(block, name, type, rotaryDim / 2);
  if (!isNone(partial)) parameters.partial_rotary_factor = partial;
  const trained = EXTENDS.includes(type)
    ? originalLength(reader, block, name, type, maxLength)
    : null;
  let factor = factorOf(block, name, type);
  if (factor !== null) parameters.factor = block.factor;
  else if (["yarn", "longrope"].includes(type) && maxLength && trained) {
    factor = maxLength / trained;
    if (type === "yarn" && factor < 1)
      throw new ConfigError(
        `${name}.factor must be at least 1, or max_position_embeddings (${maxLength}) at least ` +
          `${name}.original_max_position_embeddings (${trained}), got no factor`,
      );
  }
  if (type === "ntk") factor = Number(parameters.alpha);
  const ladder = { type, base, rotaryDim, headDim, factor, trained, maxLength, parameters };
  const within = checkedFrequencies(ladder, name, null);
  return {
    appliesTo: group.applies_to,
    slice: sliceOf(reader, group, type, headDim, rotaryDim),
    ladder,
    ...within,
    invFreqLong: type === "longrope" ? checkedFrequencies(ladder, name, LARGEST).invFreq : null,
  };
}

/** The block that a group of layers reads, and its name for messages. */
function blockOf({ key, flat, byLayer }, group) {
  const name = group.applies_to;
  if (has(byLayer, name)) return [byLayer[name] ?? {}, `${key}.${name}`];
  if ((group.scaled ?? true) && truth(flat)) return [flat, key];
  const sections = dict();
  for (const part of SECTIONS) if (has(flat, part)) sections[part] = flat[part];
  return [dict(group.block, sections), key || "rope_scaling"];
}

function typeIn(reader, block, name) {
  const [newer, older] = [block.rope_type, block.type];
  for (const key of ["rope_type", "type"])
    if (!isNone(block[key]) && !isWord(block[key]))
      throw refuse(`${name}.${key}`, "a word", block[key]);
  const same = (said) => (has(SAME, said) ? SAME[said] : said);
  if (!isNone(newer) && !isNone(older) && same(newer) !== same(older)) {
    const text =
      `${name}.rope_type says ${shown(newer)} and ${name}.type says ${shown(older)}. rope_type, ` +
      "the newer key, wins.";
    reader.notes.push(finding("contradiction", [`${name}.rope_type`, `${name}.type`], text));
  }
  const said = newer ?? older;
  const type = isNone(said) ? "default" : same(said);
  if (type === "dynamic" && truth(reader.row.alpha) && !isNone(block.alpha)) return "ntk";
  if (!has(REQUIRED, type) || type === "ntk") {
    const known = [...Object.keys(REQUIRED), ...Object.keys(SAME)].filter((word) => word !== "ntk");
    const key = `${name}.${isNone(newer) ? "type" : "rope_type"}`;
    throw refuse(key, `one of ${known.sort().join(", ")}`, said);
  }
  return type;
}

function baseOf(reader, group, block, name) {
  const { scope } = reader;
  const field = `ropes[${group.applies_to}].base`;
  let [key, value] = ["base", group.fixed_base];
  if (has(group, "fixed_base")) reader.note(field, "rule of the model type");
  else if (!isNone(block.rope_theta)) {
    [key, value] = [`${name}.rope_theta`, block.rope_theta];
    reader.note(field, `key ${key}`);
  } else {
    const start = scope.trace.length;
    value = evaluate(has(group, "base") ? group.base : "$rope_theta", scope);
    if (isNone(value) && has(scope.defaults, "rope_theta"))
      value = lookUp({ ...scope, config: {} }, "rope_theta"); // the key is there, and null
    const reads = scope.trace.slice(start);
    key = reads[0]?.key ?? "rope_theta";
    reader.note(field, originOf(reads));
    if (isNone(value)) {
      value = 10000;
      reader.note(field, "assumed");
      const text =
        "rope_theta is not in the file and this model type is not known: 10000 is assumed, the " +
        "default of most libraries.";
      reader.notes.push(finding("fallback", ["rope_theta"], text));
    } else if (reads.length && reads.every(({ origin }) => origin === "default")) {
      const text =
        `${key} is not in the file: ${general(number(key, value))} is the default of the library ` +
        "for this model type, which another engine may not have.";
      reader.notes.push(finding("fallback", [key], text));
    }
  }
  const base = number(key, value);
  if (base <= 1)
    throw refuse(key, "a finite number above 1 (the powers of it are the frequencies)", value);
  return base;
}

const HEAD_DIM = ["or", "$head_dim", ["//", "$hidden_size", "$num_attention_heads"]];

function headDimOf(reader, group) {
  const start = reader.scope.trace.length;
  const rules = [group.head_dim, reader.row.head_dim, HEAD_DIM];
  const value = evaluate(rules.find(truth), reader.scope);
  const reads = reader.scope.trace.slice(start);
  reader.note(`ropes[${group.applies_to}].head_dim`, originOf(reads));
  if (isNone(value))
    throw new ConfigError(
      "head_dim must be given, or hidden_size and num_attention_heads, got none of them",
    );
  const first = reads[0]?.key ?? "head_dim";
  const key = first === "hidden_size" ? "hidden_size // num_attention_heads" : first;
  return whole(key, value, 1, WIDEST_HEAD);
}

/** How many features turn, and the fraction if one was read. */
function widthOf(reader, group, block, name, type, headDim) {
  const { row, scope } = reader;
  const field = `ropes[${group.applies_to}].rotary_dim`;
  const rule = (key) => (has(group, key) ? group[key] : row[key]);
  let key = "rotary_dim";
  let fraction = null;
  const start = scope.trace.length;
  let width = evaluate(rule(key), scope);
  if (!isNone(width)) {
    const reads = scope.trace.slice(start);
    key = keysRead(reads) || key;
    width = whole(key, width, 0, headDim);
    reader.note(field, originOf(reads));
  } else {
    fraction = block.partial_rotary_factor ?? null;
    key = `${name}.partial_rotary_factor`;
    if (isNone(fraction)) {
      fraction = evaluate(rule("partial"), scope);
      const reads = scope.trace.slice(start);
      key = reads[0]?.key ?? "partial_rotary_factor";
      reader.note(field, originOf(reads));
    } else {
      const own = truth(reader.blocks.byLayer[group.applies_to])
        ? reader.blocks.byLayer[group.applies_to]
        : reader.blocks.flat;
      const isWritten =
        !has(group.block ?? {}, "partial_rotary_factor") || !isNone(own.partial_rotary_factor);
      reader.note(field, isWritten ? `key ${key}` : "rule of the model type");
    }
    if (!isNone(fraction) && truth(row.partial_ignored) && type === "default") {
      if (!equal(fraction, 1)) {
        const text =
          `${key} is ${words(fraction)}, but this model type's class does not read it for the ` +
          `default rope type: all ${headDim} features turn.`;
        reader.notes.push(finding("contradiction", [key], text));
      }
      fraction = null;
    }
    if (isNone(fraction)) [width, key] = [headDim, "head_dim"];
    else {
      const share = number(key, fraction);
      if (!(0 < share && share <= 1)) throw refuse(key, "above 0 and at most 1", fraction);
      width = Math.trunc(headDim * share);
    }
  }
  if (type === "proportional") {
    if (headDim % 2) throw refuse("head_dim", "even (features turn in pairs)", headDim);
    return [2 * Math.floor((Number(fraction ?? 1) * headDim) / 2), fraction];
  }
  if (width < 2 || width % 2)
    throw new ConfigError(
      isNone(fraction)
        ? `${key} must be even and at least 2 for a rotation (features turn in pairs), got ${width}`
        : `${key} must give an even rotary width of at least 2 (features turn in pairs), ` +
            `got ${headDim} x ${words(fraction)} = ${width}`,
    );
  return [width, fraction];
}

/** The length before extension; the top level wins over the block, as in the library. */
function originalLength(reader, block, name, type, maxLength) {
  const { config, defaults } = reader.scope;
  const inner = block[ORIGINAL];
  let top = config[ORIGINAL];
  if (!isNone(top)) reader.scope.trace.push({ key: ORIGINAL, origin: "key" });
  else if (isNone(inner)) top = defaults[ORIGINAL];
  if (!isNone(top)) {
    if (!isNone(inner) && !equal(inner, top)) {
      const text =
        `${ORIGINAL} is ${words(top)} at the top level and ${words(inner)} in ${name}. ` +
        "transformers takes the top level.";
      reader.notes.push(finding("contradiction", [ORIGINAL, `${name}.${ORIGINAL}`], text));
    }
    return whole(ORIGINAL, top, 2, LARGEST);
  }
  if (!isNone(inner)) return whole(`${name}.${ORIGINAL}`, inner, 2, LARGEST);
  if (isNone(maxLength))
    throw new ConfigError(
      `${name}.${ORIGINAL} must be given for '${type}', and max_position_embeddings is not there ` +
        "to fall back on, got neither",
    );
  const text =
    `${name}.${ORIGINAL} is missing: transformers takes max_position_embeddings (${maxLength}) as ` +
    "the trained length, so the extended length is not known.";
  reader.notes.push(finding("fallback", [`${name}.${ORIGINAL}`], text));
  return whole(MAXIMUM, maxLength, 2, LARGEST);
}

function factorOf(block, name, type) {
  if (!HAS_FACTOR.includes(type) || isNone(block.factor)) return null;
  const factor = number(`${name}.factor`, block.factor);
  if (factor >= 1) return factor;
  const rule = "at least 1 (it makes pairs slower; a number below 1 is the reciprocal)";
  throw refuse(`${name}.factor`, rule, block.factor);
}

/** What else the rule reads, each checked, in the words of the file. */
function parametersOf(block, name, type, nPairs) {
  for (const key of REQUIRED[type])
    if (isNone(block[key]))
      throw new ConfigError(`${name}.${key} must be given for '${type}', got nothing`);
  const given = {};
  for (const key of READ[type] ?? []) {
    const value = block[key];
    if (isNone(value)) continue;
    if (key === "truncate") {
      if (typeof value !== "boolean") throw refuse(`${name}.${key}`, "true or false", value);
    } else if (["short_factor", "long_factor"].includes(key))
      checkDivisors(`${name}.${key}`, value, nPairs);
    else number(`${name}.${key}`, value);
    given[key] = value;
  }
  for (const key of ["low_freq_factor", "high_freq_factor", "beta_fast", "beta_slow"])
    if (given[key] < 0) throw refuse(`${name}.${key}`, "at least 0", block[key]);
  if (given.attention_factor <= 0)
    throw refuse(`${name}.attention_factor`, "above 0", block.attention_factor);
  for (const key of SECTIONS) if (!isNone(block[key])) given[key] = block[key];
  return given;
}

function checkDivisors(key, value, nPairs) {
  if (!isList(value)) throw refuse(key, "a list of numbers, one for each pair", value);
  if (value.length !== nPairs)
    throw new ConfigError(
      `${key} must have one entry for each of ${nPairs} pairs, got ${value.length} entries`,
    );
  value.forEach((item, i) => {
    if (!isNumber(item) || !(LEAST_DIVISOR <= item && item <= LARGEST))
      throw refuse(`${key}[${i}]`, "a finite number above 0", item);
  });
}

/** Which features turn, in words. */
function sliceOf(reader, group, type, headDim, rotaryDim) {
  const said = has(group, "slice") ? group.slice : reader.row.slice;
  if (!isNone(said))
    return said.replaceAll("{head_dim}", headDim).replaceAll("{rotary_dim}", rotaryDim);
  if (type === "proportional" && rotaryDim < headDim)
    return `pairs (i, i+${Math.floor(headDim / 2)}) for i < ${rotaryDim / 2}`;
  return rotaryDim === headDim ? "all" : `first ${rotaryDim} of ${headDim}`;
}

/* ---- Frequencies ---- */

const powers = (width, base) => range(width / 2).map((i) => base ** ((-2 * i) / width));
const clip = (value) => Math.min(Math.max(value, 0), 1);
const must = (isSo, message) => {
  if (!isSo) throw new ConfigError(message);
};

/** NTK: the base stretched so that the slowest pair turns `stretch` times slower. */
function stretched(width, base, stretch) {
  must(width >= 4, `rotary_dim must be at least 4 (two pairs to tell apart), got ${width}`);
  const newBase = base * stretch ** (width / (width - 2));
  must(
    Number.isFinite(newBase),
    "factor must keep the scaled base finite, base * stretch ** (rotary_dim / (rotary_dim - 2)), " +
      `got base ${float(base)} with a stretch of ${float(stretch)}, which is the factor or ` +
      "follows from it and the two lengths",
  );
  return powers(width, newBase);
}

function ntk({ rotaryDim, base, factor }) {
  must(rotaryDim >= 4, `rotary_dim must be at least 4 (two pairs to tell apart), got ${rotaryDim}`);
  must(factor >= 1, `factor must be at least 1 (it slows pairs down), got ${float(factor)}`);
  return stretched(rotaryDim, base, factor);
}

function llama3(frequencies, { factor, parameters, trained }) {
  const { low_freq_factor: low, high_freq_factor: high } = parameters;
  must(low > 0, `low_freq_factor must be above 0, got ${shown(low)}`);
  must(high > 0, `high_freq_factor must be above 0, got ${shown(high)}`);
  must(
    high >= low,
    `high_freq_factor must be at least low_freq_factor, ${shown(low)}, got ${shown(high)}`,
  );
  return frequencies.map((frequency) => {
    const turns = (trained * frequency) / TURN;
    const kept = low < high ? clip((turns - low) / (high - low)) : Number(turns >= high);
    return kept * frequency + ((1 - kept) * frequency) / factor;
  });
}

const mscale = (factor, weight) => (factor <= 1 ? 1 : 0.1 * weight * Math.log(factor) + 1);

/** The two pair indices between which YaRN's ramp rises from 0 to 1. */
function yarnBounds({ rotaryDim, base, trained, parameters }, truncate) {
  const turns = (key, ifZero) => (truth(parameters[key]) ? parameters[key] : Object(ifZero));
  const [fast, slow] = [turns("beta_fast", 32), turns("beta_slow", 1)];
  must(fast >= slow, `beta_fast must be at least beta_slow, ${shown(slow)}, got ${shown(fast)}`);
  const index = (beta) =>
    (rotaryDim * (Math.log(trained / TURN) - Math.log(beta))) / (2 * Math.log(base));
  let [low, high] = [index(fast), index(slow)];
  if (truncate) [low, high] = [Math.floor(low), Math.ceil(high)];
  [low, high] = [Math.max(low, 0), Math.min(high, rotaryDim - 1)];
  must(
    low <= high,
    "trained_length must let some pair make about beta_fast to beta_slow turns, got " +
      `${trained}: the ramp would run from ${general(low)} down to ${general(high)}`,
  );
  return [low, high];
}

function yarn(ladder) {
  const { rotaryDim, base, factor, parameters } = ladder;
  const [low, high] = yarnBounds(ladder, parameters.truncate ?? true);
  for (const key of ["mscale", "mscale_all_dim"])
    must(!(parameters[key] < 0), `${key} must be in 0..1e+300, got ${shown(parameters[key])}`);
  const width = low < high ? high - low : 0.001;
  const invFreq = powers(rotaryDim, base).map((frequency, i) => {
    const slowed = clip((i - low) / width);
    return (frequency / factor) * slowed + frequency * (1 - slowed);
  });
  const { mscale: above, mscale_all_dim: below } = parameters;
  const hasBoth = truth(above) && truth(below);
  const own = hasBoth ? mscale(factor, above) / mscale(factor, below) : mscale(factor, 1);
  return { invFreq, attentionFactor: Number(parameters.attention_factor ?? own) };
}

function longrope({ rotaryDim, base, maxLength, trained, parameters }, tokens) {
  const longer = tokens !== null && tokens > trained;
  const list = longer ? parameters.long_factor : parameters.short_factor;
  const stretch = parameters.factor ?? (maxLength || trained) / trained;
  const own = stretch <= 1 ? 1 : Math.sqrt(1 + Math.log(stretch) / Math.log(trained));
  return {
    invFreq: powers(rotaryDim, base).map((frequency, i) => frequency / list[i]),
    attentionFactor: Number(parameters.attention_factor ?? own),
  };
}

function dynamic({ rotaryDim, base, factor, maxLength }, tokens) {
  const trained = maxLength ?? 2;
  const over = Math.max((tokens ?? trained) - trained, 0) / trained;
  return stretched(rotaryDim, base, 1 + factor * over);
}

function proportional({ headDim, base, factor, parameters }) {
  const turning = Math.floor(((parameters.partial_rotary_factor ?? 1) * headDim) / 2);
  return powers(headDim, base).map((frequency, i) => (i < turning ? frequency / (factor ?? 1) : 0));
}

/** The frequencies for a text of so many tokens; null is one within the trained length. */
export function frequenciesAt(ladder, tokens = null) {
  const { type, base, rotaryDim, factor } = ladder;
  if (type === "yarn") return yarn(ladder);
  if (type === "longrope") return longrope(ladder, tokens);
  const rule = {
    linear: () => powers(rotaryDim, base).map((frequency) => frequency / factor),
    ntk: () => ntk(ladder),
    dynamic: () => dynamic(ladder, tokens),
    llama3: () => llama3(powers(rotaryDim, base), ladder),
    proportional: () => proportional(ladder),
    default: () => powers(rotaryDim, base),
  }[type];
  return { invFreq: rule(), attentionFactor: 1 };
}

/** Those of training, before a rule slowed any of them down; the pairs that turn only. */
export function trainedFrequencies({ type, base, headDim, rotaryDim }) {
  return powers(type === "proportional" ? headDim : rotaryDim, base).slice(0, rotaryDim / 2);
}

function checkedFrequencies(ladder, block, tokens) {
  try {
    const given = frequenciesAt(ladder, tokens);
    must(Number.isFinite(given.attentionFactor), "the attention factor is not finite");
    return given;
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(`${block}: ${error.message}`) : error;
  }
}

/** The set of frequencies that a layer uses. */
export function ropeOfLayer(part, layer) {
  const { layers } = part;
  if (!layers) return part.ropes[0];
  must(layer < layers.n, `layer must be below ${layers.n}, the layers there are, got ${layer}`);
  const what = layers.attention.includes(layer) ? "attends without positions" : "does not attend";
  must(
    layers.rotated.includes(layer),
    `layer must be one that is rotated, got ${layer}, which ${what}`,
  );
  const kind = layers.types.length ? layers.types[layer] : "all";
  return part.ropes.find((rope) => rope.appliesTo === kind) ?? part.ropes[0];
}

/* ---- Layers ---- */

const NOT_ATTENTION = [
  "linear_attention",
  "conv",
  "mamba",
  "moe",
  "mlp",
  "recurrent",
  "cross_attention",
];

/** The kind of each layer, checked to be words; empty where the model type has no kinds. */
function layerTypesOf(value) {
  if (isNone(value)) return [];
  if (!isList(value) || !value.every(isWord))
    throw refuse("layer_types", "a list of words, one for each layer", value);
  must(
    value.length <= MOST_LAYERS,
    `layer_types must be at most ${MOST_LAYERS} long, got ${value.length}`,
  );
  return value;
}

/** Which layer does what; null where the number of layers is not known. */
function readLayers(row, types, ropes, value) {
  let size = value("$num_hidden_layers", "layers.n");
  if (isNone(size) && types.length) size = types.length;
  if (isNone(size)) return null;
  const n = whole("num_hidden_layers", size, 0, MOST_LAYERS);
  must(
    !types.length || types.length === n,
    `layer_types must have one entry for each of num_hidden_layers (${n}), got ${types.length}`,
  );
  const attention = range(n).filter((i) => !types.length || !NOT_ATTENTION.includes(types[i]));
  const groups = ropes.map((rope) => rope.appliesTo);
  let turning = attention;
  if (groups.length && !groups.includes("all") && types.length)
    turning = attention.filter((i) => groups.includes(types[i]));
  const flags = value(row.rotates, "layers.rope");
  if (!isNone(flags)) {
    checkFlags(flags, n);
    turning = turning.filter((i) => truth(flags[i]));
  }
  if (truth(row.rotates_types) && types.length)
    turning = turning.filter((i) => row.rotates_types.includes(types[i]));
  const [window, windowed] = windowOf(row, types, attention, value);
  const chunk = value(row.chunk, "layers.attention_chunk_size");
  const further = dict();
  for (const [key, rule] of entries(row.layer_facts ?? {})) {
    const fact = value(rule, `layers.${key}`);
    if (!isNone(fact)) further[key] = fact;
  }
  return {
    n,
    attention,
    rotated: ropes.length ? turning : [],
    windowed,
    window,
    types: new Set(types).size > 1 ? types : [],
    chunk: isNone(chunk) ? null : whole("attention_chunk_size", chunk, 1, LARGEST),
    further,
  };
}

/** In `no_rope_layers` too, 1 says that a layer rotates. */
function checkFlags(flags, n) {
  if (!isList(flags) || flags.length !== n)
    throw refuse("no_rope_layers", `a list with 0 or 1 for each of the ${n} layers`, flags);
  for (const flag of flags)
    if (!equal(flag, 0) && !equal(flag, 1))
      throw refuse("no_rope_layers", "made of 0 and 1 (1: the layer rotates)", flag);
}

function windowOf(row, types, attention, value) {
  if (isNone(row.window)) return [null, []];
  const size = value(
    has(row.window, "size") ? row.window.size : "$sliding_window",
    "layers.window",
  );
  if (isNone(size) || size === false || equal(size, -1)) return [null, []];
  const window = whole("sliding_window", size, 1, LARGEST);
  const kinds = row.window.layers ?? "sliding_attention";
  if (kinds === "all") return [window, attention];
  const layers = attention.filter((i) => types.length && types[i] === kinds);
  return layers.length ? [window, layers] : [null, []];
}

/* ---- Parts ---- */

/** The parts that a row describes, and those of the configs nested in this one. */
function readParts(config, row, context, where, name) {
  const parts = [];
  try {
    if (truth(row.kind)) parts.push(readPart(config, row, context, where, name));
    for (const extra of row.parts ?? []) {
      const shared = dict();
      for (const key of ["defaults", "names"]) if (has(row, key)) shared[key] = row[key];
      const inner = joinedOver(joinedOver(wholeRow(extra, context.table), extra), shared);
      if (has(row, "class")) inner.class = row.class;
      parts.push(readPart(config, inner, context, where, name));
    }
  } catch (error) {
    const isOurs = error instanceof ConfigError && where && !error.message.startsWith(where);
    throw isOurs ? new ConfigError(where + error.message) : error;
  }
  const untold = (row.untold ?? []).filter((key) => !isNone(config[key]));
  if (untold.length) {
    const text = `Not told here, as its model type is not known: ${untold.join(", ")}.`;
    context.notes.push(
      finding(
        "note",
        untold.map((key) => where + key),
        text,
      ),
    );
  }
  for (const [inner, paths, defaultType] of row.nested ?? []) {
    const [below, path] = nestedIn(config, paths);
    if (!truth(below) && row.no_defaults?.includes(path)) {
      const key = where + path;
      const text = `${key} is missing, and what the library puts there is not known here.`;
      context.notes.push(finding("fallback", [key], text));
      continue;
    }
    const type = nestedType(below, path, defaultType, where + path, context);
    const inside = path ? `${where}${path}.` : where;
    const innerRow = rowOf(type, below, context, inside);
    parts.push(...readParts(below, innerRow, context, inside, inner));
  }
  return parts;
}

/** The row that a nested config is read by: its own type's, or what the outer type expects. */
function nestedType(config, path, defaultType, where, { table, notes }) {
  const own = path ? config.model_type : null;
  if (isNone(own)) return defaultType;
  const key = `${where}.model_type`;
  if (!isWord(own)) throw refuse(key, "a word", own);
  if (!inTable(own, table)) {
    const how = isNone(defaultType) ? "by its keys" : `as ${quoted(defaultType)}`;
    const text = `${key} is ${quoted(own)}, which is not known here. Read ${how}.`;
    notes.push(finding("fallback", [key], text));
  } else if (!has(table.types[own], "nested")) return own;
  return defaultType;
}

/** The first block that is there; an empty path is the config itself. */
function nestedIn(config, paths) {
  for (const path of paths) {
    const inner = path ? atPath(config, path) : config;
    if (!isNone(inner) && !isObject(inner))
      throw refuse(path, "an object with keys of its own", inner);
    if (!isNone(inner)) return [inner, path];
  }
  return [dict(), paths[0]];
}

function readPart(config, row, context, where, outerName) {
  const scope = scopeOf(config, row, [], has(row, "class") ? "default" : "rule");
  const own = row.part ?? "text";
  const name = outerName === null || !["text", outerName].includes(own) ? own : outerName;
  const origin = dict();
  const value = (rule, field) => {
    const start = scope.trace.length;
    const result = evaluate(rule, scope);
    const reads = scope.trace.slice(start);
    if (!isNone(result)) origin[field] = originOf(reads);
    const isCount = COUNTS.split(" ").includes(field) && truth(result);
    return isCount ? whole(keysRead(reads) || field, result, 0, LARGEST) : result;
  };
  const kind = words(value(row.kind, "kind"));
  const facts = dict();
  for (const [key, rule] of entries(row.facts ?? {})) facts[key] = value(rule, key);
  for (const [key, fact] of entries(facts)) if (isNone(fact) && key !== "limit") delete facts[key];
  for (const key of row.no_effect ?? []) context.readKeys.add(where + key);
  const idle = (row.no_effect ?? []).filter((key) => !isNone(config[key]));
  if (idle.length) {
    const text = `There, and without effect for this model type: ${idle.join(", ")}.`;
    context.notes.push(
      finding(
        "note",
        idle.map((key) => where + key),
        text,
      ),
    );
  }
  if (has(row, "note")) context.notes.push(finding("note", ["model_type"], row.note));
  if (kind === "alibi") Object.assign(facts, slopesOf(facts, origin));
  const rotates = kind.startsWith("rope") || truth(row.layers);
  const part = rotates
    ? rotatingPart({ config, row, context, scope, kind, facts, value, origin })
    : {
        headDim: headDims(value(row.head_dim, "head_dim")),
        softmaxScale: value(row.softmax_scale, "softmax_scale"),
        facts,
      };
  for (const [field, text] of entries(origin)) context.origin[`${name}.${field}`] = text;
  for (const { key, origin: from } of scope.trace)
    if (from === "key") context.readKeys.add(where + key);
  return { name, kind, layout: row.layout ?? null, ropes: [], layers: null, ...part };
}

function rotatingPart({ config, row, context, scope, kind, facts, value, origin }) {
  const { notes } = context;
  const blocks = findBlocks(config, notes);
  const layerTypes = layerTypesOf(value(row.layer_types, "layer_types"));
  const note = (field, text) => (origin[field] = text);
  const isRope = kind.startsWith("rope");
  const ropes = isRope ? readRopes({ scope, row, blocks, layerTypes, notes, note }) : [];
  const layers = readLayers(row, layerTypes, ropes, value);
  let maxLength = value(`$${MAXIMUM}`, MAXIMUM);
  if (!isNone(maxLength)) maxLength = whole(MAXIMUM, maxLength, 1, LARGEST);
  const original = ropes.find((rope) => rope.ladder.trained)?.ladder.trained ?? null;
  let extendedLength = value(row.extended_length, "extended_length");
  if (!isNone(extendedLength))
    extendedLength = whole(origin.extended_length.replace(/^key /, ""), extendedLength, 1, LARGEST);
  else if (original && maxLength !== original) extendedLength = maxLength;
  const sizes = ropes.map(({ appliesTo, ladder }) => [appliesTo, ladder.headDim]);
  const isOne = new Set(sizes.map(([, size]) => size)).size === 1;
  const headDim = !ropes.length
    ? headDims(value(has(row, "head_dim") ? row.head_dim : HEAD_DIM, "head_dim"))
    : isOne
      ? sizes[0][1]
      : dict(...sizes.map(([key, size]) => ({ [key]: size })));
  let softmaxScale = value(row.softmax_scale, "softmax_scale");
  let queryDim = value(row.query_dim, "query_dim");
  if (isNone(queryDim) && typeof headDim === "number") queryDim = headDim;
  if (!isNone(softmaxScale))
    softmaxScale = number("softmax_scale", softmaxScale) * softmaxGrowth(row, ropes);
  return {
    headDim,
    ropes,
    layers,
    softmaxScale,
    queryDim,
    trainedLength: original || maxLength,
    extendedLength,
    maxLength,
    facts: dict(facts, sectionsOf(row, ropes)),
  };
}

const oneHeadDim = (value) => whole("head_dim", value, 1, WIDEST_HEAD);

function headDims(value) {
  if (isNone(value)) return null;
  if (!isObject(value)) return oneHeadDim(value);
  return dict(...entries(value).map(([key, item]) => ({ [key]: oneHeadDim(item) })));
}

/** What DeepSeek's classes multiply the softmax scale by, besides cosines and sines. */
function softmaxGrowth(row, ropes) {
  if (!truth(row.softmax_mscale)) return 1;
  for (const { ladder } of ropes) {
    const weight = ladder.parameters.mscale_all_dim;
    if (ladder.type === "yarn" && truth(weight) && ladder.factor)
      return mscale(ladder.factor, weight) ** 2;
  }
  return 1;
}

/** M-RoPE: how many pairs each axis turns, and in which order they stand. */
function sectionsOf(row, ropes) {
  if (!has(row, "mrope") || !ropes.length) return {};
  const { section: own, order, axes = "t, h, w", times = 1 } = row.mrope;
  const { parameters, rotaryDim } = ropes[0].ladder;
  const section = parameters.mrope_section ?? own;
  if (isNone(section)) return {};
  const key = "mrope_section";
  if (!isList(section) || section.length < 1 || section.length > 8)
    throw refuse(key, "a list with a number of pairs for each axis", section);
  const counts = section.map((n, i) => whole(`${key}[${i}]`, n, 0, WIDEST_HEAD));
  const total = counts.reduce((sum, n) => sum + n, 0) * times;
  if (total !== rotaryDim / 2)
    throw refuse(key, `such that its sum is the number of pairs, ${rotaryDim / 2}`, section);
  return { mrope: { section: counts, order, axes } };
}

/** Facts that must be counts; the rest is as the file has it. */
const COUNTS =
  "rows usable_positions first_row_used width heads num_buckets max_distance kernel groups trained_length";

function slopesOf(facts, origin) {
  const name = origin.heads?.replace(/^key /, "") || "number of heads";
  const heads = whole(name, facts.heads ?? null, 1, WIDEST_HEAD);
  const bias = number("alibi_bias_max", facts.bias_max ?? 8);
  if (bias <= 0) throw refuse("alibi_bias_max", "above 0", facts.bias_max);
  const most = 2 ** Math.floor(Math.log2(heads));
  const steps = [...range(most).map((i) => 2 * i + 2), ...range(most).map((i) => 2 * i + 1)];
  const slopes = steps.slice(0, heads).map((step) => 2 ** ((-bias / (2 * most)) * step));
  return { slopes_first3: slopes.slice(0, 3), slopes_last: slopes.at(-1), slopes };
}

/* ---- What to know beside the values ---- */

function findings(parts, known, modelType, unknown) {
  const found = [];
  if (!known) {
    const name = isNone(modelType) ? "No model_type is given" : `${quoted(modelType)} is not known`;
    const text =
      `${name} here, so only the keys speak: what they say is below, and what a class would add ` +
      "(pair layout, default base, layers without rotation) is not.";
    found.push(finding("fallback", ["model_type"], text));
  }
  for (const part of parts)
    for (const rope of part.ropes)
      found.push(
        ...ratioOf(rope.ladder),
        ...isStatic(rope),
        ...truncated(rope),
        ...unturned(part, rope),
        ...inFloat32(part, rope),
      );
  if (unknown.length) {
    let text = `Keys that sound like positions and that nothing here reads: ${unknown.join(", ")}.`;
    if (unknown.some((key) => key.endsWith(".attn_factor")))
      text +=
        " Some engines multiply their own attention factor by attn_factor; transformers does not " +
        "read it.";
    found.push(finding("note", unknown, text));
  }
  return found;
}

const isClose = (a, b) => a === b || Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));

/** The factor against the two lengths. */
function ratioOf({ type, factor, maxLength, trained, parameters }) {
  if (!maxLength || !has(parameters, "factor") || !factor) return [];
  if (["linear", "dynamic"].includes(type)) {
    if (factor === 1) return [];
    const text =
      `${type} with factor ${general(factor)}, and max_position_embeddings is ${maxLength}: the ` +
      "file does not say whether that counts tokens before or after the factor. Read here as before.";
    return [finding("risk", ["factor", MAXIMUM], text)];
  }
  if (!trained || !EXTENDS.includes(type)) return [];
  const ratio = maxLength / trained;
  if (ratio === 1 || isClose(ratio, factor)) return [];
  const text =
    `factor is ${general(factor)}, and max_position_embeddings over the original length is ` +
    `${maxLength} / ${trained} = ${general(ratio)}. The factor counts.`;
  return [
    finding(type === "llama3" ? "note" : "contradiction", ["factor", MAXIMUM, ORIGINAL], text),
  ];
}

function isStatic({ ladder: { type, factor, trained }, attentionFactor }) {
  if (type !== "yarn" || factor === null || factor === 1) return [];
  const text =
    `YaRN here is static: texts shorter than ${trained} tokens are read with the scaled ` +
    `frequencies and an attention factor of ${attentionFactor.toFixed(4)} too.`;
  return [finding("risk", ["rope_type"], text)];
}

function truncated({ ladder, appliesTo }) {
  if (ladder.type !== "yarn" || ladder.parameters.truncate !== false) return [];
  const [low, high] = yarnBounds(ladder, false).map((bound) => bound.toFixed(2));
  const [floor, ceil] = yarnBounds(ladder, true).map((bound) => general(bound));
  let text =
    `truncate is false: the ramp runs from pair ${low} to ${high}. An engine that does not read ` +
    `it rounds to ${floor} and ${ceil}.`;
  if (appliesTo !== "all")
    text += " transformers 5.24 does not read it inside a block for a kind of layer.";
  return [finding("risk", ["truncate"], text)];
}

const ofGroup = ({ appliesTo }) => (appliesTo === "all" ? "" : ` (${appliesTo})`);

/** Pairs that never come round within the trained length. */
function unturned({ trainedLength }, rope) {
  if (!trainedLength) return [];
  const trained = trainedFrequencies(rope.ladder);
  const never = count(trained, (frequency) => frequency * trainedLength < TURN);
  if (!never) return [];
  const text =
    `${never} of ${trained.length} pairs${ofGroup(rope)} never come round once within ` +
    `${trainedLength} tokens: past that length their angles are new to the model.`;
  return [finding("note", ["rope_theta"], text)];
}

/** How far angles that are computed in float32 stray at the far end. */
function inFloat32(part, rope) {
  const length = part.extendedLength || part.maxLength;
  if (!length) return [];
  const position = length - 1;
  const error = rope.invFreq.reduce((largest, frequency) => {
    const narrow = Math.fround(Math.fround(position) * Math.fround(frequency));
    return Math.max(largest, Math.abs(narrow - position * frequency));
  }, 0);
  if (error < TOLD_FROM) return [];
  const text =
    `Angles in float32 are off by up to ${general(error, 2)} rad at position ${position}` +
    `${ofGroup(rope)}, as most released code computes them.`;
  return [finding("note", [MAXIMUM], text)];
}

/* ---- The whole ---- */

/** What a model does about positions, from the text of its config and the table of model types. */
export function readConfig(text, table) {
  const config = objectOf(text);
  const modelType = config.model_type ?? null;
  if (modelType !== null && !isWord(modelType)) throw refuse("model_type", "a word", modelType);
  const context = { table, notes: [], origin: dict(), readKeys: new Set() };
  const row = rowOf(modelType, config, context, "");
  const parts = readParts(config, row, context, "", null);
  const known = inTable(modelType, table);
  const unknownKeys = unread(config, context.readKeys);
  const all = [...context.notes, ...findings(parts, known, modelType, unknownKeys)];
  const warnings = [...new Map(all.map((found) => [JSON.stringify(found), found])).values()];
  const { origin } = context;
  return { modelType, known, parts, warnings, unknownKeys, origin, source: row.file ?? null };
}

const SOUNDS_LIKE_POSITIONS = /rope|rotary|position|alibi|relative_attention|yarn|ntk|mscale|xpos/;

/** Keys that sound like positions and were not read, and unknown keys of rope blocks. */
function unread(config, readKeys) {
  const known = new Set([...IN_EVERY_BLOCK, ...Object.values(READ).flat()]);
  const inBlock = (block, name) =>
    entries(block).flatMap(([key, value]) => {
      if (isObject(value)) return inBlock(value, `${name}.${key}`);
      return known.has(key) || isNone(value) ? [] : [`${name}.${key}`];
    });
  const inner = entries(config).filter(
    ([key, value]) => isObject(value) && key.endsWith("_config"),
  );
  const found = [["", config], ...inner.map(([key, value]) => [`${key}.`, value])].flatMap(
    ([where, block]) =>
      entries(block).flatMap(([key, value]) => {
        if (["rope_scaling", "rope_parameters"].includes(key))
          return isObject(value) ? inBlock(value, where + key) : [];
        const isMissed = SOUNDS_LIKE_POSITIONS.test(key) && !readKeys.has(where + key);
        return isMissed && !isObject(value) && !isNone(value) ? [where + key] : [];
      }),
  );
  return [...new Set(found)];
}

/* ---- The outward form, in the words of config files ---- */

function ropeForm({ appliesTo, ladder, invFreq, invFreqLong, attentionFactor, slice }) {
  const { type, base, rotaryDim, headDim, trained, parameters } = ladder;
  const given = {
    applies_to: appliesTo,
    rope_type: type,
    base,
    rotary_dim: rotaryDim,
    n_freqs: invFreq.length,
    attention_factor: attentionFactor,
  };
  if (type === "proportional")
    Object.assign(given, { rotated_pairs: rotaryDim / 2, exponent_denominator: headDim });
  if (has(parameters, "factor")) given.factor = parameters.factor;
  if (trained !== null) given[ORIGINAL] = trained;
  for (const [key, value] of entries(parameters))
    if (!has(given, key) && !["short_factor", "long_factor"].includes(key)) given[key] = value;
  Object.assign(given, {
    inv_freq_first3: invFreq.slice(0, 3),
    inv_freq_last: invFreq.at(-1),
    inv_freq: invFreq,
    rotary_slice: slice,
  });
  if (invFreqLong) Object.assign(given, { inv_freq_long: invFreqLong, short_list_until: trained });
  return given;
}

function layersForm({ n, attention, rotated, windowed, window, types, chunk, further }) {
  const allOr = (layers) => (layers.length && layers.length === n ? "all" : layers);
  const turning = new Set(rotated);
  const given = {
    n,
    attention_layers: allOr(attention),
    rope: allOr(rotated),
    nope: attention.filter((layer) => !turning.has(layer)),
    sliding: allOr(windowed),
    window,
  };
  if (types.length) {
    given.layer_types = dict();
    types.forEach((kind, i) => (given.layer_types[kind] ??= []).push(i));
  }
  if (chunk !== null) given.attention_chunk_size = chunk;
  return dict(given, further);
}

function partForm(part) {
  const { layout, headDim, softmaxScale, queryDim, layers } = part;
  const given = dict({ part: part.name, kind: part.kind });
  if (layout !== null) given.layout = layout;
  if (headDim !== null) given.head_dim = headDim;
  if (part.ropes.length) given.ropes = part.ropes.map(ropeForm);
  if (!isNone(softmaxScale)) {
    given.softmax_scale = softmaxScale;
    if (!isNone(queryDim))
      given.softmax_scale_over_inverse_sqrt_head_dim =
        Math.round(softmaxScale * Math.sqrt(queryDim) * 1e9) / 1e9;
  }
  if (layers)
    Object.assign(given, {
      max_position_embeddings: part.maxLength,
      trained_length: part.trainedLength,
      extended_length: part.extendedLength,
      layers: layersForm(layers),
    });
  return dict(given, part.facts);
}

/** Without Number objects, BigInts and objects that lack a prototype. */
function bare(value) {
  if (isList(value)) return value.map(bare);
  if (isObject(value))
    return Object.fromEntries(entries(value).map(([key, item]) => [key, bare(item)]));
  if (typeof value !== "bigint") return plain(value) ?? null;
  return Number.isFinite(Number(value)) ? Number(value) : String(value);
}

/** The outward form, ready for JSON: that of `ModelPositions.to_dict()`. */
export function toDict(model) {
  return bare({
    model_type: model.modelType,
    known: model.known,
    source: model.source,
    parts: model.parts.map(partForm),
    warnings: model.warnings,
    unknown_keys: model.unknownKeys,
    origin: model.origin,
  });
}
