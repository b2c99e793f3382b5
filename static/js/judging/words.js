// What the page says in words and figures: the line under the grades, the note in the place of the clip, the strip of
// what waits.

import { gettext, ngettext, number } from "../translated.js";

const byId = (id) => document.getElementById(id);

/** Only what is new is written: a screen reader reads it out. */
export function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** The line under the grades. */
export function say(text) {
  put(byId("state"), text);
}

/** So many judgments were saved; `undoable`: whether the last can be taken back. */
export function saySaved(count, undoable) {
  if (touches() || !undoable) say(ngettext("{count} saved", "{count} saved", count));
  else say(ngettext("{count} saved · Z takes back", "{count} saved · Z takes back", count));
}

/** How fast clips play; returns it as it is shown. */
export function showSpeed(speed) {
  const text = `${number(speed)}×`;
  for (const output of document.querySelectorAll("output[data-speed]")) output.textContent = text;
  return text;
}

/** A sentence in the place of the clip, with the buttons (or links) named; "" takes it away. */
export function tell(text, ...buttons) {
  const note = byId("note");
  note.hidden = !text;
  put(byId("note-text"), text);
  for (const button of note.querySelectorAll("[data-do]")) button.hidden = !buttons.includes(button.dataset.do);
}

/** Figures in the place of the clip, as [name, figure] rows; none takes them away. */
export function showFigures(list, rows) {
  list.replaceChildren(...rows.map(([name, figure]) => row(name, figure)));
  list.hidden = !rows.length;
}

function row(name, figure) {
  const line = document.createElement("div");
  const term = document.createElement("dt");
  const value = document.createElement("dd");
  term.textContent = name;
  value.textContent = figure;
  line.append(term, value);
  return line;
}

/** Of several that waited, each answer is gone in a moment: how many came too late stays to be read. */
export function tellLate(many) {
  byId("late")?.remove();
  const text = ngettext(
    "{count} judgment came too late: somebody else had judged meanwhile. Kept and paid, but not counted.",
    "{count} judgments came too late: somebody else had judged meanwhile. Kept and paid, but not counted.",
    many,
  );
  const strip = calmStrip(text);
  strip.id = "late";
  byId("notices").append(strip);
}

/** A line above the page, with a button that takes it away. */
export function calmStrip(text, dismissed = () => {}) {
  const strip = document.createElement("div");
  strip.className = "strip";
  const said = document.createElement("span");
  said.textContent = text;
  const close = document.createElement("button");
  Object.assign(close, { type: "button", className: "plain", textContent: gettext("Dismiss") });
  close.addEventListener("click", (event) => {
    // By keyboard: on to the next message.
    if (!event.detail) strip.nextElementSibling?.querySelector("button")?.focus();
    strip.remove();
    dismissed();
  });
  strip.append(said, close);
  return strip;
}

/** Whether people here touch the screen, and have no keys to be told of. */
export function touches() {
  return matchMedia("(pointer: coarse)").matches;
}

/** Seconds as "3 h 12 min", or "40 s". */
export function duration(seconds) {
  if (seconds < 60) return gettext("{seconds} s", { seconds: Math.round(seconds) });
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return gettext("{minutes} min", { minutes });
  return gettext("{hours} h {minutes} min", { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

/** What waits in the queue, while it can't be sent because of `trouble`: "network", "server", or "" for none. */
export function tellWaiting(queue, trouble) {
  const waiting = queue.entries().filter((entry) => !entry.withdrawn).length;
  const strip = byId("strip");
  strip.hidden = !trouble || !waiting;
  if (strip.hidden) return;
  const many = trouble === "network"
    ? ngettext("{count} judgment waits for the network.", "{count} judgments wait for the network.", waiting)
    : ngettext(
      "{count} judgment waits for the server, which can't take it right now.",
      "{count} judgments wait for the server, which can't take them right now.",
      waiting,
    );
  const kept = queue.volatile ? gettext("Your browser can't store them: leave this page open.") : gettext("Nothing is lost; go on.");
  put(strip, `${many} ${kept}`);
}
