/* What all explorers share. Their markup is in the page, in its first state; an explorer listens to
   native controls, looks numbers up in JSON that the build made, and writes them in. */
import { whenNear } from "./near.js";

/** A number as the page writes it: fixed digits, a true minus, never a negative zero. */
export function text(value, digits = 3) {
  const shown = value.toFixed(digits);
  return Number(shown) === 0 ? shown.replace("-", "") : shown.replace("-", "−");
}

/** A table row: cells of words, then cells of values shaded by the scale. */
export function row(words, values, digits = 4) {
  const line = document.createElement("tr");
  for (const word of words) line.insertCell().textContent = word;
  for (const value of values) {
    const cell = line.insertCell();
    cell.className = "v";
    cell.style.setProperty("--v", value);
    cell.textContent = text(value, digits);
  }
  return line;
}

export class Explorer extends HTMLElement {
  #files = new Map();

  connectedCallback() {
    this.form = this.querySelector("form");
    this.controls = this.form.elements;
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", () => this.refresh());
    this.ready();
    whenNear(this, () => this.refresh());
  }

  /** For the explorer to fill: what happens once, and what happens on every change. */
  ready() {}
  async update() {}

  async refresh() {
    try {
      const updated = this.update();
      this.#label();
      await updated;
    } catch (error) {
      this.querySelector(".says").textContent =
        "The numbers for this choice did not load. Reload the page to try again.";
      throw error;
    }
  }

  /** A JSON file of this explorer, fetched once. */
  load(part = "") {
    const url = `${this.dataset.src}${part && "-"}${part}.json`;
    if (!this.#files.has(url)) this.#files.set(url, this.#fetch(url));
    return this.#files.get(url);
  }

  async #fetch(url) {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url}: ${response.status}`);
    return response.json();
  }

  /** Write each slider's value beside its name. */
  #label() {
    for (const output of this.querySelectorAll("output")) {
      const { step, value } = output.parentElement.querySelector("input");
      output.textContent = Number(step) < 1 ? text(Number(value), 2) : value;
    }
  }

  number(name) {
    return Number(this.controls[name].value);
  }

  /** Fill the blanks of the result sentence by name. */
  say(blanks) {
    for (const [name, words] of Object.entries(blanks))
      for (const blank of this.querySelectorAll(`[data-say="${name}"]`)) blank.textContent = words;
  }

  /** Of the elements that carry `data-KIND`, show only the one with this value. */
  showOnly(kind, value) {
    for (const element of this.querySelectorAll(`[data-${kind}]`))
      element.hidden = element.dataset[kind] !== value;
  }

  /** Set controls by name; a value that a control does not have leaves it as it is. */
  choose(values) {
    for (const [name, value] of Object.entries(values)) {
      const control = this.controls.namedItem(name);
      if (control instanceof RadioNodeList) {
        if ([...control].some((option) => option.value === value)) control.value = value;
      } else if (control?.type === "range" && /^[0-9.]+$/.test(value)) {
        const { min, max, step } = control;
        const number = Number(value);
        const steps = (number - min) / step;
        if (number <= max && Math.abs(steps - Math.round(steps)) < 1e-9) control.value = number;
      }
    }
    this.refresh();
  }

  part(key) {
    return this.querySelector(`[data-k="${key}"]`);
  }
}
