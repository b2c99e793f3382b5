// Time at work: the page is in sight, and a key, the pointer or a finger moved not longer ago than the idle seconds.

const SIGNS = ["keydown", "pointerdown", "pointermove", "wheel", "touchstart"];
const BREAK_MS = 5 * 60 * 1000;

export class Activity {
  #idle;
  #last = performance.now();
  #task = 0;
  #stretch = 0;

  /** `idleSeconds`: a longer pause counts as this long. */
  constructor(idleSeconds) {
    this.#idle = idleSeconds * 1000;
    for (const sign of SIGNS) addEventListener(sign, () => this.sign(), { capture: true, passive: true });
    // What ran until the page was hidden counts; the time away doesn't.
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#count() : this.#resume()));
  }

  sign() {
    if (!document.hidden) this.#count();
  }

  /** Another task is shown. */
  begin() {
    this.sign();
    this.#task = 0;
  }

  /** Milliseconds at work on the task that is shown. */
  get task() {
    this.sign();
    return Math.round(this.#task);
  }

  /** Milliseconds at work since the last pause of five minutes, or since `rest`. */
  get stretch() {
    return this.#stretch;
  }

  get idleFor() {
    return performance.now() - this.#last;
  }

  rest() {
    this.#stretch = 0;
  }

  #count() {
    const now = performance.now();
    const gone = now - this.#last;
    this.#last = now;
    this.#task += Math.min(gone, this.#idle);
    this.#stretch = gone >= BREAK_MS ? 0 : this.#stretch + Math.min(gone, this.#idle);
  }

  #resume() {
    const now = performance.now();
    if (now - this.#last >= BREAK_MS) this.#stretch = 0;
    this.#last = now;
  }
}
