// The lead's review: one key a decision, and the next batch is there at once. Decisions are sent one after the other
// behind it; what the server refuses comes back to the queue. Without this script the same forms work by reloading.

import { ask } from "./ask.js";
import { prepare as preparePreview } from "./review_preview.js";
import { gettext, ngettext } from "./translated.js";

const queue = document.querySelector(".queue");
const list = queue.querySelector("ol");
const waiting = document.getElementById("waiting");
const said = document.getElementById("said");
const tally = document.getElementById("tally");
const takeBack = document.getElementById("take-back");
const { home, queue: queueAddress } = queue.dataset;
const LOADED_AHEAD = 3;
const FEW = 10;
/** A key sooner than this after a sheet came is the end of a double press, and decides nothing. */
const TOO_SOON_MS = 250;
const SAID = {
  extend: (query) => gettext("Extended: “{query}”", { query }),
  finish: (query) => gettext("Finished: “{query}”", { query }),
  later: (query) => gettext("Put off: “{query}”", { query }),
};

const sheets = new Map();
const done = [];
const gone = new Set();
let sent = Promise.resolve();
let asked = 0;
let shownAt = 0;
let turn = 0;
let decided = 0;
/** Decisions that the server hasn't answered yet. */
let underway = 0;
/** The sheet to come could not be loaded. */
let stuck = false;
/** The key of the button that had the focus when it decided: the next sheet's gets it, for who goes by Tab and Enter. */
let held = "";

const number = (element) => Number(element?.dataset.batch);
const sheet = () => document.getElementById("sheet");
const current = () => number(sheet());
const rows = () => [...list.children];
const rowOf = (batch) => rows().find((row) => number(row) === batch);
const addressOf = (batch) => `${home}${batch}/`;

function say(text, failed = false) {
  said.textContent = text;
  said.classList.toggle("error", failed);
}

// ---- sheets, loaded ahead ----------------------------------------------------------------------

function load(batch) {
  if (!sheets.has(batch)) {
    const loading = fetch(`${addressOf(batch)}?part=sheet`, { credentials: "same-origin" }).then(async (response) => {
      if (!response.ok || response.redirected) throw new Error(gettext("The next batch could not be loaded."));
      const made = document.createElement("template");
      made.innerHTML = await response.text();
      for (const image of made.content.querySelectorAll("img")) new Image().src = image.getAttribute("src");
      return made;
    });
    loading.catch(() => sheets.delete(batch));
    sheets.set(batch, loading);
  }
  return sheets.get(batch);
}

function loadAhead() {
  const all = rows();
  const here = all.findIndex((row) => number(row) === current());
  for (const row of all.slice(here + 1, here + 1 + LOADED_AHEAD)) load(number(row));
}

async function show(batch) {
  const mine = ++turn;
  delete sheet().dataset.ready;
  try {
    const made = await load(batch);
    if (mine !== turn) return;
    stuck = false;
    const part = made.content.cloneNode(true);
    sheet().replaceWith(part.getElementById("sheet"));
    document.getElementById("decisions").replaceWith(part.getElementById("decisions"));
  } catch {
    if (mine !== turn) return;
    stuck = true;
    say(gettext("The next batch could not be loaded. Press any decision key to try again."), true);
    return;
  }
  sheets.delete(batch);
  if (held) document.querySelector(`#decide [data-key="${held}"]:not(:disabled)`)?.focus({ preventScroll: true });
  mark(batch);
  history.replaceState(null, "", addressOf(batch));
  arrived();
}

function mark(batch) {
  for (const row of rows()) row.firstElementChild.toggleAttribute("aria-current", false);
  const link = rowOf(batch)?.firstElementChild;
  link?.setAttribute("aria-current", "page");
  // The list alone: the page itself stays where the batch begins.
  if (link) {
    const [frame, line] = [queue.getBoundingClientRect(), link.getBoundingClientRect()];
    queue.scrollTop += Math.min(0, line.top - frame.top) + Math.max(0, line.bottom - frame.bottom);
  }
  scrollTo({ top: 0 });
}

function arrived() {
  const mine = turn;
  shownAt = performance.now();
  preparePreview(sheet());
  setTimeout(() => {
    if (mine === turn) sheet().dataset.ready = "";
  }, TOO_SOON_MS);
  loadAhead();
}

// ---- the queue ---------------------------------------------------------------------------------

// As annotation/review/extend_rule.py writes it: with two decimals where one would say another number.
function meanInWords(mean) {
  return Math.abs(mean - Number(mean.toFixed(1))) < 1e-9 ? mean.toFixed(1) : mean.toFixed(2);
}

