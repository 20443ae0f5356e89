/* A guess first, then the similarity curve, which can be read off at any distance. */
import { Explorer, text } from "./explore.js";

class SimilarityGuess extends Explorer {
  ready() {
    this.querySelector("[data-commit]").addEventListener("click", () => this.commit());
    this.controls.width.forEach((button) =>
      button.addEventListener("input", () => (this.reading = true)),
    );
    this.controls.distance.addEventListener("input", () => (this.reading = true));
  }

  commit() {
    const { guess, distance } = this.controls;
    this.dataset.shown = ""; // the style sheet draws the curve
    guess.disabled = true;
    this.querySelector("[data-commit]").disabled = true;
    this.querySelector("fieldset.after").disabled = false;
    this.say({ guess: text(this.number("guess"), 2) });
    this.showOnly("state", "told");
    distance.focus(); // the button that had the focus is no longer of use
  }

  async update() {
    const { ask, similarity } = await this.load();
    if (!("shown" in this.dataset)) return this.place("guess", ask, this.number("guess"));

    const width = this.controls.width.value;
    const distance = this.number("distance");
    const curve = similarity[width];
    for (const path of this.querySelectorAll("path[data-width]"))
      path.toggleAttribute("data-off", path.dataset.width !== width);
    this.place("here", distance, curve[distance]);
    if (!this.reading) return;
    this.showOnly("state", "read");
    this.say({ width, distance, similarity: text(curve[distance]), compared: compare(curve, distance) });
  }

  place(key, distance, value) {
    const { left, top, perToken, perUnit } = this.dataset;
    const x = Number(left) + perToken * distance;
    const y = Number(top) + perUnit * (1 - value);
    this.part(key).style.transform = `translate(${x}px,${y}px)`;
  }
}

function compare(curve, distance) {
  if (distance === 0) return "a position compared with itself";
  const nearer = curve[distance - 1];
  const words = curve[distance] > nearer ? "more" : curve[distance] < nearer ? "less" : "just as";
  return `${words} similar ${words === "just as" ? "as" : "than"} distance ${distance - 1}`;
}

customElements.define("pe-similarity-guess", SimilarityGuess);
