/* The config decoder. What is pasted is read here and goes nowhere; it enters the page as text only.
   The markup, with one config worked out, is in the page; the rules come when they are first used. */
import { make } from "./progress.js";

const LONGEST_LINK = 8000;
const LARGEST_FILE = 5_000_000;
const MOST_ROWS = 512;
const MOST_PLOTS = 8;
const SIGNS = { contradiction: "≠", fallback: "?", risk: "!", note: "–" };
const NOT_LOADED = "The rules did not load. Reload the page to try again.";

const plural = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

/* ---- a link that carries a config: after the #, which no browser sends to a server ---- */

async function through(Stream, bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new Stream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Null where the link would be too long. */
async function pack(text) {
  const bytes = await through(CompressionStream, new TextEncoder().encode(text));
  if (bytes.length > LONGEST_LINK) return null;
  const letters = btoa(String.fromCharCode(...bytes));
  return letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpack(letters) {
  if (letters.length > LONGEST_LINK) throw new RangeError("too long");
  const plain = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
  return new TextDecoder("utf-8", { fatal: true }).decode(
    await through(DecompressionStream, bytes),
  );
}

/* ---- the drawing: how many tokens each pair takes for a turn ---- */

const [LEFT, RIGHT, TOP, FOOT] = [44, 352, 24, 214];

function draw(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const word = (x, y, className, text) => draw("text", { x, y, class: className }, text);
const decade = (power) =>
  `${10 ** (power % 3)}${["", "k", "M", "G", "T"][Math.floor(power / 3)] ?? "…"}`;

function plot(pairs, lengths, alt) {
  const sizes = [
    ...pairs.flatMap(({ before, now }) => [before, now]),
    ...lengths.map(([, size]) => size),
  ];
  const top = Math.ceil(Math.log10(Math.max(...sizes.filter(Number.isFinite), 10)));
  const x = (i) => LEFT + ((RIGHT - LEFT) * i) / Math.max(pairs.length - 1, 1);
  const y = (size) => FOOT - ((FOOT - TOP) * Math.log10(size)) / top;
  const marks = [];
  for (let power = 0; power <= top; power += Math.ceil(top / 9)) {
    const height = y(10 ** power);
    marks.push(draw("path", { class: "faint", d: `M${LEFT} ${height}H${RIGHT}` }));
    marks.push(word(LEFT - 6, height + 4, "small end", decade(power)));
  }
  let above = Infinity;
  for (const [name, size] of lengths) {
    const height = y(size);
    const isNear = Math.abs(above - height) < 18; // then the shorter goes below its line
    marks.push(draw("path", { class: "line", d: `M${LEFT} ${height}H${RIGHT}` }));
    marks.push(word(LEFT + 6, height + (isNear ? 15 : -5), "small", `${name} ${size}`));
    above = height;
  }
  const curve = (key) => {
    const points = pairs.flatMap((pair, i) =>
      Number.isFinite(pair[key]) ? [`${x(i).toFixed(1)} ${y(pair[key]).toFixed(1)}`] : [],
    );
    // A single pair is a dot: a line of no length with round ends.
    return points.length ? `M${points.join("L")}${points.length === 1 ? "h0" : ""}` : "";
  };
  const ends = { class: "small", d: "" };
  const isScaled = pairs.some(({ ratio }) => Number.isFinite(ratio) && Math.abs(ratio - 1) > 1e-9);
  if (isScaled) {
    marks.push(draw("path", { class: "curve position dashed", d: curve("before") }));
    const place = Math.floor((pairs.length - 1) * 0.72);
    const last = pairs[place].before;
    if (Number.isFinite(last)) marks.push(word(RIGHT, y(last) + 18, "small end", "before scaling"));
  }
  marks.push(draw("path", { class: "curve", d: curve("now") }));
  marks.push(word(LEFT - 6, 12, "small", "tokens a turn"));
  marks.push(word(LEFT, FOOT + 18, "small", "pair 0"));
  marks.push(word(RIGHT, FOOT + 18, "small end", `pair ${pairs.length - 1}`));
  return draw("svg", { viewBox: "0 0 360 240", role: "img", "aria-label": alt }, ...marks);
}

/* ---- the page ---- */

function table(heads, rows) {
  const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)));
  const lines = rows
    .slice(0, MOST_ROWS)
    .map((cells) => make("tr", {}, ...cells.map((text) => make("td", {}, text))));
  const whole = make(
    "table",
    { className: "values" },
    make("thead", {}, head),
    make("tbody", {}, ...lines),
  );
  const more =
    rows.length > MOST_ROWS ? [make("p", {}, `… and ${rows.length - MOST_ROWS} more`)] : [];
  return [make("div", { className: "numbers" }, whole), ...more];
}

const folded = (summary, ...children) =>
  make("details", {}, make("summary", {}, summary), ...children);

