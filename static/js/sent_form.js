// What was typed into a form isn't lost when its login had ended, or its page was open for too long: it is kept in this
// tab when the form is sent, and put back when the page opens again. An answer to the form forgets it.
//
// The page says in <meta>: `account`, who is logged in; `nothing-sent`, that a form before it changed nothing.
// Passwords and files are never kept.

import { gettext } from "./translated.js";

const KEY = "qreels:sent-form";
const meta = (name) => document.querySelector(`meta[name="${name}"]`)?.content ?? "";
const account = meta("account");
const here = location.pathname;

function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY));
  } catch {
    return null;
  }
}

function keep(entry) {
  try {
    if (entry) sessionStorage.setItem(KEY, JSON.stringify(entry));
    else sessionStorage.removeItem(KEY);
  } catch {
    // Switched off, or too full: the page of the form opens without it.
  }
}

const typed = (field) => field.name && !["hidden", "password", "file", "submit", "button"].includes(field.type);
const path = (form) => new URL(form.getAttribute("action") || location.href, location.href).pathname;

/** What tells a form from others with the same address: the values that nobody typed. */
function identity(form) {
  const hidden = [...form.elements].filter((field) => field.type === "hidden" && field.name !== "csrfmiddlewaretoken");
  return JSON.stringify(hidden.map((field) => [field.name, field.value]));
}

function words(field) {
  const label = field.getAttribute("aria-label") || field.labels?.[0]?.textContent || field.name;
  return label.replace(/\s+/g, " ").trim();
}

addEventListener("submit", (event) => {
  const form = event.target;
  // What a script sends it keeps itself.
  if (event.defaultPrevented || form.method !== "post" || !account) return;
  const fields = [...form.elements].filter(typed).map((field) => ({
    name: field.name,
    type: field.type,
    words: words(field),
    value: field.type === "checkbox" || field.type === "radio" ? field.value : field.value.slice(0, 100_000),
    checked: Boolean(field.checked),
    chosen: field.selectedOptions ? [...field.selectedOptions].map((option) => option.value) : null,
  }));
  if (fields.length) keep({ account, page: here, form: path(form), identity: identity(form), fields, back: false });
});

function putBack(form, entry) {
  const left = [...entry.fields];
  for (const field of [...form.elements].filter(typed)) {
    const box = field.type === "checkbox" || field.type === "radio";
    const at = left.findIndex((one) => one.name === field.name && (!box || one.value === field.value));
    if (at < 0) continue;
    const [one] = left.splice(at, 1);
    if (box) field.checked = one.checked;
    else if (field.multiple && one.chosen) for (const option of field.options) option.selected = one.chosen.includes(option.value);
    else field.value = one.value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
  for (let around = form.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
}

function tell(text, before, entry = null) {
  const note = document.createElement("div");
  note.className = "callout";
  note.setAttribute("role", "status");
  note.append(Object.assign(document.createElement("p"), { textContent: text }));
  const written = (entry?.fields ?? []).filter((field) => field.value && field.type !== "checkbox" && field.type !== "radio");
  if (written.length) {
    const list = document.createElement("dl");
    for (const field of written) {
      list.append(Object.assign(document.createElement("dt"), { textContent: field.words }));
      list.append(Object.assign(document.createElement("dd"), { textContent: field.value }));
    }
    note.append(list);
  }
  before.before(note);
  note.scrollIntoView({ block: "nearest" });
}

function open() {
  const entry = kept();
  if (!entry) return;
  if (meta("nothing-sent")) {
    keep({ ...entry, back: true });
    return;
  }
  // Without a login it waits: for the same person. An answer, or somebody else, ends it.
  if (entry.back && !account) return;
  if (!entry.back || entry.account !== account) {
    keep(null);
    return;
  }
  if (entry.page !== here) return;
  keep(null);
  const form = [...document.forms].find((one) => path(one) === entry.form && identity(one) === entry.identity);
  if (form) {
    putBack(form, entry);
    const text = gettext("What you had typed is here again. Nothing of it was saved yet: check it and send it.");
    const file = gettext("Choose the file again.");
    tell(form.querySelector("[type=file]") ? `${text} ${file}` : text, form);
  } else {
    const first = document.querySelector("main > *");
    if (first) tell(gettext("Nothing of what you had sent was saved, and its form isn't here any longer. It was:"), first, entry);
  }
}

open();
