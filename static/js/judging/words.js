// What the page says in words: the line under the grades, the note in the place of the clip, the strip of what waits.

const byId = (id) => document.getElementById(id);

/** Only what is new is written: a screen reader reads it out. */
export function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** The line under the grades. */
export function say(text) {
  put(byId("state"), text);
}

/** A sentence in the place of the clip, with the buttons (or links) named; "" takes it away. */
export function tell(text, ...buttons) {
  const note = byId("note");
  note.hidden = !text;
  put(byId("note-text"), text);
  for (const button of note.querySelectorAll("[data-do]")) button.hidden = !buttons.includes(button.dataset.do);
}

/** What waits in the queue, while it can't be sent because of `trouble`: "network", "server", or "" for none. */
export function tellWaiting(queue, trouble) {
  const waiting = queue.entries().filter((entry) => !entry.withdrawn).length;
  const strip = byId("strip");
  strip.hidden = !trouble || !waiting;
  if (strip.hidden) return;
  const many = `${waiting} judgment${waiting === 1 ? " waits" : "s wait"}`;
  const where = trouble === "network" ? "for the network" : "for the server, which can't take them right now";
  const kept = queue.volatile ? "Your browser can't store them: leave this page open." : "Nothing is lost; go on.";
  put(strip, `${many} ${where}. ${kept}`);
}
