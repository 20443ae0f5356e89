/* A page that holds one explorer, inside a frame of somebody else's page: its first state comes from
   the query, and the page around it hears how tall it is. */
import { watchWide } from "./wide.js";

const query = new URLSearchParams(location.search);
const explorer = document.querySelector(".explorer");
const main = document.querySelector("main");

const isDark = matchMedia("(prefers-color-scheme: dark)");
const scheme = () => query.get("scheme") ?? (isDark.matches ? "dark" : "light");
const paint = () => (document.body.dataset.mdColorScheme = scheme() === "dark" ? "slate" : "default");
isDark.addEventListener("change", paint);
paint();

customElements
  .whenDefined(explorer.localName)
  .then(() => explorer.choose(Object.fromEntries(query)));

watchWide();
new ResizeObserver(() => {
  const height = Math.ceil(main.getBoundingClientRect().height);
  if (parent !== window) parent.postMessage({ action: "resize", height }, "*");
}).observe(main);
