/* A page that holds one explorer, inside a frame of somebody else's page: its first state comes from
   the query, and the page around it hears how tall it is. */

const query = new URLSearchParams(location.search);
const explorer = document.querySelector(".explorer");

const isDark = matchMedia("(prefers-color-scheme: dark)");
const scheme = () => (query.get("scheme") ?? (isDark.matches ? "dark" : "light")) === "dark";
const paint = () => (document.body.dataset.mdColorScheme = scheme() ? "slate" : "default");
isDark.addEventListener("change", paint);
paint();

customElements
  .whenDefined(explorer.localName)
  .then(() => explorer.choose(Object.fromEntries(query)));

new ResizeObserver(() => {
  const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
  if (parent !== window) parent.postMessage({ action: "resize", height }, "*");
}).observe(document.documentElement);
