// An import's page while a worker is on it: asks how far it is, and shows the report once it is finished.

const section = document.getElementById("progress");
const words = section.querySelector("[data-words]");
const meter = section.querySelector("[role=progressbar]");
const silent = section.querySelector("[data-silent]");
const EVERY = 1000;

async function look() {
  try {
    const answer = await fetch(section.dataset.url, { headers: { Accept: "application/json" } });
    if (answer.redirected || answer.status === 401) return location.reload();
    if (answer.ok) show(await answer.json());
  } catch {
    words.textContent = "The network is away; the import goes on.";
  }
  setTimeout(look, EVERY);
}

function show(progress) {
  if (progress.finished) return location.reload();
  words.textContent = progress.words;
  meter.setAttribute("aria-valuenow", progress.share);
  meter.firstElementChild.style.width = `${progress.share}%`;
  silent.hidden = !progress.silent;
}

setTimeout(look, EVERY);
