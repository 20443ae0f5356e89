/* A part that scrolls sideways must take the keyboard focus, and then needs a name; code is its own. */

const CODE = "pre > code";
const WIDE = `.md-typeset__scrollwrap, .numbers, .explorer .picture, math[display=block], ${CODE}`;
const watched = new WeakSet();

const widths = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const isFormula = target.matches("math");
    if (target.scrollWidth > target.clientWidth) {
      target.tabIndex = 0;
      if (target.matches(CODE)) continue;
      target.ariaLabel = isFormula ? "Formula" : "Table";
      if (!isFormula) target.role = "group";
    } else {
      for (const name of ["tabindex", "aria-label", "role"]) target.removeAttribute(name);
    }
  }
});

export function watchWide() {
  for (const wide of document.querySelectorAll(WIDE)) {
    if (watched.has(wide)) continue;
    watched.add(wide);
    widths.observe(wide);
  }
}
