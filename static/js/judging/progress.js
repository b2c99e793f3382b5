// What a person has done today and this week, a reminder to rest, and what the lead has to say.

const ASK_AGAIN_MS = 10 * 60 * 1000;
const FRESH_MS = 60 * 1000;

export class Progress {
  #server;
  #figures = { today: 0, week: 0 };
  #asked = 0;
  #unsure = false;
  #shown;
  #list;
  #notices;

  /** `parts`: {today, list, notices}: elements that show the count, the figures and the lead's notices. */
  constructor(server, parts) {
    this.#server = server;
    this.#shown = parts.today;
    this.#list = parts.list;
    this.#notices = parts.notices;
    if (!server.has("progress")) return;
    this.ask();
    setInterval(() => document.hidden || this.ask(), ASK_AGAIN_MS);
    // Another tab, or another day.
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && performance.now() - this.#asked > FRESH_MS) this.ask();
    });
  }

  async ask(again = false) {
    this.#asked = performance.now();
    this.#unsure = !again;
    const figures = await this.#server.get("progress");
    if (!figures) return;
    this.#figures = figures;
    this.#show();
    for (const notice of figures.notices ?? []) this.#notice(notice);
  }

  /** One more (1) or one fewer (-1) today. */
  count(change) {
    // The week's figure too: it stands beside today's, and is never the smaller one.
    for (const span of ["today", "week"]) this.#figures[span] = Math.max(0, this.#figures[span] + change);
    this.#show();
    // What was on its way while the server counted is missing now, or counted twice: ask once more.
    if (this.#unsure && performance.now() - this.#asked < 5000) {
      this.#unsure = false;
      setTimeout(() => this.ask(true), 1500);
    }
  }

  #show() {
    const { today, week, per_hour: pace, active_today: seconds, agreement } = this.#figures;
    this.#shown.textContent = number(today);
    const rows = [["This week", number(week)]];
    if (pace !== null && pace !== undefined) rows.push(["Your pace", `${number(Math.round(pace))} an hour`]);
    if (seconds >= 60) rows.push(["Judging today", duration(seconds)]);
    if (agreement) {
      rows.push(["Same grade as partners", percent(agreement.exact)]);
      rows.push(["Within one grade", percent(agreement.within_one)]);
      rows.push(["Pairs compared", number(agreement.pairs)]);
    }
    this.#list.replaceChildren(...rows.map(([name, value]) => row(name, value)));
  }

  #notice({ id, text }) {
    const name = `qreels:notice:${id}`;
    if (remembered(name) || this.#notices.querySelector(`[data-notice="${CSS.escape(String(id))}"]`)) return;
    const strip = calmStrip(text, () => {
      // Here too, for a page whose server can't be reached just now.
      remember(name);
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
    const text = `You have judged for ${duration(stretch / 1000)}. A short break keeps your grades steady.`;
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

function calmStrip(text, dismissed) {
  const strip = document.createElement("div");
  strip.className = "strip";
  const said = document.createElement("span");
  said.textContent = text;
  const close = document.createElement("button");
  Object.assign(close, { type: "button", className: "plain", textContent: "Dismiss" });
  close.addEventListener("click", (event) => {
    // By keyboard: on to the next message.
    if (!event.detail) strip.nextElementSibling?.querySelector("button")?.focus();
    strip.remove();
    dismissed();
  });
  strip.append(said, close);
  return strip;
}

function row(name, value) {
  const line = document.createElement("div");
  const term = document.createElement("dt");
  const figure = document.createElement("dd");
  term.textContent = name;
  figure.textContent = value;
  line.append(term, figure);
  return line;
}

function number(value) {
  return Number(value).toLocaleString("en-US");
}

function percent(part) {
  return `${Math.round(part * 100)} %`;
}

/** Seconds as "3 h 12 min". */
function duration(seconds) {
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function remembered(name) {
  try {
    return localStorage.getItem(name) !== null;
  } catch {
    return false;
  }
}

function remember(name) {
  try {
    localStorage.setItem(name, "1");
  } catch {
    // It's shown again after a reload.
  }
}
