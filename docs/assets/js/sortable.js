/* Tables in <div class="sortable">: each column's head becomes a button that sorts the rows. */

const numberIn = (words) => Number(words.replace("−", "-").replaceAll(",", ""));

function compare(a, b) {
  const [x, y] = [numberIn(a), numberIn(b)];
  return Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b, "en") : x - y;
}

function setUp(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const order = head.ariaSort === "ascending" ? "descending" : "ascending";
      for (const other of heads) other.ariaSort = null;
      head.ariaSort = order;
      const sign = order === "ascending" ? 1 : -1;
      const text = (row) => row.cells[column].textContent.trim();
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => sign * compare(text(a), text(b)));
      table.tBodies[0].append(...rows);
    });
  });
}

document.querySelectorAll(".sortable table").forEach(setUp);
