/* Tables in <div class="sortable">: each column's head becomes a button that sorts the rows. */

/** A cell as a number, if it is one; an empty cell is none. */
function numberIn(words) {
  const plain = words.replace("−", "-").replaceAll(",", "");
  return plain === "" ? NaN : Number(plain);
}

/** Numbers first, by size; then words. */
function compare(a, b) {
  const [x, y] = [numberIn(a), numberIn(b)];
  const words = [Number.isNaN(x), Number.isNaN(y)];
  if (words[0] && words[1]) return a.localeCompare(b, "en");
  return words[0] === words[1] ? x - y : words[0] - words[1];
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
