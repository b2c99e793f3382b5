// One measure is shown at a time. The table of queries sorts by any column and is filtered as somebody types; a link opens
// the query it leads to.
"use strict";

const measures = [...document.querySelectorAll("section.measure")];
if (measures.length > 1) {
  const choice = document.createElement("select");
  for (const part of measures) {
    const heading = part.querySelector("h3");
    choice.append(new Option(heading.textContent));
    heading.hidden = true;
  }
  const show = () => measures.forEach((part, place) => { part.hidden = place !== choice.selectedIndex; });
  choice.addEventListener("change", show);
  show();
  const label = document.createElement("label");
  label.append("Intervals and comparison by ", choice);
  const line = document.createElement("p");
  line.append(label);
  measures[0].before(line);
}

const table = document.querySelector("#queries table");
const rows = table.tBodies[0];
const heads = [...table.tHead.rows[0].cells];

function compared(place, down) {
  const valueOf = (row) => row.cells[place].dataset.value ?? row.cells[place].textContent;
  const numeric = heads[place].classList.contains("number");
  return (one, other) => {
    const [a, b] = [valueOf(one), valueOf(other)];
    if (numeric && (a === "" || b === "")) return (a === "") - (b === "");
    const difference = numeric ? a - b : a.localeCompare(b, undefined, { numeric: true });
    return down ? -difference : difference;
  };
}

heads.forEach((head, place) => {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    rows.append(...[...rows.rows].sort(compared(place, down)));
  });
});

const filter = document.createElement("input");
filter.type = "search";
const label = document.createElement("label");
label.append("Only with these words: ", filter);
const count = document.createElement("span");
count.setAttribute("role", "status");
const line = document.createElement("p");
line.append(label, " ", count);
document.querySelector("#queries").prepend(line);
filter.addEventListener("input", () => {
  const wanted = filter.value.toLocaleLowerCase();
  let shown = 0;
  for (const row of rows.rows) {
    row.hidden = ![row.cells[0], row.cells[heads.length - 1]].some((cell) => cell.textContent.toLocaleLowerCase().includes(wanted));
    shown += !row.hidden;
  }
  count.textContent = wanted ? `${shown} shown` : "";
});

function openLinked() {
  const query = document.getElementById(location.hash.slice(1));
  if (query?.tagName !== "DETAILS") return;
  query.open = true;
  query.scrollIntoView();
  query.querySelector("summary").focus();
}
table.addEventListener("click", (event) => event.target.closest("a") && setTimeout(openLinked));
addEventListener("hashchange", openLinked);
openLinked();
