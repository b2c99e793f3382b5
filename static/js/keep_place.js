// A list of things to decide (.flags) keeps its place: after a form of one of them was sent and the page is there again,
// what took that one's place is in view and has the focus.

const KEY = "qreels:place";
const FRESH_MS = 60000;

const items = () => [...document.querySelectorAll(".flags > li")];

document.addEventListener("submit", (event) => {
  const at = items().findIndex((item) => item.contains(event.target));
  if (at < 0 || event.defaultPrevented) return;
  sessionStorage.setItem(KEY, JSON.stringify({ path: location.pathname, at, when: Date.now() }));
});

function comeBack() {
  const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
  sessionStorage.removeItem(KEY);
  if (!kept || kept.path !== location.pathname || Date.now() - kept.when > FRESH_MS) return;
  const all = items();
  const item = all[Math.min(kept.at, all.length - 1)];
  if (!item) return;
  item.querySelector(".frame")?.focus({ preventScroll: true });
  item.scrollIntoView({ block: "center" });
}

comeBack();
