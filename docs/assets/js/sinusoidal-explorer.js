/* The sinusoidal table, one cell at a time. */
import { Explorer, row, text } from "./explore.js";

const SCALE = 10_000; // values come as whole ten-thousandths
const SHADES = 40; // steps of the colour scale from -1 to 1

class SinusoidalExplorer extends Explorer {
  ready() {
    this.canvas = this.querySelector("canvas");
    this.canvas.addEventListener("pointerdown", (event) => this.pick(event));
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse" || event.buttons) this.pick(event);
    });
    // The scheme's colours are painted into the canvas, so a new scheme needs new paint.
    new MutationObserver(() => {
      this.painted = "";
      this.refresh();
    }).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
  }

  /** The pointer is a shortcut: it moves the sliders. */
  pick(event) {
    const box = this.canvas.getBoundingClientRect();
    const cell = (share, count) => Math.max(0, Math.min(count - 1, Math.floor(share * count)));
    const { position, dimension, width } = this.controls;
    position.value = cell((event.clientY - box.top) / box.height, this.canvas.height);
    dimension.value = cell((event.clientX - box.left) / box.width, Number(width.value));
    this.refresh();
  }

  async update() {
    const width = this.number("width");
    this.controls.dimension.max = width - 1;
    const convention = this.controls.convention.value;
    const [exponent, layout] = convention.split("-");
    const choice = `${convention}-${width}`;
    this.choice = choice;
    const name = `${exponent}-${width}`;
    const [angles, values] = await Promise.all([
      this.load(`${name}-angles`),
      this.load(`${name}-values`),
    ]);
    if (choice !== this.choice) return; // the reader has gone on while this was loading

    const columns = values.order[layout];
    const position = this.number("position");
    const dimension = this.number("dimension");
    this.tell(position, dimension, columns[dimension], angles, values);
    this.showOnly("note", convention);
    this.paint(choice, columns, values);
    this.mark(position, dimension, width);
    this.fillTable(position, angles, values);
  }

  tell(position, dimension, column, { divisor, angle }, { value }) {
    const pair = column >> 1;
    const [wave, name] = column % 2 ? ["cosine", "cos"] : ["sine", "sin"];
    const turned = text(angle[position][pair], 4);
    const result = text(value[position][column] / SCALE, 4);
    const formula = `${name}(${position} / ${divisor[pair]}) = ${name}(${turned}) = ${result}`;
    this.say({ position, dimension, wave, pair, formula });
  }

  paint(choice, columns, { value }) {
    if (this.painted === choice) return;
    this.painted = choice;
    this.canvas.width = columns.length; // one pixel a cell; the style sheet enlarges them
    const pen = this.canvas.getContext("2d");
    const colors = this.colors();
    value.forEach((line, y) =>
      columns.forEach((column, x) => {
        pen.fillStyle = colors[Math.round(((line[column] / SCALE + 1) / 2) * SHADES)];
        pen.fillRect(x, y, 1, 1);
      }),
    );
  }

  /** The page's own colours from -1 to 1, read from the style sheet. */
  colors() {
    const probe = document.createElement("i");
    probe.className = "v probe";
    this.append(probe);
    const colors = Array.from({ length: SHADES + 1 }, (_, step) => {
      probe.style.setProperty("--v", (2 * step) / SHADES - 1);
      return getComputedStyle(probe).backgroundColor;
    });
    probe.remove();
    return colors;
  }

  mark(position, dimension, width) {
    const row = this.querySelector(".mark.row");
    const spot = this.querySelector(".mark.spot");
    const rows = this.canvas.height;
    for (const mark of [row, spot]) {
      mark.style.top = `${(100 * position) / rows}%`;
      mark.style.height = `${100 / rows}%`;
      mark.hidden = false;
    }
    spot.style.left = `${(100 * dimension) / width}%`;
    spot.style.width = `${100 / width}%`;
  }

  fillTable(position, { divisor, angle }, { value }) {
    const rows = divisor.map((by, pair) =>
      row(
        [pair, by, text(angle[position][pair], 4)],
        value[position].slice(2 * pair, 2 * pair + 2).map((v) => v / SCALE),
      ),
    );
    this.querySelector("tbody").replaceChildren(...rows);
  }
}

customElements.define("pe-sinusoidal-explorer", SinusoidalExplorer);
