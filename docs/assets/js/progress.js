/* Ticks and progress, kept in this browser only:
   localStorage["posenc"] = {path: {sentence: true, of: number of boxes}} */

const STORE = "posenc";
const ROOT = new URL("../../", import.meta.url).pathname; // of the site, wherever it is published
const KEPT = "Kept in this browser only.";
const NOT_KEPT = "This browser keeps nothing, so it lasts as long as the page.";

function loadProgress() {
  try {
    const progress = JSON.parse(localStorage.getItem(STORE));
    return isProgress(progress) ? progress : {};
  } catch {
    return {};
  }
}

/** Whether it was kept: some private windows have no storage. */
function saveProgress(progress) {
  try {
    localStorage.setItem(STORE, JSON.stringify(progress));
    return true;
  } catch {
    return false;
  }
}

function isProgress(value) {
  const isObject = (thing) => thing !== null && typeof thing === "object" && !Array.isArray(thing);
  const isTick = ([name, tick]) => typeof tick === (name === "of" ? "number" : "boolean");
  const isPage = (page) => isObject(page) && Object.entries(page).every(isTick);
  return isObject(value) && Object.values(value).every(isPage);
}

export function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/* ---- ticks: those of a lesson, and those of all lessons on one page ---- */

/** A list of self-checks. It may belong to another page, whose ticks it then shows. */
class Ticks {
  constructor(list, isLive) {
    this.path = list.closest("[data-ticks]")?.dataset.ticks ?? location.pathname.replace(ROOT, "/");
    // The sentence is the key: one that was reworded is a new tick, on purpose.
    this.boxes = new Map(
      [...list.querySelectorAll("input[type=checkbox]")].map((box) => [
        box.closest("li").textContent.trim(),
        box,
      ]),
    );
    for (const [sentence, box] of this.boxes) box.ariaLabel = sentence;
    this.bar = make("progress", { max: this.boxes.size, ariaLabel: "Checks done" });
    this.words = make("span", isLive ? { role: "status" } : {});
    list.after(make("p", { className: "tally" }, this.bar, this.words));
  }

  get done() {
    return [...this.boxes.values()].filter((box) => box.checked).length;
  }

  /** Set the boxes as they were left. */
  read() {
    const ticked = loadProgress()[this.path] ?? {};
    for (const [sentence, box] of this.boxes) box.checked = ticked[sentence] ?? false;
    this.show(true);
  }

  /** Keep the boxes as they are. */
  write() {
    const progress = loadProgress();
    const ticks = [...this.boxes].map(([sentence, box]) => [sentence, box.checked]);
    progress[this.path] = { ...progress[this.path], ...Object.fromEntries(ticks), of: this.boxes.size };
    this.show(saveProgress(progress));
  }

  show(kept) {
    this.bar.value = this.done;
    this.words.textContent = `${this.done} of ${this.boxes.size} done. ${kept ? KEPT : NOT_KEPT}`;
  }
}

const lists = [];

function showTotal() {
  const total = document.querySelector("[data-total]");
  if (!total) return;
  const sum = (of) => lists.reduce((all, list) => all + of(list), 0);
  total.textContent = `${sum((list) => list.done)} of ${sum((list) => list.boxes.size)} done.`;
}

export function setUpTicks() {
  const items = [...document.querySelectorAll(".task-list-item")];
  const found = new Set(items.map((item) => item.closest("ul")));
  // Where many lists stand, one sentence for all of them is announced.
  for (const list of found) lists.push(new Ticks(list, found.size === 1));
  for (const list of lists) {
    list.read();
    for (const box of list.boxes.values())
      box.addEventListener("change", () => {
        list.write();
        showTotal();
      });
  }
  showTotal();
}

/* ---- beside each lesson in the side bar: how many of its checks are done ---- */

export function setUpSideBar() {
  const progress = loadProgress();
  for (const link of document.querySelectorAll(".md-nav--primary a.md-nav__link")) {
    if (link.hash) continue; // a section of this page
    const { of, ...ticks } = progress[link.pathname.replace(ROOT, "/")] ?? {};
    const done = Object.values(ticks).filter(Boolean).length;
    if (!done || !of) continue;
    const words = make("span", { className: "said", textContent: ` ${done} of ${of} checks done` });
    link.append(words, make("span", { className: "done", ariaHidden: "true" }, `${done}/${of}`));
  }
}

/* ---- <div data-progress>: save to a file, load from one ---- */

export function setUpProgress(box) {
  const save = make("button", { type: "button", className: "md-button" }, "Save my progress");
  const file = make("input", { type: "file", accept: ".json,application/json" });
  const load = make("label", { className: "md-button" }, "Load it from a file", file);
  const words = make("span", { role: "status" });
  box.replaceChildren(save, load, words);

  save.addEventListener("click", () => {
    const content = JSON.stringify(loadProgress(), null, 1);
    const href = URL.createObjectURL(new Blob([content], { type: "application/json" }));
    make("a", { href, download: "positional-encoding-progress.json" }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  });
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    const loaded = await chosen.text().then(JSON.parse).catch(() => null);
    file.value = ""; // so that the same file can be chosen again
    if (!isProgress(loaded)) {
      words.textContent = "That is not a progress file. Nothing was changed.";
      return;
    }
    const progress = loadProgress();
    for (const [page, ticks] of Object.entries(loaded))
      progress[page] = { ...progress[page], ...ticks };
    if (!saveProgress(progress)) {
      words.textContent = "This browser keeps nothing. Nothing was changed.";
      return;
    }
    for (const list of lists) list.read();
    showTotal();
    words.textContent = `Loaded: ticks of ${Object.keys(loaded).length} page(s).`;
  });
}
