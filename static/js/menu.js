// The menu of leads' pages: groups that were opened stay open on the next pages of this tab.

const KEY = "menu";
const groups = [...document.querySelectorAll(".rail details")];
const opened = new Set((sessionStorage.getItem(KEY) || "").split(","));

for (const group of groups) {
  if (opened.has(group.dataset.group)) group.open = true;
  group.addEventListener("toggle", () => {
    opened[group.open ? "add" : "delete"](group.dataset.group);
    sessionStorage.setItem(KEY, [...opened].join(","));
  });
}
