// A page while a worker is at something: asks how far it is, and reloads once it is finished, to show what came of it.
//
// <section class="job" data-url="ADDRESS"> with [data-words], a [role=progressbar] whose first child is the bar, and
// [data-silent], shown while nobody seems to be at it. The address answers {finished, share, words, silent}, and with
// a `log` of {at, text} and the attribute data-log also fills the rows of #log. A stopped job's section has its address in
// data-stopped.

import { gettext } from "./translated.js";

const EVERY = 1000;
const STOPPED_EVERY = 3000;

/** Follow one job; a page may show several. */
function follow(section) {
  const words = section.querySelector("[data-words]");
  const meter = section.querySelector("[role=progressbar]");
  const silent = section.querySelector("[data-silent]");

  async function look() {
    try {
      const answer = await fetch(section.dataset.url, { headers: { Accept: "application/json" } });
      if (answer.redirected || answer.status === 401) return location.reload();
      if (answer.ok) show(await answer.json());
    } catch {
      words.textContent = gettext("You are offline; the work goes on without this page.");
    }
    setTimeout(look, EVERY);
  }

  function show(progress) {
    if (progress.finished) return location.reload();
    // The region is live: said again only when it is something else.
    if (words.textContent !== progress.words) words.textContent = progress.words;
    meter.setAttribute("aria-valuenow", progress.share);
    meter.firstElementChild.style.width = `${progress.share}%`;
    silent.hidden = !progress.silent;
    if (progress.log && section.dataset.log !== undefined) write(progress.log);
  }

  setTimeout(look, EVERY);
}

function write(lines) {
  const log = document.getElementById("log");
  // The page comes with the first line.
  if (!log) return lines.length ? location.reload() : undefined;
  log.replaceChildren(
    ...lines.map((line) => {
      const row = document.createElement("tr");
      const at = row.insertCell();
      at.className = "time";
      at.textContent = line.at.slice(0, 19).replace("T", " ");
      row.insertCell().textContent = line.text;
      return row;
    }),
  );
}

/** A stopped job, which somebody may resume in another tab: the page follows that too, while it is looked at. */
function followStopped(section) {
  const words = section.querySelector("[data-words]");
  setInterval(async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(section.dataset.stopped, { headers: { Accept: "application/json" } });
      if (!answer.ok || answer.redirected) return;
      const progress = await answer.json();
      if (!progress.stopped) return location.reload();
      if (words.textContent !== progress.words) words.textContent = progress.words;
    } catch {
      // Offline: what stands here stays.
    }
  }, STOPPED_EVERY);
}

document.querySelectorAll(".job[data-url]").forEach(follow);
document.querySelectorAll("section[data-stopped]").forEach(followStopped);
