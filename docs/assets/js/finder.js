/* The clinic's finder: of the symptoms' lists, those suspects that have all the ticked ones. */

function setUp(finder) {
  const groups = [...finder.nextElementSibling.querySelector("table").tBodies];
  const boxes = [...finder.querySelectorAll("input")];
  const output = finder.querySelector("output");
  const suspects = (group) => [...group.rows].slice(1);
  const asWritten = new Map(groups.map((group) => [group, suspects(group)]));

  function fit(bug, chosen) {
    const found = chosen.map((group) => group.querySelector(`[data-bug="${bug}"]`));
    return found.includes(null) ? 0 : found.reduce((sum, row) => sum + +row.dataset.fit, 0);
  }

  /* The first list that was chosen shows the suspects in common, best first; the others rest. */
  function apply() {
    const names = boxes.filter((box) => box.checked).map((box) => box.value);
    const chosen = groups.filter((group) => names.includes(group.dataset.symptom));
    for (const group of groups) {
      group.hidden = chosen.length > 0 && group !== chosen[0];
      group.append(...asWritten.get(group));
      for (const row of asWritten.get(group)) row.hidden = false;
    }
    if (chosen.length === 0) {
      output.value = "";
      return;
    }
    const ranked = asWritten.get(chosen[0])
      .map((row) => [row, fit(row.dataset.bug, chosen)])
      .sort(([, one], [, other]) => other - one);
    for (const [row, points] of ranked) {
      row.hidden = points === 0;
      chosen[0].append(row);
    }
    const left = ranked.filter(([, points]) => points > 0).length;
    output.value = `${left === 1 ? "One suspect fits" : `${left || "No"} suspects fit`} all that you ticked.`;
  }

  finder.addEventListener("input", apply);
  apply(); // a browser may have kept what was ticked
}

document.querySelectorAll(".finder").forEach(setUp);
