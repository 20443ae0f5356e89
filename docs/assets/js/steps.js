/* <pe-steps>: the frames stand in the page, as a list of drawings with captions. This lays one stage
   over the list and plays it there: things that carry the same data-k in two frames glide. */
import { whenNear } from "./near.js";

const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const PAUSE = 2200; // ms a step, and as many more as its caption takes to read
const PAUSE_PER_LETTER = 38;

class Steps extends HTMLElement {
  connectedCallback() {
    this.items = [...this.querySelectorAll("li")];
    this.playButton = this.querySelector("[data-play]");
    this.addControls();
    whenNear(this, () => this.setUp());
  }

  /** The stage is built when the reader comes near, or at his first touch of a control. */
  setUp() {
    if (this.stage) return;
    this.frames = this.items.map(partsOf);
    this.stage = this.buildStage();
    this.prepend(this.stage);
    this.show(0);
    this.dataset.on = "";
    this.seen = false;
    this.play(!STILL.matches);
    this.watcher = new IntersectionObserver(([entry]) => this.setSeen(entry), { threshold: [0.6] });
    this.watcher.observe(this);
  }

  disconnectedCallback() {
    clearTimeout(this.timer);
    this.watcher?.disconnect();
  }

  /** One drawing that holds every part of every frame; parts that a frame lacks are clear. */
  buildStage() {
    const stage = this.items[0].querySelector("svg").cloneNode(false);
    stage.removeAttribute("role");
    stage.removeAttribute("aria-label");
    stage.setAttribute("aria-hidden", "true"); // the frames below keep their labels
    stage.classList.add("stage");
    this.parts = new Map();
    for (const frame of this.frames)
      for (const [key, drawn] of frame) {
        if (this.parts.has(key)) continue;
        const part = drawn.cloneNode(true);
        part.style.opacity = 0;
        this.parts.set(key, part);
        stage.append(part);
      }
    return stage;
  }

  /** Whoever touches a control has taken over: nothing moves by itself until Play is pressed. */
  addControls() {
    for (const button of this.querySelectorAll("[data-go]"))
      button.addEventListener("click", () => {
        this.setUp();
        this.go(this.now + Number(button.dataset.go));
      });
    this.playButton.addEventListener("click", () => {
      this.setUp();
      this.play(!this.playing);
    });
    this.addEventListener("keydown", (event) => {
      this.setUp();
      const goals = { ArrowLeft: this.now - 1, ArrowRight: this.now + 1, Home: 0, End: -1 };
      const isShortcut = event.altKey || event.ctrlKey || event.metaKey; // of the browser
      if (isShortcut || !(event.key in goals)) return;
      event.preventDefault();
      this.go(goals[event.key]);
    });
  }

  go(step) {
    this.play(false);
    this.show(step);
    const caption = this.items[this.now].lastElementChild.textContent;
    const words = `Step ${this.now + 1} of ${this.items.length}. ${caption}`;
    this.querySelector(".said").textContent = words;
  }

  show(step) {
    const count = this.items.length;
    this.now = (step + count) % count;
    const frame = this.frames[this.now];
    for (const [key, part] of this.parts) {
      const goal = frame.get(key);
      if (goal) this.move(part, goal);
      else part.style.opacity = 0;
    }
    this.items.forEach((item, k) => item.toggleAttribute("data-now", k === this.now));
    this.querySelector(".count").textContent = `${this.now + 1} / ${count}`;
  }

  move(part, goal) {
    const origin = this.parts.get(goal.dataset.enter);
    if (origin && part.style.opacity === "0") {
      part.style.transition = "none";
      part.style.transform = `${origin.style.transform} scale(.15)`;
      part.getBoundingClientRect(); // takes effect now, so that the next change glides
      part.style.transition = "";
    }
    if (!morph(part, goal)) part.replaceChildren(...goal.cloneNode(true).childNodes);
    part.style.transform = goal.style.transform;
    part.style.opacity = 1;
  }

  /* Steps follow each other while somebody wants it and can see it. */

  play(wanted) {
    this.playing = wanted;
    this.playButton.textContent = wanted ? "Pause" : "Play";
    this.querySelector(".said").textContent = "";
    this.schedule();
  }

  setSeen(entry) {
    this.seen = entry.isIntersecting;
    this.schedule();
  }

  schedule() {
    clearTimeout(this.timer);
    if (!this.playing || !this.seen) return;
    const caption = this.items[this.now].lastElementChild.textContent;
    this.timer = setTimeout(
      () => {
        this.show(this.now + 1);
        this.schedule();
      },
      PAUSE + PAUSE_PER_LETTER * caption.length,
    );
  }
}

function partsOf(item) {
  return new Map([...item.querySelectorAll("[data-k]")].map((part) => [part.dataset.k, part]));
}

/** Carry attributes and text over to the same shapes, so that fills and heights glide too. */
function morph(part, goal) {
  const shapes = [...part.querySelectorAll("*")];
  const goals = [...goal.querySelectorAll("*")];
  const same = (shape, k) =>
    shape.tagName === goals[k].tagName && shape.getAttribute("d") === goals[k].getAttribute("d");
  if (shapes.length !== goals.length || !shapes.every(same)) return false;
  shapes.forEach((shape, k) => {
    shape.style.cssText = goals[k].style.cssText;
    for (const name of shape.getAttributeNames())
      if (name !== "style" && !goals[k].hasAttribute(name)) shape.removeAttribute(name);
    for (const { name, value } of goals[k].attributes)
      if (name !== "style") shape.setAttribute(name, value);
    if (!shape.children.length) shape.textContent = goals[k].textContent;
  });
  return true;
}

customElements.define("pe-steps", Steps);
