// The page "Add videos": files and folders that are chosen or dropped are announced, sent in pieces and imported.
//
// <section id="drop" data-announce="ADDRESS" data-longest="BYTES"> with two inputs, a checkbox [data-replace], a template
// of a row, and the form #import that asks for the import of what has arrived.

import { chosenIn, droppedIn } from "./uploading/chosen.js";
import { markOf } from "./uploading/marks.js";
import { Sending, cookie } from "./uploading/sending.js";
import { gettext, language, ngettext, number } from "./translated.js";

const ANNOUNCED = 100;
const QUEUED = 200; // of the files that were announced, at most so many wait before further ones are
const AGAIN = 5000; // ms
const TRIES = 30000; // ms between two tries to announce, at most
const area = document.getElementById("drop");
const panel = document.getElementById("sending");
const rows = panel.querySelector("tbody");
const words = panel.querySelector("[data-words]");
const said = panel.querySelector("[data-said]"); // spoken: not every piece, but the end and what isn't taken
const meter = panel.querySelector("[role=progressbar]");
const imported = panel.querySelector("[data-imported]");
const previewed = panel.querySelector("[data-previewed]");
const pause = panel.querySelector("[data-pause]");
const form = document.getElementById("import");
const replace = area.querySelector("[data-replace]");
const csrf = form.elements.csrfmiddlewaretoken.value;
const STATES = {
  arriving: gettext("arriving"),
  arrived: gettext("arrived"),
  taken: gettext("already here"),
  refused: gettext("refused"),
  "": gettext("not imported"),
};

const entries = new Map();
let announcing = 0;
let begun = null; // when the sending began, and how many bytes were there: for the time left
const sending = new Sending({ longest: Number(area.dataset.longest), csrf, told });

for (const input of area.querySelectorAll("input[type=file]")) {
  area.querySelector(`[data-opens="${input.id}"]`).addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    take(chosenIn(input));
    input.value = ""; // the same can be chosen again
  });
}
for (const kind of ["dragenter", "dragover"]) {
  addEventListener(kind, (event) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    area.classList.add("over");
  });
}
addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) area.classList.remove("over");
});
addEventListener("drop", async (event) => {
  if (!event.dataTransfer.types.includes("Files")) return;
  event.preventDefault();
  area.classList.remove("over");
  take(await droppedIn(event.dataTransfer));
});
addEventListener("beforeunload", (event) => {
  if (sending.busy || announcing) event.preventDefault();
});
pause.addEventListener("click", () => {
  if (sending.paused) sending.resume();
  else sending.pause();
  pause.textContent = sending.paused ? gettext("Continue") : gettext("Pause");
  summary();
});

const isUnderWay = (entry) => entry?.state === "announced" || (entry?.state === "arriving" && !entry.problem);

async function take(chosen) {
  panel.hidden = false;
  // What was said of former files is over with the new ones.
  for (const said of document.querySelectorAll("[data-former]")) said.hidden = true;
  const fresh = chosen.filter(({ name }) => !isUnderWay(entries.get(name)));
  for (const { file, name } of fresh) {
    const entry = { file, name, size: file.size, offset: 0, state: "announced", problem: "", note: "", report: "" };
    const former = entries.get(name);
    entry.row = former?.row ?? rowOf(entry);
    entries.set(name, entry);
    show(entry);
  }
  announcing += fresh.length;
  begun ??= { at: performance.now(), bytes: null };
  for (let place = 0; place < fresh.length; place += ANNOUNCED) {
    await sending.fewerThan(QUEUED);
    const some = fresh.slice(place, place + ANNOUNCED).map(({ name }) => entries.get(name));
    await announce(some);
    announcing -= some.length;
    summary();
  }
  summary();
}

async function announce(some) {
  const files = [];
  for (const entry of some) {
    try {
      entry.mark = await markOf(entry.file);
    } catch {
      Object.assign(entry, { state: "", problem: gettext("The file can't be read. Choose it again.") });
      show(entry);
      continue;
    }
    files.push(entry);
  }
  if (!files.length) return;
  const said = { files: files.map(({ name, size, mark }) => ({ name, size, mark })), replace: replace.checked };
  const answers = await answered(JSON.stringify(said));
  files.forEach((entry, place) => {
    const { state, address, offset, problem, report } = answers?.[place] ?? { state: "", problem: gettext("The server refused the file. Choose it again.") };
    Object.assign(entry, { state, address, offset, problem, report, known: state !== "arriving" });
    show(entry);
  });
  // One of the reasons is that too many are incomplete: here they can be removed.
  if (files.some(({ problem }) => problem)) document.getElementById("incomplete")?.removeAttribute("hidden");
  sending.add(files.filter(({ state, problem }) => state === "arriving" && !problem));
}

/** The answers to an announcement, which is repeated until there are some; null if it is refused. */
async function answered(body) {
  for (let tries = 0; ; tries++) {
    try {
      const headers = { "Content-Type": "application/json", "X-CSRFToken": cookie() ?? csrf };
      const response = await fetch(area.dataset.announce, { method: "POST", body, headers, credentials: "same-origin" });
      if (response.ok) return (await response.json()).files;
      if (response.status === 400 || response.status === 404) return null;
      words.textContent = response.status === 401 ? gettext("You are logged out. Log in in another tab, and the upload continues.") : gettext("Waiting for the server.");
    } catch {
      words.textContent = gettext("Waiting for the network.");
    }
    await new Promise((done) => setTimeout(done, Math.min(TRIES, 500 * 2 ** tries)));
  }
}

