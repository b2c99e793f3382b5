// Discarded pairs by keyboard: J and K go from pair to pair, a digit is the grade, and the focus goes to its reason.

import "./keep_place.js";
import "./posters.js";

const items = () => [...document.querySelectorAll(".discarded-pairs > li")];

function go(step) {
  const all = items();
  const here = all.findIndex((item) => item.contains(document.activeElement));
  const next = all[Math.min(Math.max(here + step, 0), all.length - 1)];
  next?.scrollIntoView({ block: "nearest" });
  next?.querySelector(".frame").focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.matches("input:is([type=text], [type=number])")) {
    if (event.key === "Escape") event.target.closest("li")?.querySelector(".frame").focus();
    return;
  }
  if (event.key === "j") go(1);
  else if (event.key === "k") go(-1);
  else if (/^[0-4]$/.test(event.key)) {
    const form = document.activeElement?.closest("li")?.querySelector("form.adjudicate");
    const choice = form?.querySelector(`[name=grade][value="${event.key}"]`);
    if (!choice) return;
    event.preventDefault();
    choice.checked = true;
    form.querySelector("[name=reason]").focus();
  }
});
