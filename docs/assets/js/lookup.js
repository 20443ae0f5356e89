/* An explorer that only looks up. Its data names things on the page and holds, for each, a table of
   what it shows, indexed by the controls that matter to it: see _figures/_lookup.py. */
import { Explorer, text } from "./explore.js";

const transform = (element, words) => (element.style.transform = words);

/** Only what changed is written: the sentence is read aloud whenever it is. */
function write(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

/** How a value is shown. */
const SHOW = {
  text: write,
  number: (element, value, { digits }) => write(element, text(value, digits)),
  cell(element, value, { digits, bound }) {
    write(element, value === null ? "" : text(value, digits));
    element.style.setProperty("--v", Math.max(-1, Math.min(1, (value ?? 0) / bound)));
  },
  turn: (element, degrees) => transform(element, `rotate(${-degrees}deg)`),
  move: (element, [x, y]) => transform(element, `translate(${x}px,${y}px)`),
  scale: (element, [across, down]) => transform(element, `scale(${across},${down})`),
  path: (element, line) => element.setAttribute("d", line),
  show: (element, there) => element.toggleAttribute("data-off", !there),
  mark: (element, chosen) => element.toggleAttribute("data-chosen", chosen),
};

class Lookup extends Explorer {
  ready() {
    this.addEventListener("click", ({ target }) => {
      const { move, pick } = target.closest("[data-move], [data-pick]")?.dataset ?? {};
      if (move) this.moveTogether(parse(move));
      if (pick) this.choose(Object.fromEntries(parse(pick)));
    });
    const button = this.querySelector("[data-commit]");
    button?.addEventListener("click", () => this.commit(button));
  }

  /** Move several sliders by their steps, or none if one of them is at its end. */
  moveTogether(steps) {
    const isFree = ([name, by]) => {
      const { value, max } = this.controls[name];
      return Number(value) + Number(by) >= 0 && Number(value) + Number(by) <= Number(max);
    };
    if (!steps.every(isFree)) return this.sayOnce("That is the end of the scale.");
    for (const [name, by] of steps) this.controls[name].value = this.number(name) + Number(by);
    this.refresh();
  }

  sayOnce(words) {
    const note = document.createElement("i");
    note.textContent = ` ${words}`;
    this.querySelector(".says i")?.remove();
    this.querySelector(".says").append(note);
  }

  /** The guess is given: show what it was about, and say it again beside that. */
  commit(button) {
    if (!this.form.reportValidity()) return;
    const guess = this.querySelector(".gate input:checked");
    this.dataset.shown = "";
    this.say({ guess: guess.nextSibling.textContent });
    button.disabled = true;
    for (const input of this.querySelectorAll(".gate input")) input.disabled = true;
    // The button is no longer of use.
    this.querySelector(".controls.gated :is(input:checked, input[type=range])").focus();
  }

  async update() {
    const { axes, sums, shown } = await this.load();
    this.querySelector(".says i")?.remove();
    const at = {};
    for (const [name, values] of Object.entries(axes)) {
      if (name in sums) continue;
      const { value } = this.controls[name];
      at[name] = Array.isArray(values) ? values.indexOf(value) : Number(value);
    }
    for (const [name, { plus, minus, add }] of Object.entries(sums))
      at[name] = at[plus] - at[minus] + add;
    for (const element of this.querySelectorAll("[data-k]")) {
      const thing = shown[element.dataset.k];
      SHOW[thing.as](element, thing.by.reduce((values, axis) => values[at[axis]], thing.values), thing);
    }
    // What picks a state is marked while that is the state.
    for (const element of this.querySelectorAll("[data-pick]")) {
      const isNow = ([name, value]) => this.controls[name].value === value;
      element.toggleAttribute("data-chosen", parse(element.dataset.pick).every(isNow));
    }
  }
}

const parse = (words) => words.split(" ").map((word) => word.split("="));

customElements.define("pe-lookup", Lookup);
