/* Controls above a table: what is typed and chosen hides all other rows, and the rest is counted. */

function setUp(controls) {
  const rows = [...controls.nextElementSibling.querySelectorAll("tbody tr")];
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  const typed = controls.querySelector("input");
  const chosen = [...controls.querySelectorAll("select")];
  const output = controls.querySelector("output");

  function apply() {
    const words = typed.value.toLowerCase().split(/\s+/);
    let left = 0;
    for (const row of rows) {
      const fits = ({ value, dataset }) =>
        value === "" || row.cells[dataset.column].textContent === value;
      row.hidden = !words.every((word) => texts.get(row).includes(word)) || !chosen.every(fits);
      if (!row.hidden) left += 1;
    }
    output.value = left === rows.length ? `${left} rows` : `${left} of ${rows.length} rows`;
  }

  controls.addEventListener("input", apply);
  apply(); // a browser may have kept what was typed
}

document.querySelectorAll(".filter").forEach(setUp);
