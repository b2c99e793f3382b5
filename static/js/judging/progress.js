// What a person has done today and this week, a reminder to rest, and what the lead has to say.

import { gettext, number } from "../translated.js";
import { recall, remember } from "./remembered.js";
import { calmStrip, duration, showFigures } from "./words.js";

const ASK_AGAIN_MS = 10 * 60 * 1000;
const FRESH_MS = 60 * 1000;

export class Progress {
  #server;
  #sender;
  #queue;
  #name;
  #figures;
  #asked = -FRESH_MS;
  #shown;
  #list;
  #notices;

  /**
   * `parts`: {today, list, notices}: elements that show the count, the figures and the lead's notices. What waits in
   * `queue` counts, too; `owner` is whose figures they are.
   */
  constructor(server, sender, queue, owner, parts) {
    this.#server = server;
    this.#sender = sender;
    this.#queue = queue;
    this.#name = `qreels:figures:${owner}`;
    this.#shown = parts.today;
    this.#list = parts.list;
    this.#notices = parts.notices;
    // As of before the reload, until the server has counted: nobody who judged thirty is told of none.
    this.#figures = { today: 0, week: 0, ...ofToday(this.#name) };
    if (!server.has("progress")) return;
    this.show();
    setInterval(() => document.hidden || this.ask(), ASK_AGAIN_MS);
    // Another tab, or another day.
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && performance.now() - this.#asked > FRESH_MS) this.ask();
    });
  }

  /** Ask the server to count, while nothing is on its way to it: what came in meanwhile would count twice, or not. */
  async ask() {
    if (!this.#server.has("progress") || this.#queue.length) return;
    this.#asked = performance.now();
    const figures = await this.#sender.alone(() => (this.#queue.length ? null : this.#server.get("progress")));
    if (!figures) return;
    this.#figures = figures;
    this.show();
    for (const notice of figures.notices ?? []) this.#notice(notice);
  }

  /** The server has one more (1) or one fewer (-1). */
  count(change) {
    // The week's figure too: it stands beside today's, and is never the smaller one.
    for (const span of ["today", "week"]) this.#figures[span] = Math.max(0, this.#figures[span] + change);
    this.show();
    if (this.#asked < 0) this.ask();
  }

  /** The login is over: nothing of it stays. */
  forget() {
    try {
      localStorage.removeItem(this.#name);
    } catch {
      // Switched off, so it wasn't there.
    }
  }

  /** Show what the server has, and what waits to be sent to it. */
  show() {
    if (!this.#server.has("progress")) return;
    const { per_hour: pace, active_today: seconds, agreement } = this.#figures;
    const waiting = this.#queue.entries().filter((entry) => entry.op === "grade" && !entry.withdrawn).length;
    const [today, week] = [this.#figures.today + waiting, this.#figures.week + waiting];
    this.#remember();
    this.#shown.textContent = number(today);
    const rows = [[gettext("This week"), number(week)]];
    if (pace !== null && pace !== undefined) {
      rows.push([gettext("Your pace"), gettext("{count} an hour", { count: number(Math.round(pace)) })]);
    }
    if (seconds >= 60) rows.push([gettext("Judging today"), duration(seconds)]);
    if (agreement) {
      rows.push([gettext("Same grade as partners"), percent(agreement.exact)]);
      rows.push([gettext("Within one grade"), percent(agreement.within_one)]);
      rows.push([gettext("Pairs compared"), number(agreement.pairs)]);
    }
    showFigures(this.#list, rows);
  }

  #remember() {
    const { today, week } = this.#figures;
    remember(this.#name, JSON.stringify({ day: day(), today, week }));
  }

  #notice({ id, text }) {
    const name = `qreels:notice:${id}`;
    if (recall(name) !== null || this.#notices.querySelector(`[data-notice="${CSS.escape(String(id))}"]`)) return;
    const strip = calmStrip(text, () => {
      // Here too, for a page whose server can't be reached just now.
      remember(name, "1");
      if (this.#server.has("answerRead")) this.#server.post("answerRead", {}, id);
    });
    strip.dataset.notice = id;
    this.#notices.append(strip);
  }
}

/** Suggests a break after `minutes` of judging without one; 0 never does. */
export class BreakReminder {
  #minutes;
  #activity;
  #place;
  #strip = null;

  constructor(minutes, activity, place) {
    this.#minutes = minutes;
    this.#activity = activity;
    this.#place = place;
  }

  /** Looked at after each judgment, so that nobody is interrupted in the middle of a clip. */
  look() {
    const stretch = this.#activity.stretch;
    if (this.#strip && stretch < this.#minutes * 60000) this.#end();
    if (!this.#minutes || this.#strip || stretch < this.#minutes * 60000) return;
    const text = gettext("You have judged for {time}. A short break keeps your grades steady.", { time: duration(stretch / 1000) });
    this.#strip = calmStrip(text, () => {
      this.#activity.rest();
      this.#strip = null;
    });
    this.#place.append(this.#strip);
  }

  #end() {
    this.#strip.remove();
    this.#strip = null;
  }
}

/** The day by which the server counts (UTC). */
function day() {
  return new Date().toISOString().slice(0, 10);
}

function ofToday(name) {
  try {
    const stored = JSON.parse(recall(name));
    return stored?.day === day() ? { today: stored.today, week: stored.week } : {};
  } catch {
    return {};
  }
}

function percent(part) {
  return gettext("{percent} %", { percent: Math.round(part * 100) });
}

