// The page of a site that is being upgraded: asks for what was asked for until it is there, and opens it then.

const place = document.getElementById("upgrading");
const EVERY_MS = Number(place.dataset.seconds) * 1000;
const PATIENCE_MS = 20000;

async function isThere() {
  try {
    // Without following: where it leads is for the page that opens.
    const answer = await fetch(place.dataset.page, {
      method: "HEAD",
      cache: "no-store",
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return answer.type === "opaqueredirect" || ![502, 503, 504].includes(answer.status);
  } catch {
    return false;
  }
}

let timer = 0;

async function look() {
  clearTimeout(timer);
  if (await isThere()) location.replace(place.dataset.page);
  else wait();
}

// A little apart, so that all pages don't come back at the same moment.
function wait() {
  clearTimeout(timer);
  timer = setTimeout(look, EVERY_MS * (0.5 + Math.random()));
}

// Whoever comes back to the tab doesn't wait.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) look();
});
wait();
