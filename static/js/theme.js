// Light, dark, or what the system says. Runs before the page is drawn, so that nothing flashes.
const stored = localStorage.getItem("theme");
if (stored) document.documentElement.dataset.theme = stored;

document.addEventListener("DOMContentLoaded", () => {
  document.getElementById("theme").addEventListener("click", () => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
    const next = now === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    localStorage.setItem("theme", next);
  });
});