function told(entry) {
  show(entry);
  summary();
}

function rowOf(entry) {
  const row = document.getElementById("row").content.firstElementChild.cloneNode(true);
  row.querySelector("[data-name]").textContent = entry.name;
  row.querySelector("[data-size]").textContent = inBytes(entry.size);
  rows.append(row);
  return row;
}

function show(entry) {
  const { row } = entry;
  const state = row.querySelector("[data-state]");
  const share = entry.size ? Math.floor((100 * entry.offset) / entry.size) : 0;
  const moving = entry.state === "arriving" && !entry.problem;
  row.classList.toggle("why", Boolean(entry.problem));
  const label = entry.state === "arrived" && entry.known ? STATES.taken : STATES[entry.state];
  state.textContent = entry.state === "announced" ? "…" : moving ? `${share} %${entry.note ? `, ${entry.note}` : ""}` : (label ?? "");
  if (entry.report) {
    const link = Object.assign(document.createElement("a"), { href: entry.report, textContent: gettext("See details") });
    state.replaceChildren(link);
  }
  row.querySelector("[data-problem]").textContent = entry.problem;
}

function summary() {
  const all = [...entries.values()];
  const sent = all.filter((entry) => entry.address);
  const whole = sent.filter(({ state, problem }) => state !== "arriving" && !problem);
  const moving = all.filter(isUnderWay);
  const problems = all.filter(({ problem }) => problem);
  const size = [...whole, ...moving].reduce((sum, entry) => sum + entry.size, 0);
  const here = [...whole, ...moving].reduce((sum, entry) => sum + Math.min(entry.offset, entry.size), 0);
  const share = size ? (100 * here) / size : 0;
  meter.setAttribute("aria-valuenow", share.toFixed(0));
  meter.firstElementChild.style.width = `${share}%`;
  const values = { here: number(whole.length), sent: inBytes(here), size: inBytes(size) };
  const parts = [ngettext("{here} of {count} file is here, {sent} of {size}", "{here} of {count} files are here, {sent} of {size}", whole.length + moving.length, values)];
  parts.push(moving.length ? left(here, size) : "");
  if (problems.length) parts.push(ngettext("{count} file not imported: see below", "{count} files not imported: see below", problems.length));
  const text = `${parts.filter(Boolean).join("; ")}.`;
  if (words.textContent !== text) words.textContent = text;
  const spoken = moving.length ? parts.slice(2).join("; ") : text;
  if (!announcing && said.textContent !== spoken) said.textContent = spoken;
  pause.hidden = !moving.length;
  if (sending.busy || announcing) return;
  const described = sent.filter(({ report }) => report);
  const previews = described.filter(({ known }) => !known).map(({ report }) => report);
  if (described.length) Object.assign(previewed, { href: described[0].report, hidden: false });
  const arrived = sent.filter(({ state, imported }) => state === "arrived" && !imported);
  if (arrived.length) importWhatCame(arrived, problems.length, previews);
  else if (previews.length && !problems.length && sent.every(({ report, known }) => report && !known)) location.assign(previews[0]);
}

/** Asks for the import of what has arrived; goes on to the import, unless there is something left to read or to choose
 * on this page: beside videos, a file of descriptions has a preview of its own, and the page offers both. */
async function importWhatCame(arrived, problems, previews) {
  for (const entry of arrived) entry.imported = true;
  try {
    const headers = { Accept: "application/json", "X-CSRFToken": cookie() ?? csrf };
    const response = await fetch(form.action, { method: "POST", headers, credentials: "same-origin" });
    const { address } = await response.json();
    // Others may have been chosen meanwhile.
    if (!problems && !previews.length && !sending.busy && !announcing) return location.assign(address);
    Object.assign(imported, { href: address, hidden: false });
  } catch {
    for (const entry of arrived) entry.imported = false;
    setTimeout(summary, AGAIN);
  }
}

function left(here, size) {
  if (sending.paused) return gettext("paused");
  if (begun.bytes === null) begun = { at: performance.now(), bytes: here };
  const seconds = (performance.now() - begun.at) / 1000;
  const rate = (here - begun.bytes) / seconds;
  if (seconds < 3 || !(rate > 0)) return "";
  const minutes = (size - here) / rate / 60;
  if (minutes < 1) return gettext("less than a minute left");
  if (minutes < 90) return gettext("about {minutes} min left", { minutes: Math.round(minutes) });
  return gettext("about {hours} h left", { hours: Math.round(minutes / 60) });
}

function inBytes(bytes) {
  for (const [unit, factor] of [["TB", 1e12], ["GB", 1e9], ["MB", 1e6], ["KB", 1e3]]) {
    if (bytes >= factor) return `${(bytes / factor).toLocaleString(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 })} ${unit}`;
  }
  return gettext("{bytes} bytes", { bytes });
}