function addRow({ batch, query, mean, extend }, first = false) {
  const row = document.createElement("li");
  row.dataset.batch = batch;
  const link = document.createElement("a");
  Object.assign(link, { href: addressOf(batch), title: query });
  const average = document.createElement("span");
  average.className = extend ? "mean extend" : "mean";
  average.textContent = mean === null ? "–" : meanInWords(mean);
  link.append(average, ` ${query}`);
  row.append(link);
  if (first) list.prepend(row);
  else list.append(row);
  return row;
}

function count(change) {
  asked += change;
  waiting.textContent = Math.max(0, asked).toLocaleString("en");
}

async function refill() {
  const answer = await ask(queueAddress);
  asked = answer.waiting;
  count(0);
  for (const one of answer.batches) if (!rowOf(one.batch) && !gone.has(one.batch)) addRow(one);
}

// ---- deciding ----------------------------------------------------------------------------------

function inTurn(work) {
  sent = sent.then(work).catch((error) => say(error.message, true));
  return sent;
}

function decide(decision) {
  const form = document.getElementById("decide");
  if (!form || performance.now() - shownAt < TOO_SOON_MS) return;
  const batch = current();
  const fields = { ...Object.fromEntries(new FormData(form)), decision };
  const { action } = form;
  held = form.contains(document.activeElement) ? document.activeElement.dataset.key : "";
  const { takeBack: takeBackAddress } = form.dataset;
  const query = sheet().querySelector(".query").textContent;
  const row = rowOf(batch) ?? addRow({ batch, query, mean: null, extend: false });
  const next = row.nextElementSibling ?? (row.previousElementSibling ? list.firstElementChild : null);
  if (decision === "later") list.append(row);
  else {
    row.remove();
    gone.add(batch);
    count(-1);
  }
  form.remove();
  underway += 1;
  tell();
  const result = inTurn(async () => {
    try {
      const answer = await ask(action, fields);
      if (answer.failed) {
        if (answer.waiting) comeBack(batch, row);
        say(`“${query}”: ${answer.said}`, true);
        return;
      }
      done.push({ batch, row, takeBackAddress, token: fields.csrfmiddlewaretoken, review: answer.review });
      decided += decision === "later" ? 0 : 1;
      takeBack.disabled = false;
      say(SAID[decision](query));
    } catch (error) {
      comeBack(batch, row);
      throw new Error(gettext("“{query}” was not decided. {why}", { query, why: error.message }));
    } finally {
      underway -= 1;
      tell();
    }
  });
  if (next) show(number(next));
  result.then(goOn);
}

/** What the server did not take waits again, to be shown next. */
function comeBack(batch, row) {
  sheets.delete(batch);
  if (gone.delete(batch)) count(1);
  const here = rowOf(current());
  if (here && here !== row) here.after(row);
  else list.prepend(row);
  loadAhead();
}

async function goOn() {
  if (rows().length < Math.min(FEW, asked)) await refill().catch(() => {});
  if (document.getElementById("decide")) return;
  const [row] = rows();
  if (row && number(row) !== current()) return show(number(row));
  if (!row) {
    await refill().catch(() => {});
    if (rows().length) return show(number(rows()[0]));
    say(gettext("No batches are waiting for you."));
  } else if (row) show(number(row));
}

function undo() {
  inTurn(async () => {
    const last = done.at(-1);
    if (!last) return;
    const fields = { csrfmiddlewaretoken: last.token, review: last.review ?? "" };
    const answer = await ask(last.takeBackAddress, fields);
    done.pop();
    takeBack.disabled = !done.length;
    if (answer.failed) {
      say(answer.said, true);
      return;
    }
    if (last.review !== null) {
      decided -= 1;
      gone.delete(last.batch);
      count(1);
    }
    tell();
    list.prepend(last.row);
    sheets.delete(last.batch);
    say(gettext("Taken back."));
    await show(last.batch);
  });
}

function tell() {
  const parts = [
    decided && ngettext("{count} decided since you came", "{count} decided since you came", decided),
    underway > 1 && ngettext("{count} being saved", "{count} being saved", underway),
  ];
  tally.textContent = parts.filter(Boolean).join(", ");
}

// ---- hands -------------------------------------------------------------------------------------

document.addEventListener("submit", (event) => {
  if (event.target.id !== "decide") return;
  event.preventDefault();
  decide(event.submitter?.value);
});

list.addEventListener("click", (event) => {
  const row = event.target.closest("li");
  if (!row || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  show(number(row));
});

takeBack.addEventListener("click", undo);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.matches?.("input, textarea, select")) return;
  const key = event.key.toLowerCase();
  if (key === "z") undo();
  else if (stuck && "edl".includes(key)) goOn();
  else document.querySelector(`#decide [data-key="${CSS.escape(key)}"]:not(:disabled)`)?.click();
});

addEventListener("online", () => stuck && goOn());
addEventListener("beforeunload", (event) => {
  if (underway) event.preventDefault();
});

asked = Number(waiting.textContent.replaceAll(",", ""));
arrived();
