/* On every page: ticks and progress, kept in this browser only; answers unfolded for print; and the
   names and keyboard access that the theme leaves out. */

/* ---- progress: localStorage["posenc"] = {path: {sentence: true, of: number of boxes}} ---- */

const STORE = "posenc";
const ROOT = new URL("../../", import.meta.url).pathname; // of the site, wherever it is published

function loadProgress() {
  try {
    const progress = JSON.parse(localStorage.getItem(STORE));
    return isProgress(progress) ? progress : {};
  } catch {
    return {};
  }
}

function saveProgress(progress) {
  try {
    localStorage.setItem(STORE, JSON.stringify(progress));
  } catch {
    // No storage, as in some private windows: ticks then last as long as the page.
  }
}

function isProgress(value) {
  const isObject = (thing) => thing !== null && typeof thing === "object" && !Array.isArray(thing);
  const isTick = ([name, tick]) => typeof tick === (name === "of" ? "number" : "boolean");
  const isPage = (page) => isObject(page) && Object.entries(page).every(isTick);
  return isObject(value) && Object.values(value).every(isPage);
}

function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/* ---- ticks: those of a lesson, and those of all lessons on one page ---- */

function setUpTicks() {
  const lists = new Set(
    [...document.querySelectorAll(".task-list-item")].map((item) => item.closest("ul")),
  );
  const here = location.pathname.replace(ROOT, "/");
  const tallies = [...lists].map((list) => {
    // A list may belong to another page, whose ticks it shows.
    const path = list.closest("[data-ticks]")?.dataset.ticks ?? here;
    return setUpList(list, path);
  });
  const total = document.querySelector("[data-total]");
  const countAll = () => {
    const done = tallies.reduce((sum, tally) => sum + tally().done, 0);
    const of = tallies.reduce((sum, tally) => sum + tally().of, 0);
    total.textContent = `${done} of ${of} done. Kept in this browser only.`;
  };
  if (total) {
    document.addEventListener("change", countAll);
    countAll();
  }
}

function setUpList(list, path) {
  const boxes = [...list.querySelectorAll("input[type=checkbox]")];
  const ticked = loadProgress()[path] ?? {};
  const bar = make("progress", { max: boxes.length, ariaLabel: "Checks done" });
  const words = make("span", { role: "status" });
  list.after(make("p", { className: "tally" }, bar, words));

  const count = () => {
    bar.value = boxes.filter((box) => box.checked).length;
    words.textContent = `${bar.value} of ${boxes.length} done. Kept in this browser only.`;
    return { done: bar.value, of: boxes.length };
  };
  for (const box of boxes) {
    // The sentence is the key: one that was reworded is a new tick, on purpose.
    const sentence = box.closest("li").textContent.trim();
    box.ariaLabel = sentence;
    box.checked = ticked[sentence] ?? false;
    box.addEventListener("change", () => {
      const progress = loadProgress();
      progress[path] = { ...progress[path], [sentence]: box.checked, of: boxes.length };
      saveProgress(progress);
      count();
    });
  }
  count();
  return count;
}

/* ---- beside each lesson in the side bar: how many of its checks are done ---- */

function setUpSideBar() {
  const progress = loadProgress();
  for (const link of document.querySelectorAll(".md-nav--primary a.md-nav__link")) {
    const { of, ...ticks } = progress[link.pathname.replace(ROOT, "/")] ?? {};
    const done = Object.values(ticks).filter(Boolean).length;
    if (!done || !of) continue;
    const words = make("span", { className: "said", textContent: ` ${done} of ${of} checks done` });
    const mark = make("span", { className: "done", ariaHidden: "true" }, `${done}/${of}`);
    link.append(words, mark);
  }
}

/* ---- <div data-progress>: save to a file, load from one ---- */

function setUpProgress(box) {
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
    saveProgress(progress);
    words.textContent = `Loaded: ticks of ${Object.keys(loaded).length} page(s).`;
  });
}

/* ---- print: every answer and hint is open on paper ---- */

function setUpPrint() {
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll(".md-content details:not([open])")) {
      details.open = true;
      details.dataset.printed = "";
    }
  });
  addEventListener("afterprint", () => {
    for (const details of document.querySelectorAll("[data-printed]")) {
      details.open = false;
      delete details.dataset.printed;
    }
  });
}

/* ---- repairs to the theme's markup ---- */

const WIDE = ".md-typeset__scrollwrap, .numbers, math[display=block]";
const watched = new WeakSet();

/** A part that scrolls sideways must take the keyboard focus, and then needs a name. */
const widths = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const isFormula = target.matches("math");
    if (target.scrollWidth > target.clientWidth) {
      target.tabIndex = 0;
      target.ariaLabel = isFormula ? "Formula" : "Table";
      if (!isFormula) target.role = "group";
    } else {
      for (const name of ["tabindex", "aria-label", "role"]) target.removeAttribute(name);
    }
  }
});

/** The theme adds tools and wrappers late, when a part comes into view. */
function repair() {
  // Each code block's tools are a landmark of their own, one among dozens with the same name.
  for (const tools of document.querySelectorAll(".md-code__nav:not([role])")) tools.role = "none";
  for (const wide of document.querySelectorAll(WIDE)) {
    if (watched.has(wide)) continue;
    watched.add(wide);
    widths.observe(wide);
  }
}

setUpTicks();
setUpSideBar();
document.querySelectorAll("[data-progress]").forEach(setUpProgress);
setUpPrint();
repair();
const content = document.querySelector(".md-content");
if (content) new MutationObserver(repair).observe(content, { childList: true, subtree: true });
