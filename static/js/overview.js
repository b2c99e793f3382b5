// The overview, live: looks every few seconds and puts in what has changed. Not in a hidden tab; at once when it is
// shown again. Parts that change are marked data-live and have an id; what has the focus keeps it.

const EVERY_MS = 5000;
const SLOWEST_MS = 60000;
// The page stands at another address after a form with a mistake in it.
const page = document.getElementById("run")?.dataset.page ?? location.href;
const away = document.getElementById("away");
let wait = EVERY_MS;
let timer = null;
let looking = false;

async function look() {
  if (looking) return;
  looking = true;
  clearTimeout(timer);
  try {
    const answer = await fetch(page, { cache: "no-store", signal: AbortSignal.timeout(20000) });
    // Logged out, or no longer for us: the page itself says so.
    if (answer.redirected || answer.status === 403 || answer.status === 404) return location.reload();
    if (!answer.ok) throw new Error(String(answer.status));
    put(new DOMParser().parseFromString(await answer.text(), "text/html"));
    away.hidden = true;
    wait = EVERY_MS;
  } catch {
    away.hidden = false;
    wait = Math.min(wait * 2, SLOWEST_MS);
  } finally {
    looking = false;
    plan();
  }
}

function plan() {
  clearTimeout(timer);
  if (!document.hidden) timer = setTimeout(look, wait);
}

function put(page) {
  for (const old of document.querySelectorAll("[data-live]")) {
    const fresh = page.getElementById(old.id);
    if (!fresh || fresh.innerHTML === old.innerHTML) continue;
    const focused = old.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    // What somebody opened or closed stays so.
    const open = new Map([...old.querySelectorAll("details[data-key]")].map((one) => [one.dataset.key, one.open]));
    old.innerHTML = fresh.innerHTML;
    for (const one of old.querySelectorAll("details[data-key]")) one.open = open.get(one.dataset.key) ?? one.open;
    if (focused !== null) old.querySelector(`[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }
}

document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : look()));
plan();
