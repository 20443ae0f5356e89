/* On every page: ticks and progress; answers unfolded for print; and the names and keyboard access
   that the theme leaves out. */
import { setUpProgress, setUpSideBar, setUpTicks } from "./progress.js";
import { watchWide } from "./wide.js";

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

/** The theme adds tools and wrappers late, when a part comes into view. */
function repair() {
  // Each code block's tools are a landmark of their own, one among dozens with the same name.
  for (const tools of document.querySelectorAll(".md-code__nav:not([role])")) tools.role = "none";
  watchWide();
}

setUpTicks();
setUpSideBar();
document.querySelectorAll("[data-progress]").forEach(setUpProgress);
setUpPrint();
repair();
const content = document.querySelector(".md-content");
if (content) new MutationObserver(repair).observe(content, { childList: true, subtree: true });
