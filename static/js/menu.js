// The menu in the bar: one group open at a time, closed again by Escape or by going elsewhere.

const groups = [...document.querySelectorAll(".menu details")];

for (const group of groups) {
  const summary = group.querySelector("summary");
  if (group.querySelector("[aria-current]")) summary.dataset.here = "";
  group.addEventListener("toggle", () => {
    if (!group.open) return;
    for (const other of groups) if (other !== group) other.open = false;
  });
  group.addEventListener("focusout", (event) => {
    if (!group.contains(event.relatedTarget)) group.open = false;
  });
  group.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !group.open) return;
    group.open = false;
    summary.focus();
  });
}

document.addEventListener("pointerdown", (event) => {
  for (const group of groups) if (!group.contains(event.target)) group.open = false;
});
