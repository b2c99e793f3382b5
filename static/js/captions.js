// The review of captions: a key a decision, the next one comes by itself. What is typed is checked by a worker, a
// moment after the last key; the page asks for the result. Without this script the same forms work by reloading.

import { ask as request } from "./ask.js";
import { gettext, number } from "./translated.js";

const card = document.getElementById("card");
const said = document.getElementById("said");
const waiting = document.getElementById("waiting");
const pool = document.getElementById("pool");
const { card: cardAddress, checked: checkedAddress, undo: undoAddress } = card.dataset;
const PAUSE_MS = 350;
const POLL_MS = 150;
const SLOW_MS = 6000;

let busy = false;
let typing = 0;
let check = { serial: 0, text: "", id: "", done: false };

const article = () => card.querySelector("article");
const editor = () => card.querySelector("form.edit");
const token = () => card.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
const ask = (address, fields = null) => request(address, fields && { ...fields, csrfmiddlewaretoken: token() });

function say(text, failed = false) {
  said.textContent = text;
  said.classList.toggle("error", failed);
}

// ---- one caption after the other ---------------------------------------------------------------

function show(answer) {
  clearTimeout(typing);
  check = { serial: check.serial + 1, text: "", id: "", done: false };
  card.innerHTML = answer.html;
  // What a decision has changed further on; read out only when it is something else.
  if (pool.innerText.trim() !== textOf(answer.pool)) pool.innerHTML = answer.pool;
  waiting.textContent = number(answer.waiting);
  prepare();
}

function textOf(html) {
  const holder = document.createElement("div");
  holder.innerHTML = html;
  return holder.innerText.trim();
}

function prepare() {
  const form = editor();
  if (form) form.hidden = !form.hasAttribute("data-typed");
}

async function step(work) {
  if (busy) return;
  busy = true;
  try {
    const answer = await work();
    // A refusal brings no other caption: this one stays, with what was typed.
    if (answer.html !== undefined) show(answer);
    else if (answer.waiting !== undefined) waiting.textContent = number(answer.waiting);
    say(answer.said ?? "", answer.failed === true);
  } catch (error) {
    say(error.message, true);
  } finally {
    busy = false;
  }
}

const decide = (decision, more = {}) => step(() => ask(card.querySelector("form.decide").action, { decision, ...more }));
const next = () => step(() => ask(`${cardAddress}?after=${article()?.dataset.caption ?? 0}`));
const undo = () => step(() => ask(undoAddress, {}));

// ---- another text, checked as it is typed ------------------------------------------------------

function edit() {
  const form = editor();
  if (!form) return;
  form.hidden = false;
  const area = form.querySelector("textarea");
  area.focus();
  area.setSelectionRange(area.value.length, area.value.length);
  form.scrollIntoView({ block: "nearest" });
  look();
}

function leave() {
  editor().hidden = true;
  card.querySelector('[data-key="e"]').focus();
}

function tell(lines) {
  const list = editor()?.querySelector(".verdicts");
  list?.replaceChildren(
    ...lines.map(({ why, passed }) => {
      const line = document.createElement("li");
      line.textContent = why;
      if (passed === false) line.className = "failed";
      if (passed === undefined) line.className = "idle";
      return line;
    }),
  );
}

function typed() {
  clearTimeout(typing);
  typing = setTimeout(look, PAUSE_MS);
}

// Resolves once the worker has checked the text that stands there; a newer text makes an older check idle.
async function look() {
  clearTimeout(typing);
  const text = editor().querySelector("textarea").value.trim();
  if (!text) return tell([{ why: gettext("There is no text yet.") }]);
  if (text === check.text && (check.id || check.pending)) return check.pending;
  const mine = { serial: check.serial + 1, text, id: "", done: false };
  check = mine;
  mine.pending = follow(mine);
  return mine.pending;
}

async function follow(mine) {
  tell([{ why: gettext("Checking …") }]);
  const current = () => check.serial === mine.serial;
  try {
    const asked = await ask(article().dataset.check, { text: mine.text });
    if (!asked.check) throw new Error(asked.said);
    const started = performance.now();
    while (current()) {
      const answer = await ask(`${checkedAddress}?check=${encodeURIComponent(asked.check)}`);
      if (!current()) return;
      if (answer.state === "done") {
        Object.assign(mine, { id: asked.check, done: true });
        tell(answer.verdicts);
        return;
      }
      if (answer.state === "failed") throw new Error(gettext("The check failed. Keep typing, or try again."));
      if (performance.now() - started > SLOW_MS) tell([{ why: gettext("Checking … No worker has answered yet.") }]);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  } catch (error) {
    if (current()) {
      check = { serial: check.serial + 1, text: "", id: "", done: false };
      tell([{ why: error.message, passed: false }]);
    }
  }
}

async function acceptEdit() {
  const form = editor();
  const text = form.querySelector("textarea").value.trim();
  if (!text) return;
  await look();
  if (check.text !== text || !check.done) return;
  await decide("edit", { text, check: check.id, reason: form.querySelector("[name=reason]").value });
}

// ---- hands -------------------------------------------------------------------------------------

card.addEventListener("submit", (event) => {
  event.preventDefault();
  const button = event.submitter;
  if (event.target.classList.contains("edit")) acceptEdit();
  else if (button?.dataset.act === "undo") undo();
  else if (button) decide(button.value);
});

card.addEventListener("click", (event) => {
  const act = event.target.closest("[data-act]")?.dataset.act;
  if (act === "edit") edit();
  if (act === "leave") leave();
  if (act === "next") {
    event.preventDefault();
    next();
  }
});

card.addEventListener("input", (event) => {
  if (event.target.matches("textarea")) typed();
});

document.addEventListener("keydown", (event) => {
  if (event.target.closest?.("form.edit")) {
    if (event.key === "Escape") leave();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      acceptEdit();
    }
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  // What is typed into another field of the page is no decision.
  if (event.target.matches?.("input:not([type=checkbox]), textarea, select")) return;
  const button = card.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (button && !button.disabled) {
    event.preventDefault();
    button.click();
  }
});

prepare();
