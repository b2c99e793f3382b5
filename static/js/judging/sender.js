// Sends what waits, in order, one request at a time over all tabs; what can't be sent now is tried again by itself.

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 15000;

export class Sender {
  #queue;
  #server;
  #lock;
  #hear;
  #chain = Promise.resolve();
  #running = null;
  #again = false;
  #insist = false;
  #retry = FIRST_RETRY_MS;
  #timer = 0;

  /** Why what waits can't go out: "" (it can), "network" or "server". */
  trouble = "";

  /**
   * `hear`: {delivered(entry, outcome), takenBack(entry, outcome), stopped(outcome), changed()}: an entry is
   * settled; one that was taken back meanwhile is; nothing can be sent now; the trouble or what waits has changed.
   */
  constructor(queue, server, name, hear) {
    this.#queue = queue;
    this.#server = server;
    this.#lock = `qreels:send:${name}`;
    this.#hear = hear;
    addEventListener("online", () => this.send());
    addEventListener("offline", () => this.#stop({ kind: "away", why: "network" }));
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.trouble) this.send();
    });
  }

  /** Whoever does `work` is the only one who talks to the server, so that no answer is older than one seen before. */
  alone(work) {
    if (navigator.locks) return navigator.locks.request(this.#lock, work);
    // Without https there are no locks between tabs; the server knows each entry's key.
    this.#chain = this.#chain.then(work, work);
    return this.#chain;
  }

  /** Send all that waits; true when nothing waits any longer. `insist`: also where the browser says it is offline. */
  send(insist = false) {
    this.#again = true;
    this.#insist ||= insist;
    this.#running ??= this.#sendAll().finally(() => (this.#running = null));
    return this.#running;
  }

  async #sendAll() {
    let empty = true;
    while (this.#again) {
      this.#again = false;
      clearTimeout(this.#timer);
      empty = await this.alone(() => this.#drain());
    }
    if (empty && this.trouble) {
      this.trouble = "";
      this.#hear.changed();
    }
    return empty;
  }

  async #drain() {
    // What was never tried can be taken back without asking anybody, so nothing is tried in vain.
    const insist = this.#insist;
    this.#insist = false;
    if (!navigator.onLine && !insist && this.#queue.length) {
      this.#stop({ kind: "away", why: "network" });
      return false;
    }
    for (let entry = this.#queue.first; entry; entry = this.#queue.first) {
      if (!(await this.#deliver(entry))) return false;
    }
    return true;
  }

  async #deliver(entry) {
    // From here on the server may have it, whatever we hear.
    if (!entry.tried) this.#queue.change(entry.id, { tried: true });
    const { op, pair, grade, key, played, active_ms, at, span, used, factors, flag, note } = entry;
    // By the same clock as `at`: a wrong clock, too, gives the right waiting time.
    const sent = new Date().toISOString();
    const outcome =
      op === "flag"
        ? await this.#server.post("flag", { pair, kind: flag, note })
        : await this.#server.post("grade", { pair, grade, key, played, active_ms, at, sent, span, used, factors });
    if (outcome.kind === "away" || outcome.kind === "loggedOut" || outcome.kind === "barred") {
      this.#stop(outcome);
      return false;
    }
    if (entry.withdrawn && outcome.kind === "taken") return this.#takeBack(entry);
    this.#settled(entry);
    this.#hear.delivered(entry, outcome);
    return true;
  }

  // It was taken back while nobody knew whether the server had it. Now it has.
  async #takeBack(entry) {
    const outcome = await this.#server.post("undo", entry.op === "flag" ? { flagged: entry.pair } : { key: entry.key });
    if (outcome.kind !== "taken" && outcome.kind !== "refused") {
      this.#stop(outcome);
      return false;
    }
    this.#settled(entry);
    this.#hear.takenBack(entry, outcome);
    return true;
  }

  #settled(entry) {
    this.#queue.remove(entry.id);
    this.trouble = "";
    this.#retry = FIRST_RETRY_MS;
    this.#hear.changed();
  }

  #stop(outcome) {
    this.trouble = outcome.why ?? "server";
    this.#hear.stopped(outcome);
    this.#hear.changed();
    clearTimeout(this.#timer);
    // A little apart, so that all pages don't come back at the same moment after a restart.
    // Insisting, because a browser can be wrong about being offline.
    this.#timer = setTimeout(() => this.send(true), this.#retry * (0.8 + 0.4 * Math.random()));
    this.#retry = navigator.onLine ? Math.min(this.#retry * 2, LAST_RETRY_MS) : LAST_RETRY_MS;
  }
}
