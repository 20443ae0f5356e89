/* The clinic's finder: suspects of all that is ticked, then those of nearly all; best first. */

function setUp(finder) {
  const table = document.querySelector(".suspects table");
  const groups = [...table.tBodies];
  const result = table.createTBody();
  const boxes = [...finder.querySelectorAll("input")];
  const output = finder.querySelector("output");
  const clear = finder.querySelector("button");

  /* Each suspect once, with how many of the lists it is in and how well it fits them. */
  function suspectsOf(lists) {
    const found = new Map();
    for (const row of lists.flatMap((list) => [...list.querySelectorAll("[data-bug]")])) {
      const suspect = found.get(row.dataset.bug) ?? { row, count: 0, points: 0 };
      suspect.count += 1;
      suspect.points += Number(row.dataset.fit);
      found.set(row.dataset.bug, suspect);
    }
    return [...found.values()].sort((a, b) => b.count - a.count || b.points - a.points);
  }

  function heading(words) {
    const row = groups[0].rows[0].cloneNode(true);
    row.cells[0].removeAttribute("id");
    row.cells[0].textContent = words;
    return row;
  }

  function apply() {
    const chosen = groups.filter((group) =>
      boxes.some((box) => box.checked && box.value === group.dataset.symptom),
    );
    for (const group of groups) group.hidden = chosen.length > 0;
    result.hidden = clear.hidden = chosen.length === 0;
    result.replaceChildren();
    output.value = "";
    if (chosen.length === 0) return;
    const suspects = suspectsOf(chosen);
    const counts = [...new Set(suspects.map(({ count }) => count))].slice(0, 2);
    for (const count of counts) {
      const words = count === chosen.length ? "Fits all" : `Fits ${count} of ${chosen.length}`;
      const rows = suspects.filter((suspect) => suspect.count === count);
      result.append(heading(chosen.length === 1 ? chosen[0].rows[0].textContent : words));
      result.append(...rows.map(({ row }) => row.cloneNode(true)));
    }
    const full = suspects.filter(({ count }) => count === chosen.length).length;
    output.value = `${full === 1 ? "One suspect fits" : `${full || "No"} suspects fit`} all that you ticked.`;
  }

  finder.addEventListener("input", apply);
  clear.addEventListener("click", () => {
    for (const box of boxes) box.checked = false;
    boxes[0].focus(); // the button is about to go
    apply();
  });
  addEventListener("pageshow", apply); // a browser keeps what was ticked when one comes back
  apply();
}

document.querySelectorAll(".finder").forEach(setUp);