class Decoder extends HTMLElement {
  #rules;
  #examples;
  #turn = 0;

  connectedCallback() {
    const form = this.querySelector("form");
    this.controls = form.elements;
    this.says = this.querySelector(".says");
    this.alert = this.querySelector(".alert");
    this.result = this.querySelector(".result");
    const { config, file, layer, tokens } = this.controls;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.explain();
    });
    config.addEventListener("paste", () => setTimeout(() => this.explain()));
    config.addEventListener("input", () => this.#forgetLink());
    for (const choice of [layer, tokens]) choice.addEventListener("change", () => this.explain());
    file.addEventListener("change", async () => {
      if (file.files.length) await this.open(file.files[0]);
      file.value = ""; // so that the same file can be chosen again
    });
    this.addEventListener("click", ({ target }) => {
      const button = target.closest("button");
      if (button?.dataset.example) this.example(button.dataset.example);
      if (button && "link" in button.dataset) this.link();
    });
    this.addEventListener("dragover", (event) => {
      event.preventDefault();
      this.toggleAttribute("data-over", true);
    });
    this.addEventListener("dragleave", () => this.toggleAttribute("data-over", false));
    this.addEventListener("drop", (event) => {
      event.preventDefault();
      this.toggleAttribute("data-over", false);
      const [dropped] = event.dataTransfer.files;
      if (dropped) this.open(dropped);
      else this.read(event.dataTransfer.getData("text"));
    });
    addEventListener("hashchange", () => this.follow());
    this.follow();
  }

  /** Read a text from anywhere but the keyboard. */
  read(text, { layer = "", tokens = "" } = {}) {
    this.controls.config.value = text;
    this.controls.layer.value = layer;
    this.controls.tokens.value = tokens;
    return this.explain();
  }

  async open(file) {
    if (file.size > LARGEST_FILE)
      return this.refuse(
        `config must be at most ${LARGEST_FILE} bytes, got ${file.size}: ${file.name}`,
      );
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      return this.read(text);
    } catch {
      return this.refuse(`config must be UTF-8 text, got ${file.name}`);
    }
  }

  async example(name) {
    try {
      this.#examples ??= this.#fetch("decoder-examples.json").then(JSON.parse);
      this.read((await this.#examples)[name]);
    } catch {
      this.#examples = undefined;
      this.refuse(NOT_LOADED);
    }
  }

  /** Open the config that the address carries, if it does. */
  async follow() {
    const given = new URLSearchParams(location.hash.slice(1));
    if (!given.has("config")) return;
    try {
      const text = await unpack(given.get("config"));
      this.read(text, { layer: given.get("layer") ?? "", tokens: given.get("tokens") ?? "" });
    } catch {
      this.refuse("The config in this link cannot be read: the link was cut or changed.");
    }
  }

  async link() {
    const { config, layer, tokens, link } = this.controls;
    const packed = await pack(config.value);
    const fragment = new URLSearchParams({ config: packed ?? "" });
    for (const choice of [layer, tokens]) if (choice.value) fragment.set(choice.name, choice.value);
    const address = `${location.origin}${location.pathname}#${fragment}`;
    if (packed === null || address.length > LONGEST_LINK) {
      this.#forgetLink();
      this.alert.textContent =
        `A link with this config would have more than ${LONGEST_LINK} characters, and long links ` +
        "are cut on their way. Leave out keys that do not bear on positions.";
      return;
    }
    this.alert.textContent = "";
    link.value = address;
    link.closest("label").hidden = false;
    const copied = await navigator.clipboard?.writeText(address).then(
      () => true,
      () => false,
    );
    this.says.textContent = copied ? "The link is copied." : "The link is below.";
  }

  /** A link belongs to what was there when it was made. */
  #forgetLink() {
    this.controls.link.closest("label").hidden = true;
  }

  async #fetch(name) {
    const response = await fetch(this.dataset.src + name);
    if (!response.ok) throw new Error(`${name}: ${response.status}`);
    return response.text();
  }

  /** The rules and the table of model types, loaded at their first use. */
  #load() {
    this.#rules ??= Promise.all([
      import("./config-reader.js"),
      import("./config-words.js"),
      this.#fetch("model-types.json"),
    ]).then(([reader, words, text]) => ({ ...reader, ...words, types: reader.parse(text) }));
    return this.#rules;
  }

  refuse(message) {
    this.result.replaceChildren();
    this.says.textContent = "";
    this.alert.textContent = message;
  }

  async explain() {
    const turn = ++this.#turn;
    this.#forgetLink();
    let rules;
    try {
      rules = await this.#load();
    } catch {
      this.#rules = undefined;
      return this.refuse(NOT_LOADED);
    }
    if (turn !== this.#turn) return; // something newer is being read
    try {
      const model = rules.readConfig(this.controls.config.value, rules.types);
      this.alert.textContent = "";
      this.result.replaceChildren(...this.whole(model, rules));
      const read = plural(model.parts.length, "part");
      const told = plural(model.warnings.length, "thing");
      this.says.textContent = `${rules.titleOf(model)}: ${read}, ${told} to know.`;
    } catch (error) {
      if (!(error instanceof rules.ConfigError)) throw error;
      this.refuse(error.message);
    }
  }

  /** All that is said of a model. */
  whole(model, rules) {
    const plots = this.ropes(model, rules).slice(0, MOST_PLOTS);
    const parts = model.parts.flatMap((part) => [
      make("h3", {}, rules.headingOf(part)),
      make("dl", {}, ...rules.rowsOf(part, model).flatMap(this.row)),
      ...plots.filter((one) => one.part === part).flatMap((one) => this.pairs(one, rules)),
    ]);
    const json = folded("The same as JSON");
    json.addEventListener(
      "toggle",
      () => {
        const text = JSON.stringify(rules.toDict(model), null, 1);
        json.append(make("pre", { tabIndex: 0, ariaLabel: "JSON" }, make("code", {}, text)));
      },
      { once: true },
    );
    const origin = table(["value", "from"], Object.entries(model.origin));
    return [
      ...parts,
      ...this.warnings(model),
      folded("Where each value came from", ...origin),
      json,
    ];
  }

  row([label, text]) {
    return [make("dt", {}, label), make("dd", {}, text)];
  }

  warnings({ warnings, unknownKeys }) {
    if (!warnings.length) return [];
    const items = warnings.map(({ kind, text }) => {
      const sign = make("span", { className: "sign", ariaHidden: "true" }, SIGNS[kind]);
      return make("li", {}, sign, make("b", {}, kind), ` ${text}`);
    });
    const keys = unknownKeys.flatMap((key) => [make("code", {}, key), " "]);
    return [
      make("h3", {}, "What to know"),
      make("ul", { className: "found" }, ...items),
      ...(keys.length
        ? [make("h3", {}, "Keys that nothing here reads"), make("p", {}, ...keys)]
        : []),
    ];
  }

  /** The sets of frequencies to draw: all, or that of the layer chosen. */
  ropes(model, { ropeOfLayer, ConfigError }) {
    const turning = model.parts.filter((part) => part.ropes.length);
    const { value } = this.controls.layer;
    if (value !== "" && turning.length)
      try {
        return [{ part: turning[0], rope: ropeOfLayer(turning[0], Number(value)), layer: value }];
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        this.alert.textContent = error.message;
      }
    return turning.flatMap((part) => part.ropes.map((rope) => ({ part, rope })));
  }

  /** One set of frequencies: the drawing, and every pair in a table. */
  pairs({ part, rope, layer }, { pairsOf, turningOf, tokens, general }) {
    const { value } = this.controls.tokens;
    const pairs = pairsOf(rope, part, value === "" ? null : Number(value));
    const { trainedLength: trained, extendedLength: extended } = part;
    const lengths = [
      ["extended", extended],
      ["trained", trained],
    ].filter(([, size]) => size > 1);
    const { turning, all } = turningOf(rope, part);
    const finding = trained
      ? `${turning} of ${all} pairs come round at least once in ${trained} trained tokens`
      : `${plural(all, "pair")}, each with its own speed`;
    const of = [
      layer === undefined ? (rope.appliesTo === "all" ? "" : rope.appliesTo) : `layer ${layer}`,
      value === "" ? "" : `at ${value} tokens`,
    ].filter(Boolean);
    const isScaled = pairs.some(
      ({ ratio }) => Number.isFinite(ratio) && Math.abs(ratio - 1) > 1e-9,
    );
    const resting = pairs.filter(({ now }) => !Number.isFinite(now)).length;
    const caption = [
      of.length ? `${of.join(", ")}: ` : "",
      `${finding}.`,
      isScaled ? " Solid: as the model turns them. Dashed: before scaling." : "",
      resting ? ` ${plural(resting, "pair")} ${resting === 1 ? "stands" : "stand"} still.` : "",
    ].join("");
    const size = (tokensATurn) =>
      Number.isFinite(tokensATurn) ? tokens(tokensATurn) : "stands still";
    const rows = pairs.map(({ before, now, ratio, turns }, i) => [
      String(i),
      size(before),
      size(now),
      Number.isFinite(ratio) ? general(ratio, 4) : "–",
      turns === null ? "–" : general(turns, 4),
      turns === null ? "–" : turns >= 1 ? "yes" : "no",
    ]);
    const heads = [
      "pair",
      "tokens a turn",
      "after scaling",
      "slowed by",
      "turns in training",
      "once round",
    ];
    return [
      make("figure", {}, plot(pairs, lengths, caption), make("figcaption", {}, caption)),
      folded("Every pair, as a table", ...table(heads, rows)),
    ];
  }
}

customElements.define("pe-decoder", Decoder);
