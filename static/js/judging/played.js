// How much of a clip was seen, in hundredths, each counted once: looping in one place doesn't count twice.

const PARTS = 100;
const LONGEST_GAP = 0.75; // seconds between two looks; what ran in a longer one was on no screen
const SLACK = 0.1; // seconds: looks and frames are not in step

export class Played {
  #parts = new Set();
  #last = null;

  /** What was used beside the picture while the clip was shown: "context" and the like. */
  used = new Set();

  /** Seen at media time `time` of `duration` seconds, at `now` (ms) by the page's clock, while it plays at `rate`. */
  see(time, duration, now, rate = 1) {
    if (!(duration > 0) || !Number.isFinite(duration)) return;
    const last = this.#last;
    this.#last = { time, now };
    this.#mark(time, time, duration);
    if (!last) return;
    // What can have run since the last look: a longer way was a jump, and nobody has seen what it left out.
    const possible = Math.min((now - last.now) / 1000, LONGEST_GAP) * rate + SLACK;
    if (time >= last.time) {
      if (time - last.time <= possible) this.#mark(last.time, time, duration);
    } else if (duration - last.time + time <= possible) {
      this.#mark(last.time, duration, duration);
      this.#mark(0, time, duration);
    }
  }

  /** One frame on or back by hand. */
  step(from, to, duration) {
    this.interrupt();
    if (duration > 0 && Number.isFinite(duration)) this.#mark(Math.min(from, to), Math.max(from, to), duration);
  }

  /** It ran to its end and stays there. */
  end(duration) {
    if (this.#last) this.#mark(this.#last.time, duration, duration);
    this.interrupt();
  }

  /** It paused, or the page was hidden: what is seen next doesn't continue what was seen before. */
  interrupt() {
    this.#last = null;
  }

  get fraction() {
    return this.#parts.size / PARTS;
  }

  #mark(from, to, duration) {
    const part = (time) => Math.max(0, Math.min(PARTS - 1, Math.floor((time / duration) * PARTS)));
    for (let i = part(from); i <= part(to); i += 1) this.#parts.add(i);
  }
}
