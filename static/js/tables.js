// Tables that sort by the column whose heading is pressed: table[data-sortable]. A cell's value is its data-sort, or its
// text, as a number where it is one. What isn't known ("–") stays at the end in both directions.

function value(row, column) {
  const cell = row.cells[column];
  // A row that says "nothing yet" over several columns has none.
  if (!cell || row.cells.length <= column) return null;
  const said = cell.dataset.sort ?? cell.textContent.trim();
  if (said === "" || said === "–") return null;
  const number = Number(said.replaceAll(",", "").replace("−", "-"));
  return Number.isNaN(number) ? said : number;
}

function compare(one, other) {
  if (typeof one === "number" && typeof other === "number") return one - other;
  return String(one).localeCompare(String(other), undefined, { numeric: true });
}

function sort(table, column, down) {
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => ({ row, value: value(row, column) }));
  rows.sort((one, other) => {
    if (one.value === null || other.value === null) return (one.value === null) - (other.value === null);
    return down ? compare(other.value, one.value) : compare(one.value, other.value);
  });
  body.append(...rows.map(({ row }) => row));
}

for (const table of document.querySelectorAll("table[data-sortable]")) {
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    if (!heading.textContent.trim() || heading.hasAttribute("data-unsorted")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sorts";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      // Numbers begin with the largest, words with the first.
      const before = heading.getAttribute("aria-sort");
      const down = before ? before === "ascending" : heading.classList.contains("number");
      for (const other of headings) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      sort(table, column, down);
    });
  });
}
