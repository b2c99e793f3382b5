// Start and end of what fits, marked within the clip by key or button; optional, and only where the page asks for it.
//
// A mark is set at the time that is shown, so it narrows what the clip shows. What is marked goes with the grade.

import { gettext, number } from "../translated.js";
import { say } from "./words.js";

const LEAST = 0.5; // seconds; the server has it, too (annotation/judging/marked_span.py)
const KEEP_MARKED = 100;
const ALL = { start: null, end: null };

export class Span {
  #bar;
  #buttons;
  #stage;
  #marked = new Map(); // pair -> its marks, the newest last, each {start, end}; undo takes the newest back
  #pair = null;
  #shownFor = 0; // seconds: how long the clip was when the marks were drawn

  /** `bar` shows the marks, null where nobody marks; `buttons`: {start, end, whole}; `stage` has the clip. */
  constructor(bar, buttons, stage) {
    this.#bar = bar;
    this.#buttons = buttons;
    this.#stage = stage;
  }

  /** Another pair is on stage, or none. Marks of one that comes back are where they were. */
  begin(task) {
    this.#pair = this.#bar && task?.clip ? task.pair : null;
    if (!this.#bar) return;
    this.#bar.hidden = !this.#pair;
    this.#show();
  }

  /** Mark the `side` ("start" or "end") at the time that is shown. */
  mark(side) {
    const { time, length } = this.#stage;
    if (!this.#pair || !length) return;
    const marks = { ...this.#now, [side]: time };
    // A mark on the wrong side of the other one takes its place.
    const [start, end] = ends(marks, length);
    if (end - start < LEAST) marks[side === "start" ? "end" : "start"] = null;
    const [from, to] = ends(marks, length);
    if (to - from < LEAST) {
      say(gettext("At least {seconds} s of the clip have to be left.", { seconds: number(LEAST) }));
      return;
    }
    this.#keep(marks);
    this.#tell();
  }

  /** The whole clip fits: no marks. */
  whole() {
    if (!this.#pair || this.#now === ALL) return;
    this.#keep(ALL);
    this.#tell();
  }

  /** Take the newest mark back; false where there is none. */
  takeBack() {
    const marks = this.#marked.get(this.#pair);
    if (!marks?.length) return false;
    marks.pop();
    this.#show();
    this.#tell();
    return true;
  }

  /** What goes with a grade: {span: [start, end]} in seconds of the clip, or {}. To a grade of 0 nothing fits. */
  sentWith(grade) {
    const { start, end } = this.#now;
    if (!this.#pair || grade === 0 || (start === null && end === null)) return {};
    return { span: ends(this.#now, this.#stage.length).map((time) => Math.round(time * 1000) / 1000) };
  }

  /** The clip is at another place. */
  follow() {
    if (!this.#pair || !this.#stage.length) return;
    if (this.#shownFor !== this.#stage.length) this.#show();
    this.#bar.lastElementChild.style.left = percent(this.#stage.time, this.#stage.length);
  }

  get #now() {
    return this.#marked.get(this.#pair)?.at(-1) ?? ALL;
  }

  #keep(marks) {
    const before = this.#marked.get(this.#pair) ?? [];
    this.#marked.delete(this.#pair);
    this.#marked.set(this.#pair, [...before, marks]);
    if (this.#marked.size > KEEP_MARKED) this.#marked.delete(this.#marked.keys().next().value);
    this.#show();
  }

  #show() {
    const { start, end } = this.#now;
    this.#shownFor = this.#stage.length;
    const length = this.#shownFor || 1;
    const [from, to] = ends(this.#now, length);
    Object.assign(this.#bar.firstElementChild.style, { left: percent(from, length), width: percent(to - from, length) });
    this.#bar.toggleAttribute("data-marked", start !== null || end !== null);
    this.#buttons.start.setAttribute("aria-pressed", String(start !== null));
    this.#buttons.end.setAttribute("aria-pressed", String(end !== null));
    this.#buttons.whole.disabled = start === null && end === null;
    this.#bar.setAttribute("aria-label", this.#words());
  }

  #words() {
    if (this.#now === ALL) return gettext("The whole clip fits.");
    const [start, end] = ends(this.#now, this.#stage.length).map((time) => number(Math.round(time * 10) / 10));
    return gettext("Fits from {start} s to {end} s of the clip.", { start, end });
  }

  #tell() {
    say(this.#words());
  }
}

function ends({ start, end }, length) {
  return [start ?? 0, Math.min(end ?? length, length)];
}

function percent(time, length) {
  return `${(100 * Math.max(0, Math.min(length, time))) / length}%`;
}
