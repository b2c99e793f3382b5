// The place in the sitting ("7 of 20"), and what a person did since they began: the card at the end.
//
// A sitting is as many clips as were at hand when it began, twenty at most, of several queries; how long each query's
// part of it is depends on the server's lots. It is only counted, so it tells nothing of any of them.

import { gettext, number } from "../translated.js";
import { calmStrip, duration, put, showFigures } from "./words.js";

const LONGEST = 20;
const LINE_STAYS = 3; // judgments of the next sitting
const PAUSE_MS = 60 * 60 * 1000; // after such a pause a new session begins

export class Sitting {
  #server;
  #parts;
  #name;
  #state;
  #more = false;

  /** `owner`: the worker and the page whose sitting it is; `parts`: {place, card, notices}: where it is shown. */
  constructor(server, owner, parts) {
    this.#server = server;
    this.#parts = parts;
    this.#name = `qreels:sitting:${owner}`;
    this.#state = { done: 0, of: 0, saved: 0, since: 0, last: 0, ...stored(this.#name) };
    if (Date.now() - this.#state.last > PAUSE_MS) this.end();
  }

  /** So many tasks are at hand: a sitting begins where none is under way. */
  show(tasks) {
    const { done, of } = this.#state;
    this.#more = tasks > 0;
    if (tasks && done >= of) this.#change({ done: 0, of: Math.min(LONGEST, tasks) });
    if (tasks) showFigures(this.#parts.card, []);
    if (!this.#parts.place) return;
    this.#parts.place.hidden = !tasks;
    if (tasks) put(this.#parts.place, gettext("{done} of {total}", { done: number(this.#state.done + 1), total: number(this.#state.of) }));
  }

  /** One more was answered; after the last one of the sitting, one line says what was done. `sent`: when all is saved. */
  async judged(sent) {
    const { done, of } = this.#state;
    this.#change({ done: done + 1, last: Date.now() });
    if (done + 1 === LINE_STAYS) removeLine();
    if (of < 2 || done + 1 !== of || !(await sent())) return;
    const rows = await this.#figures();
    removeLine();
    // Where nothing follows, the card says it.
    if (!rows.length || !this.#more) return;
    const strip = calmStrip(gettext("Sitting done. {figures}", { figures: rows.map(([name, figure]) => `${name}: ${figure}`).join(" · ") }));
    strip.id = "sitting";
    this.#parts.notices.append(strip);
  }

  takenBack() {
    this.#change({ done: Math.max(0, this.#state.done - 1) });
  }

  /** The server has kept `change` more judgments (or fewer). Returns how many of this session it has. */
  saved(change) {
    this.#change({ saved: Math.max(0, this.#state.saved + change) });
    return this.#state.saved;
  }

  /** What was done in this session, in the place of the clip, while `idle()`. */
  async showCard(idle) {
    const rows = await this.#figures();
    if (!idle()) return;
    removeLine();
    showFigures(this.#parts.card, rows);
  }

  /** The session is over: what comes next is a new one. */
  end() {
    this.#change({ done: 0, of: 0, saved: 0, since: Date.now(), last: Date.now() });
  }

  /** [name, figure] rows, as the server booked it; none where it can't say. */
  async #figures() {
    if (!this.#server.has("session")) return [];
    const since = new Date(this.#state.since + this.#server.clockOffset).toISOString();
    const told = await this.#server.get("session", { since });
    if (!told?.judged) return [];
    const rows = [
      [gettext("Judged"), number(told.judged)],
      [gettext("Time"), duration(told.seconds)],
    ];
    if (told.earned) rows.push([gettext("Earned"), told.earned]);
    if (told.per_hour) rows.push([gettext("Pace"), gettext("{count} an hour", { count: number(told.per_hour) })]);
    return rows;
  }

  #change(more) {
    Object.assign(this.#state, more);
    try {
      sessionStorage.setItem(this.#name, JSON.stringify(this.#state));
    } catch {
      // Then a reload begins a new one.
    }
  }
}

function removeLine() {
  document.getElementById("sitting")?.remove();
}

function stored(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name)) ?? {};
  } catch {
    return {};
  }
}
